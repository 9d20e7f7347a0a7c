//! Things alike: one option for all that nothing tells apart, and no option fewer.

use lawspeaker::facts::Settings;
use lawspeaker::game::Position;
use lawspeaker::library::Folder;
use lawspeaker::model::{Base, KindId, Model, Value, VarId};
use lawspeaker::players::Dice;
use lawspeaker::{Choice, Evaluator, Rules, Status};

const LAW: &str = include_str!("rules/copies.law");

fn rules(text: &str, lists: &str) -> Rules {
    let files = vec![(String::from("game.law"), text.to_owned())];
    let rules = Rules::of_folder(Folder { files, ..Folder::default() }, &Settings::default()).unwrap();
    if lists.is_empty() { rules } else { rules.with(lists).unwrap() }
}

/// Every order of some things.
fn orders(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, first) in things.iter().enumerate() {
        let rest: Vec<usize> = things.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, t)| *t).collect();
        all.extend(orders(&rest).into_iter().map(|order| [vec![*first], order].concat()));
    }
    all
}

/// The position after its cards have changed places.
fn moved(model: &Model, card: KindId, position: &Position, to: &[usize]) -> Position {
    let of_card = |base: &Base| *base == Base::Member(card) || *base == Base::List(card);
    let mut out = position.clone();
    for (i, v) in model.vars.iter().enumerate() {
        let var = VarId(i as u16);
        for index in 0..v.place.count as usize {
            let value = match (position.read(model, var, index), &v.ty.base) {
                (Value::Int(m), base) if of_card(base) => Value::Int(to[m as usize] as i32),
                (Value::Set(set), Base::Set(of)) if of_card(of) => Value::Set(set.iter().map(|m| to[m]).collect()),
                (Value::List(items), _) => Value::List(items.iter().map(|m| to[*m as usize] as u16).collect()),
                (value, _) => value,
            };
            let place = match v.index {
                Some(kind) if kind == card => to[index],
                // Cards and sites: one entry a pair.
                Some(kind) if model.pair(kind).is_some_and(|(a, ..)| a == card) => {
                    let n = model.pair(kind).unwrap().2;
                    to[index / n] * n + index % n
                }
                _ => index,
            };
            let _ = out.write(model, var, place, &value);
        }
    }
    out
}

/// All ways to exchange cards of one print and side.
fn exchanges(model: &Model, card: KindId, position: &Position) -> Vec<Vec<usize>> {
    let print = model.vars.iter().position(|v| v.name == "Card.print").unwrap();
    let count = model.kinds[card.i()].members.len();
    let kind = |m: usize| {
        let side = if m < 7 { 0 } else { 1 };
        (side, position.read(model, VarId(print as u16), m).int())
    };
    let mut all: Vec<Vec<usize>> = vec![(0..count).collect()];
    for first in 0..count {
        let same: Vec<usize> = (0..count).filter(|m| kind(*m) == kind(first)).collect();
        if same[0] != first || same.len() < 2 || kind(first).1.is_none() {
            continue;
        }
        let mut more = Vec::new();
        for to in &all {
            for order in orders(&same) {
                let mut to = to.clone();
                same.iter().zip(&order).for_each(|(m, other)| to[*m] = *other);
                more.push(to);
            }
        }
        all = more;
    }
    all
}

fn after(rules: &Rules, position: &Position, choice: Choice) -> Position {
    let mut after = position.clone();
    rules.apply(&mut after, choice).unwrap();
    after
}

#[test]
fn each_option_stands_for_all_that_lead_to_the_same_up_to_an_exchange() {
    let lists = "cards of North \"table: 2 Sword, 2 Rider; hand: Sword\", cards of South \"table: Rider; hand: 2 Bow\"";
    let alike = rules(LAW, lists);
    let single = rules(&LAW.replace("\" alike {", "\" {"), lists);
    let model = alike.model();
    let card = KindId(model.kinds.iter().position(|k| k.name == "Card").unwrap() as u16);
    let (mut fewer, mut decisions) = (0, 0);
    for seed in 0..6 {
        let mut dice = Dice::new(seed);
        let mut position = alike.start().unwrap();
        while !matches!(alike.status(&position).unwrap(), Status::Over(_)) {
            let (options, all) = (alike.options(&position).unwrap(), single.options(&position).unwrap());
            if matches!(alike.status(&position).unwrap(), Status::Decision(_)) {
                decisions += 1;
                fewer += all.len() - options.len();
                let exchanges = exchanges(model, card, &position);
                let kinds =
                    |p: &Position| -> Vec<Position> { exchanges.iter().map(|to| moved(model, card, p, to)).collect() };
                let stand: Vec<Position> = options.iter().map(|c| after(&alike, &position, *c)).collect();
                for choice in &all {
                    let led = kinds(&after(&single, &position, *choice));
                    let by = stand.iter().filter(|p| led.contains(p)).count();
                    assert_eq!(by, 1, "seed {seed}: {}", single.say(&position, *choice));
                }
            }
            let choice = options[dice.below(options.len())];
            // What is written means this option, and no other.
            let text = alike.say(&position, choice);
            if matches!(alike.status(&position).unwrap(), Status::Decision(_)) {
                assert_eq!(alike.read(&position, &text).unwrap(), choice, "{text}");
            }
            alike.apply(&mut position, choice).unwrap();
        }
    }
    assert!(decisions > 30 && fewer > 60, "{decisions} decisions, {fewer} fewer options");
}

#[test]
fn what_the_rules_name_is_told_apart() {
    let lists = "cards of North \"hand: 3 Sword\"";
    let named =
        LAW.replace("may lay \"from the hand\"", "may lay \"from the hand\"\nmay not lay \"not this\" when c is N2");
    let count = |text: &str| {
        let rules = rules(text, lists);
        let start = rules.start().unwrap();
        (rules.options(&start).unwrap().len(), Evaluator::count(rules.evaluators(), &start).unwrap())
    };
    assert_eq!(count(LAW), (2, 2));
    // N2 may not be laid; N1 and N3 are alike still.
    assert_eq!(count(&named), (2, 2));
    assert_eq!(
        count(&named.replace("may not lay \"not this\" when c is N2", "may lay \"this too\" when c is N2")),
        (3, 3)
    );
}

#[test]
fn copies_are_counted_once_ahead() {
    let lists = "cards of North \"hand: 3 Sword, 2 Bow\", cards of South \"hand: Bow\"";
    let alike = rules(LAW, lists);
    let single = rules(&LAW.replace("\" alike {", "\" {"), lists);
    let count = |rules: &Rules| rules.perft(&rules.start().unwrap(), 3).unwrap();
    // North has 3 options, or 6 if each copy counts; South has 2 each time; then North has 4, 4 and 3, or always 6.
    assert_eq!((count(&alike), count(&single)), (2 * (4 + 4 + 3), 2 * 6 * 6));
}

#[test]
fn a_view_says_how_many_of_each_there_are() {
    let rules = rules(LAW, "cards of North \"hand: 3 Sword, Bow; deck: 2 Rider; table: Rider\"");
    let mut position = rules.start().unwrap();
    while let Status::Chance(_) = rules.status(&position).unwrap() {
        let choice = rules.options(&position).unwrap()[0];
        rules.apply(&mut position, choice).unwrap();
    }
    let words = |seat: u16, lang: &str| {
        let view = rules.view(&position, seat);
        let lexicon = lawspeaker::lexicon::Lexicon::new(rules.model(), lang);
        let piles: Vec<String> = view.piles.iter().filter(|p| p.size > 0).map(|p| lexicon.pile(&view, p)).collect();
        piles.join("; ")
    };
    insta::assert_snapshot!([words(0, ""), words(1, ""), words(0, "ja")].join("\n"));
}
