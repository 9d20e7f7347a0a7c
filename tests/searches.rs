//! Machine code, trees and the explaining evaluator in step where sets take a search.

use super::machine_code::{in_step, members, model};

/// Of more than 64, those that neighbours lead to are the first few: the one that all begins at is none of them.
#[test]
fn what_is_reached_from_outside_of_it() {
    for condition in ["x is not N9", "marked[x] < 2"] {
        let text = format!(
            "game far \"Far\"\nplayers Ann, Bob\nkind N members {}\n\
             links way from N to N {{ N70 -> N5 -> N6 -> N7 -> N8 -> N9 -> N10 -> N11 }}\n\
             var at: N = N70\nvar marked[N]: 0..3 = 0\nvar turns: 0..9 = 0\n\
             action go(to: N) by Ann log \"{{to}}\" {{ at := to  marked[to] := 1  turns += 1 }}\n\
             may go \"g\" when to in reach(way, at, x where {condition})\n\
             procedure play {{ step s {{ while turns < 9 {{ Ann chooses an action among go }} }} }}\n\
             ends draw \"end\" when no legal action\n",
            members('N', 80),
        );
        let (plies, _) = in_step(model(&text), 10, 20);
        assert!(plies > 20, "{plies}");
    }
}

/// Stones come, change sides and go; what is reached from those of a seat is asked of each position. The machine code
/// goes on from what it reached before, which may be more than is reached now, or something else.
const GROUPS: &str = r#"game groups "Groups"
players Ann, Bob
kind N members @members
links way between N { @links }
links out from N to N { @arrows }
var stone[N]: Player?
var who: Player = Ann
var turns: 0..99 = 0
define other(p: Player) -> Player = if p is Ann then Bob else Ann
define stones(p: Player) -> set of N = { n in N where stone[n] is p }
define group(p: Player) -> set of N = reach(way, stones(p) * { @first }, n where stone[n] is p)
define ahead(p: Player) -> set of N = reach(out, stones(p) - { N1 }, n where stone[n] is not p or n is N2)
define all() -> set of N = reach(way, { n in N where stone[n] is not none } + { N1 }, n where stone[n] is who)
define long(p: Player) -> set of N = reach(way, stones(p), n where count x in way(n) where stone[x] is p > 0)
action put(n: N) by who log "{n}" { stone[n] := who }
action lift(n: N) by who log "lift {n}" { stone[n] := none }
action turn(n: N) by who log "turn {n}" { stone[n] := other(who) }
may put "beside" when n in group(who)
may put "ahead" when n in ahead(Bob) and n not in all()
may put "first" when n in { @first }
may not put "taken" when stone[n] is not none
may lift "whose" when stone[n] is who and n not in group(Ann)
may turn "long" when n in long(who) and turns mod 3 is 0 and stone[n] is not none
procedure play {
  step s { while turns < 60 { who may choose an action among put, lift, turn  turns += 1  who := other(who) } }
}
ends { p in Player where some n in group(p): n is @last and stone[n] is p } wins "joined"
  when some p in Player: some n in group(p): n is @last and stone[n] is p
"#;

/// On a board of so many columns, and on one whose links go all ways.
#[test]
fn what_was_reached_before_is_gone_on_from() {
    for (n, wide) in
        [(12, Some(4)), (60, Some(8)), (63, None), (64, Some(8)), (90, Some(9)), (121, Some(11)), (130, None)]
    {
        let last = n - 1;
        let pairs: Vec<(usize, usize)> = match wide {
            Some(wide) => {
                let right = (0..n).filter(|i| i % wide + 1 < wide && i + 1 < n).map(|i| (i, i + 1));
                right.chain((0..n - wide).map(|i| (i, i + wide))).collect()
            }
            None => (0..n).flat_map(|i| [(i, (i + 1) % n), (i, (7 * i + 3) % n)]).filter(|(a, b)| a != b).collect(),
        };
        let links = |sign: &str| pairs.iter().map(|(a, b)| format!("N{a} {sign} N{b} ")).collect::<String>();
        let text = GROUPS.replace("@members", &members('N', n)).replace("@links", &links("-"));
        let text = text.replace("@arrows", &links("->")).replace("@first", "N0, N1, N2, N3");
        let (plies, _) = in_step(model(&text.replace("@last", &format!("N{last}"))), 4, 60);
        assert!(plies > 100, "{plies} choices, {n} members");
    }
}

/// Sites lie in regions, some in none, and bear numbers; which of them may be gone to depends on a search from where a
/// band is, if it is anywhere.
const SITES: &str = r#"game sites "Sites"
players Ann, Bob
kind Region members @regions
links border between Region { @borders }
kind Site { region: Region?  nr: 0..15 }
@sites
kind Band members B0, B1 { var at: Site? }
var who: Player = Ann
var closed[Region]: 0..3 = 0
var turns: 0..99 = 0
define far(b: Band) -> Int = 2 + closed[R1] - (if b is B1 then 1 else 0)
define near(b: Band) -> set of Region
  = reach(b.at.region, a to c in border(a) where closed[c] < 2 within far(b) - 1)
define marked() -> set of 3..9 = { n in 3..9 where (count r in Region where closed[r] is n mod 4) > 2 }
action go(b: Band, to: Site) by who log "{b} to {to}" { b.at := to }
action close(s: Site) by who log "close {s}" { closed[s.region or R0] := (closed[s.region or R0] + 1) mod 4 }
may go "at first" when b.at is none and to.nr < 4
may go "near" when b.at is not none and (to.region is b.at.region or to.region in near(b))
may go "marked" when to.nr in marked()
may not go "there" when to is b.at
may close "marked" when s.nr in marked() or some b in Band: s.region in near(b)
may close "first" when s.nr is 0
procedure play {
  step s {
    while turns < 60 {
      who may choose an action among go, close
      turns += 1
      who := if who is Ann then Bob else Ann
    }
  }
}
ends draw "over" when turns >= 60
"#;

/// Sites and regions are one word, two, and more.
#[test]
fn a_printed_value_in_a_set_that_is_searched_for() {
    for (regions, sites) in [(5, 12), (40, 70), (70, 40), (140, 300)] {
        let borders: String = (0..regions).map(|i| format!("R{i} - R{} ", (3 * i + 2) % regions)).collect();
        let site = |i: usize| match i % 7 {
            3 => format!("Site S{i} {{ nr {} }}\n", i % 16),
            _ => format!("Site S{i} {{ region R{}  nr {} }}\n", (5 * i + 2) % regions, i % 16),
        };
        let text = SITES.replace("@regions", &members('R', regions)).replace("@borders", &borders);
        let text = text.replace("@sites", &(0..sites).map(site).collect::<String>());
        let (plies, faults) = in_step(model(&text), 3, 30);
        assert!(plies > 60 && faults.is_empty(), "{plies} choices, {regions} regions, {faults:?}");
    }
}
