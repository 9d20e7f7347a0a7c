//! The board as it is drawn on a terminal, through the eyes of each seat.

use std::sync::Arc;

use lawspeaker::check::{Severity, check};
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Evaluator, Position};
use lawspeaker::map;

/// Twelve columns and eighteen rows, `A1` to `R12`, some of them high, with a wall in the middle.
fn patrol() -> Explainer {
    patrol_with("")
}

/// The same with more rules.
fn patrol_with(more: &str) -> Explainer {
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
    let law = include_str!("pictures/patrol.law").to_owned() + more;
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
    let scene = facts::Scene::parse(&format!("given {}\n  light to move\n{facts}", rules.model().name)).unwrap();
    scene.position(rules).unwrap_or_else(|f| panic!("{f:?}"))
}

fn drawn(rules: &Explainer, position: &Position, seat: u16, lang: &str) -> String {
    let (view, marks) = (rules.view(position, seat), rules.marks(position, seat));
    let text = map::board(rules.model(), &view, &marks, lang);
    assert!(text.lines().all(|l| map::columns(l) <= 80), "{text}");
    text
}

/// Rows of boxes may be wider.
fn drawn_wide(rules: &Explainer, position: &Position) -> String {
    let text = map::board(rules.model(), &rules.view(position, 0), &rules.marks(position, 0), "");
    assert!(text.lines().all(|l| map::columns(l) <= map::WIDTH), "{text}");
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
fn what_is_found_once_for_all_cells_tells_nothing_either() {
    let rules = patrol_with(
        "define prowled() -> set of Hex = { h in Hex where some u in Unit: u.troop is Warg and u.at is h }\n\
         mark h: Hex \"w\" \"a Warg\" when h in prowled()\n",
    );
    let prowled = |position: &Position, seat| rules.marks(position, seat)[6].cells.clone();
    let hidden = at(&rules, "  Shade 1 troop Warg   Shade 1 at A1\n");
    assert_eq!((prowled(&hidden, 0), prowled(&hidden, 1)), (vec![], vec![0]));
    let open = at(&rules, "  Shade 1 troop Warg   Shade 1 at A1   Light 1, Light 2, Shade 1, Shade 2 wounded\n");
    assert_eq!((prowled(&open, 0), prowled(&open, 1)), (vec![0], vec![0]));
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

/// A game of one file.
fn game(law: &str) -> Explainer {
    let checked = check(&[("game.law".to_owned(), law.to_owned())], &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
}

const REALMS: &str = "  Vale steps 1   Fells steps 1   Marsh steps 1
  Ford army Spear, Spear, Horse
  Tower army Spear, Spear, Spear, Spear, Spear, Horse, Horse, Captain   Tower owner Dark   Tower ruined
  Waste army Captain
  Ann at Tower   Ann tired   Bob at Ford   Bob food 1   Cid at Tower   Dot at Waste   Dot tired   Dot food 2
  Swan moored Ford
  hand: Ann   day: 3
";

#[test]
fn a_map_of_areas_in_groups() {
    let rules = game(include_str!("pictures/realms.law"));
    let position = at(&rules, REALMS);
    insta::assert_snapshot!("areas-light", drawn(&rules, &position, 0, ""));
    insta::assert_snapshot!("areas-dark", drawn(&rules, &position, 1, "ja"));
}

#[test]
fn a_map_of_areas_tells_only_what_a_seat_sees() {
    let rules = game(include_str!("pictures/realms.law"));
    let hidden = |who: &str| drawn(&rules, &at(&rules, &format!("  {who} at Pool\n  hand: {who}\n")), 0, "");
    // Light does not see which of Dark's heroes it is.
    let text = hidden("Cid");
    assert_eq!(text, hidden("Dot"));
    assert!(text.contains("Pool: Dark ?"), "{text}");
    assert_ne!(hidden("Ann"), hidden("Bob"));
}

#[test]
fn members_are_listed_without_a_map() {
    let law = include_str!("pictures/realms.law");
    let (start, end) = (law.find("board Area").unwrap(), law.find("entry").unwrap());
    let listed = |board: &str| {
        let rules = game(&format!("{}{board}\n{}", &law[..start], &law[end..]));
        drawn(&rules, &at(&rules, REALMS), 0, "")
    };
    insta::assert_snapshot!("list-of-heroes", listed("board Hero with at \"in\", tired"));
    insta::assert_snapshot!("list-by-side", listed("board Hero grouped by side"));
    insta::assert_snapshot!(
        "list-by-place",
        listed("board Hero grouped by at\nmark h: Hero \"*\" \"tired\" when h.tired")
    );
    insta::assert_snapshot!("list-by-number", listed("board Area grouped by depth"));
}

#[test]
fn boxes_tell_bags_by_their_counts() {
    let law = include_str!("pictures/realms.law")
        .replace("  hold: Hold?\n", "  hold: Hold?\n  row: 0..9 = 1\n  column: 0..9\n");
    let names = ["Ford", "Mill", "Tower", "Crag", "Waste", "Pool"];
    let law = names.iter().enumerate().fold(law, |law, (i, name)| {
        let head = format!("Area {name} ");
        let (before, after) = law.split_once(&head).unwrap();
        let (line, rest) = after.split_once('\n').unwrap();
        let line = line.strip_suffix('}').map_or(format!("{line} {{"), |l| l.to_owned());
        format!("{before}{head}{line} column {i} }}\n{rest}")
    });
    let (start, end) = (law.find("grouped by").unwrap(), law.find("  with hold").unwrap());
    let rules = game(&format!("{}row row column column\n{}", &law[..start], &law[end..]));
    insta::assert_snapshot!("boxes-with-bags", drawn_wide(&rules, &at(&rules, REALMS)));
}
