//! Which codes are inlined, and how many instructions that gives for each.
//!
//! A code in which nothing is asked needs no frame and can be inlined at each of its calls. If one such code calls the
//! next twice, and so on, the size would double each time; so codes are inlined only as long as the size stays in
//! proportion to the rules. Other calls remain calls.

use crate::engine::ask::Ask;
use crate::engine::program::{CodeX, Op, Program};
use crate::model::MAX_ACTIVE_CODES;

/// The maximum number of instructions of a code that is inlined, including all that is inlined in it.
const MAX_INLINED_INSTRUCTIONS: u32 = 2000;

/// The maximum number of instructions of a game: a factor of those of its rules, and a constant.
const MAX_INLINED_GROWTH: u32 = 4;
const INLINED_ALLOWANCE: u32 = 10_000;

/// The maximum number of instructions of a code, with all codes that it begins, of which only loops are counted.
const MAX_WHOLE: u32 = 4000;

/// What may be worked out at one place, and in a turn of a loop, without being counted, in thousands of parts.
const MAX_UNCOUNTED_COST: u32 = 500_000;
const MAX_UNCOUNTED_TURN: u32 = 5_000;

/// How far the codes of a game spread.
#[derive(Debug)]
pub(super) struct InlinePlan {
    /// Whether a code is put in place of its calls.
    pub inlined: Vec<bool>,
    /// Of each code its instructions, with those that are put in place in it.
    pub sizes: Vec<u32>,
    /// The maximum number of instructions that all active codes can have together, each counted once.
    pub heaviest: u32,
    /// Of each code its instructions with those of all codes that it begins, each as often as it stands there; nothing
    /// where codes begin each other, choose among hooks, or are large. Then only loops are counted.
    pub whole: Option<Vec<u32>>,
    /// Whether the stack always has room for a frame more where a code begins another.
    pub frames_fit: bool,
    /// Of each instruction what it may cost, in thousands of parts.
    costs: Vec<Vec<u32>>,
    /// Whether what is worked out is counted as the code runs, because from the form of the rules it may become too
    /// much.
    pub counted: bool,
    /// Instructions of the whole game.
    pub total: u32,
}

impl InlinePlan {
    /// Of the lowered rules.
    pub fn new(program: &Program) -> InlinePlan {
        let calls: Vec<Vec<usize>> =
            program.codes.iter().map(|c| c.ops.iter().flat_map(|o| called(program, o)).collect()).collect();
        let ops = program.codes.iter().fold(0u32, |n, c| n.saturating_add(c.ops.len() as u32));
        let most = ops.saturating_mul(MAX_INLINED_GROWTH).saturating_add(INLINED_ALLOWANCE);
        // A code that can be active at the deepest level must have a frame, because it may be one level too many.
        let mut each = if program.layout.max_depth >= MAX_ACTIVE_CODES { 0 } else { MAX_INLINED_INSTRUCTIONS };
        loop {
            let inline_plan = InlinePlan::within(program, &calls, each);
            if inline_plan.total <= most || each == 0 {
                let whole = whole(program, &calls);
                let frames_fit = frames_fit(program, &calls, &inline_plan.inlined);
                let mut inline_plan = InlinePlan { costs: program.costs(), whole, frames_fit, ..inline_plan };
                inline_plan.counted = inline_plan.dearest() > MAX_UNCOUNTED_COST
                    || inline_plan.dearest_turn(program) > MAX_UNCOUNTED_TURN;
                return inline_plan;
            }
            each /= 2;
        }
    }

    /// The most that an instruction may cost, in thousands of parts.
    fn dearest(&self) -> u32 {
        self.costs.iter().flatten().copied().max().unwrap_or(0)
    }

    /// The most that a turn of a loop may cost, in thousands of parts.
    fn dearest_turn(&self, program: &Program) -> u32 {
        let turn = |code, (pc, op): (usize, &Op)| match op {
            Op::Jump(to) | Op::Unless(_, to) if usize::from(*to) <= pc => {
                Some(self.cost_between(program, code, *to, pc as u16))
            }
            _ => None,
        };
        let turns = |(i, c): (usize, &CodeX)| c.ops.iter().enumerate().filter_map(|at| turn(i, at)).max();
        program.codes.iter().enumerate().filter_map(turns).max().unwrap_or(0)
    }

    /// With no code put in place that is larger than this.
    fn within(program: &Program, calls: &[Vec<usize>], each: u32) -> InlinePlan {
        let n = calls.len();
        let (mut inlined, mut sizes, mut heavy) = (vec![false; n], vec![0u32; n], vec![None::<u32>; n]);
        let (mut open, mut callers) = (vec![0usize; n], vec![Vec::new(); n]);
        for (i, called) in calls.iter().enumerate() {
            for j in called.iter().filter(|j| **j < n) {
                open[i] += 1;
                callers[*j].push(i);
            }
        }
        // Those that are called come before those that call them; what goes round is left over.
        let mut todo: Vec<usize> = (0..n).filter(|i| open[*i] == 0).collect();
        while let Some(i) = todo.pop() {
            sizes[i] = size(program, i, &calls[i], (&inlined, &sizes));
            let all_light = calls[i].iter().all(|j| inlined.get(*j) == Some(&true));
            inlined[i] = program.codes.get(i).is_some_and(asks_nothing) && all_light && sizes[i] <= each;
            let below = calls[i].iter().filter(|j| !inlined[**j]).filter_map(|j| heavy[*j]).max().unwrap_or(0);
            heavy[i] = Some(below.saturating_add(sizes[i]));
            for j in &callers[i] {
                open[*j] -= 1;
                if open[*j] == 0 {
                    todo.push(*j);
                }
            }
        }
        for i in (0..n).filter(|i| open[*i] > 0) {
            sizes[i] = size(program, i, &calls[i], (&inlined, &sizes));
        }
        let round = heavy.contains(&None).then(|| deepest(program, &sizes, &inlined));
        let heaviest = round.or_else(|| heavy.iter().copied().flatten().max()).unwrap_or(0);
        let total = sizes
            .iter()
            .zip(&inlined)
            .filter(|(_, inlined)| !**inlined)
            .fold(0u32, |n, (size, _)| n.saturating_add(*size));
        InlinePlan {
            inlined,
            sizes,
            heaviest,
            whole: None,
            frames_fit: false,
            costs: Vec::new(),
            counted: false,
            total,
        }
    }

    /// The instructions from one place of a code to another, with all that is put in place there. Where nothing else is
    /// counted, more if they cost much.
    pub fn between(&self, program: &Program, code: usize, from: u16, to: u16) -> u32 {
        let (ops, calls) = part(program, code, from, to);
        let own = match &self.whole {
            Some(whole) => calls.iter().filter_map(|j| whole.get(*j)).fold(ops.len() as u32, |n, size| n + size),
            None => with_calls(ops.len() as u32, &calls, (&self.inlined, &self.sizes)),
        };
        if self.counted { own } else { own.max(self.cost_between(program, code, from, to)) }
    }

    /// The maximum number of instructions, between two that are counted, that are not.
    pub fn uncounted(&self) -> u32 {
        self.whole.as_ref().map_or(self.heaviest, |whole| whole.iter().copied().max().unwrap_or(0))
    }

    /// What they may cost at most, in thousands of parts.
    fn cost_between(&self, program: &Program, code: usize, from: u16, to: u16) -> u32 {
        let (_, calls) = part(program, code, from, to);
        let own = self.costs.get(code).and_then(|c| c.get(usize::from(from)..=usize::from(to)));
        let inside = calls.iter().filter(|j| self.inlined.get(**j) == Some(&true)).filter_map(|j| self.costs.get(*j));
        own.unwrap_or(&[]).iter().chain(inside.flatten()).fold(0u32, |n, c| n.saturating_add(*c))
    }
}

/// Of each code its instructions with those of all codes that it begins, if each is begun where it is called, and not
/// by itself, and they are few.
fn whole(program: &Program, calls: &[Vec<usize>]) -> Option<Vec<u32>> {
    let plain = |op: &Op| !matches!(op, Op::Unranked { .. } | Op::NextHook(_) | Op::Instead(..) | Op::HookAt(_));
    if !program.codes.iter().flat_map(|c| &c.ops).all(plain) {
        return None;
    }
    let mut whole = vec![None::<u32>; calls.len()];
    loop {
        let mut found = false;
        for (i, called) in calls.iter().enumerate().filter(|(i, _)| whole[*i].is_none()).collect::<Vec<_>>() {
            let own = program.codes.get(i).map_or(0, |c| c.ops.len() as u32);
            let all = called.iter().try_fold(own, |n, j| n.checked_add(whole.get(*j).copied().flatten()?));
            whole[i] = all.filter(|n| *n <= MAX_WHOLE);
            found |= whole[i].is_some();
        }
        // Those that begin each other, and what is too large, stay unknown.
        if !found {
            return whole.into_iter().collect();
        }
    }
}

/// Whether the frames of a game's codes always fit on its stack: no code begins itself, and those that begin each other
/// are as many as the stack has room for. A stack that play can come to never lacks room then.
fn frames_fit(program: &Program, calls: &[Vec<usize>], inlined: &[bool]) -> bool {
    let own = |i: usize| u32::from(inlined.get(i) != Some(&true));
    let mut deep = vec![None::<u32>; calls.len()];
    loop {
        let mut found = false;
        for (i, called) in calls.iter().enumerate() {
            if deep[i].is_none() {
                let below = called.iter().try_fold(0, |most: u32, j| Some(most.max(deep.get(*j).copied().flatten()?)));
                deep[i] = below.map(|below| below + own(i));
                found |= deep[i].is_some();
            }
        }
        if !found {
            break;
        }
    }
    deep.get(program.play).copied().flatten().is_some_and(|deep| deep <= program.layout.max_depth)
}

/// The maximum number of instructions of codes that are active together: the largest, each as often as it can be.
fn deepest(program: &Program, sizes: &[u32], inlined: &[bool]) -> u32 {
    let framed = program.codes.iter().zip(sizes).zip(inlined).filter(|(_, inlined)| !**inlined);
    let mut all: Vec<(u32, u32)> =
        framed.map(|((c, size), _)| (*size, c.active.map_or(1, |(_, most)| u32::from(most)))).collect();
    all.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
    let (mut room, mut sum) = (program.layout.max_depth, 0u32);
    for (size, often) in all {
        let often = often.min(room);
        room -= often;
        sum = sum.saturating_add(size.saturating_mul(often));
    }
    sum
}

/// The instructions from one place of a code to another, and the codes that they begin.
fn part(program: &Program, code: usize, from: u16, to: u16) -> (&[Op], Vec<usize>) {
    let ops = program.codes.get(code).and_then(|c| c.ops.get(usize::from(from)..=usize::from(to))).unwrap_or(&[]);
    (ops, ops.iter().flat_map(|op| called(program, op)).collect())
}

fn size(program: &Program, code: usize, calls: &[usize], known: (&[bool], &[u32])) -> u32 {
    with_calls(program.codes.get(code).map_or(0, |c| c.ops.len() as u32), calls, known)
}

fn with_calls(own: u32, calls: &[usize], (inlined, sizes): (&[bool], &[u32])) -> u32 {
    calls.iter().filter(|j| inlined.get(**j) == Some(&true)).fold(own, |n, j| n.saturating_add(sizes[*j]))
}

fn asks_nothing(c: &CodeX) -> bool {
    let asks = |op: &Op| {
        match op {
            Op::Choose { .. } | Op::Chance { .. } | Op::Unranked { .. } | Op::StepEnd | Op::Finish(_) => true,
            // The trees may be asked which of them applies.
            Op::Instead(hooks, _) => !hooks.groups.is_empty(),
            _ => false,
        }
    };
    c.active.is_none() && !c.ops.iter().any(asks)
}

/// The codes that an instruction begins, each as often as it stands there.
fn called(program: &Program, op: &Op) -> Vec<usize> {
    match op {
        Op::Call(code, _) => vec![*code],
        Op::Hook(hook) => vec![hook.code],
        Op::Unranked { hooks, .. } => hooks.iter().map(|h| h.code).collect(),
        Op::Instead(hooks, _) => hooks.codes().collect(),
        Op::HookAt(at) => at.hooks.codes().collect(),
        Op::Choose { ask: Ask::Act { acts, .. }, .. } => {
            acts.iter().filter_map(|a| program.acts.get(*a)).map(|a| a.code).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::library;
    use crate::model::{Config, Model};

    fn lowered(model: &Model) -> Program {
        let Config(config) = Config::defaults(model);
        Program::new(model, &config).expect("it can be lowered")
    }

    fn doubling(n: usize) -> Program {
        let mut text = String::from(
            "game sample \"S\"\nplayers A, B\nvar x: 0..99 = 0\naction go() by A { p0() }\nmay go \"g\"\n\
             procedure play { step s { while x < 90 { A chooses an action among go } } }\n\
              ends draw \"x\" when x > 50\n",
        );
        for i in 0..n {
            text += &format!("procedure p{i}() {{ p{0}() x := (x + {i}) mod 40 p{0}() }}\n", i + 1);
        }
        text += &format!("procedure p{n}() {{ x := (x + 1) mod 60 }}\n");
        let checked = check::check(&[(String::from("game.law"), text)], &[]);
        lowered(&checked.model.expect("no faults"))
    }

    fn instructions(program: &Program) -> u32 {
        program.codes.iter().map(|c| c.ops.len() as u32).sum()
    }

    #[test]
    fn what_is_put_in_place_of_calls_stays_in_proportion() {
        for n in [5, 12, 14, 40, 200] {
            let program = doubling(n);
            let (inline_plan, own) = (InlinePlan::new(&program), instructions(&program));
            assert!(
                inline_plan.total <= MAX_INLINED_GROWTH * own + INLINED_ALLOWANCE,
                "{n} procedures: {} of {own}",
                inline_plan.total
            );
            assert!(inline_plan.inlined.contains(&true), "{n} procedures");
        }
        // As long as it is little, all of it.
        let few = InlinePlan::new(&doubling(5));
        assert_eq!(few.inlined.iter().filter(|inlined| **inlined).count(), 7);
    }

    #[test]
    fn statements_are_never_counted_as_fewer() {
        let program = doubling(3);
        let inline_plan = InlinePlan::new(&program);
        // The last does two, each of the others what it does itself and the next twice.
        let mut sizes: Vec<u32> =
            (0..program.codes.len()).filter(|i| inline_plan.inlined[*i]).map(|i| inline_plan.sizes[i]).collect();
        sizes.sort_unstable();
        assert_eq!(sizes[..4], [2, 8, 20, 44]);
        let play = inline_plan
            .sizes
            .iter()
            .zip(&inline_plan.inlined)
            .filter(|(_, inlined)| !**inlined)
            .map(|(size, _)| *size)
            .max();
        assert_eq!(Some(inline_plan.heaviest), play, "nothing else has a frame");
    }

    /// In the shipped games every code in which nothing is asked is put in place.
    #[test]
    fn the_shipped_games_have_no_calls_that_could_be_spared() {
        let (mut counted, shipped) = (Vec::new(), library::shipped());
        for name in &shipped {
            let game = library::open(name, &[]).expect("a game");
            let Config(config) = Config::defaults(&game.model);
            let Ok(program) = Program::new(&game.model, &config) else {
                continue;
            };
            let calls: Vec<Vec<usize>> =
                program.codes.iter().map(|c| c.ops.iter().flat_map(|o| called(&program, o)).collect()).collect();
            let all = InlinePlan::within(&program, &calls, u32::MAX);
            let inline_plan = InlinePlan::new(&program);
            assert_eq!(inline_plan.inlined, all.inlined, "{name}");
            assert!(!program.shared.is_tight(), "{name}: much is looked at to lower it");
            let levels = game.model.levels.iter().max().copied().unwrap_or(0);
            assert!(levels <= crate::model::SMALL_STACK_DEPTH, "{name}: definitions ask each other deep");
            counted.extend(inline_plan.counted.then_some(name));
        }
        // Loops over sets of sets cannot be bounded beforehand; most games have none.
        assert!(counted.len() * 2 < shipped.len(), "{counted:?} of {shipped:?}");
    }
}
