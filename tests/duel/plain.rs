//! An attack in The Confrontation as the rulebook tells it, in plain code: nothing here comes from the rule files.
//!
//! Where the rulebook leaves something open, this follows what the register of clauses proposes. Every question is asked in the
//! words of the game; the answer is the place of an option.

use std::collections::BTreeMap;

pub const GOOD: usize = 0;
pub const DARK: usize = 1;

/// The characters of each side with their strengths.
pub const CHARACTERS: [[(&str, i32); 9]; 2] = [
    [
        ("Frodo", 1),
        ("Sam", 2),
        ("Pippin", 1),
        ("Merry", 2),
        ("Gandalf", 5),
        ("Aragorn", 4),
        ("Legolas", 3),
        ("Gimli", 3),
        ("Boromir", 0),
    ],
    [
        ("Balrog", 5),
        ("Shelob", 5),
        ("Witch-king", 5),
        ("Flying Nazgul", 3),
        ("Black Rider", 3),
        ("Saruman", 4),
        ("Orcs", 2),
        ("Warg", 2),
        ("Cave Troll", 9),
    ],
];

/// The cards of each side; a strength card ends in its number.
pub const CARDS: [[&str; 9]; 2] = [
    [
        "Good 1",
        "Good 2",
        "Good 3",
        "Good 4",
        "Good 5",
        "Good Magic",
        "Noble Sacrifice",
        "Elven Cloak",
        "Retreat Backward",
    ],
    ["Dark 1", "Dark 2", "Dark 3", "Dark 4", "Dark 5", "Dark 6", "Dark Magic", "Eye of Sauron", "Retreat Sideways"],
];

/// The board, row by row from the Shire to Mordor.
pub const ROWS: [&[&str]; 7] = [
    &["Shire"],
    &["Arthedain", "Cardolan"],
    &["Rhudaur", "Hollin", "Enedwaith"],
    &["High Pass", "Misty Mountains", "Moria", "Gap of Rohan"],
    &["Mirkwood", "Fangorn", "Rohan"],
    &["Dagorlad", "Gondor"],
    &["Mordor"],
];

const MOUNTAINS: usize = 3;

pub type Name = &'static str;

/// A region by its row and its place in it.
pub type Region = (usize, usize);

pub fn region(name: &str) -> Region {
    let find = |(row, names): (usize, &&[&str])| Some((row, names.iter().position(|n| *n == name)?));
    ROWS.iter().enumerate().find_map(find).expect("a region")
}

pub fn name(r: Region) -> Name {
    ROWS[r.0][r.1]
}

/// How many of each side a region holds.
pub fn room(r: Region) -> usize {
    match r.0 {
        0 | 6 => 4,
        MOUNTAINS => 1,
        _ => 2,
    }
}

/// The next row towards Mordor: the board grows wider up to the mountains, and narrower after them.
pub fn onward(r: Region) -> Vec<Region> {
    let wider = r.0 < MOUNTAINS;
    let places = if wider { [Some(r.1), Some(r.1 + 1)] } else { [r.1.checked_sub(1), Some(r.1)] };
    let next = ROWS.get(r.0 + 1).map_or(0, |row| row.len());
    places.into_iter().flatten().filter(|&c| c < next).map(|c| (r.0 + 1, c)).collect()
}

/// The regions from which one goes onward to this one.
pub fn back(r: Region) -> Vec<Region> {
    let row = r.0.checked_sub(1);
    row.into_iter()
        .flat_map(|row| (0..ROWS[row].len()).map(move |c| (row, c)))
        .filter(|&b| onward(b).contains(&r))
        .collect()
}

/// The regions on either side, of which the mountains have none.
fn beside(r: Region) -> Vec<Region> {
    let places = [r.1.checked_sub(1), Some(r.1 + 1)].into_iter().flatten();
    places.filter(|&c| r.0 != MOUNTAINS && c < ROWS[r.0].len()).map(|c| (r.0, c)).collect()
}

/// Who asks a question: a side, or nobody, when it is left to chance.
pub type Asked = Option<usize>;

/// Answers a question with the place of an option.
pub type Answers<'a> = dyn FnMut(Asked, Vec<String>) -> usize + 'a;

/// Where everybody stands, and the cards; discards from the bottom to the top.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub at: BTreeMap<Name, Region>,
    pub hand: [Vec<Name>; 2],
    pub spent: [Vec<Name>; 2],
    /// Who has won, and how.
    pub won: Option<(usize, Name)>,
}

pub fn side(c: Name) -> usize {
    usize::from(CHARACTERS[DARK].iter().any(|(n, _)| *n == c))
}

/// The number of a strength card.
fn number(card: Name) -> Option<i32> {
    card.split(' ').next_back()?.parse().ok()
}

/// One battle, as far as it has come.
struct Battle {
    /// The one of each side who fights.
    fighter: [Name; 2],
    /// The card of each side that is in effect.
    card: [Option<Name>; 2],
    fallen: Vec<Name>,
    /// Frodo has been shown.
    frodo_shown: bool,
}

impl Battle {
    fn has(&self, c: Name) -> bool {
        self.fighter.contains(&c)
    }

    /// Good's abilities are ignored in a battle with the Warg.
    fn able(&self, c: Name) -> bool {
        self.has(c) && !self.has("Warg")
    }
}

impl Table {
    pub fn here(&self, side_: usize, r: Region) -> Vec<Name> {
        self.at.iter().filter(|(c, at)| side(c) == side_ && **at == r).map(|(c, _)| *c).collect()
    }

    /// Where a character may retreat: nobody of the enemy there, and room.
    fn havens(&self, c: Name, regions: Vec<Region>) -> Vec<Region> {
        let own = side(c);
        let open = |r: &Region| self.here(1 - own, *r).is_empty() && self.here(own, *r).len() < room(*r);
        regions.into_iter().filter(open).collect()
    }

    /// A character enters a region with enemies, and all that comes of it.
    pub fn attack(&mut self, mover: Name, to: Region, ask: &mut Answers<'_>) {
        let from = self.at[mover];
        let tunnel = name(from) == "Hollin" && name(to) == "Fangorn";
        if tunnel && side(mover) == GOOD && self.at.get("Balrog").is_some_and(|&r| name(r) == "Moria") {
            let rises = ask(Some(DARK), vec!["the Balrog rises".into(), "the tunnel is quiet".into()]) == 0;
            if rises {
                return self.remove(&[mover]);
            }
        }
        self.at.insert(mover, to);
        if mover == "Frodo" && name(to) == "Mordor" {
            self.won = Some((GOOD, "Frodo enters Mordor"));
            return;
        }
        self.fight_on(mover, to, true, ask);
        // Shelob at home among enemies has entered a region with enemies.
        if self.won.is_none() && self.at.get("Shelob").is_some_and(|&r| name(r) == "Gondor") {
            self.fight_on("Shelob", region("Gondor"), false, ask);
        }
    }

    /// Battles until the attacker, or the enemies, are no longer there.
    fn fight_on(&mut self, attacker: Name, place: Region, mut first: bool, ask: &mut Answers<'_>) {
        while self.won.is_none() && self.at.get(attacker) == Some(&place) {
            let enemies = self.here(1 - side(attacker), place);
            let Some(&picked) = enemies.first() else { return };
            let picked = if enemies.len() > 1 {
                enemies[ask(None, enemies.iter().map(|e| format!("against {e}")).collect())]
            } else {
                picked
            };
            self.battle(attacker, picked, first, ask);
            first = false;
        }
    }

    fn battle(&mut self, attacker: Name, picked: Name, first: bool, ask: &mut Answers<'_>) {
        let place = self.at[attacker];
        let mut b =
            Battle { fighter: [attacker; 2], card: [None; 2], fallen: Vec::new(), frodo_shown: picked == "Frodo" };
        b.fighter[side(picked)] = picked;
        let sam_is_here = self.at.get("Sam") == Some(&place);
        if picked == "Frodo" && sam_is_here && b.able("Frodo") {
            let steps_in = ask(Some(GOOD), vec!["Sam steps in".into(), "Frodo stays".into()]) == 0;
            if steps_in {
                b.fighter[GOOD] = "Sam";
            }
        }
        if self.slips_away(&b, attacker, ask) {
            return;
        }
        self.removals(&mut b, attacker, first, ask);
        if b.fallen.is_empty() {
            let strength = self.fight(&mut b, ask);
            if b.fallen.is_empty() && self.together(&b) {
                let [good, dark] = strength;
                b.fallen.extend((good <= dark).then_some(b.fighter[GOOD]));
                b.fallen.extend((dark <= good).then_some(b.fighter[DARK]));
            }
        }
        self.finish(&b);
    }

    fn together(&self, b: &Battle) -> bool {
        self.at.get(b.fighter[GOOD]) == self.at.get(b.fighter[DARK])
    }

    /// Frodo, when attacked, goes sideways; Pippin, when he attacks, goes back.
    fn slips_away(&mut self, b: &Battle, attacker: Name, ask: &mut Answers<'_>) -> bool {
        let runner = b.fighter[GOOD];
        let ways = match runner {
            "Frodo" if attacker != "Frodo" => beside(self.at[runner]),
            "Pippin" if attacker == "Pippin" => back(self.at[runner]),
            _ => return false,
        };
        let ways = if b.able(runner) { self.havens(runner, ways) } else { return false };
        if ways.is_empty() {
            return false;
        }
        let mut options: Vec<String> = ways.iter().map(|r| format!("{runner} retreats to {}", name(*r))).collect();
        options.push("stand".into());
        let Some(&to) = ways.get(ask(Some(GOOD), options)) else { return false };
        self.at.insert(runner, to);
        true
    }

    /// Abilities that remove somebody before cards are played. Good's go first: Gimli and Boromir are not hindered by the Orcs.
    fn removals(&mut self, b: &mut Battle, attacker: Name, first: bool, ask: &mut Answers<'_>) {
        for (hunter, does, prey) in
            [("Merry", "strikes", "Witch-king"), ("Legolas", "shoots", "Flying Nazgul"), ("Gimli", "strikes", "Orcs")]
        {
            if b.able(hunter) && b.has(prey) {
                let options = vec![format!("{hunter} {does}"), format!("{hunter} holds back")];
                if ask(Some(GOOD), options) == 0 {
                    b.fallen.push(prey);
                }
            }
        }
        if b.able("Boromir") {
            b.fallen = b.fighter.to_vec();
        }
        if attacker == "Orcs" && first && b.fallen.is_empty() {
            let swarm = ask(Some(DARK), vec!["the Orcs swarm".into(), "the Orcs fight".into()]) == 0;
            b.fallen.extend(swarm.then_some(b.fighter[GOOD]));
        }
    }

    /// Cards, and what they do; the strength of each side at the end.
    fn fight(&mut self, b: &mut Battle, ask: &mut Answers<'_>) -> [i32; 2] {
        let mut strength =
            [GOOD, DARK].map(|s| CHARACTERS[s].iter().find(|(n, _)| *n == b.fighter[s]).expect("a character").1);
        let place = self.at[b.fighter[GOOD]];
        if b.able("Sam") && self.at.get("Frodo") == Some(&place) {
            if !b.frodo_shown {
                b.frodo_shown = ask(Some(GOOD), vec!["Frodo is beside Sam".into(), "Sam keeps quiet".into()]) == 0;
            }
            if b.frodo_shown {
                strength[GOOD] = 5;
            }
        }
        if b.has("Saruman") && ask(Some(DARK), vec!["no cards".into(), "cards".into()]) == 0 {
            return strength;
        }
        let dull = b.has("Cave Troll");
        self.lay(b, DARK, ask);
        if b.able("Gandalf") {
            // Dark's card is seen, and his Magic done, before Good plays.
            self.magic(b, DARK, !dull, ask);
            self.lay(b, GOOD, ask);
        } else {
            self.lay(b, GOOD, ask);
            self.magic(b, DARK, !dull, ask);
        }
        let dark = b.card[DARK].filter(|_| !dull);
        if dark == Some("Retreat Sideways") {
            self.retreat(b.fighter[DARK], beside(self.at[b.fighter[DARK]]), ask);
        }
        let seen_by_the_eye = dark == Some("Eye of Sauron") && b.card[GOOD].is_some_and(|c| number(c).is_none());
        if !seen_by_the_eye {
            self.magic(b, GOOD, true, ask);
            match b.card[GOOD] {
                Some("Noble Sacrifice") if dark != Some("Retreat Sideways") => b.fallen = b.fighter.to_vec(),
                Some("Retreat Backward") => self.retreat(b.fighter[GOOD], back(self.at[b.fighter[GOOD]]), ask),
                _ => {}
            }
        }
        let cloak = b.card[GOOD] == Some("Elven Cloak") && !seen_by_the_eye;
        strength[GOOD] += b.card[GOOD].and_then(number).unwrap_or(0);
        strength[DARK] += dark.and_then(number).filter(|_| !cloak).unwrap_or(0);
        strength
    }

    /// A player lays a card of his hand.
    fn lay(&mut self, b: &mut Battle, p: usize, ask: &mut Answers<'_>) {
        let i = ask(Some(p), self.hand[p].iter().map(|c| String::from(*c)).collect());
        b.card[p] = Some(self.hand[p].remove(i));
    }

    /// Magic may be exchanged for the card discarded last.
    fn magic(&mut self, b: &mut Battle, p: usize, works: bool, ask: &mut Answers<'_>) {
        let Some(card) = b.card[p].filter(|c| c.ends_with("Magic") && works) else { return };
        let Some(&last) = self.spent[p].last() else { return };
        if ask(Some(p), vec![format!("Magic takes {last}"), "Magic takes nothing".into()]) == 0 {
            self.spent[p].pop();
            self.spent[p].push(card);
            b.card[p] = Some(last);
        }
    }

    /// A retreat by a card: it must be made if it can.
    fn retreat(&mut self, c: Name, ways: Vec<Region>, ask: &mut Answers<'_>) {
        let ways = self.havens(c, ways);
        if !ways.is_empty() {
            let options = ways.iter().map(|r| format!("{c} retreats to {}", name(*r))).collect();
            let to = ways[ask(Some(side(c)), options)];
            self.at.insert(c, to);
        }
    }

    /// After a battle: who has fallen goes, Shelob goes home from a victory, cards are discarded, the ninth brings all back.
    fn finish(&mut self, b: &Battle) {
        self.remove(&b.fallen);
        let gondor = region("Gondor");
        if b.has("Shelob") && !b.fallen.is_empty() && !b.fallen.contains(&"Shelob") && self.at["Shelob"] != gondor {
            if self.here(DARK, gondor).len() >= 2 {
                self.at.remove("Shelob");
            } else {
                self.at.insert("Shelob", gondor);
            }
        }
        for p in [GOOD, DARK] {
            self.spent[p].extend(b.card[p]);
            if self.hand[p].is_empty() {
                self.hand[p] = std::mem::take(&mut self.spent[p]);
            }
        }
    }

    fn remove(&mut self, fallen: &[Name]) {
        for c in fallen {
            self.at.remove(c);
        }
        if fallen.contains(&"Frodo") {
            self.won = Some((DARK, "Frodo is removed"));
        }
    }
}
