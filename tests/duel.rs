//! Battles of The Confrontation against a second, plain program written from the rulebook: the same questions with the same options,
//! and the same outcome.

mod plain;

use lawspeaker::Rules;
use lawspeaker::game::{Position, Status};
use lawspeaker::players::{Dice, derived};
use plain::{CARDS, CHARACTERS, DARK, GOOD, Name, ROWS, Region, Table, name, onward, region, room, side};

/// The identifier of a name: `Gap of Rohan` is `GapOfRohan`.
fn id(name: &str) -> String {
    let words = name.split([' ', '-']);
    words.map(|w| w[..1].to_uppercase() + &w[1..]).collect()
}

fn listed<'n>(names: impl IntoIterator<Item = &'n Name>) -> String {
    names.into_iter().copied().collect::<Vec<_>>().join(", ")
}

/// A table as a position of the rules, before a move of a side.
fn position(rules: &Rules, table: &Table, mover: usize) -> Position {
    let mut text = String::from("given confrontation\n");
    for (c, r) in &table.at {
        text += &format!("  {c} at {}\n", name(*r));
    }
    for (p, seat) in ["Good", "Dark"].into_iter().enumerate() {
        text += &format!("  hand of {seat}: {}\n", listed(&table.hand[p]));
        let spent = if table.spent[p].is_empty() { "empty".into() } else { listed(&table.spent[p]) };
        text += &format!("  spent of {seat}: {spent}\n");
    }
    text += ["  Good to move\n", "  Dark to move\n"][mover];
    rules.position(&text).unwrap_or_else(|e| panic!("{text}{e}"))
}

/// The state of a table as a condition of the rules.
fn condition(table: &Table) -> String {
    let everybody = CHARACTERS.iter().flatten().map(|(c, _)| {
        let at = table.at.get(c).map_or(String::from("none"), |r| id(name(*r)));
        format!("{}.at is {at}", id(c))
    });
    let mut all: Vec<String> = everybody.collect();
    // When the game is over nobody asks about the cards.
    if table.won.is_none() {
        for (p, seat) in ["Good", "Dark"].into_iter().enumerate() {
            for (pile, cards) in [("hand", &table.hand[p]), ("spent", &table.spent[p])] {
                let of = format!("{pile}[{seat}]");
                all.push(format!("size({of}) is {}", cards.len()));
                all.extend(cards.iter().map(|c| format!("{} in {of}", id(c))));
            }
            all.extend(table.spent[p].last().map(|c| format!("{} is the top of spent[{seat}]", id(c))));
        }
    }
    all.join(" and ")
}

/// An attack to be made on a table.
struct Attack {
    table: Table,
    mover: Name,
    to: Region,
}

impl Attack {
    fn words(&self) -> String {
        format!("{} to {}", self.mover, name(self.to))
    }

    /// Makes the attack with both programs; `answer` picks among so many options.
    fn make(&self, rules: &Rules, start: &Position, answer: &mut dyn FnMut(usize) -> usize) {
        let mut position = start.clone();
        let mut said = vec![format!("{:?}", self.table), self.words()];
        let choice = rules.read(&position, &self.words()).unwrap_or_else(|e| panic!("{said:?}: {e:?}"));
        rules.apply(&mut position, choice).unwrap_or_else(|e| panic!("{said:?}: {e}"));
        let mut table = self.table.clone();
        table.attack(self.mover, self.to, &mut |asked, options| {
            let choices = rules.options(&position).unwrap_or_else(|e| panic!("{said:?}: {e}"));
            let words: Vec<String> = choices.iter().map(|&c| rules.say(&position, c)).collect();
            let status = rules.status(&position).unwrap_or_else(|e| panic!("{said:?}: {e}"));
            let by_rules = match status {
                Status::Decision(question) => Some(usize::from(question.seat)),
                Status::Chance(_) => None,
                Status::Over(_) => panic!("{said:?}: {options:?} is asked, and the game is over"),
            };
            let sorted = |mut list: Vec<String>| {
                list.sort();
                list
            };
            assert_eq!((by_rules, sorted(words.clone())), (asked, sorted(options.clone())), "{said:?}");
            let i = answer(options.len());
            let j = words.iter().position(|w| *w == options[i]).expect("the same options");
            rules.apply(&mut position, choices[j]).unwrap_or_else(|e| panic!("{said:?}: {e}"));
            said.push(options[i].clone());
            i
        });
        self.compare(rules, &position, &table, &said);
    }

    /// The outcome.
    fn compare(&self, rules: &Rules, position: &Position, table: &Table, said: &[String]) {
        let ended = match rules.status(position).unwrap_or_else(|e| panic!("{said:?}: {e}")) {
            Status::Over(outcome) => {
                let model = rules.model();
                let label =
                    model.ends.get(outcome.ending).and_then(|e| model.clause(e.clause)).map(|c| c.label.text.clone());
                Some((outcome.winners.iter().map(|w| usize::from(*w)).collect::<Vec<_>>(), label.unwrap_or_default()))
            }
            Status::Decision(question) => {
                assert_eq!(usize::from(question.seat), 1 - side(self.mover), "{said:?}: it is the other side's turn");
                None
            }
            Status::Chance(_) => panic!("{said:?}: there is more to come"),
        };
        // Whether the other side can move is not what is looked at here.
        let ended = ended.filter(|(_, label)| label != "cannot move");
        let won = table.won.map(|(seat, how)| (vec![seat], String::from(how)));
        assert_eq!(ended, won, "{said:?}");
        let condition = condition(table);
        let holds = rules.ask(position, &condition).unwrap_or_else(|e| panic!("{condition}: {e}")).0.truth();
        assert!(holds, "{said:?}: not so by the rules: {condition}");
    }

    /// Makes the attack in every way; how many there are.
    fn make_in_every_way(&self, rules: &Rules) -> usize {
        let start = position(rules, &self.table, side(self.mover));
        let (mut ways, mut script): (usize, Vec<(usize, usize)>) = (0, Vec::new());
        loop {
            let mut depth = 0;
            self.make(rules, &start, &mut |n| {
                if depth == script.len() {
                    script.push((0, n));
                }
                depth += 1;
                script[depth - 1].0
            });
            ways += 1;
            while script.last().is_some_and(|(i, n)| i + 1 == *n) {
                script.pop();
            }
            let Some(last) = script.last_mut() else { return ways };
            last.0 += 1;
        }
    }
}

fn shuffled(cards: &[Name], dice: &mut Dice) -> Vec<Name> {
    let mut left = cards.to_vec();
    (0..left.len()).map(|_| left.swap_remove(dice.below(left.len()))).collect()
}

fn deal(table: &mut Table, spent: usize, dice: &mut Dice) {
    for p in [GOOD, DARK] {
        table.spent[p] = shuffled(&CARDS[p], dice);
        table.hand[p] = table.spent[p].split_off(spent);
    }
}

/// Where a side can come from to enter a region.
fn approaches(mover: usize, to: Region) -> Vec<Region> {
    let mut from = if mover == GOOD { plain::back(to) } else { onward(to) };
    let extra = match name(to) {
        "Fangorn" => &["Hollin", "Mirkwood"][..],
        "Rohan" => &["Fangorn"],
        _ => &[],
    };
    if mover == GOOD {
        from.extend(extra.iter().map(|n| region(n)));
    }
    from
}

/// An attack by one character upon another, with others all about, as far as the dice put them there.
fn random_attack(attacker: Name, defender: Name, to: Region, dice: &mut Dice) -> Option<Attack> {
    let ways = approaches(side(attacker), to);
    if ways.is_empty() {
        return None;
    }
    let from = ways[dice.below(ways.len())];
    let mut table = Table::default();
    table.at.insert(attacker, from);
    table.at.insert(defender, to);
    let regions: Vec<Region> =
        ROWS.iter().enumerate().flat_map(|(r, row)| (0..row.len()).map(move |c| (r, c))).collect();
    let all = shuffled(&CHARACTERS.concat().iter().map(|(c, _)| *c).collect::<Vec<_>>(), dice);
    let part = 1 + dice.below(3);
    for c in all.into_iter().filter(|c| ![attacker, defender].contains(c)) {
        let place = if dice.below(4) == 0 { to } else { regions[dice.below(regions.len())] };
        let own = side(c);
        // Beyond these limits the game is over before it begins.
        let most = if (own, name(place)) == (DARK, "Shire") { 1 } else { room(place) };
        let free = table.here(1 - own, place).is_empty() && table.here(own, place).len() < most;
        let lost = c == "Frodo" && name(place) == "Mordor";
        if free && !lost && (c == "Frodo" || dice.below(4) < part) {
            table.at.insert(c, place);
        }
    }
    // Without Frodo on the board there is no game.
    table.at.get("Frodo").filter(|r| name(**r) != "Mordor")?;
    let full = table.here(side(attacker), to).len() >= room(to);
    let three = side(attacker) == DARK && name(to) == "Shire" && table.here(DARK, to).len() >= 2;
    let spent = dice.below(9);
    deal(&mut table, spent, dice);
    (!full && !three).then_some(Attack { table, mover: attacker, to })
}

fn rules() -> Rules {
    Rules::open("confrontation").expect("a shipped game")
}

/// Every pair of characters, each of the two as the attacker.
fn pairs() -> impl Iterator<Item = (Name, Name)> {
    let both = |(g, d): (Name, Name)| [(g, d), (d, g)];
    CHARACTERS[GOOD].iter().flat_map(move |(g, _)| CHARACTERS[DARK].iter().flat_map(move |(d, _)| both((*g, *d))))
}

/// Random attacks by each upon each, so many of a pair, answered at random.
fn attack_at_random(each: usize, seed: u64) -> usize {
    let rules = rules();
    let mut made = 0;
    for (n, (attacker, defender)) in pairs().enumerate() {
        let mut dice = Dice::new(derived(seed, n as u64));
        for _ in 0..each {
            let row = dice.below(7);
            let to = (row, dice.below(ROWS[row].len()));
            let Some(attack) = random_attack(attacker, defender, to, &mut dice) else { continue };
            let start = position(&rules, &attack.table, side(attack.mover));
            for _ in 0..3 {
                attack.make(&rules, &start, &mut |n| dice.below(n));
                made += 1;
            }
        }
    }
    made
}

/// Two alone, with all their cards but a few, in every way.
fn alone(rules: &Rules, pairs: impl Iterator<Item = (Name, Name)>, places: &[&str], seed: u64) -> usize {
    let mut ways = 0;
    for (n, (attacker, defender)) in pairs.enumerate() {
        for place in places {
            let mut dice = Dice::new(derived(seed, n as u64));
            let to = region(place);
            let mut table = Table::default();
            for (c, home) in [("Frodo", "Shire"), ("Saruman", "Mordor")] {
                table.at.insert(c, region(home));
            }
            let from = approaches(side(attacker), to);
            table.at.insert(attacker, from[dice.below(from.len())]);
            table.at.insert(defender, to);
            deal(&mut table, 1, &mut dice);
            ways += Attack { table, mover: attacker, to }.make_in_every_way(rules);
        }
    }
    ways
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn battles_are_those_of_the_rulebook() {
    let made = attack_at_random(8, 1);
    assert!(made > 1500, "{made}");
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn two_alone_fight_in_every_way() {
    // One pair in eight: each character is in some of them.
    let ways = alone(&rules(), pairs().skip(3).step_by(8), &["Hollin"], 2);
    assert!(ways > 1000, "{ways}");
}

/// Every pair in every way in three regions, and many attacks with others about.
#[test]
#[ignore = "an hour without optimization"]
fn all_battles_are_those_of_the_rulebook() {
    let rules = rules();
    let ways = alone(&rules, pairs(), &["Hollin", "Moria", "Gondor"], 3);
    println!("{ways} ways, {} at random", attack_at_random(400, 4));
}
