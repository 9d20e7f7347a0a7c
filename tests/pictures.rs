//! The board as it is drawn on a terminal, through the eyes of each seat.

use std::sync::Arc;

use lawspeaker::check::{Severity, check};
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Evaluator, Position};
use lawspeaker::map;

/// Twelve columns and eighteen rows, `A1` to `R12`, some of them high, with a wall in the middle.
fn patrol() -> Explainer {
    let id = |row: usize, column: usize| format!("{}{column}", char::from(b'A' + row as u8 - 1));
    let mut hexes = String::from("id,name,row,column,high\n");
    let mut walls = String::from("from,to,wall\n");
    for row in 1..=18 {
        for column in 1..=12 {
            let high = if (4..=6).contains(&row) && (3..=5).contains(&column) { "yes" } else { "" };
            hexes += &format!("{0},{0},{row},{column},{high}\n", id(row, column));
        }
    }
    for column in 6..10 {
        walls += &format!("{},{},yes\n{},{},yes\n", id(8, column), id(9, column), id(8, column), id(8, column + 1));
    }
    let law = include_str!("pictures/patrol.law").to_owned();
    let files = [("hexes.csv", hexes), ("walls.csv", walls), ("patrol.law", law)];
    let checked = check(&files.map(|(n, t)| (n.to_owned(), t)), &[]);
    let errors = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let said: Vec<String> =
        errors.map(|d| format!("{} {:?}", d.message, checked.sources.place(d.labels[0].0))).collect();
    assert!(said.is_empty(), "{said:#?}");
    let model = checked.model.unwrap();
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
}

fn at(rules: &Explainer, facts: &str) -> Position {
    let scene = facts::Scene::parse(&format!("given patrol\n  light to move\n{facts}")).unwrap();
    scene.position(rules).unwrap_or_else(|f| panic!("{f:?}"))
}

fn drawn(rules: &Explainer, position: &Position, seat: u16, lang: &str) -> String {
    let (view, marks) = (rules.view(position, seat), rules.marks(position, seat));
    let text = map::board(rules.model(), &view, &marks, lang);
    assert!(text.lines().all(|l| map::columns(l) <= 80), "{text}");
    text
}

const FACTS: &str = "  Light 1 troop Ranger   Light 1 at C3   Light 1 facing SouthEast   Light 1 wounded
  Light 2 troop Ranger   Light 2 at H6   Light 2 facing West
  Shade 1 troop Warg   Shade 1 at H6   Shade 1 facing NorthEast
  Shade 2 troop Warg   Shade 2 at J9   Shade 2 wounded
  hand: Light 1
  E9, E10 fire
";

#[test]
fn a_map_of_hexagons() {
    let rules = patrol();
    let position = at(&rules, FACTS);
    insta::assert_snapshot!("hexagons-light", drawn(&rules, &position, 0, ""));
    let shade = drawn(&rules, &position, 1, "ja");
    insta::assert_snapshot!("hexagons-shade", shade);
}

#[test]
fn a_mark_tells_nothing_that_a_seat_does_not_see() {
    let rules = patrol();
    let wargs = |position: &Position, seat| rules.marks(position, seat)[4].cells.clone();
    let hidden = at(&rules, "  Shade 1 troop Warg   Shade 1 at A1\n");
    assert_eq!((wargs(&hidden, 0), wargs(&hidden, 1)), (vec![], vec![0]));
    let open = at(&rules, "  Shade 1 troop Warg   Shade 1 at A1   Shade 1 wounded\n");
    assert_eq!((wargs(&open, 0), wargs(&open, 1)), (vec![0], vec![0]));
    // What depends on nothing hidden is the same for all; that there is no Warg anywhere is for nobody to know.
    assert_eq!(rules.marks(&open, 0)[0], rules.marks(&hidden, 1)[0]);
    let calm = |position: &Position, seat| rules.marks(position, seat)[5].cells.len();
    let none = at(&rules, "  Shade 1 at A1\n");
    assert_eq!((calm(&none, 0), calm(&none, 1), calm(&open, 0)), (0, 0, 0));
    let all = at(&rules, "  Light 1, Light 2, Shade 1, Shade 2 wounded   Light 1 at B1\n");
    assert_eq!((calm(&all, 0), calm(&all, 1)), (216, 216));
}

#[test]
fn a_board_of_boxes_shows_arrows_and_signs() {
    let law = include_str!("pictures/patrol.law");
    let law = law.replace("hexagonal", "square").replace("facing: Side = East", "facing: Side = West");
    let sides: Vec<&str> = law.lines().filter(|l| !l.starts_with("mark a to b")).collect();
    let hexes = "id,name,row,column,high\nA1,A1,1,1,\nA2,A2,1,2,yes\nB1,B1,2,1,\n";
    let files = [("hexes.csv", hexes), ("walls.csv", "from,to,wall\n"), ("patrol.law", &sides.join("\n"))];
    let checked = check(&files.map(|(n, t)| (n.to_owned(), t.to_owned())), &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    let rules = Explainer::new(Arc::new(model), config);
    let facts = "  Light 1 troop Ranger   Light 1 at A2   Light 2 at A2   Light 2 facing South\n  hand: Light 1\n";
    insta::assert_snapshot!("boxes", drawn(&rules, &at(&rules, facts), 0, ""));
}
