//! The winning line, or the replies that escape, in words.

use super::solve::{After, Found, Halted, Solver, World};
use crate::game::{Choice, Evaluator as _, Fault, Position, Status};
use crate::lexicon::{Words, fill};
use crate::spelling::list;

/// A strategy: what the seat does, and what it does next, depending on what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// What can have happened since the seat last decided, each as the plies with who made them; empty if nothing
    /// happened.
    pub after: Vec<String>,
    /// What the seat does; `None` if the game is won.
    pub choice: Option<String>,
    /// How the game is won, if it is.
    pub won: Option<String>,
    /// All continuations.
    pub then: Vec<Plan>,
}

/// A first choice that does not win, and a reply that escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The choice; `None` if another seat decides first.
    pub choice: Option<String>,
    /// The plies that escape.
    pub plies: Vec<String>,
    /// How the game is then over; `None` if it goes on.
    pub over: Option<String>,
    /// Whether no win is forced after it however long it takes, not only within the bound.
    pub never: bool,
}

/// The maximum number of continuations that are written out.
const MAX_PLAN_NODES: usize = 4000;

impl Solver<'_> {
    /// The strategy that wins from these positions within a number of plies, where [`Solver::solve`] has found one;
    /// `None` if it is too wide to be written out.
    ///
    /// # Errors
    /// The rules fail on the way.
    pub fn plan(&mut self, from: &[Position], plies: usize) -> Result<Option<Vec<Plan>>, Fault> {
        let mut written = 0;
        match self.aside(from, |solver, from| solver.plans(from, plies, &mut written)) {
            Ok(plans) => Ok(Some(plans)),
            Err(Halted::Fault(fault)) => Err(fault),
            Err(Halted::Enough) => Ok(None),
        }
    }

    /// Goes through what was searched once more; the positions for that are not counted, and have a limit of their own.
    fn aside<T>(
        &mut self,
        from: &[Position],
        f: impl FnOnce(&mut Self, &[Position]) -> Result<T, Halted>,
    ) -> Result<T, Halted> {
        let from: Vec<Position> = from.iter().map(|position| self.lean(position.clone())).collect();
        let (most, positions) = (self.most, self.positions);
        self.most = most.saturating_add(positions);
        let done = f(self, &from);
        (self.most, self.positions) = (most, positions);
        done
    }

    fn plans(&mut self, from: &[Position], left: usize, written: &mut usize) -> Result<Vec<Plan>, Halted> {
        let mut after = self.after(from.to_vec(), left)?;
        after.beliefs.sort_by_key(|(_, nodes, _)| nodes.first().copied());
        let mut plans: Vec<Plan> = Vec::new();
        for node in &after.won {
            let position = after.nodes.get(*node).map(|n| &n.position);
            let won = position.map(|p| self.outcome(p)).transpose()?;
            let path = self.path(&after, *node);
            let path = (!path.is_empty()).then(|| path.join(", "));
            let plan = Plan { after: path.into_iter().collect(), won, ..Plan::default() };
            gather(&mut plans, plan);
        }
        for (belief, nodes, left) in &after.beliefs {
            *written += 1;
            if *written > MAX_PLAN_NODES {
                return Err(Halted::Enough);
            }
            let mut plan = self.choice(belief, *left, written)?;
            let first = nodes.first().map_or_else(Vec::new, |n| self.path(&after, *n));
            let more = nodes.len().saturating_sub(1);
            let path = (!first.is_empty()).then(|| match (first.join(", "), more) {
                (path, 0) => path,
                (path, more) => fill(self.lexicon.words.solve.alike, &[&path, &more.to_string()]),
            });
            plan.after = path.into_iter().collect();
            gather(&mut plans, plan);
        }
        Ok(plans)
    }

    fn choice(&mut self, belief: &[World], left: usize, written: &mut usize) -> Result<Plan, Halted> {
        let best = self.winning(belief, left)?;
        let choices = best.map(|best| Ok::<_, Halted>(self.options(belief)?.get(best).cloned())).transpose()?.flatten();
        // The search found it before, so it exists.
        let Some(choices) = choices else { return Err(Halted::Enough) };
        let children = self.made(belief, &choices)?;
        let said = self.said(belief, &choices);
        let then = self.plans(&children, left.saturating_sub(1), written)?;
        Ok(Plan { choice: Some(said), then, ..Plan::default() })
    }

    /// For each first choice, the first line that escapes within a number of plies.
    ///
    /// # Errors
    /// The rules fail on the way.
    pub fn escapes(&mut self, from: &[Position], plies: usize) -> Result<Vec<Escape>, Fault> {
        match self.aside(from, |solver, from| solver.refuted(from, plies)) {
            Ok(found) => Ok(found),
            Err(Halted::Fault(fault)) => Err(fault),
            Err(Halted::Enough) => Ok(Vec::new()),
        }
    }

    fn refuted(&mut self, from: &[Position], plies: usize) -> Result<Vec<Escape>, Halted> {
        let after = self.after(from.to_vec(), plies)?;
        // The seat decides at once, with one belief: each of its choices has an escape of its own.
        if let ([(belief, nodes, left)], None, None, true) =
            (after.beliefs.as_slice(), after.lost, after.cut, after.won.is_empty())
            && nodes.iter().all(|n| after.nodes.get(*n).is_some_and(|n| n.from.is_none()))
        {
            let mut found = Vec::new();
            for choices in self.options(belief)? {
                let children = self.made(belief, &choices)?;
                let said = self.said(belief, &choices);
                found.push(Escape { choice: Some(said), ..self.escape(&children, left.saturating_sub(1))? });
            }
            return Ok(found);
        }
        Ok(vec![self.escape(from, plies)?])
    }

    fn escape(&mut self, from: &[Position], left: usize) -> Result<Escape, Halted> {
        let after = self.after(from.to_vec(), left)?;
        if let Some(lost) = after.lost {
            let over = after.nodes.get(lost).map(|n| self.outcome(&n.position)).transpose()?;
            return Ok(Escape { choice: None, plies: self.path(&after, lost), over, never: true });
        }
        if let Some(cut) = after.cut {
            return Ok(Escape { choice: None, plies: self.path(&after, cut), over: None, never: false });
        }
        for (belief, nodes, left) in &after.beliefs {
            let positions: Vec<Position> = belief.iter().map(|w| w.position.unpack(self.engine.model())).collect();
            let found = self.wins_all(&positions, *left)?;
            if found != Found::Win {
                let plies = nodes.first().map_or_else(Vec::new, |n| self.path(&after, *n));
                return Ok(Escape { choice: None, plies, over: None, never: found == Found::Never });
            }
        }
        Ok(Escape { choice: None, plies: Vec::new(), over: None, never: false })
    }

    /// The choice of a seat in the words of all its worlds.
    fn said(&self, belief: &[World], choices: &[Vec<Choice>]) -> String {
        let choice = choices.first().and_then(|c| c.first());
        let (Some(world), Some(choice)) = (belief.first(), choice) else {
            return String::from("?");
        };
        let position = world.position.unpack(self.engine.model());
        let options = self.engine.options(&position).unwrap_or_default();
        let at = options.iter().position(|c| c == choice);
        let rules = self.engine.explainer();
        match at.and_then(|at| world.said.get(at)) {
            Some(said) if self.lexicon.lang.is_empty() => said.clone(),
            // The words that tell its options apart are in the rule file's own language.
            Some(said) => {
                let seen = rules.seen_options(&position, self.seat, self.lexicon.lang).unwrap_or_default();
                let same = seen.into_iter().find(|option| option.choices.contains(choice));
                same.map_or_else(|| said.clone(), |option| option.text)
            }
            None => rules.say(&position, *choice, self.lexicon.lang),
        }
    }

    /// The plies that lead to a node, each with who made it.
    fn path(&self, after: &After, node: usize) -> Vec<String> {
        let mut plies = Vec::new();
        let mut at = node;
        while let Some((from, choice)) = after.nodes.get(at).and_then(|n| n.from) {
            if let Some(before) = after.nodes.get(from) {
                let rules = self.engine.explainer();
                let who = match rules.status(&before.position) {
                    Ok(Status::Decision(q)) => self.lexicon.unique_seat(q.seat),
                    _ => self.lexicon.words.play.chance.to_owned(),
                };
                plies.push(format!(
                    "{who}{}{}",
                    self.lexicon.words.colon,
                    rules.say(&before.position, choice, self.lexicon.lang)
                ));
            }
            at = from;
        }
        plies.reverse();
        plies
    }

    fn outcome(&self, position: &Position) -> Result<String, Halted> {
        let (lexicon, play) = (&self.lexicon, &self.lexicon.words.play);
        let Status::Over(outcome) = self.engine.explainer().status(position)? else {
            return Ok(lexicon.words.odds.not_over.to_owned());
        };
        let names: Vec<String> = outcome.winners.iter().map(|s| lexicon.unique_seat(*s)).collect();
        let who = match names.is_empty() {
            true => play.draw.to_owned(),
            false => fill(play.wins, &[&names.join(lexicon.words.comma)]),
        };
        let label = lexicon.model.ends.get(outcome.ending).map_or_else(String::new, |e| lexicon.label(e.clause));
        Ok(if label.is_empty() { who } else { fill(play.because, &[&who, &label]) })
    }
}

/// Adds a continuation. It is folded into one after which the seat does the same, if all that follows fits together:
/// nothing that can happen in both is answered differently.
fn gather(plans: &mut Vec<Plan>, plan: Plan) {
    for known in plans.iter_mut() {
        if let Some(folded) = folded(known, &plan) {
            *known = folded;
            return;
        }
    }
    plans.push(plan);
}

/// Two continuations as one.
fn folded(a: &Plan, b: &Plan) -> Option<Plan> {
    if a.choice != b.choice || a.won != b.won {
        return None;
    }
    let mut after = a.after.clone();
    after.extend(b.after.iter().filter(|ply| !a.after.contains(ply)).cloned());
    Some(Plan { after, choice: a.choice.clone(), won: a.won.clone(), then: fitted(&a.then, &b.then)? })
}

/// What follows in two branches as one; `None` if something is answered differently.
fn fitted(a: &[Plan], b: &[Plan]) -> Option<Vec<Plan>> {
    // What follows without a ply of others follows in both or in none.
    let at_once = |plans: &[Plan]| plans.iter().any(|plan| plan.after.is_empty());
    if at_once(a) != at_once(b) || a.is_empty() != b.is_empty() {
        return None;
    }
    let mut all = a.to_vec();
    for plan in b {
        let meets = |known: &Plan| {
            known.after.iter().any(|ply| plan.after.contains(ply)) || known.after.is_empty() && plan.after.is_empty()
        };
        let met: Vec<usize> = all.iter().enumerate().filter(|(_, known)| meets(known)).map(|(i, _)| i).collect();
        match met.as_slice() {
            [] => gather(&mut all, plan.clone()),
            [one] => {
                let known = all.get_mut(*one)?;
                *known = folded(known, plan)?;
            }
            _ => return None,
        }
    }
    Some(all)
}

/// A strategy as lines, indented by two spaces for each decision of the seat.
#[must_use]
pub fn lines(seat: &str, plans: &[Plan], words: &Words) -> Vec<String> {
    let mut out = Vec::new();
    written((seat, words), plans, 0, &mut out);
    out
}

fn written((seat, words): (&str, &Words), plans: &[Plan], depth: usize, out: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for plan in plans {
        // What is won at once stands on the same line.
        let at_once = match plan.then.as_slice() {
            [then] if then.choice.is_none() && then.after.is_empty() => then.won.as_ref(),
            _ => None,
        };
        let made = |choice: &str| format!("{seat}{}{choice}", words.colon);
        let did = match (&plan.choice, &plan.won) {
            (Some(choice), _) => match at_once {
                Some(won) => fill(words.solve.two_sentences, &[&made(choice), won]),
                None => made(choice),
            },
            (None, Some(won)) => fill(words.solve.sentence, &[won]),
            (None, None) => String::new(),
        };
        let line = match (plans.len(), plan.after.len()) {
            (_, 0) => did,
            (1, 2..) => fill(words.solve.whatever, &[&did]),
            (_, n) => {
                let shown: Vec<&str> = plan.after.iter().take(3).map(String::as_str).collect();
                let shown = shown.join(" | ");
                let shown = match n.saturating_sub(3) {
                    0 => shown,
                    more => fill(words.solve.more_ways, &[&shown, &more.to_string()]),
                };
                fill(words.solve.then, &[&shown, &did])
            }
        };
        out.push(format!("{indent}{line}"));
        if at_once.is_none() {
            written((seat, words), &plan.then, depth + 1, out);
        }
    }
}

/// What escapes, as a line.
#[must_use]
pub fn escape_line(escape: &Escape, words: &Words) -> String {
    let solve = &words.solve;
    let choice = escape.choice.as_deref().unwrap_or(solve.from_here);
    let plies = escape.plies.join(", ");
    let after = if escape.never { solve.no_win } else { solve.no_win_in_time };
    match (&escape.over, plies.is_empty()) {
        (Some(over), true) => format!("{choice}{}{over}", words.colon),
        (Some(over), false) => fill(solve.ends, &[choice, &plies, over]),
        (None, true) => format!("{choice}{}{after}", words.colon),
        (None, false) => fill(solve.goes_on, &[choice, &plies, after]),
    }
}

/// What an expected verdict is compared with, in a sentence.
#[must_use]
pub fn escape_words(escapes: &[Escape]) -> String {
    let all: Vec<String> = escapes.iter().map(|escape| escape_line(escape, Words::english())).collect();
    list(&all, 3)
}
