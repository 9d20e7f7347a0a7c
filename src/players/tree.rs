//! The tree of the bot that searches: what was found out by playing on from positions.

use super::Dice;
use super::guess::{World, open};
use super::judge::{Judge, Prospect, Spread, Tally, settle};
use super::node::{Complete, Edge, Logarithms, Node, Proof, Upper};
use crate::game::{Choice, Evaluator, Fault, Position, Turn};

/// How much a choice that was tried seldom is favoured, where a playout is won or lost.
const EXPLORATION: f64 = 0.7;

/// The least part of it that is left where playouts come to values that hardly differ.
const LEAST_EXPLORATION: f64 = 0.05;

/// The most plies of one playout. A game that is longer counts as a draw.
const MAX_PLIES: usize = 10_000;

/// The most plies that are played at random where the rules say what a position is worth.
const MAX_PLIES_WITH_WORTH: usize = 4;

/// The most nodes of a tree. When it is full, playouts begin at its leaves.
const MAX_NODES: usize = 1 << 20;

/// In how many worlds the options at the root are judged before they are tried.
const JUDGED_WORLDS: usize = 8;

/// The fewest playouts after which the options at a node further on are judged. There are as many as there are options,
/// so that judging takes no more time than playing.
const PLAYOUTS_BEFORE_JUDGED: u32 = 8;

/// As how many playouts it counts that an option was judged.
const JUDGED_AS: u32 = 5;

/// What a playout has come from, where its position is not laid out yet.
enum From {
    /// Nothing: it is laid out.
    Here,
    /// It begins in its world.
    World,
    /// A complete node, by a choice there.
    Node(usize, Choice),
}

/// What is tried at a node.
struct Tried {
    choice: Choice,
    /// Whether there is to be a node behind it. There is none behind the only option, and none behind chance where the
    /// seat may not see what it brought.
    branches: bool,
    /// The node behind it, if that is known.
    behind: Option<usize>,
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
    nodes: Vec<Node>,
    seats: usize,
    /// Who decides at the root.
    seat: usize,
    /// For each node and seat what the playouts through it came to.
    tallies: Vec<Tally>,
    /// For each seat what the playout came to, if that was asked.
    prospects: Vec<Option<Prospect>>,
    /// The position of the playout, where the last one left it.
    kept: Option<Position>,
    /// The nodes that the playout came through, and who chose them.
    path: Vec<(usize, Option<usize>)>,
    options: Vec<Choice>,
    /// The nodes behind the edges that may be tried, if they are there.
    behind: Vec<Option<usize>>,
    /// For each seat how much differs what all playouts came to.
    spreads: Vec<Spread>,
    logs: Logarithms,
}

impl<'t, E: Evaluator> Tree<'t, E> {
    /// A tree without a playout. It begins in worlds; where the rules say what a position is worth, the options are
    /// judged in some of them.
    pub fn new(evaluator: &'t E, worlds: &'t [World], dice: &'t mut Dice) -> Tree<'t, E> {
        let judge = Judge::new(evaluator);
        let seats = judge.seats();
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
            nodes: vec![Node::default()],
            seats,
            seat,
            tallies: vec![Tally::default(); seats],
            prospects: Vec::new(),
            kept: None,
            path: Vec::new(),
            options: Vec::new(),
            behind: Vec::new(),
            spreads: vec![Spread::default(); seats],
            logs: Logarithms::default(),
        };
        tree.judge_first();
        tree
    }

    /// Judges the options at the root in some worlds.
    fn judge_first(&mut self) {
        if !self.judge.weighs() {
            return;
        }
        let seat = self.seat;
        let mut judged: Vec<(Edge, Prospect)> = Vec::new();
        for (number, world) in self.worlds.iter().enumerate().cycle().take(JUDGED_WORLDS) {
            for (said, choices) in &world.first {
                let Some(choice) = choices.get(self.dice.below(choices.len())) else { continue };
                // An option that meets a fault is not judged.
                if let Ok(prospect) = self.after(&world.position, *choice, number, seat) {
                    judged.push((Edge::Said(*said), prospect));
                }
            }
        }
        judged.sort_by_key(|(edge, _)| *edge);
        self.give(0, seat, &judged);
    }

    /// Judges the options of a seat at a node further on, in the position of a playout that comes through it.
    fn judge_options(&mut self, at: usize, position: &Position, options: &[Choice], (world, seat): (usize, usize)) {
        let judged: Vec<(Edge, Prospect)> = options
            .iter()
            .filter_map(|choice| Some((Edge::Made(*choice), self.after(position, *choice, world, seat).ok()?)))
            .collect();
        self.give(at, seat, &judged);
    }

    /// What a choice of a seat comes to for it, where somebody next has something to decide.
    fn after(&mut self, position: &Position, choice: Choice, world: usize, seat: usize) -> Result<Prospect, Fault> {
        let mut after = position.clone();
        self.evaluator.advance(&mut after, choice)?;
        settle(self.evaluator, &mut after, self.dice)?;
        let before = self.before(world, seat);
        self.judge.look(&after, seat, before)
    }

    /// What the world of a number is worth to a seat; 0 where the rules do not say.
    fn before(&self, world: usize, seat: usize) -> i32 {
        self.worths.get(world).and_then(|worths| worths.get(seat)).copied().unwrap_or(0)
    }

    /// Gives the nodes behind edges of a node what these were judged to come to for the seat that chooses, as if some
    /// playouts had: the mean of all that was found for the edge. The same edges are next to each other.
    fn give(&mut self, at: usize, seat: usize, judged: &[(Edge, Prospect)]) {
        if let Some(node) = self.nodes.get_mut(at) {
            node.options_judged = true;
        }
        for alike in judged.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((edge, _)) = alike.first() else { continue };
            let Some((child, _)) = self.enter(at, *edge) else { return };
            let Some(node) = self.nodes.get_mut(child) else { continue };
            node.visits += JUDGED_AS;
            node.judged += JUDGED_AS;
            node.available += JUDGED_AS;
            let part = 1.0 / alike.len() as f64;
            for (_, prospect) in alike {
                if let Some(tally) = self.tallies.get_mut(child * self.seats + seat) {
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
        options > 1 && self.judge.weighs() && self.nodes.get(at).is_some_and(is_due)
    }

    /// Goes down the tree in the world of a number, adds a node, plays on at random, and counts the result.
    ///
    /// # Errors
    /// A fault of the rules; then nothing is counted.
    pub fn playout(&mut self, number: usize) -> Result<(), Fault> {
        let Some(world) = self.worlds.get(number) else { return Ok(()) };
        let mut position = self.kept.take().unwrap_or_else(|| world.position.clone());
        let mut from = From::World;
        self.path.clear();
        self.path.push((0, None));
        let mut at = 0;
        let (mut grown, mut unbranched, mut is_over) = (false, 0, false);
        while !grown && self.path.len() + unbranched < MAX_PLIES {
            if let Some((seat, choice, next)) = self.known(at, world) {
                from = From::Node(at, choice);
                self.path.push((next, Some(seat)));
                at = next;
                continue;
            }
            self.come_to(&mut position, std::mem::replace(&mut from, From::Here), world)?;
            let turn = self.evaluator.turn(&position)?;
            if turn == Turn::Over {
                is_over = true;
                break;
            }
            let chooser = if let Turn::Seat(seat) = turn { Some(usize::from(seat)) } else { None };
            let (edge, choice, behind) = if at == 0 {
                let Some(tried) = self.first(world, turn) else { break };
                tried
            } else {
                let found = self.further(&position, turn, at, number)?;
                let Some(Tried { choice, branches, behind }) = found else { break };
                if !branches {
                    self.evaluator.advance(&mut position, choice)?;
                    unbranched += 1;
                    continue;
                }
                (Edge::Made(choice), choice, behind)
            };
            self.evaluator.advance(&mut position, choice)?;
            match behind.map(|next| (next, false)).or_else(|| self.enter(at, edge)) {
                Some((next, new)) => (at, grown) = (next, new),
                None => break,
            }
            self.path.push((at, chooser));
        }
        self.come_to(&mut position, from, world)?;
        // Machine code draws more words than it uses, so that each playout has dice of its own.
        let seed = self.dice.bits();
        if !is_over {
            self.play_on(&mut position, seed)?;
        } else if self.is_open {
            self.prove(position.winners(self.evaluator.model()));
        }
        self.count(&position, number)?;
        self.kept = Some(position);
        Ok(())
    }

    /// Makes a position the one that a playout has come to.
    fn come_to(&self, position: &mut Position, from: From, world: &World) -> Result<(), Fault> {
        match from {
            From::Here => {}
            From::World => position.clone_from(&world.position),
            From::Node(at, choice) => {
                if let Some(complete) = self.nodes.get(at).and_then(|node| node.complete.as_ref()) {
                    position.clone_from(&complete.position);
                }
                self.evaluator.advance(position, choice)?;
            }
        }
        Ok(())
    }

    /// Notes who wins at the end of the path, where the game is over, and what that proves of the nodes before it.
    fn prove(&mut self, winners: u32) {
        let mut proved = winners;
        for i in (0..self.path.len()).rev() {
            let Some((at, chooser)) = self.path.get(i).copied() else { return };
            let Some(node) = self.nodes.get_mut(at) else { return };
            // What was proved before may say more now, since the node before it may have all its options since.
            proved = *node.proved.get_or_insert(proved);
            let (Some(seat), Some((parent, _))) = (chooser, i.checked_sub(1).and_then(|i| self.path.get(i))) else {
                return;
            };
            match self.outcome(*parent, seat, proved) {
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
        let node = self.nodes.get(at).filter(|node| node.complete.is_some() && self.seats == 2)?;
        let behind = node.next.iter().map(|(_, child)| self.nodes.get(*child)?.proved);
        let all: Vec<u32> = behind.collect::<Option<_>>()?;
        all.into_iter().max_by_key(|winners| Proof::of(*winners, seat))
    }

    /// What is proved of a node to a seat.
    fn proof(&self, at: usize, seat: usize) -> Option<Proof> {
        Some(Proof::of(self.nodes.get(at)?.proved?, seat))
    }

    /// Whether an option at the root is proved to win, so that nothing is left to find out.
    #[must_use]
    pub fn is_won(&self) -> bool {
        let won = |(_, child): &(Edge, usize)| self.proof(*child, self.seat) == Some(Proof::Won);
        self.is_open && self.nodes.first().is_some_and(|root| root.next.iter().any(won))
    }

    /// Counts what a playout in the world of a number came to, for each seat that chose something on its path.
    fn count(&mut self, position: &Position, world: usize) -> Result<(), Fault> {
        self.prospects.clear();
        self.prospects.resize(self.seats, None);
        let path = std::mem::take(&mut self.path);
        for (_, chooser) in &path {
            let Some(seat) = *chooser else { continue };
            let Some(None) = self.prospects.get(seat) else { continue };
            let before = self.before(world, seat);
            let prospect = self.judge.look(position, seat, before)?;
            if let Some(found) = self.prospects.get_mut(seat) {
                *found = Some(prospect);
            }
        }
        for (spread, prospect) in self.spreads.iter_mut().zip(&self.prospects) {
            prospect.iter().for_each(|prospect| spread.add(*prospect, 1.0));
        }
        for (at, chooser) in &path {
            if let Some(node) = self.nodes.get_mut(*at) {
                node.visits += 1;
            }
            let Some(seat) = *chooser else { continue };
            let tally = self.tallies.get_mut(at * self.seats + seat);
            if let (Some(tally), Some(Some(prospect))) = (tally, self.prospects.get(seat)) {
                tally.add(*prospect, 1.0);
            }
        }
        self.path = path;
        Ok(())
    }

    /// The option that is tried at the root, a choice that it stands for, and the node behind it if there is one.
    fn first(&mut self, world: &World, turn: Turn) -> Option<(Edge, Choice, Option<usize>)> {
        let edges = world.first.iter().map(|(said, _)| Edge::Said(*said));
        let (chosen, behind) = self.select(0, turn, edges.clone());
        if let (true, Turn::Seat(seat)) = (self.is_open, turn) {
            self.complete(0, &world.position, usize::from(seat), edges);
        }
        let (said, choices) = world.first.get(chosen)?;
        let choice = choices.get(self.dice.below(choices.len()))?;
        Some((Edge::Said(*said), *choice, behind))
    }

    /// The choice that is tried at a node further on; `None` if there is none.
    fn further(&mut self, position: &Position, turn: Turn, at: usize, world: usize) -> Result<Option<Tried>, Fault> {
        let mut options = std::mem::take(&mut self.options);
        let listed = self.evaluator.options_into(position, &mut options);
        if let (Turn::Seat(seat), Ok(()), true) = (turn, &listed, self.is_to_judge(at, options.len())) {
            self.judge_options(at, position, &options, (world, usize::from(seat)));
        }
        let (chosen, behind) = match turn {
            _ if listed.is_err() || options.is_empty() => (None, None),
            Turn::Seat(seat) if options.len() > 1 => {
                let edges = options.iter().map(|choice| Edge::Made(*choice));
                let (chosen, behind) = self.select(at, turn, edges.clone());
                if self.is_open {
                    self.complete(at, position, usize::from(seat), edges);
                }
                (Some(chosen), behind)
            }
            _ => (Some(self.dice.below(options.len())), None),
        };
        let choice = chosen.and_then(|chosen| options.get(chosen).copied());
        let branches = options.len() > 1 && (turn != Turn::Chance || !self.evaluator.model().hides());
        self.options = options;
        listed.map(|()| Some(Tried { choice: choice?, branches, behind }))
    }

    /// The choice that is tried at a node whose options are all known, with who makes it and the node behind it: there
    /// nothing need be asked of the position.
    fn known(&mut self, at: usize, world: &World) -> Option<(usize, Choice, usize)> {
        let complete = self.nodes.get_mut(at)?.complete.as_mut()?;
        complete.passed += 1;
        let seat = complete.seat;
        let exploration = self.exploration(seat);
        let Tree { nodes, tallies, seats, judge, logs, .. } = self;
        let node = nodes.get(at)?;
        let behind = node.next.iter().map(|(_, child)| Some(*child));
        let upper =
            Upper { nodes, tallies, seats: *seats, scale: judge.scale(seat), exploration, passed: node.passed() };
        let chosen = upper.highest(behind, seat, logs);
        let (edge, child) = self.nodes.get(at)?.next.get(chosen)?;
        let choice = match edge {
            Edge::Made(choice) => *choice,
            Edge::Said(_) => *world.first.get(chosen)?.1.first()?,
        };
        Some((seat, choice, *child))
    }

    /// Notes that all options of a node have nodes, if they do and that stays so. `self.behind` has the nodes.
    fn complete(&mut self, at: usize, position: &Position, seat: usize, edges: impl Iterator<Item = Edge>) {
        let judges = self.judge.weighs();
        let Some(node) = self.nodes.get_mut(at).filter(|node| node.options_judged || !judges) else { return };
        let nodes: Option<Vec<usize>> = self.behind.iter().copied().collect();
        if let Some(nodes) = nodes {
            node.next = edges.zip(nodes).collect();
            node.complete = Some(Box::new(Complete { position: position.clone(), seat, passed: 0 }));
        }
    }

    /// Which of the edges is tried: one that was not tried yet, else the one with the highest upper confidence bound,
    /// which counts how often each was available; and the node behind it, if there is one.
    fn select(&mut self, at: usize, turn: Turn, edges: impl Iterator<Item = Edge>) -> (usize, Option<usize>) {
        let Some(node) = self.nodes.get(at) else { return (0, None) };
        let mut behind = std::mem::take(&mut self.behind);
        behind.clear();
        let mut near = 0;
        behind.extend(edges.map(|edge| node.behind(edge, &mut near)));
        for child in behind.iter().flatten() {
            if let Some(child) = self.nodes.get_mut(*child) {
                child.available += 1;
            }
        }
        let new = behind.iter().filter(|child| child.is_none()).count();
        let chosen = match turn {
            _ if new > 0 => {
                let nth = self.dice.below(new);
                (0..behind.len()).filter(|i| behind.get(*i) == Some(&None)).nth(nth).unwrap_or(0)
            }
            Turn::Seat(seat) => self.most_promising(at, &behind, usize::from(seat)),
            Turn::Over | Turn::Chance => self.dice.below(behind.len()),
        };
        let child = behind.get(chosen).copied().flatten();
        self.behind = behind;
        (chosen, child)
    }

    /// The place of the node with the highest upper confidence bound for a seat, of nodes behind one.
    fn most_promising(&mut self, at: usize, behind: &[Option<usize>], seat: usize) -> usize {
        let exploration = self.exploration(seat);
        let Tree { nodes, tallies, seats, judge, logs, .. } = self;
        let passed = nodes.get(at).map_or(0, Node::passed);
        let upper = Upper { nodes, tallies, seats: *seats, scale: judge.scale(seat), exploration, passed };
        upper.highest(behind.iter().copied(), seat, logs)
    }

    /// How much a seat favours a choice that was tried seldom: where the rules say what a position is worth, the less,
    /// the less the values differ to which playouts come.
    fn exploration(&self, seat: usize) -> f64 {
        match self.judge.weighs() {
            true => {
                let scale = self.judge.scale(seat);
                let deviation = self.spreads.get(seat).map_or(0.5, |spread| spread.deviation(scale));
                EXPLORATION * (2.0 * deviation).clamp(LEAST_EXPLORATION, 1.0)
            }
            false => EXPLORATION,
        }
    }

    /// The node behind an edge, and whether it is new. `None` if the tree is full.
    fn enter(&mut self, at: usize, edge: Edge) -> Option<(usize, bool)> {
        let new = self.nodes.len();
        let node = self.nodes.get_mut(at)?;
        match node.next.binary_search_by(|(other, _)| other.cmp(&edge)) {
            Ok(found) => return node.next.get(found).map(|(_, next)| (*next, false)),
            Err(_) if new >= MAX_NODES => return None,
            Err(place) => node.next.insert(place, (edge, new)),
        }
        self.nodes.push(Node { available: 1, ..Node::default() });
        self.tallies.resize(self.nodes.len() * self.seats, Tally::default());
        Some((new, true))
    }

    /// Plays on at random to the end. Where the rules say what a position is worth, it is broken off early, where
    /// somebody next has something to decide: the worth of an attack shows when the dice are thrown.
    fn play_on(&mut self, position: &mut Position, seed: u64) -> Result<(), Fault> {
        let most = if self.judge.weighs() { MAX_PLIES_WITH_WORTH } else { MAX_PLIES };
        let mut dice = Dice::new(seed);
        let mut draws = |words: &mut [u64]| words.iter_mut().for_each(|w| *w = dice.bits());
        if self.evaluator.playout(position, &mut draws, most).is_none() {
            self.step_on(position, most, &mut Dice::new(seed))?;
        }
        match self.judge.weighs() {
            true => settle(self.evaluator, position, self.dice),
            false => Ok(()),
        }
    }

    /// Plays on at random, ply by ply.
    fn step_on(&self, position: &mut Position, most: usize, dice: &mut Dice) -> Result<(), Fault> {
        for _ in 0..most {
            if self.evaluator.turn(position)? == Turn::Over {
                break;
            }
            let count = self.evaluator.count(position)?;
            let Some(choice) = self.evaluator.nth(position, dice.below(count))? else { break };
            self.evaluator.advance(position, choice)?;
        }
        Ok(())
    }

    /// The numbers of the options at the root that were tried, and how often: an option that is proved to win as often
    /// as can be, one that is proved to lose not at all, unless all are.
    #[must_use]
    pub fn visits(&self) -> Vec<(usize, u32)> {
        let next = self.nodes.first().map_or(&[][..], |root| &root.next);
        let is_lost = |child: usize| self.proof(child, self.seat) == Some(Proof::Lost);
        let all_lost = next.iter().all(|(_, child)| is_lost(*child));
        let visited = |(edge, child): &(Edge, usize)| {
            let Edge::Said(said) = edge else { return None };
            let node = self.nodes.get(*child)?;
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

    /// A tree of a game after some playouts: for each complete node how many edges it has, and how many options there
    /// are in its position.
    fn complete_nodes(game: &str, playouts: usize) -> Vec<(usize, usize)> {
        let rules = Rules::from_text(game).unwrap();
        let start = rules.start().unwrap();
        let sight = Sight::new(rules.evaluators());
        let guess = Guess::new(&Look::new(&sight, &start, 0), 1, &mut Dice::new(1));
        let mut dice = Dice::new(2);
        let mut tree = Tree::new(rules.evaluators(), &guess.worlds, &mut dice);
        (0..playouts).for_each(|_| tree.playout(0).unwrap());
        let complete = tree.nodes.iter().filter_map(|node| Some((node, node.complete.as_ref()?)));
        complete.map(|(node, at)| (node.next.len(), rules.options(&at.position).unwrap().len())).collect()
    }

    #[test]
    fn a_complete_node_has_one_edge_for_each_option() {
        for (game, playouts, least) in [(LIFT, 600, 20), (GATES, 60, 2)] {
            let nodes = complete_nodes(game, playouts);
            assert!(nodes.len() >= least, "{nodes:?}");
            assert!(nodes.iter().all(|(edges, options)| edges == options), "{nodes:?}");
        }
    }
}
