//! Backgammon: its throws with their exact chances, and the plays of each throw, as many as an independent program finds.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::chance::{Fraction, shipped, thrown};
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator, Position, Status};
use lawspeaker::model::{FieldStore, Model, Set, Value, VarId};
use lawspeaker::rules::Evaluators;

const GAME: &str = "classics/backgammon";

/// For each throw how many positions the first player of a game can reach from the start. The independent program generates whole plays, all orders
/// of the dice, and keeps those that use the most of them, or else the higher.
const FROM_THE_START: [((i32, i32), usize); 21] = [
    ((1, 1), 42),
    ((2, 1), 15),
    ((2, 2), 75),
    ((3, 1), 16),
    ((3, 2), 17),
    ((3, 3), 73),
    ((4, 1), 14),
    ((4, 2), 18),
    ((4, 3), 17),
    ((4, 4), 52),
    ((5, 1), 8),
    ((5, 2), 8),
    ((5, 3), 9),
    ((5, 4), 9),
    ((5, 5), 4),
    ((6, 1), 10),
    ((6, 2), 14),
    ((6, 3), 14),
    ((6, 4), 14),
    ((6, 5), 7),
    ((6, 6), 11),
];

/// The variables of the rules that the tests read and write.
struct Board<'a> {
    model: &'a Model,
    men: VarId,
    active: VarId,
    dice: VarId,
    repeats: VarId,
}

impl<'a> Board<'a> {
    fn of(model: &'a Model) -> Board<'a> {
        let var = |name: &str| {
            let found = model.vars.iter().position(|v| v.name == name);
            VarId(found.unwrap_or_else(|| panic!("a variable {name}")) as u16)
        };
        let place = model.kinds.iter().find(|k| k.name == "Place").expect("places");
        let men = place.fields.iter().find(|f| f.name == "men").map(|f| &f.store);
        let Some(FieldStore::Var(men)) = men else { panic!("men change") };
        Board { model, men: *men, active: var("active"), dice: var("dice"), repeats: var("repeats") }
    }

    fn places(&self) -> usize {
        self.model.kinds.iter().find(|k| k.name == "Place").map_or(0, |k| k.members.len())
    }

    /// How many men stand on each place.
    fn men(&self, position: &Position) -> Vec<i32> {
        let men = (0..self.places()).map(|i| position.read(self.model, self.men, i));
        men.map(|v| v.int().expect("a number")).collect()
    }

    /// What has been thrown: the higher die and the lower.
    fn throw(&self, position: &Position) -> (i32, i32) {
        let Value::Set(dice) = position.read(self.model, self.dice, 0) else { panic!("dice are a set") };
        // The set is of 1..6, and its first number is 1.
        let dice: Vec<i32> = dice.iter().map(|bit| bit as i32 + 1).collect();
        (dice[dice.len() - 1], dice[0])
    }

    fn active(&self, position: &Position) -> i32 {
        position.read(self.model, self.active, 0).int().expect("a seat")
    }

    fn write(&self, position: &mut Position, var: VarId, index: usize, value: &Value) {
        assert!(position.write(self.model, var, index, value), "{value:?} fits");
    }

    /// A turn of a seat from here, with these dice thrown, or none yet.
    fn turn(&self, e: &impl Evaluator, mut men: Position, seat: i32, throw: Option<(i32, i32)>) -> Position {
        if let Some((a, b)) = throw {
            let dice: Set = [a, b].iter().map(|d| *d as usize - 1).collect();
            self.write(&mut men, self.dice, 0, &Value::Set(dice));
            self.write(&mut men, self.repeats, 0, &Value::Int(if a == b { 3 } else { 0 }));
        }
        e.enter(men, 0, &[seat]).unwrap_or_else(|f| panic!("{}", f.words(self.model)))
    }

    /// A blank position with men as they stand at the start.
    fn set_up(&self, e: &impl Evaluator) -> Position {
        let start = e.start().expect("a start");
        let mut blank = e.blank().expect("a blank position");
        for (i, men) in self.men(&start).into_iter().enumerate() {
            self.write(&mut blank, self.men, i, &Value::Int(men));
        }
        blank
    }
}

/// How the men can stand when a turn is over, and in how many orders of steps that can be done.
fn plays(e: &impl Evaluator, board: &Board<'_>, position: &Position, seat: i32) -> (BTreeSet<Vec<i32>>, usize) {
    let decides = matches!(e.status(position), Ok(Status::Decision(q)) if i32::from(q.seat) == seat);
    if !decides {
        return (BTreeSet::from([board.men(position)]), 1);
    }
    let mut all = BTreeSet::new();
    let mut orders = 0;
    for choice in e.options(position).unwrap_or_else(|f| panic!("{}", f.words(e.model()))) {
        let mut after = position.clone();
        e.apply(&mut after, choice).unwrap_or_else(|f| panic!("{}", f.words(e.model())));
        let (positions, more) = plays(e, board, &after, seat);
        all.extend(positions);
        orders += more;
    }
    (all, orders)
}

fn compiled(e: &Explainer, model: &Arc<Model>) -> Evaluators {
    Evaluators::new(Arc::clone(model), e.config().clone())
}

/// A tie leads back to the position before it, so that the chances of what decides are those of one pair of throws, divided by all that decide.
#[test]
fn fifteen_opening_throws_are_equally_likely() {
    let (game, e) = shipped(GAME);
    let board = Board::of(&game.model);
    let start = e.start().expect("a start");
    let reached = thrown(&e, &start, 2).expect("no fault");
    let tied = reached.iter().find(|(p, _)| *p == start).map_or(Fraction::ZERO, |(_, chance)| *chance);
    assert_eq!(tied, Fraction::new(1, 6));
    let mut openings: HashMap<(i32, i32), Fraction> = HashMap::new();
    let mut first: HashMap<i32, Fraction> = HashMap::new();
    for (position, chance) in reached.iter().filter(|(p, _)| *p != start) {
        assert!(matches!(e.status(position), Ok(Status::Decision(_))));
        let chance = *chance / (Fraction::ONE - tied);
        assert_eq!(chance, Fraction::new(1, 30));
        let sum = openings.entry(board.throw(position)).or_insert(Fraction::ZERO);
        *sum = *sum + chance;
        let sum = first.entry(board.active(position)).or_insert(Fraction::ZERO);
        *sum = *sum + chance;
    }
    assert_eq!(openings.len(), 15);
    assert!(openings.values().all(|c| *c == Fraction::new(1, 15)), "{openings:?}");
    assert_eq!(first, HashMap::from([(0, Fraction::new(1, 2)), (1, Fraction::new(1, 2))]));
}

#[test]
fn there_are_twenty_one_throws() {
    let (game, e) = shipped(GAME);
    let board = Board::of(&game.model);
    for seat in [0, 1] {
        let before = board.turn(&e, board.set_up(&e), seat, None);
        let reached = thrown(&e, &before, 2).expect("no fault");
        assert_eq!(reached.len(), 21);
        for (position, chance) in &reached {
            let (a, b) = board.throw(position);
            assert_eq!(*chance, Fraction::new(if a == b { 1 } else { 2 }, 36), "{a}-{b}");
        }
        let all: BTreeSet<(i32, i32)> = reached.iter().map(|(p, _)| board.throw(p)).collect();
        assert_eq!(all, FROM_THE_START.iter().map(|(throw, _)| *throw).collect());
    }
}

#[test]
fn the_plays_of_every_throw_at_the_start_are_as_many_as_counted_independently() {
    let (game, e) = shipped(GAME);
    let board = Board::of(&game.model);
    let counted = BTreeMap::from(FROM_THE_START);
    for seat in [0, 1] {
        let before = board.turn(&e, board.set_up(&e), seat, None);
        for (position, _) in thrown(&e, &before, 2).expect("no fault") {
            let throw = board.throw(&position);
            assert_eq!(plays(&e, &board, &position, seat).0.len(), counted[&throw], "{throw:?}");
        }
    }
}

/// Places by the numbers a side counts, `24:2,13:5,bar:1`, written into a position.
fn stand(board: &Board<'_>, position: &mut Position, letter: char, men: &str) {
    let members = board.model.kinds.iter().find(|k| k.name == "Place").map_or(&[][..], |k| &k.members);
    for part in men.split(',') {
        let (place, count) = part.split_once(':').expect("PLACE:MEN");
        let id = format!("{letter}{}{}", place[..1].to_uppercase(), &place[1..]);
        let index = members.iter().position(|m| m.id == id).unwrap_or_else(|| panic!("a place {id}"));
        board.write(position, board.men, index, &Value::Int(count.parse().expect("a number")));
    }
}

/// Positions with a throw: men on the bar, bearing off, both dice, the higher die, parts of doubles. The table is the independent program's.
#[test]
fn the_plays_of_many_positions_are_as_many_as_counted_independently() {
    let (game, e) = shipped(GAME);
    let fast = compiled(&e, &game.model);
    let board = Board::of(&game.model);
    let table = include_str!("chance/backgammon.tsv");
    for line in table.lines().skip(1) {
        let [mover, other, throw, positions, orders] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}");
        };
        let (a, b) = throw.split_once('-').expect("two dice");
        let throw = (a.parse().expect("a die"), b.parse().expect("a die"));
        for (seat, own, others) in [(0, 'W', 'B'), (1, 'B', 'W')] {
            let mut men = fast.blank().expect("a blank position");
            stand(&board, &mut men, own, mover);
            stand(&board, &mut men, others, other);
            let position = board.turn(&fast, men, seat, Some(throw));
            let (found, ways) = plays(&fast, &board, &position, seat);
            assert_eq!(
                (found.len().to_string(), ways.to_string()),
                (positions.to_owned(), orders.to_owned()),
                "{line}"
            );
        }
    }
}
