//! Who sees whom in the miniatures game, against a second, plain program that draws the lines of chapter 5 on a plane.

mod plain;

use std::collections::BTreeMap;
use std::path::Path;

use lawspeaker::game::Position;
use lawspeaker::model::{Set, Value};
use lawspeaker::players::{Dice, derived};
use lawspeaker::{Rules, Settings};
use plain::{Figure, Hex, Map, Readings, SIDES, Table};

/// How many figures a side has in the rules; Blue's come after Red's.
const SEAT: usize = 24;

/// The readings about sight, as the rules name them.
const READINGS: [(&str, Readings); 4] = [
    ("points 1000", Readings { corners_block: true, nobody_from_above: false }),
    ("corner_to_corner free", Readings { corners_block: false, nobody_from_above: false }),
    ("from_above nobody", Readings { corners_block: true, nobody_from_above: true }),
    ("corner_to_corner free, from_above nobody", Readings { corners_block: false, nobody_from_above: true }),
];

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/miniatures").join(name);
    std::fs::read_to_string(path).expect("a file of the game")
}

/// A map of the tables: `river` or `hall`.
fn map(name: &str) -> Map {
    let rows = |text: &str| -> Vec<BTreeMap<String, String>> {
        let mut lines = text.lines();
        let head: Vec<String> = lines.next().expect("a head").split(',').map(String::from).collect();
        lines.map(|line| head.iter().cloned().zip(line.split(',').map(String::from)).collect()).collect()
    };
    let mut map = Map::default();
    for row in rows(&file("hexes.csv")) {
        let hex = Hex::named(&row["id"]);
        map.hexes.insert(hex);
        if row[&format!("{name}_high")] == "yes" {
            map.high.insert(hex);
        }
    }
    for row in rows(&file("edges.csv")).iter().filter(|row| row[name] == "Black") {
        map.wall(Hex::named(&row["from"]), Hex::named(&row["to"]));
    }
    map
}

fn unit(i: usize) -> String {
    if i < SEAT { format!("Red{}", i + 1) } else { format!("Blue{}", i - SEAT + 1) }
}

/// Figures at random places, some of them close together.
fn crowd<'m>(map: &'m Map, dice: &mut Dice) -> Table<'m> {
    let mut free: Vec<Hex> = map.hexes.iter().copied().collect();
    if dice.below(2) == 0 {
        let top = dice.below(10) as i64;
        free.retain(|h| (top..top + 9).contains(&h.row));
    }
    let each = 3 + dice.below(SEAT - 3);
    let mut figures = BTreeMap::new();
    for i in (0..each).chain(SEAT..SEAT + each) {
        let at = free.swap_remove(dice.below(free.len()));
        let wraith = i >= SEAT && dice.below(6) == 0;
        figures.insert(i, Figure { at, wraith, ringed: i == 0 && dice.below(2) == 0, sharp: dice.below(12) == 0 });
    }
    Table { map, figures }
}

/// The same as a position of the rules.
fn position(rules: &Rules, map: &str, table: &Table) -> Position {
    let mut text = format!("given miniatures\n  map: {map}\n");
    for (&i, f) in &table.figures {
        let kind = match (f.ringed, f.wraith, i < SEAT) {
            (true, ..) => "RingFrodo",
            (_, true, _) => "Ringwraith",
            (_, _, true) => "RohanArcher",
            _ => "MoriaGoblin",
        };
        let sharp = if f.sharp { format!("   {} live Sharpshooter", unit(i)) } else { String::new() };
        text += &format!("  {0} figure {kind}   {0} at {1}{sharp}\n", unit(i), f.at.name());
    }
    rules.position(&(text + "  Red to act first\n")).unwrap_or_else(|e| panic!("{e}"))
}

fn asked(rules: &Rules, position: &Position, question: &str) -> Set {
    match rules.ask(position, question) {
        Ok((Value::Set(set), _)) => set,
        other => panic!("{question}: {other:?}"),
    }
}

fn rules(settings: &str) -> Rules {
    Rules::open_with("miniatures", &Settings::default())
        .and_then(|r| r.with(settings))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Compares everybody's sight in so many random positions under each of the readings; how many pairs were asked about, and how many see.
fn compare(positions: usize, shooters: usize, seed: u64) -> (usize, usize) {
    let (mut pairs, mut seen) = (0, 0);
    let maps = [("RiverFord", map("river")), ("RuinedHall", map("hall"))];
    for (n, (settings, readings)) in READINGS.into_iter().enumerate() {
        let rules = rules(settings);
        for i in 0..positions {
            let mut dice = Dice::new(derived(seed, (n * positions + i) as u64));
            let (name, map) = &maps[i % 2];
            let table = crowd(map, &mut dice);
            let position = position(&rules, name, &table);
            let all: Vec<usize> = table.figures.keys().copied().collect();
            for _ in 0..shooters {
                let (shooter, facing) = (all[dice.below(all.len())], dice.below(6));
                let question = format!(
                    "{{ t in Unit where t.at is not none and in_line({}, t, {}) }}",
                    unit(shooter),
                    SIDES[facing]
                );
                let by_rules = asked(&rules, &position, &question);
                for target in all.iter().copied().filter(|&t| t != shooter) {
                    let by_hand = table.sees(shooter, target, facing, readings);
                    let place = || {
                        let [a, b] =
                            [shooter, target].map(|i| format!("{} at {}", unit(i), table.figures[&i].at.name()));
                        format!("{name}, {settings}: {a} facing {}, {b}: {:?}", SIDES[facing], table.figures)
                    };
                    assert_eq!(by_rules.contains(target), by_hand, "{}", place());
                    pairs += 1;
                    seen += usize::from(by_hand);
                }
            }
        }
    }
    (pairs, seen)
}

#[test]
fn lines_of_sight_are_those_drawn_on_a_plane() {
    let (pairs, seen) = compare(12, 6, 1);
    assert!(pairs > 6000 && seen > pairs / 5 && seen < pairs * 4 / 5, "{seen} of {pairs}");
}

/// Some four hundred thousand pairs.
#[test]
#[ignore = "half an hour without optimization"]
fn lines_of_sight_are_those_drawn_on_a_plane_in_many_positions() {
    let (pairs, seen) = compare(100, 40, 2);
    println!("{seen} of {pairs}");
}

#[test]
fn the_field_of_view_is_that_drawn_on_a_plane() {
    for (settings, half) in [("points 1000", false), ("field_of_view half", true)] {
        let rules = rules(settings);
        let map = map("river");
        for i in 0..6 {
            let mut dice = Dice::new(derived(3, i));
            let table = crowd(&map, &mut dice);
            let position = position(&rules, "RiverFord", &table);
            for (&shooter, f) in table.figures.iter().take(8) {
                let facing = dice.below(6);
                let question = format!(
                    "{{ t in Unit where t.at is not none and in_field({}, t, {}) }}",
                    unit(shooter),
                    SIDES[facing]
                );
                let by_rules = asked(&rules, &position, &question);
                for &target in table.figures.keys().filter(|t| **t != shooter) {
                    let by_hand = if half {
                        table.in_front(shooter, target, facing)
                    } else {
                        table.in_wedge(shooter, target, facing)
                    };
                    let place =
                        format!("{settings}: {:?} facing {}, {:?}", f.at, SIDES[facing], table.figures[&target].at);
                    assert_eq!(by_rules.contains(target), by_hand, "{place}");
                }
            }
        }
    }
}

/// Where the readings part: a line from corner to corner through the hex of a figure between.
#[test]
fn the_readings_part_where_a_line_goes_from_corner_to_corner() {
    let map = map("river");
    let figure = |name: &str| Figure { at: Hex::named(name), wraith: false, ringed: false, sharp: false };
    let mut parted = 0;
    for (column, row) in (2..9).flat_map(|c| (2..14).map(move |r| (c, r))) {
        for (down, across) in [(2, 0), (0, 2), (3, 1), (1, 2), (4, 0)] {
            let at = |c: i64, r: i64| Hex { column: c, row: r }.name();
            let middle = at(column + across / 2, row + down / 2);
            let names = [at(column, row), at(column + across, row + down), middle];
            let figures = names.iter().enumerate().map(|(i, n)| (i, figure(n))).collect();
            let table = Table { map: &map, figures };
            let sees = |blocks| -> Vec<bool> {
                let readings = Readings { corners_block: blocks, nobody_from_above: false };
                (0..6).map(|d| table.sees(0, 1, d, readings)).collect()
            };
            if sees(true) == sees(false) {
                continue;
            }
            parted += 1;
            for (settings, blocks) in [("points 1000", true), ("corner_to_corner free", false)] {
                let rules = rules(settings);
                let position = position(&rules, "RiverFord", &table);
                let by_rules = SIDES.map(|side| {
                    rules.ask(&position, &format!("in_line(Red1, Red2, {side})")).expect("an expression").0.truth()
                });
                assert_eq!(by_rules.to_vec(), sees(blocks), "{names:?} {settings}");
            }
            if parted == 6 {
                return;
            }
        }
    }
    panic!("only {parted} places");
}
