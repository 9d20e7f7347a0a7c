//! The tree of the bot that searches: what was found out by playing on from positions.

mod memory;
mod tried;

pub use memory::Memory;

use super::Dice;
use super::bound::Proof;
use super::guess::{World, open};
use super::judge::{Judge, Prospect, Spread};
use super::known::{Behind, behind, number};
use super::node::{Edge, Edges, Node};
use super::play_on::{FOLLOWING, play_on, settle};
use crate::game::{Choice, Evaluator, Fault, Length, Position, Turn};

/// The most plies of one playout. A game that is longer counts as a draw.
const MAX_PLIES: usize = 10_000;

/// How far is played at random where the rules say what a position is worth: to where somebody next has something to
/// decide, since the worth of an attack shows when the dice are thrown.
const LENGTH_WITH_WORTH: Length = Length { plies: 4, following: FOLLOWING };

/// The most nodes of a tree. When it is full, playouts begin at its leaves.
const MAX_NODES: usize = 1 << 20;

/// For how many nodes a tree has room at first, at most.
const MANY_NODES: usize = 1 << 12;

/// For how many edges a node has room at first, at most.
const MANY_OPTIONS: usize = 32;

/// In how many worlds the options at the root are judged before they are tried.
const JUDGED_WORLDS: usize = 8;

/// The fewest playouts after which the options at a node further on are judged. There are as many as there are options,
/// so that judging takes no more time than playing.
const PLAYOUTS_BEFORE_JUDGED: u32 = 8;

/// As how many playouts it counts that an option was judged.
const JUDGED_AS: u32 = 5;

/// What a playout has come from, where its position is not made yet.
#[derive(Clone, Copy)]
enum From {
    /// The position at hand, by a choice there.
    Here(Choice),
    /// Its world, where it begins.
    World,
    /// Its world, by a choice there.
    Root(Choice),
    /// A node whose position is known, by the option of a number there.
    Node(usize, usize),
}

/// A step of a playout.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The node that it comes to.
    node: usize,
    /// Who chose it; nobody for chance and at the root.
    chooser: Option<usize>,
    /// The number of the option that was chosen.
    arm: usize,
}

/// A tree that grows with each playout.
pub struct Tree<'t, E> {
    evaluator: &'t E,
    dice: &'t mut Dice,
    worlds: &'t [World],
    /// Whether all playouts that come to a node come to it in the same position.
    is_open: bool,
    /// For each world what it is worth to each seat; empty where the rules do not say.
    worths: Vec<Vec<i32>>,
    judge: Judge<'t, E>,
    memory: Memory,
    seats: usize,
    /// Who decides at the root.
    seat: usize,
    /// For each seat what the playout came to, if that was asked.
    prospects: Vec<Option<Prospect>>,
    /// The position of the playout, where the last one left it.
    kept: Option<Box<Position>>,
    /// The nodes that the playout came through.
    path: Vec<Step>,
    options: Vec<Choice>,
    /// The nodes behind the edges that may be tried, if they are there.
    behind: Vec<Behind>,
    /// For each seat how much differs what all playouts came to.
    spreads: Vec<Spread>,
    /// Whether an option at the root is proved to win.
    is_won: bool,
}

impl<'t, E: Evaluator> Tree<'t, E> {
    /// A tree without a playout, in memory that may have been another's. It begins in worlds; where the rules say what
    /// a position is worth, the options are judged in some of them.
    pub fn new(evaluator: &'t E, worlds: &'t [World], dice: &'t mut Dice, memory: Memory) -> Tree<'t, E> {
        let mut memory = memory.emptied();
        let judge = Judge::new(evaluator);
        let seats = judge.seats();
        memory.add(Node::default(), seats);
        let worths = match judge.weighs() {
            true => worlds.iter().map(|world| judge.worths(&world.position).unwrap_or_default()).collect(),
            false => Vec::new(),
        };
        let seat = match worlds.first().map(|world| evaluator.turn(&world.position)) {
            Some(Ok(Turn::Seat(seat))) => usize::from(seat),
            _ => 0,
        };
        let is_open = open(worlds, evaluator.model().hides()).is_some();
        let mut tree = Tree {
            evaluator,
            dice,
            worlds,
            is_open,
            worths,
            judge,
            memory,
            seats,
            seat,
            prospects: Vec::new(),
            kept: None,
            path: Vec::new(),
            options: Vec::new(),
            behind: Vec::new(),
            spreads: vec![Spread::default(); seats],
            is_won: false,
        };
        tree.judge_first();
        tree
    }

    /// Its memory.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Makes room for the nodes of so many playouts.
    pub fn make_room(&mut self, playouts: usize) {
        let nodes = playouts.min(MANY_NODES);
        self.memory.reserve(nodes, self.seats);
    }

    /// Judges the options at the root in some worlds.
    fn judge_first(&mut self) {
        if !self.judge.weighs() {
            return;
        }
        let seat = self.seat;
        let mut judged: Vec<(Edge, usize, Prospect)> = Vec::new();
        for (number, world) in self.worlds.iter().enumerate().cycle().take(JUDGED_WORLDS) {
            for (arm, (said, choices)) in world.first.iter().enumerate() {
                let Some(choice) = choices.get(self.dice.below(choices.len())) else { continue };
                // An option that meets a fault is not judged.
                if let Ok(prospect) = self.after(&world.position, *choice, number, seat) {
                    judged.push((Edge::Said(*said), arm, prospect));
                }
            }
        }
        judged.sort_by_key(|(edge, ..)| *edge);
        self.give(0, seat, &judged);
    }

    /// Judges the options of a seat at a node further on, in the position of a playout that comes through it.
    fn judge_options(&mut self, at: usize, position: &Position, options: &[Choice], (world, seat): (usize, usize)) {
        let mut judge = |(arm, choice): (usize, &Choice)| {
            Some((Edge::Made(*choice), arm, self.after(position, *choice, world, seat).ok()?))
        };
        let judged: Vec<(Edge, usize, Prospect)> = options.iter().enumerate().filter_map(&mut judge).collect();
        self.give(at, seat, &judged);
    }

    /// What a choice of a seat comes to for it, where somebody next has something to decide.
    fn after(&mut self, position: &Position, choice: Choice, world: usize, seat: usize) -> Result<Prospect, Fault> {
        let mut after = position.clone();
        settle(self.evaluator, &mut after, choice, self.dice)?;
        let before = self.before(world, seat);
        self.judge.look(&after, seat, before)
    }

    /// What the world of a number is worth to a seat; 0 where the rules do not say.
    fn before(&self, world: usize, seat: usize) -> i32 {
        self.worths.get(world).and_then(|worths| worths.get(seat)).copied().unwrap_or(0)
    }

    /// Gives the nodes behind edges of a node what these were judged to come to for the seat that chooses, as if some
    /// playouts had: the mean of all that was found for the edge. With each edge stands the number of its option. The
    /// same edges are next to each other.
    fn give(&mut self, at: usize, seat: usize, judged: &[(Edge, usize, Prospect)]) {
        if let Some(node) = self.memory.nodes.get_mut(at) {
            node.options_judged = true;
        }
        for alike in judged.chunk_by(|(a, ..), (b, ..)| a == b) {
            let Some((edge, arm, _)) = alike.first() else { continue };
            let Some((child, _)) = self.enter(at, Some(*edge), *arm) else { return };
            let Some(node) = self.memory.nodes.get_mut(child) else { continue };
            node.visits += JUDGED_AS;
            node.judged += JUDGED_AS;
            node.available = node.available.wrapping_add(JUDGED_AS);
            let part = 1.0 / alike.len() as f64;
            for (.., prospect) in alike {
                if let Some(tally) = self.memory.tallies.get_mut(child * self.seats + seat) {
                    tally.add(*prospect, part * f64::from(JUDGED_AS));
                }
                if let (0, Some(spread)) = (at, self.spreads.get_mut(seat)) {
                    spread.add(*prospect, part);
                }
            }
        }
    }

    /// Whether the options of a node, so many, are to be judged now.
    fn is_to_judge(&self, at: usize, options: usize) -> bool {
        let least = PLAYOUTS_BEFORE_JUDGED.max(options as u32);
        let is_due = |node: &Node| !node.options_judged && node.visits - node.judged >= least;
        self.judge.weighs() && self.memory.nodes.get(at).is_some_and(is_due)
    }

    /// Goes down the tree in the world of a number, adds a node, plays on at random, and counts the result.
    ///
    /// # Errors
    /// A fault of the rules; then nothing is counted.
    pub fn playout(&mut self, number: usize) -> Result<(), Fault> {
        let Some(world) = self.worlds.get(number) else { return Ok(()) };
        let mut position = self.kept.take().unwrap_or_else(|| Box::new(world.position.clone()));
        let mut from = Some(From::World);
        self.path.clear();
        self.path.push(Step { node: 0, chooser: None, arm: 0 });
        let mut at = 0;
        let (mut grown, mut unbranched, mut is_over, mut ended) = (false, 0, false, None);
        while !grown && self.path.len() + unbranched < MAX_PLIES {
            let (chooser, edge, (arm, behind)) = if let Some((seat, tried)) = self.known(at, number) {
                from = Some(From::Node(at, tried.0));
                (Some(seat), None, tried)
            } else if at == 0 {
                let Some((edge, choice, tried)) = self.first(world) else { break };
                from = Some(From::Root(choice));
                (Some(self.seat), Some(edge), tried)
            } else if let Some(winners) = self.over(at) {
                (is_over, ended) = (true, Some(winners));
                break;
            } else {
                let turn = self.arrive(&mut position, from.take(), world)?;
                if turn == Turn::Over {
                    (is_over, ended) = (true, self.judge.ended(&position));
                    self.note_over(at, ended);
                    break;
                }
                let tried = self.further(&position, turn, at, number);
                let Some(choice) = self.options.get(tried.0).copied() else { break };
                from = Some(From::Here(choice));
                // There is no node behind the only option, and none behind chance where the seat may not see what it
                // brought.
                if self.options.len() < 2 || turn == Turn::Chance && self.evaluator.model().hides() {
                    unbranched += 1;
                    continue;
                }
                let chooser = if let Turn::Seat(seat) = turn { Some(usize::from(seat)) } else { None };
                (chooser, Some(Edge::Made(choice)), tried)
            };
            match behind.map(|next| (next, false)).or_else(|| self.enter(at, edge, arm)) {
                Some((next, new)) => (at, grown) = (next, new),
                None => break,
            }
            self.path.push(Step { node: at, chooser, arm });
        }
        // Machine code draws more words than it uses, so that each playout has dice of its own.
        let seed = self.dice.bits();
        if !is_over {
            let first = self.leave(&mut position, from, world);
            let length = if self.judge.weighs() { LENGTH_WITH_WORTH } else { Length::of(MAX_PLIES) };
            play_on(self.evaluator, &mut position, (first.as_ref(), seed), length)?;
            ended = self.judge.ended(&position);
        } else if let (true, Some(winners)) = (self.is_open, ended) {
            self.prove(winners);
        }
        self.count(&position, ended, number)?;
        self.kept = Some(position);
        Ok(())
    }

    /// Who wins at a node where the game is over whenever a playout comes to it.
    fn over(&self, at: usize) -> Option<u32> {
        self.memory.nodes.get(at).filter(|node| node.is_over)?.proved
    }

    /// Notes that the game is over at a node, if every playout comes to it in the same position.
    fn note_over(&mut self, at: usize, ended: Option<u32>) {
        if let Some(node) = self.memory.nodes.get_mut(at) {
            node.is_over = self.is_open && ended.is_some();
        }
    }

    /// Makes a position the one that a playout has come from; returns the choice that it makes there, if there is one.
    fn leave(&self, position: &mut Position, from: Option<From>, world: &World) -> Option<Choice> {
        match from? {
            From::World => position.clone_from(&world.position),
            From::Root(choice) => {
                position.clone_from(&world.position);
                return Some(choice);
            }
            From::Node(at, arm) => {
                let known = self.memory.nodes.get(at)?.known?;
                self.memory.known.copy_position(known, position);
                return self.memory.known.option(known, arm);
            }
            From::Here(choice) => return Some(choice),
        }
        None
    }

    /// Makes a position the one that a playout has come to; finds whose turn it is there, and the options.
    fn arrive(&mut self, position: &mut Position, from: Option<From>, world: &World) -> Result<Turn, Fault> {
        match self.leave(position, from, world) {
            Some(choice) => self.evaluator.advance_to(position, choice, &mut self.options),
            None => self.evaluator.turn_and_options(position, &mut self.options),
        }
    }

    /// Notes who wins at the end of the path, where the game is over, and what that proves of the nodes before it.
    fn prove(&mut self, winners: u32) {
        let mut proved = winners;
        for i in (0..self.path.len()).rev() {
            let Some(step) = self.path.get(i).copied() else { return };
            let Some(node) = self.memory.nodes.get_mut(step.node) else { return };
            // What was proved before may say more now, since the node before it may have all its options since.
            proved = *node.proved.get_or_insert(proved);
            let (Some(seat), Some(before)) = (step.chooser, i.checked_sub(1).and_then(|i| self.path.get(i))) else {
                return;
            };
            let parent = before.node;
            self.is_won |= parent == 0 && Proof::of(proved, self.seat) == Proof::Won;
            if let Some(arms) = self.memory.nodes.get(parent).and_then(Node::arms) {
                arms.prove(&mut self.memory.known.numbers, step.arm, proved, seat);
            }
            match self.outcome(parent, seat, proved) {
                Some(outcome) => proved = outcome,
                None => return,
            }
        }
    }

    /// Who wins if a seat that chooses at a node chooses what is best for it, if that is proved; `newest` is what was
    /// proved last of a node behind. That a seat is beaten says who wins only if there is one other, and where several
    /// win together it does not say what they prefer.
    fn outcome(&self, at: usize, seat: usize, newest: u32) -> Option<u32> {
        if newest.count_ones() > 1 {
            return None;
        }
        if Proof::of(newest, seat) == Proof::Won {
            return Some(newest);
        }
        let known = self.memory.nodes.get(at)?.known.filter(|known| known.arms.is_some() && self.seats == 2)?;
        let mut best = None;
        for child in self.memory.known.behind(known) {
            let proved = self.memory.nodes.get(number((*child)?))?.proved?;
            // Of several that are equally good, the last.
            if best.is_none_or(|best| Proof::of(proved, seat) >= Proof::of(best, seat)) {
                best = Some(proved);
            }
        }
        best
    }

    /// What is proved of a node to a seat.
    fn proof(&self, at: usize, seat: usize) -> Option<Proof> {
        Some(Proof::of(self.memory.nodes.get(at)?.proved?, seat))
    }

    /// Whether an option at the root is proved to win, so that nothing is left to find out.
    #[must_use]
    pub fn is_won(&self) -> bool {
        self.is_won
    }

    /// Finds what a playout in the world of a number came to, for each seat that chose something on its path.
    fn weigh(&mut self, position: &Position, ended: Option<u32>, world: usize) -> Result<(), Fault> {
        self.prospects.clear();
        if !self.judge.weighs() {
            // Who won says it for all.
            for seat in 0..self.seats {
                self.prospects.push(Some(self.judge.weigh(position, ended, seat, 0)?));
            }
            return Ok(());
        }
        self.prospects.resize(self.seats, None);
        for i in 0..self.path.len() {
            let Some(seat) = self.path.get(i).and_then(|step| step.chooser) else { continue };
            let Some(None) = self.prospects.get(seat) else { continue };
            let before = self.before(world, seat);
            let prospect = self.judge.weigh(position, ended, seat, before)?;
            if let Some(found) = self.prospects.get_mut(seat) {
                *found = Some(prospect);
            }
        }
        Ok(())
    }

    /// Counts what a playout in the world of a number came to, for each seat that chose something on its path.
    fn count(&mut self, position: &Position, ended: Option<u32>, world: usize) -> Result<(), Fault> {
        self.weigh(position, ended, world)?;
        let path = std::mem::take(&mut self.path);
        // Of values that are won and lost nobody asks how much they differ.
        if self.judge.weighs() {
            for (spread, prospect) in self.spreads.iter_mut().zip(&self.prospects) {
                prospect.iter().for_each(|prospect| spread.add(*prospect, 1.0));
            }
        }
        let mut parent = 0;
        for step in &path {
            if let Some(node) = self.memory.nodes.get_mut(step.node) {
                node.visits += 1;
            }
            let before = std::mem::replace(&mut parent, step.node);
            let Some(seat) = step.chooser else { continue };
            let Some(Some(prospect)) = self.prospects.get(seat) else { continue };
            if let Some(arms) = self.memory.nodes.get(before).and_then(Node::arms) {
                arms.count(&mut self.memory.known.numbers, step.arm, *prospect, self.judge.weighs());
            } else if let Some(tally) = self.memory.tallies.get_mut(step.node * self.seats + seat) {
                tally.add(*prospect, 1.0);
            }
        }
        self.path = path;
        Ok(())
    }

    /// The node behind an option, and whether the node is new. The edge says which option it is, where the node before
    /// it is not known. `None` if the tree is full.
    fn enter(&mut self, at: usize, edge: Option<Edge>, arm: usize) -> Option<(usize, bool)> {
        let new = self.memory.nodes.len();
        let is_room = new < MAX_NODES;
        let mut available = 1;
        if let Some(known) = &mut self.memory.nodes.get_mut(at)?.known {
            let slot = self.memory.known.behind_mut(*known, arm)?;
            if let Some(there) = slot {
                return Some((number(*there), false));
            }
            if !is_room {
                return None;
            }
            *slot = behind(new);
            known.missing -= 1;
            available = 1_u32.wrapping_sub(known.passed);
        } else {
            let room = self.behind.len().min(MANY_OPTIONS);
            let next = self.memory.edges.get_mut(at)?.enter(edge?, is_room.then_some(new), room)?;
            if next < new {
                return Some((next, false));
            }
        }
        self.memory.add(Node { available, ..Node::default() }, self.seats);
        Some((new, true))
    }

    /// How many playouts the most tried of some options at the root is ahead of the others of them. 0 where something
    /// may be proved, since a proof may change which option is taken.
    #[must_use]
    pub fn lead(&self, is_counted: impl Fn(usize) -> bool) -> u32 {
        let (mut most, mut second) = (0, 0);
        let next = self.memory.edges.first().map_or(&[][..], Edges::all);
        for (edge, child) in next.iter().filter(|_| !self.is_open) {
            let (Edge::Said(said), Some(node)) = (edge, self.memory.nodes.get(*child)) else { continue };
            if is_counted(*said) {
                let visits = node.visits - node.judged;
                (most, second) = (most.max(visits), second.max(visits.min(most)));
            }
        }
        most - second
    }

    /// The numbers of the options at the root that were tried, and how often: an option that is proved to win as often
    /// as can be, one that is proved to lose not at all, unless all are.
    #[must_use]
    pub fn visits(&self) -> Vec<(usize, u32)> {
        let next = self.memory.edges.first().map_or(&[][..], Edges::all);
        let is_lost = |child: usize| self.proof(child, self.seat) == Some(Proof::Lost);
        let all_lost = next.iter().all(|(_, child)| is_lost(*child));
        let visited = |(edge, child): &(Edge, usize)| {
            let Edge::Said(said) = edge else { return None };
            let node = self.memory.nodes.get(*child)?;
            let visits = match self.proof(*child, self.seat) {
                Some(Proof::Won) => u32::MAX,
                Some(Proof::Lost) if !all_lost => 0,
                _ => node.visits - node.judged,
            };
            Some((*said, visits))
        };
        next.iter().filter_map(visited).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::Look;
    use crate::players::guess::Guess;
    use crate::rules::Rules;
    use crate::search::Sight;

    /// Its options are not in the order of their numbers: `down` is declared last and listed first.
    const LIFT: &str = r#"
game lift "Lift"
players Ann, Bob
var floor: 0..40 = 20
var moves: 0..6 = 0
var mover: Player = Ann
action up(n: 1..2) by mover log "up {n}" { floor := floor + n  moves := moves + 1 }
action down(n: 1..2) by mover log "down {n}" { floor := floor - n  moves := moves + 1 }
may up, down "always"
procedure play {
  while true {
    mover chooses an action among down, up
    mover := if mover is Ann then Bob else Ann
  }
}
ends Ann wins "high" when moves is 6 and floor > 20
ends Bob wins "low" when moves is 6 and floor <= 20
"#;

    /// Bob has no choice, so that what he does and what Ann then does have one node.
    const GATES: &str = r#"
game gates "Gates"
players Ann, Bob
kind Gate members Left, Right
var gate: Gate?
var shut: Bool = false
var taken: 1..9?
action go(g: Gate) by Ann log "goes {g}" { gate := g }
action shut_it() by Bob log "shuts a gate" { shut := true }
action take(n: 1..9) by Ann log "takes {n}" { taken := n }
may go, shut_it, take "always"
procedure play {
  step go { Ann chooses an action among go }
  step shut_it { Bob chooses an action among shut_it }
  step take { Ann chooses an action among take }
}
ends Ann wins "through" when taken is not none and shut and taken > 4
ends Bob wins "stopped" when taken is not none and not (shut and taken > 4)
"#;

    /// A tree of a game after some playouts: for each node whose position is known, whether it is complete, how many
    /// options are kept of it or how many edges it has, and how many options there are in its position.
    fn known_nodes(game: &str, playouts: usize) -> Vec<(bool, usize, usize)> {
        let rules = Rules::from_text(game).unwrap();
        let start = rules.start().unwrap();
        let sight = Sight::new(rules.evaluators());
        let guess = Guess::new(&Look::new(&sight, &start, 0), 1, &mut Dice::new(1));
        let mut dice = Dice::new(2);
        let mut tree = Tree::new(rules.evaluators(), &guess.worlds, &mut dice, Memory::default());
        (0..playouts).for_each(|_| tree.playout(0).unwrap());
        let mut position = start.clone();
        let counted = tree.memory.nodes.iter().filter_map(|node| {
            let known = node.known?;
            tree.memory.known.copy_position(known, &mut position);
            let behind = tree.memory.known.behind(known);
            assert!(node.arms().is_none() || !behind.contains(&None));
            assert_eq!(tree.memory.known.options(known).len(), behind.len());
            Some((node.arms().is_some(), behind.len(), rules.options(&position).unwrap().len()))
        });
        counted.collect()
    }

    #[test]
    fn a_tree_in_memory_of_another_grows_the_same() {
        let visits = |memory, playouts| {
            let rules = Rules::from_text(LIFT).unwrap();
            let start = rules.start().unwrap();
            let sight = Sight::new(rules.evaluators());
            let guess = Guess::new(&Look::new(&sight, &start, 0), 1, &mut Dice::new(1));
            let mut dice = Dice::new(3);
            let mut tree = Tree::new(rules.evaluators(), &guess.worlds, &mut dice, memory);
            (0..playouts).for_each(|_| tree.playout(0).unwrap());
            (tree.visits(), tree.into_memory())
        };
        let (_, used) = visits(Memory::default(), 500);
        assert!(used.nodes.len() > 100);
        let (alone, _) = visits(Memory::default(), 300);
        assert_eq!(visits(used, 300).0, alone);
    }

    #[test]
    fn a_known_node_has_the_options_of_its_position() {
        let weighed = format!("{LIFT}worth p = if p is Ann then floor else 0 - floor\n");
        for (game, playouts, complete, in_part) in [(LIFT, 600, 20, 20), (GATES, 60, 2, 0), (&weighed, 900, 8, 20)] {
            let nodes = known_nodes(game, playouts);
            let all = nodes.iter().filter(|(complete, ..)| *complete).count();
            let parts = nodes.len() - all;
            assert!(all >= complete && parts >= in_part, "{all} {parts} {nodes:?}");
            assert!(nodes.iter().all(|(_, kept, options)| kept == options), "{nodes:?}");
        }
    }
}
