//! `clauses --measured`: what each clause decided in cases, records and games.

use std::io::Write as _;

use indicatif::{ProgressBar, ProgressDrawTarget};
use lawspeaker::audit::{self, Measure, Part, Suite, SuiteItem, Tally, Through};
use lawspeaker::facts::{self, Settings};
use lawspeaker::lexicon::{Counted, Lexicon, fill};
use lawspeaker::library::{Loaded, Unusable};
use lawspeaker::map;
use lawspeaker::model::{CitationRole, Config, Model, RegisterRow};
use lawspeaker::players::derived;
use lawspeaker::rules::Rulebook;
use lawspeaker::simulate::{self, MAX_PLIES};
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::clauses::Args;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop};

/// What was measured.
struct Measured<'a> {
    measure: Measure,
    /// The numbers of cases, records and games; `None` if not asked for.
    counts: [Option<usize>; 3],
    /// What does not hold, or where the rules fail.
    faults: Vec<String>,
    /// Faults that are not among these.
    left_out: usize,
    /// Cases and records that do not pass with the settings that were given.
    failing: Vec<String>,
    /// Names and words. Programs get faults in the words of the rule files.
    lexicon: Lexicon<'a>,
    model: &'a Model,
    lang: &'a str,
}

/// Faults of games that are kept.
const MAX_FAULTS: usize = 1000;

/// Games whose traces are kept at a time.
const TRACED: u64 = 1024;

const NAMES: [&str; 3] = ["cases", "records", "games"];

/// Runs the command.
pub fn run(args: &Args, loaded: &Loaded, config: Option<&Config>, screen: &mut Screen) -> Run {
    let measured = measure(args, loaded, config)?;
    if args.json {
        screen.json(&measured.to_json(args.bare))?;
    } else {
        measured.print(args.bare, &loaded.folder.name, screen)?;
    }
    let idle = measured.measure.parts().iter().any(|p| !p.decided());
    Ok(Answer::from(measured.faults.is_empty() && !(args.bare && idle)))
}

fn measure<'a>(args: &'a Args, loaded: &'a Loaded, config: Option<&Config>) -> Result<Measured<'a>, Stop> {
    let model = &*loaded.model;
    let mut found = Measured {
        measure: Measure::new(model),
        counts: [None; 3],
        faults: Vec::new(),
        left_out: 0,
        failing: Vec::new(),
        model,
        lexicon: Lexicon::new(model, if args.json { "" } else { args.rules.lang() }),
        lang: args.rules.lang(),
    };
    // With nothing named it is the cases and records.
    let all = !args.cases && !args.records && args.games.is_none();
    let wanted = [all || args.cases, all || args.records];
    if wanted.contains(&true) {
        let over = args.rules.settings();
        let Suite { all: mut suite, .. } = audit::suite(&loaded.folder, &model.name, &over)?;
        suite.retain(|w| wanted.get(usize::from(w.is_record())) == Some(&true));
        found.suite(&suite, &Rulebook::new(loaded.folder.clone()), !over.list().is_empty());
        for through in [Through::Cases, Through::Records] {
            if wanted.get(through as usize) == Some(&true) {
                let n = suite.iter().filter(|w| w.is_record() == (through == Through::Records)).count();
                found.counts[through as usize] = Some(n);
            }
        }
    }
    if let Some(games) = args.games {
        found.games(loaded, config, games, args.seed.fixed())?;
    }
    Ok(found)
}

impl Measured<'_> {
    /// Runs cases and records; with settings that are not their own, those that do not pass are left out.
    fn suite(&mut self, suite: &[SuiteItem], rules: &Rulebook, over: bool) {
        let words = &self.lexicon.words.register;
        let bar = ProgressBar::with_draw_target(Some(suite.len() as u64), ProgressDrawTarget::stderr());
        let traced: Vec<_> = suite
            .par_iter()
            .map(|w| {
                let traced = w.traced(rules);
                bar.inc(1);
                traced.map_err(|why| fill(words.item_fails, &[&w.place, &why.to_string()]))
            })
            .collect();
        bar.finish_and_clear();
        for (item, traced) in suite.iter().zip(traced) {
            let through = if item.is_record() { Through::Records } else { Through::Cases };
            match traced {
                Ok((model, trace)) => self.measure.add(&model, &trace, through),
                Err(_) if over => self.failing.push(item.place.clone()),
                Err(why) => self.faults.push(why),
            }
        }
    }

    /// Games under these options and readings, or with those of each game drawn by chance.
    fn games(&mut self, loaded: &Loaded, config: Option<&Config>, games: u64, seed: u64) -> Result<(), Unusable> {
        let usual = facts::config_of(&loaded.model, &Settings::default()).map_err(|m| Unusable::new(m, ""))?;
        let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr());
        let play = |i: u64| {
            let seed = derived(seed, i);
            let config = config.map_or_else(|| simulate::varied(&loaded.model, &usual, seed), Config::clone);
            let traced = audit::game(&loaded.model, config, seed, MAX_PLIES);
            bar.inc(1);
            (i, traced)
        };
        for first in (0..games).step_by(TRACED as usize) {
            let traced: Vec<_> = (first..games.min(first + TRACED)).into_par_iter().map(play).collect();
            for (i, traced) in traced {
                match traced {
                    Ok(trace) => self.measure.add(&loaded.model, &trace, Through::Games),
                    Err(fault) if self.faults.len() < MAX_FAULTS => {
                        let words = &self.lexicon.words.register;
                        let fault = fill(words.game_fails, &[&(i + 1).to_string(), &self.lexicon.fault(&fault)]);
                        self.faults.push(fault);
                    }
                    Err(_) => self.left_out += 1,
                }
            }
        }
        bar.finish_and_clear();
        self.counts[Through::Games as usize] = usize::try_from(games).ok();
        Ok(())
    }

    /// The columns that were asked for.
    fn columns(&self) -> impl Iterator<Item = usize> {
        let counts = self.counts;
        (0..NAMES.len()).filter(move |i| counts.get(*i).is_some_and(Option::is_some))
    }

    /// The rows of the register that some part of the rules cites, with the coverage of those parts; `None` if only
    /// data cites a row.
    fn cited(&self) -> Vec<(&RegisterRow, Option<[Tally; 3]>)> {
        let by_rule = |id: &str| self.model.citations.iter().any(|c| c.id == id && c.role == CitationRole::Rule);
        let rows = self.model.register.iter().filter(|r| by_rule(&r.id));
        rows.map(|r| (r, self.measure.cited(&r.id))).collect()
    }

    fn numbers(&self, tally: &[Tally; 3]) -> String {
        self.columns().map(|i| format!("{:>8}", tally.get(i).map_or_else(String::new, number))).collect()
    }

    fn print(&self, bare: bool, game: &str, screen: &mut Screen) -> Result<(), Stop> {
        let words = self.lexicon.words;
        let register = &words.register;
        for fault in &self.faults {
            writeln!(screen, "{} {fault}", screen.styled(Style::Bad, register.failed))?;
        }
        if self.left_out > 0 {
            writeln!(screen, "{}", fill(register.more, &[&words.counts.of(Counted::Faults, self.left_out)]))?;
        }
        let names = [register.cases, register.records, register.games];
        let head = |name: &&str| format!("{}{name}", " ".repeat(8usize.saturating_sub(map::columns(name))));
        let heads: String = self.columns().filter_map(|i| names.get(i)).map(head).collect();
        let cited = self.cited();
        let idle = |t: &[Tally; 3]| t.iter().all(|t| t.decided == 0);
        let rows: Vec<_> = cited.iter().filter_map(|(r, t)| t.map(|t| (r, t))).collect();
        if rows.iter().any(|(_, t)| !bare || idle(t)) {
            writeln!(screen, "{heads}  {}", screen.styled(Style::Bold, register.clause_head))?;
            for (row, tally) in rows.iter().filter(|(_, t)| !bare || idle(t)) {
                let id = screen.styled(if idle(tally) { Style::Bad } else { Style::Bold }, &row.id);
                writeln!(screen, "{}  {id}  {}", self.numbers(tally), row.paraphrase.get(self.lang))?;
            }
            writeln!(screen)?;
        }
        let parts = self.measure.parts();
        if parts.iter().any(|p| !bare || !p.decided()) {
            writeln!(screen, "{heads}  {}", screen.styled(Style::Bold, register.part_head))?;
            for part in parts.iter().filter(|p| !bare || !p.decided()) {
                let what = screen.styled(if part.decided() { Style::Bold } else { Style::Bad }, &part.what);
                let place = screen.styled(Style::Dim, &format!("{}:{}", part.file, part.line));
                let cites =
                    if part.cites.is_empty() { String::new() } else { format!("  [{}]", part.cites.join(", ")) };
                writeln!(screen, "{}  {place}  {what}{cites}", self.numbers(&part.tally))?;
            }
            writeln!(screen)?;
        }
        self.summary(game, &cited, &parts, screen)
    }

    fn summary(
        &self,
        game: &str,
        cited: &[(&RegisterRow, Option<[Tally; 3]>)],
        parts: &[&Part],
        screen: &mut Screen,
    ) -> Result<(), Stop> {
        let words = self.lexicon.words;
        let register = &words.register;
        let counted = [Counted::Cases, Counted::Records, Counted::Games];
        let counts = counted.into_iter().zip(self.counts).filter_map(|(what, n)| Some(words.counts.of(what, n?)));
        let counts = counts.collect::<Vec<_>>().join(words.comma);
        writeln!(screen, "{}", fill(register.measured, &[game, &counts]))?;
        if !self.failing.is_empty() {
            writeln!(screen, "{}", fill(register.failing, &[&self.failing.join(words.comma)]))?;
        }
        let decided = parts.iter().filter(|p| p.decided()).count();
        let never = parts.len() - decided;
        let all = words.counts.of(Counted::Parts, parts.len());
        let said = fill(register.parts, &[&decided.to_string(), &all, &never.to_string()]);
        let style = if never == 0 { Style::Good } else { Style::Bad };
        writeln!(screen, "{}", screen.styled(style, &said))?;
        if !cited.is_empty() {
            let measured: Vec<[Tally; 3]> = cited.iter().filter_map(|(_, t)| *t).collect();
            let decided = measured.iter().filter(|t| t.iter().any(|t| t.decided > 0)).count();
            let data = cited.len() - measured.len();
            let all = words.counts.of(Counted::Clauses, measured.len());
            let said = fill(register.clauses, &[&decided.to_string(), &all, &data.to_string()]);
            writeln!(screen, "{said}")?;
        }
        Ok(())
    }

    fn to_json(&self, bare: bool) -> Json {
        let tally = |tally: &[Tally; 3]| {
            let mut found = json!({});
            for i in self.columns() {
                if let (Some(name), Some(t)) = (NAMES.get(i), tally.get(i)) {
                    found[*name] = json!({ "decided": t.decided, "considered": t.considered });
                }
            }
            found
        };
        let parts = self.measure.parts();
        let part = |p: &&&Part| {
            let measured = tally(&p.tally);
            json!({ "part": p.what, "file": p.file, "line": p.line, "cites": p.cites, "measured": measured })
        };
        let cited = self.cited();
        let row = |(r, t): &(&RegisterRow, Option<[Tally; 3]>)| {
            let measured = t.as_ref().map(tally);
            json!({ "id": r.id, "says": r.paraphrase.get(self.lang), "measured": measured })
        };
        let counts: Vec<Json> =
            self.columns().map(|i| json!({ "through": NAMES.get(i), "number": self.counts.get(i) })).collect();
        json!({
            "measured": counts,
            "clauses": cited
                .iter()
                .filter(|(_, t)| !bare || t.is_some_and(|t| t.iter().all(|t| t.decided == 0)))
                .map(row)
                .collect::<Vec<Json>>(),
            "parts": parts.iter().filter(|p| !bare || !p.decided()).map(|p| part(&p)).collect::<Vec<Json>>(),
            "never": parts.iter().filter(|p| !p.decided()).count(),
            "faults": self.faults,
            "faults_left_out": self.left_out,
            "failing_with_settings": self.failing,
        })
    }
}

/// How often it decided; in brackets, how often it was only evaluated.
fn number(tally: &Tally) -> String {
    match (tally.decided, tally.considered) {
        (0, 0) => String::from("-"),
        (0, n) => format!("({n})"),
        (n, _) => n.to_string(),
    }
}
