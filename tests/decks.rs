//! Legal decks drawn at random from the whole card base of the Middle-earth CCG, and games with them.
//!
//! The rules are the judge: a ready-made deck is changed card by card, and each change that breaks a clause is taken
//! back. So the generator knows nothing of what a deck may be.

use lawspeaker::list::List;
use lawspeaker::model::Model;
use lawspeaker::players::Dice;
use lawspeaker::{Rules, Settings, Verdict};

use crate::common::files::root;
use crate::common::session::Session;

const GAME: &str = "middle-earth-ccg";

/// How many cards of a deck are changed at random, and how many sites of a location deck are tried to be left out.
const CHANGES: usize = 150;

fn deck(name: &str) -> Vec<String> {
    let path = root().join("rules").join(GAME).join("decks").join(name);
    std::fs::read_to_string(path).expect("the deck is there").lines().map(String::from).collect()
}

fn names_of(model: &Model, kind: &str) -> Vec<String> {
    let kind = model.kinds.iter().find(|k| k.name == kind).expect("there is such a kind");
    kind.members.iter().map(|m| m.name.text.clone()).collect()
}

/// Whether the rules allow a list; one with a card in a place where it cannot be is not read, and so not allowed.
fn is_legal(rules: &Rules, lines: &[String], seat: u16) -> bool {
    let list = List::parse(&lines.join("\n")).expect("it begins as lists do");
    rules.validate(&list, seat).is_ok_and(|ruling| ruling.verdict == Verdict::Legal)
}

/// The lines of a list that name something, and not a section.
fn items(lines: &[String]) -> Vec<usize> {
    (1..lines.len()).filter(|at| !lines[*at].ends_with(':') && !lines[*at].trim().is_empty()).collect()
}

/// The ready-made play decks; which of them are legal depends on the options.
const READY: [&str; 5] =
    ["tuned-gandalf.deck", "tuned-saruman.deck", "good/published-size.deck", "good/largest.deck", "good/smallest.deck"];

/// A legal play deck: cards of a ready-made one are exchanged for others.
fn play_deck(rules: &Rules, cards: &[String], dice: &mut Dice, seat: u16) -> Vec<String> {
    let ready: Vec<Vec<String>> = READY.into_iter().map(deck).filter(|lines| is_legal(rules, lines, seat)).collect();
    let mut lines: Vec<String> = Vec::new();
    for line in ready[dice.below(ready.len())].clone() {
        let (count, card) = line.trim().split_once(' ').unwrap_or(("", ""));
        match count.parse::<usize>() {
            // Each copy by itself, so that it can be exchanged.
            Ok(count) => lines.extend(std::iter::repeat_n(format!("  {card}"), count)),
            Err(_) => lines.push(line),
        }
    }
    lines.retain(|line| !line.trim().starts_with("//"));
    // The preset is asked for with the game.
    lines[0] = lines[0].replace(" with preset published", "");
    assert!(is_legal(rules, &lines, seat), "{lines:?}");
    for _ in 0..CHANGES {
        let all = items(&lines);
        let at = all[dice.below(all.len())];
        let before = std::mem::replace(&mut lines[at], format!("  {}", cards[dice.below(cards.len())]));
        if !is_legal(rules, &lines, seat) {
            lines[at] = before;
        }
    }
    lines
}

/// A legal location deck: sites of the whole map are left out.
fn location_deck(rules: &Rules, dice: &mut Dice, seat: u16) -> Vec<String> {
    let mut lines = deck("good/sites-the-whole-map.deck");
    lines.retain(|line| !line.starts_with("//"));
    for _ in 0..CHANGES / 5 {
        let all = items(&lines);
        let at = all[dice.below(all.len())];
        let before = lines.remove(at);
        if !is_legal(rules, &lines, seat) {
            lines.insert(at, before);
        }
    }
    lines
}

/// Plays games with decks drawn at random: so many pairs of decks, and so many games with each. Gives all cards that
/// were in a deck.
fn played(pairs: u64, games: u64, first: u64) -> std::collections::BTreeSet<String> {
    let mut used = std::collections::BTreeSet::new();
    for pair in first..first + pairs {
        let preset = if pair % 2 == 0 { "seed" } else { "published" };
        let settings = Settings { preset: Some(preset.to_owned()), ..Settings::default() };
        let rules = Rules::open_with(GAME, &settings).unwrap();
        let cards = names_of(rules.model(), "Print");
        let (mut dice, session) = (Dice::new(pair), Session::empty());
        let (count, seed) = (games.to_string(), pair.to_string());
        let mut args = vec!["random", GAME, "--preset", preset, "--games", &count, "--seed", &seed, "--checked", "1"];
        let mut lists = Vec::new();
        for (seat, who) in ["Gandalf", "Saruman"].into_iter().enumerate() {
            let name = format!("{who}-cards.deck");
            let deck = play_deck(&rules, &cards, &mut dice, seat as u16);
            used.extend(items(&deck).into_iter().map(|at| deck[at].trim().to_owned()));
            session.write(&name, deck.join("\n"));
            lists.extend([String::from("--list"), format!("{who}={name}")]);
            if dice.below(2) == 0 {
                let name = format!("{who}-sites.deck");
                session.write(&name, location_deck(&rules, &mut dice, seat as u16).join("\n"));
                lists.extend([String::from("--list"), format!("{who}={name}")]);
            }
        }
        args.extend(lists.iter().map(String::as_str));
        session.says(0, &args);
    }
    used
}

#[test]
fn games_with_decks_drawn_at_random_have_no_fault() {
    assert!(played(2, 2, 1).len() > 100);
}

/// `PAIRS` says how many pairs of decks are drawn, `GAMES` how many games are played with each, `FIRST` the number of the
/// first pair.
#[test]
#[ignore = "long: thousands of games with decks drawn at random"]
fn many_games_with_decks_drawn_at_random_have_no_fault() {
    let number = |name: &str, usual| std::env::var(name).map_or(usual, |n| n.parse().unwrap());
    let used = played(number("PAIRS", 200), number("GAMES", 15), number("FIRST", 1));
    println!("{} cards were in a deck", used.len());
}
