//! Information-set Monte-Carlo tree search: one tree for the seat that decides, over worlds that it cannot tell apart
//! (Cowling, Powley, Whitehouse 2012). `docs/bots.md` describes it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::guess::{Guess, World, open};
use super::taken::Taken;
use super::tree::{Memory, Tree};
use super::{Dice, Look, Player, derived, forced};
use crate::game::{Choice, Evaluator};

/// The most worlds that are drawn for one choice; playouts take them in turn.
const WORLDS: usize = 128;

/// The fewest worlds that are drawn, if there are as many playouts.
const FEW_WORLDS: usize = 8;

/// How many playouts there are for each world that is drawn.
const PLAYOUTS_A_WORLD: usize = 16;

/// After so many playouts the bot looks whether the rest can change what it takes.
const LOOK_AFTER: usize = 16;

/// The evaluator gets ready for a search of so many playouts.
const MANY_PLAYOUTS: u32 = 200;

/// In less time few worlds are drawn, and the evaluator does not get ready.
const SHORT: Duration = Duration::from_millis(500);

/// How many plies are made to look for a forced win where the budget is a time.
const FORCED_PLIES: usize = 2000;

/// A bot that searches a tree. It is given no position in play: it asks its [`Look`] for worlds.
#[derive(Clone, Debug)]
pub struct Mcts<E> {
    evaluator: E,
    budget: Budget,
    seed: u64,
    /// How many trees grow at a time, each in a thread of its own.
    threads: usize,
    /// How many choices it has made. Each has dice of its own, so that none depends on how many numbers an earlier one
    /// drew.
    made: u64,
    playouts: u64,
    taken: Taken,
    memory: Memory,
}

/// What came of a tree.
struct Grown {
    /// The numbers of the options' texts, and how often each was tried.
    tried: Vec<(usize, u32)>,
    playouts: u64,
    memory: Memory,
}

impl<E: Evaluator + Sync> Mcts<E> {
    /// A bot that plays ahead with an evaluator, with a budget for each choice and a seed.
    #[must_use]
    pub fn new(evaluator: E, budget: Budget, seed: u64) -> Mcts<E> {
        Mcts {
            evaluator,
            budget,
            seed,
            threads: 1,
            made: 0,
            playouts: 0,
            taken: Taken::default(),
            memory: Memory::default(),
        }
    }

    /// The same in some threads: each grows a tree of its own with its part of the playouts, and what they visited is
    /// added up.
    #[must_use]
    pub fn in_threads(self, threads: usize) -> Mcts<E> {
        Mcts { threads: threads.max(1), ..self }
    }

    /// How many playouts it has made so far.
    #[must_use]
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// The number of the text of the option that is best: one that wins by force, if that is found at once, else the
    /// one that was tried most often; of several, the first. One that was `taken` when all looked the same comes last,
    /// unless it is proved to win or the others to lose.
    /// `None` if no world can be drawn, or none played. With it how many playouts that took.
    fn best(&self, guess: &Guess, taken: &[String], dice: &mut Dice, memory: &mut Memory) -> (Option<usize>, u64) {
        if self.is_long() {
            self.evaluator.make_ready();
        }
        let plies = if let Budget::Playouts(n) = self.budget { n as usize } else { FORCED_PLIES };
        let forced = open(&guess.worlds, self.evaluator.model().hides())
            .and_then(|world| forced::win(&self.evaluator, world, plies));
        if forced.is_some() {
            return (forced, 0);
        }
        let mut visits: BTreeMap<usize, u32> = BTreeMap::new();
        let mut playouts = 0;
        let at_first = std::mem::take(memory);
        let mut add = |grown: Grown| {
            *memory = grown.memory;
            playouts += grown.playouts;
            for (said, times) in grown.tried {
                let all = visits.entry(said).or_default();
                *all = all.saturating_add(times);
            }
        };
        let is_new = |said: usize| guess.texts.get(said).is_none_or(|text| !taken.contains(text));
        let seed = if self.threads > 1 { dice.bits() } else { 0 };
        std::thread::scope(|scope| {
            // Each tree has dice of its own.
            let others = (1..self.threads).map(|tree| {
                let mut dice = Dice::new(derived(seed, tree as u64));
                let grow = move || self.grown(&guess.worlds, (tree, Memory::default()), &mut dice, &is_new);
                std::thread::Builder::new().spawn_scoped(scope, grow)
            });
            let others: Vec<_> = others.collect();
            add(self.grown(&guess.worlds, (0, at_first), dice, &is_new));
            // A thread that the machine does not give is missing, and no more.
            others.into_iter().flatten().filter_map(|thread| thread.join().ok()).for_each(&mut add);
        });
        let rank = |(said, visits): &(usize, u32)| ((*visits > 0 && is_new(*said)) || *visits == u32::MAX, *visits);
        (visits.into_iter().rev().max_by_key(rank).map(|(said, _)| said), playouts)
    }

    /// Grows a tree with its part of the playouts. The only tree stops growing when the rest of the playouts cannot
    /// change which of the new options is tried most often.
    fn grown(
        &self,
        worlds: &[World],
        (number, memory): (usize, Memory),
        dice: &mut Dice,
        is_new: &impl Fn(usize) -> bool,
    ) -> Grown {
        let began = Instant::now();
        let mut playouts = 0;
        let mut tree = Tree::new(&self.evaluator, worlds, dice, memory);
        let part = |n: usize| n / self.threads + usize::from(number < n % self.threads);
        if let Budget::Playouts(n) = self.budget {
            tree.make_room(part(n as usize));
        }
        // Trees that begin with different worlds see more of them.
        let first = number * worlds.len() / self.threads;
        for (played, world) in (0..worlds.len()).cycle().skip(first).enumerate() {
            let enough = match self.budget {
                Budget::Playouts(n) => {
                    let left = part(n as usize).saturating_sub(played);
                    let is_asked = self.threads == 1 && played.is_multiple_of(LOOK_AFTER);
                    left == 0 || is_asked && tree.lead(is_new) as usize > left
                }
                Budget::Time(time) => played > 0 && began.elapsed() >= time,
            };
            if enough || tree.is_won() {
                break;
            }
            // A playout that meets a fault teaches nothing, but counts, so that the search ends.
            let _ = tree.playout(world);
            playouts += 1;
        }
        Grown { tried: tree.visits(), playouts, memory: tree.into_memory() }
    }

    /// Whether so much is searched that it pays to get ready for it.
    fn is_long(&self) -> bool {
        match self.budget {
            Budget::Playouts(n) => n >= MANY_PLAYOUTS,
            Budget::Time(time) => time >= SHORT,
        }
    }

    /// How many worlds are drawn: a playout in each is little, and to draw one takes as long as some playouts.
    fn worlds(&self) -> usize {
        match self.budget {
            Budget::Playouts(n) => (n as usize / PLAYOUTS_A_WORLD).clamp(FEW_WORLDS.min(n as usize), WORLDS),
            Budget::Time(time) if time < SHORT => FEW_WORLDS,
            Budget::Time(_) => WORLDS,
        }
    }
}

impl<E: Evaluator + Send + Sync> Player for Mcts<E> {
    fn choose(&mut self, look: &Look<'_>, options: &[Choice]) -> usize {
        let mut dice = Dice::new(derived(self.seed, self.made));
        self.made += 1;
        if options.len() < 2 {
            return 0;
        }
        let guess = Guess::new(look, self.worlds(), &mut dice);
        let seen = look.seen();
        let mut memory = std::mem::take(&mut self.memory);
        let (best, playouts) = self.best(&guess, self.taken.before(seen), &mut dice, &mut memory);
        self.memory = memory;
        self.playouts += playouts;
        if let Some(text) = best.and_then(|said| guess.texts.get(said)) {
            self.taken.note(seen, text);
        }
        guess.option(best, look, options, &mut dice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Position, SeenOption, View};
    use crate::players::Eyes;
    use crate::rules::{Evaluators, Rules};

    /// A seat that sees all, in a game that hides something.
    struct Wide<'e>(&'e Evaluators);

    impl Eyes for Wide<'_> {
        fn view(&self, position: &Position, seat: u16) -> View {
            self.0.explainer().view(position, seat)
        }

        fn worlds(&self, position: &Position, seat: u16, _: usize, _: &mut Dice) -> Vec<(Position, Vec<SeenOption>)> {
            vec![(position.clone(), self.options(position, seat))]
        }

        fn options(&self, position: &Position, seat: u16) -> Vec<SeenOption> {
            self.0.seen_options(position, seat, "").unwrap()
        }
    }

    /// Decisions of a random game between several options, each with the seat that decides.
    fn decisions(rules: &Rules, plies: usize) -> Vec<(Position, u16)> {
        let (mut dice, mut position) = (Dice::new(2), rules.start().unwrap());
        let mut found = Vec::new();
        for _ in 0..plies {
            let options = rules.options(&position).unwrap();
            let Some(choice) = options.get(dice.below(options.len())) else { break };
            if let (crate::game::Turn::Seat(seat), 2..) = (rules.turn(&position).unwrap(), options.len()) {
                found.push((position.clone(), seat));
            }
            rules.apply(&mut position, *choice).unwrap();
        }
        found
    }

    #[test]
    fn a_search_that_stops_early_would_have_taken_the_same() {
        const PLAYOUTS: u32 = 400;
        let (mut early, mut all) = (0, 0);
        for (game, plies) in [("leduc-holdem", 6), ("confrontation", 20)] {
            let rules = Rules::open(game).unwrap();
            let eyes = Wide(rules.evaluators());
            for (position, seat) in decisions(&rules, plies) {
                let look = Look::new(&eyes, &position, seat);
                let mut dice = Dice::new(4);
                let guess = Guess::new(&look, 1, &mut dice);
                let mut tree = Tree::new(rules.evaluators(), &guess.worlds, &mut dice, Memory::default());
                let best = |tree: &Tree<'_, _>| tree.visits().into_iter().max_by_key(|(_, visits)| *visits).unwrap().0;
                let mut settled = None;
                for left in (1..=PLAYOUTS).rev() {
                    if settled.is_none() && tree.lead(|_| true) > left {
                        settled = Some(best(&tree));
                    }
                    tree.playout(0).unwrap();
                }
                assert!(settled.is_none_or(|settled| settled == best(&tree)), "{game}");
                // What is not counted leaves the lead to the others.
                assert_eq!(tree.lead(|said| said != best(&tree)), {
                    let mut others: Vec<u32> =
                        tree.visits().into_iter().filter(|(said, _)| *said != best(&tree)).map(|(_, n)| n).collect();
                    others.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
                    others[0] - others.get(1).unwrap_or(&0)
                });

                let mut bot = Mcts::new(rules.evaluators().clone(), Budget::Playouts(PLAYOUTS), 1);
                bot.choose(&look, &rules.options(&position).unwrap());
                assert!((1..=u64::from(PLAYOUTS)).contains(&bot.playouts()));
                early += usize::from(bot.playouts() < u64::from(PLAYOUTS));
                all += 1;
            }
        }
        assert!(early > all / 4 && early < all, "{early} of {all}");
    }
}
