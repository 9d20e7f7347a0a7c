//! The Confrontation, default options and readings.
//!
//! Sixteen regions are the nibbles of a word: one word counts a side's characters in each, sets of regions have the highest bits of their nibbles.
//! Where a side's nine characters stand is a word of nine lanes. What is shown matters only in a battle: between battles all on the board are
//! hidden and all off it lie open, so that it is no part of a position.

use super::bits::{draw, nth};
use super::{Chooser, End, Rival};

/// Sides.
const GOOD: usize = 0;
const DARK: usize = 1;

/// Regions in the order of the rules.
const SHIRE: u32 = 0;
const HOLLIN: u32 = 4;
const MORIA: u32 = 8;
const FANGORN: u32 = 11;
const GONDOR: u32 = 14;
const MORDOR: u32 = 15;
/// Off the board.
const NOWHERE: u32 = 16;

/// Characters, for each side in the order of the rules.
const FRODO: usize = 0;
const SAM: usize = 1;
const PIPPIN: usize = 2;
const MERRY: usize = 3;
const GANDALF: usize = 4;
const ARAGORN: usize = 5;
const LEGOLAS: usize = 6;
const GIMLI: usize = 7;
const BOROMIR: usize = 8;
const BALROG: usize = 0;
const SHELOB: usize = 1;
const WITCH_KING: usize = 2;
const NAZGUL: usize = 3;
const RIDER: usize = 4;
const SARUMAN: usize = 5;
const ORCS: usize = 6;
const WARG: usize = 7;
const TROLL: usize = 8;
const PRINTED: [[u32; 9]; 2] = [[1, 2, 1, 2, 5, 4, 3, 3, 0], [5, 5, 5, 3, 3, 4, 2, 2, 9]];

/// Cards, for each side in the order of the rules: strength cards, Magic, the others.
const MAGIC: [u32; 2] = [5, 6];
const SACRIFICE: u32 = 6;
const CLOAK: u32 = 7;
const BACKWARD: u32 = 8;
const EYE: u32 = 7;
const SIDEWAYS: u32 = 8;
const VALUE: [[u32; 16]; 2] =
    [[1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]];

/// The endings.
const DESTROYED: End = End { label: "Frodo enters Mordor", winner: Some(GOOD as u16) };
const TAKEN: End = End { label: "three in the Shire", winner: Some(DARK as u16) };
const REMOVED: End = End { label: "Frodo is removed", winner: Some(DARK as u16) };
const TOO_LONG: End = End { label: "too long a game", winner: None };
const STUCK: [End; 2] =
    [End { label: "cannot move", winner: Some(DARK as u16) }, End { label: "cannot move", winner: Some(GOOD as u16) }];
const TURN_LIMIT: u16 = 1000;

// ---- the board ----

const ROADS: [&[u32]; 16] = [
    &[1, 2],
    &[3, 4],
    &[4, 5],
    &[6, 7],
    &[7, 8],
    &[8, 9],
    &[10],
    &[10, 11],
    &[11, 12],
    &[12],
    &[13],
    &[13, 14],
    &[14],
    &[15],
    &[15],
    &[],
];
const BESIDE: [(u32, u32); 9] = [(1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (8, 9), (10, 11), (11, 12), (13, 14)];
const MOUNTAINS: u64 = at(6) | at(7) | at(8) | at(9);

/// The set of one region.
const fn at(region: u32) -> u64 {
    8 << (4 * region)
}

/// For each region, and for nowhere, a set of regions; padded so that any lane is an index.
type Map = [u64; 32];

const fn roads(back: bool) -> Map {
    let mut map = [0; 32];
    let mut r = 0;
    while r < 16 {
        let mut i = 0;
        while i < ROADS[r].len() {
            let to = ROADS[r][i];
            if back {
                map[to as usize] |= at(r as u32);
            } else {
                map[r] |= at(to);
            }
            i += 1;
        }
        r += 1;
    }
    map
}

/// Sideways where there is a way: not in the mountains.
const fn sideways() -> Map {
    let mut map = [0; 32];
    let mut i = 0;
    while i < BESIDE.len() {
        let (a, b) = BESIDE[i];
        if at(a) & MOUNTAINS == 0 {
            map[a as usize] |= at(b);
            map[b as usize] |= at(a);
        }
        i += 1;
    }
    map
}

/// Where a move of Good leads that is no attack by Aragorn: forward, down the Anduin, through the tunnel.
const fn good_moves() -> Map {
    let mut map = FORWARD;
    map[10] |= at(11);
    map[11] |= at(12);
    map[HOLLIN as usize] |= at(FANGORN);
    map
}

const fn union(a: Map, b: Map, c: Map) -> Map {
    let mut map = [0; 32];
    let mut r = 0;
    while r < 32 {
        map[r] = a[r] | b[r] | c[r];
        r += 1;
    }
    map
}

static FORWARD: Map = roads(false);
static BACK: Map = roads(true);
static SIDE: Map = sideways();
static MOVES: [Map; 2] = [good_moves(), roads(true)];
/// Where Aragorn may attack.
static NEAR: Map = union(FORWARD, BACK, SIDE);

const ONES: u64 = 0x1111_1111_1111_1111;
const HIGH: u64 = 0x8888_8888_8888_8888;

/// What to add to a nibble so that its highest bit tells whether the region is full.
const FULL: u64 = {
    let mut full = 0;
    let mut r = 0;
    while r < 16 {
        let room = if r == SHIRE || r == MORDOR {
            4
        } else if at(r) & MOUNTAINS != 0 {
            1
        } else {
            2
        };
        full |= (8 - room) << (4 * r);
        r += 1;
    }
    full
};

/// How many regions a set has: at most fifteen.
#[inline]
const fn size(regions: u64) -> u32 {
    ((regions >> 3).wrapping_mul(ONES) >> 60) as u32
}

// ---- the game ----

const HAND: u64 = 0x8_7654_3210;

/// A position between two turns; also the board while a turn goes on.
#[derive(Clone, Copy, Debug)]
pub struct Confrontation {
    /// For each side and character the region, in lanes of seven bits.
    lanes: [u64; 2],
    /// For each side and region how many characters, in nibbles.
    crowds: [u64; 2],
    /// For each side the cards in hand, in order, a nibble each.
    hands: [u64; 2],
    /// How many they are.
    held: [u8; 2],
    /// The card discarded last. What lies below it is never reached.
    spent: [Option<u8>; 2],
    /// How many turns are over. Dark has the first.
    turns: u16,
}

/// The moves of one side.
struct Moves {
    targets: [u64; 9],
    /// How many there are up to each character.
    sums: [u32; 9],
}

/// Who goes on after a part of a turn.
type Part<S> = Result<Option<End>, S>;

impl Confrontation {
    #[inline]
    fn region(&self, side: usize, who: usize) -> u32 {
        (self.lanes[side] >> (7 * who)) as u32 & 31
    }

    #[inline]
    fn crowd(&self, side: usize, region: u32) -> u64 {
        self.crowds[side] >> (4 * region) & 15
    }

    #[inline]
    fn place(&mut self, side: usize, who: usize, from: u32, to: u32) {
        self.lanes[side] ^= u64::from(from ^ to) << (7 * who);
        self.crowds[side] = self.crowds[side].wrapping_add(1 << (4 * to)).wrapping_sub(1 << (4 * from));
    }

    #[inline]
    fn remove(&mut self, side: usize, who: usize) {
        let from = self.region(side, who);
        self.lanes[side] ^= u64::from(from ^ NOWHERE) << (7 * who);
        self.crowds[side] -= 1 << (4 * from);
    }

    /// Where a side has somebody.
    #[inline]
    fn occupied(&self, side: usize) -> u64 {
        (self.crowds[side] + 7 * ONES) & HIGH
    }

    /// Where a side has no room for one more.
    #[inline]
    fn full(&self, side: usize) -> u64 {
        (self.crowds[side] + FULL) & HIGH
    }

    /// Where somebody of a side may retreat to among these.
    #[inline]
    fn open(&self, side: usize, regions: u64) -> u64 {
        regions & !self.full(side) & !self.occupied(1 - side)
    }

    /// The characters of a side in a region, as the highest bits of their lanes.
    #[inline]
    fn standing(&self, side: usize, region: u32) -> u64 {
        const LANES: u64 = 0x0102_0408_1020_4081;
        let differ = self.lanes[side] ^ (u64::from(region) * LANES);
        !(differ + 63 * LANES) & (64 * LANES)
    }

    // ---- the setup ----

    fn camp<C: Chooser>(&mut self, side: usize, regions: [u32; 5], home: u32, c: &mut C) -> Result<(), C::Stop> {
        let mut open = HAND;
        for (region, n) in regions.into_iter().zip((5..=9).rev()) {
            let who = draw(&mut open, c.choose(n)?);
            self.lanes[side] |= u64::from(region) << (7 * who);
            self.crowds[side] += 1 << (4 * region);
        }
        for _ in 0..4 {
            let who = draw(&mut open, 0);
            self.lanes[side] |= u64::from(home) << (7 * who);
        }
        self.crowds[side] += 4 << (4 * home);
        Ok(())
    }

    // ---- moving ----

    #[inline]
    fn moves<const SIDE: usize>(&self) -> Moves {
        let free = !self.full(SIDE);
        let mut targets = [0; 9];
        for (who, targets) in targets.iter_mut().enumerate() {
            *targets = MOVES[SIDE][self.region(SIDE, who) as usize] & free;
        }
        let foes = self.occupied(1 - SIDE);
        if SIDE == GOOD {
            targets[ARAGORN] |= NEAR[self.region(GOOD, ARAGORN) as usize] & foes;
        } else {
            targets[WITCH_KING] |= SIDE_OF[self.region(DARK, WITCH_KING) as usize] & foes;
            if self.region(DARK, NAZGUL) != NOWHERE {
                targets[NAZGUL] |= foes & !(self.crowds[GOOD] + 6 * ONES);
            }
            targets[RIDER] |= self.ride(free) & foes;
        }
        let mut sums = [0; 9];
        let mut sum = 0;
        for (s, t) in sums.iter_mut().zip(&targets) {
            sum += size(*t);
            *s = sum;
        }
        Moves { targets, sums }
    }

    /// The regions that the Black Rider reaches.
    #[inline]
    fn ride(&self, free: u64) -> u64 {
        let mut reached = BACK[self.region(DARK, RIDER) as usize];
        let mut open = reached & free;
        while open != 0 {
            let more = BACK[(open.trailing_zeros() / 4) as usize];
            open &= open - 1;
            open |= more & !reached & free;
            reached |= more;
        }
        reached
    }

    #[inline]
    fn turn<const SIDE: usize, C: Chooser>(&mut self, c: &mut C) -> Part<C::Stop> {
        let moves = self.moves::<SIDE>();
        let n = moves.sums[8];
        if n == 0 {
            return Ok(Some(STUCK[SIDE]));
        }
        let i = c.choose(n as usize)? as u32;
        let who = moves.sums.iter().map(|s| usize::from(i >= *s)).sum::<usize>();
        let (before, targets) = (moves.sums[who] - size(moves.targets[who]), moves.targets[who]);
        let to = nth(targets, (i - before) as usize) / 4;
        let from = self.region(SIDE, who);
        if SIDE == GOOD && from == HOLLIN && to == FANGORN && self.region(DARK, BALROG) == MORIA && c.choose(2)? == 0 {
            self.remove(GOOD, who);
            return Ok((who == FRODO).then_some(REMOVED));
        }
        self.place(SIDE, who, from, to);
        if SIDE == GOOD && who == FRODO && to == MORDOR {
            return Ok(Some(DESTROYED));
        }
        if SIDE == DARK && to == SHIRE && self.crowd(DARK, SHIRE) >= 3 {
            return Ok(Some(TAKEN));
        }
        if self.crowd(1 - SIDE, to) == 0 {
            return Ok(None);
        }
        let mut first = true;
        while self.region(SIDE, who) == to && self.crowd(1 - SIDE, to) != 0 {
            if let Some(end) = self.engage::<SIDE, C>(who, to, first, c)? {
                return Ok(Some(end));
            }
            first = false;
        }
        // Shelob may have come home to find enemies there.
        while self.region(DARK, SHELOB) == GONDOR && self.crowd(GOOD, GONDOR) != 0 {
            if let Some(end) = self.engage::<DARK, C>(SHELOB, GONDOR, false, c)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    #[inline]
    fn engage<const SIDE: usize, C: Chooser>(
        &mut self,
        attacker: usize,
        region: u32,
        first: bool,
        c: &mut C,
    ) -> Part<C::Stop> {
        let foes = self.standing(1 - SIDE, region);
        let n = self.crowd(1 - SIDE, region) as usize;
        let i = if n > 1 { c.choose(n)? } else { 0 };
        let defender = (nth(foes, i) / 7) as usize;
        if SIDE == GOOD {
            self.battle::<SIDE, C>(attacker, defender, region, first, c)
        } else {
            self.battle::<SIDE, C>(defender, attacker, region, first, c)
        }
    }

    // ---- a battle ----

    fn battle<const ATTACKER: usize, C: Chooser>(
        &mut self,
        mut good: usize,
        dark: usize,
        region: u32,
        first: bool,
        c: &mut C,
    ) -> Part<C::Stop> {
        let able = dark != WARG;
        let with_frodo = self.region(GOOD, SAM) == self.region(GOOD, FRODO);
        let mut frodo_shown = good == FRODO;
        // Others in Frodo's place, and escapes.
        if ATTACKER == DARK && good == FRODO && able {
            if with_frodo && c.choose(2)? == 0 {
                good = SAM;
            } else if self.retreats(GOOD, FRODO, SIDE_OF[region as usize], true, c)? {
                return Ok(None);
            }
        }
        if ATTACKER == GOOD && good == PIPPIN && able && self.retreats(GOOD, PIPPIN, BACK[region as usize], true, c)? {
            return Ok(None);
        }
        // Powers that remove.
        let mut fallen = [false; 2];
        match (good, dark) {
            (MERRY, WITCH_KING) | (LEGOLAS, NAZGUL) | (GIMLI, ORCS) => fallen[DARK] = c.choose(2)? == 0,
            (BOROMIR, _) if able => fallen = [true; 2],
            _ => {}
        }
        if ATTACKER == DARK && dark == ORCS && first && fallen == [false; 2] {
            fallen[GOOD] = c.choose(2)? == 0;
        }
        if fallen == [false; 2] {
            if good == SAM && able && with_frodo && !frodo_shown {
                frodo_shown = c.choose(2)? == 0;
            }
            let strength = if good == SAM && able && with_frodo && frodo_shown { 5 } else { PRINTED[GOOD][good] };
            let bare = dark == SARUMAN && c.choose(2)? == 0;
            fallen = if bare {
                compare(strength, PRINTED[DARK][dark])
            } else {
                self.cards(good, dark, strength, region, c)?
            };
        }
        self.fall(good, dark, fallen);
        Ok((fallen[GOOD] && good == FRODO).then_some(REMOVED))
    }

    /// Cards are played and compared: who falls.
    #[inline]
    fn cards<C: Chooser>(
        &mut self,
        good: usize,
        dark: usize,
        strength: u32,
        region: u32,
        c: &mut C,
    ) -> Result<[bool; 2], C::Stop> {
        let reads = dark != TROLL;
        let foresees = good == GANDALF && dark != WARG;
        let mut laid = [0; 2];
        laid[DARK] = self.lay(DARK, c)?;
        if !foresees {
            laid[GOOD] = self.lay(GOOD, c)?;
        }
        if reads {
            self.conjure(DARK, &mut laid, c)?;
        }
        if foresees {
            laid[GOOD] = self.lay(GOOD, c)?;
        }
        let mut together = true;
        let eye = reads && laid[DARK] == EYE;
        let sideways = reads && laid[DARK] == SIDEWAYS;
        if sideways {
            together = !self.retreats(DARK, dark, SIDE_OF[region as usize], false, c)?;
        }
        let mut fallen = [false; 2];
        if !eye {
            self.conjure(GOOD, &mut laid, c)?;
            if laid[GOOD] == SACRIFICE && !sideways {
                fallen = [true; 2];
            } else if laid[GOOD] == BACKWARD && self.retreats(GOOD, good, BACK[region as usize], false, c)? {
                together = false;
            }
        }
        if together && fallen == [false; 2] {
            let counts = reads && (eye || laid[GOOD] != CLOAK);
            let number = if counts { VALUE[DARK][laid[DARK] as usize] } else { 0 };
            fallen = compare(strength + VALUE[GOOD][laid[GOOD] as usize], PRINTED[DARK][dark] + number);
        }
        for side in [GOOD, DARK] {
            self.spent[side] = Some(laid[side] as u8);
            // The ninth card brings all of them back.
            if self.held[side] == 0 {
                (self.hands[side], self.held[side], self.spent[side]) = (HAND, 9, None);
            }
        }
        Ok(fallen)
    }

    #[inline]
    fn lay<C: Chooser>(&mut self, side: usize, c: &mut C) -> Result<u32, C::Stop> {
        let i = c.choose(usize::from(self.held[side]))?;
        self.held[side] -= 1;
        Ok(draw(&mut self.hands[side], i) as u32)
    }

    /// Magic, if it has been laid.
    #[inline]
    fn conjure<C: Chooser>(&mut self, side: usize, laid: &mut [u32; 2], c: &mut C) -> Result<(), C::Stop> {
        if laid[side] == MAGIC[side]
            && let Some(top) = self.spent[side]
            && c.choose(2)? == 0
        {
            laid[side] = u32::from(top);
        }
        Ok(())
    }

    /// Retreats if there is a way, or, where that may be, stands; whether it is gone.
    #[inline]
    fn retreats<C: Chooser>(
        &mut self,
        side: usize,
        who: usize,
        ways: u64,
        may_stand: bool,
        c: &mut C,
    ) -> Result<bool, C::Stop> {
        let ways = self.open(side, ways);
        if ways == 0 {
            return Ok(false);
        }
        let n = size(ways) as usize;
        let i = c.choose(n + usize::from(may_stand))?;
        if i == n {
            return Ok(false);
        }
        self.place(side, who, self.region(side, who), nth(ways, i) / 4);
        Ok(true)
    }

    #[inline]
    fn fall(&mut self, good: usize, dark: usize, fallen: [bool; 2]) {
        if fallen[GOOD] {
            self.remove(GOOD, good);
        }
        if fallen[DARK] {
            self.remove(DARK, dark);
        } else if fallen[GOOD] && dark == SHELOB {
            let from = self.region(DARK, SHELOB);
            if from != GONDOR {
                if self.crowd(DARK, GONDOR) >= 2 {
                    self.remove(DARK, SHELOB);
                } else {
                    self.place(DARK, SHELOB, from, GONDOR);
                }
            }
        }
    }
}

/// Regions beside one, as `SIDE` where that names a parameter.
use SIDE as SIDE_OF;

/// Who falls by strength.
#[inline]
fn compare(good: u32, dark: u32) -> [bool; 2] {
    [good <= dark, dark <= good]
}

impl Rival for Confrontation {
    const GAME: &'static str = "confrontation";

    fn play<C: Chooser>(c: &mut C) -> Result<End, C::Stop> {
        let mut game =
            Confrontation { lanes: [0; 2], crowds: [0; 2], hands: [HAND; 2], held: [9; 2], spent: [None; 2], turns: 0 };
        game.camp(GOOD, [1, 2, 3, 4, 5], SHIRE, c)?;
        game.camp(DARK, [10, 11, 12, 13, 14], MORDOR, c)?;
        while game.turns < TURN_LIMIT {
            let end = if game.turns.is_multiple_of(2) { game.turn::<DARK, C>(c)? } else { game.turn::<GOOD, C>(c)? };
            if let Some(end) = end {
                return Ok(end);
            }
            game.turns += 1;
        }
        Ok(TOO_LONG)
    }
}
