//! What plays a game and what is left to slower evaluators, as `check --engine` tells it.

use std::cmp::Reverse;
use std::io::Write as _;
use std::sync::Arc;

use lawspeaker::engine::{EngineNote, Fallback, LeftOver, Plays};
use lawspeaker::game::{Evaluator as _, Packed};
use lawspeaker::lexicon::{Engines, Words, fill};
use lawspeaker::model::{Config, Model};
use lawspeaker::rules::Evaluators;
use serde_json::{Value as Json, json};

use super::Stop;
use super::screen::{Screen, Style};

/// How many of the largest variables of a position are named.
const LARGEST: usize = 4;

/// What plays a game.
pub struct Played {
    model: Arc<Model>,
    plays: Plays,
    notes: Vec<EngineNote>,
    /// The bytes of the first position, and those where searches keep it; `None` if no game can begin.
    kept: Option<(usize, usize)>,
    /// What went wrong when machine code was made.
    trouble: Option<String>,
}

/// Makes the machine code of rules without errors, and sees what is left.
pub fn played(model: &Model, config: Option<Config>) -> Played {
    let model = Arc::new(model.clone());
    let config = config.unwrap_or_else(|| Config::defaults(&model));
    let evaluators = Evaluators::new(Arc::clone(&model), config);
    let plays = evaluators.plays();
    let trouble = evaluators.trouble().map(str::to_owned);
    let kept = evaluators.start().ok().map(|start| (start.bytes().len(), Packed::new(&start, &model).bytes().len()));
    Played { plays, notes: evaluators.notes(), kept, trouble, model }
}

impl Played {
    /// What plays it; then what is left, a line for each place.
    pub fn print(&self, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
        let engines = &words.engines;
        let (style, plays) = match self.plays {
            Plays::MachineCode => (Style::Good, engines.machine_code),
            Plays::Trees => (Style::Bad, engines.trees),
            Plays::Explaining => (Style::Bad, engines.explaining),
        };
        let plays = screen.styled(style, plays);
        writeln!(screen, "  {plays}")?;
        if let Some((bytes, packed)) = self.kept {
            let [bytes, packed, block] = [bytes, packed, self.block()].map(|n| n.to_string());
            let pattern = if bytes == block { engines.size } else { engines.size_sparse };
            writeln!(screen, "  {}", fill(pattern, &[&bytes, &packed, &block]))?;
            let most: Vec<String> = self.largest().map(|(name, bytes)| format!("{name} {bytes}")).collect();
            writeln!(screen, "  {}", fill(engines.most, &[&most.join(words.comma)]))?;
        }
        for note in &self.notes {
            let pattern = match note.what {
                LeftOver::MachineCode => engines.instead_of_code,
                what if what.to() == Plays::Trees => engines.to_trees,
                _ => engines.to_explaining,
            };
            let place = match self.place(note) {
                Some((file, line)) => format!("{file}:{line}"),
                None => engines.whole.to_owned(),
            };
            let why = match (&self.trouble, note.why) {
                (Some(trouble), Fallback::Trouble) => format!("{}{}{trouble}", engines.trouble, words.colon),
                (_, why) => reason(engines, why).to_owned(),
            };
            writeln!(screen, "    {}", fill(pattern, &[&place, &why]))?;
        }
        Ok(())
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let name = |plays: Plays| match plays {
            Plays::MachineCode => "machine code",
            Plays::Trees => "trees",
            Plays::Explaining => "explaining",
        };
        let what = |what: LeftOver| match what {
            LeftOver::Game | LeftOver::MachineCode => "game",
            LeftOver::Instruction => "instruction",
            LeftOver::Score => "score",
            LeftOver::Expression => "expression",
            LeftOver::Order => "order",
        };
        let note = |note: &EngineNote| {
            let place = self.place(note);
            json!({
                "what": what(note.what),
                "to": name(note.what.to()),
                "why": note.why.words(),
                "file": place.as_ref().map(|p| &p.0),
                "line": place.as_ref().map(|p| p.1),
            })
        };
        let left: Vec<Json> = self.notes.iter().map(note).collect();
        let largest = self.largest().map(|(name, bytes)| json!({ "name": name, "bytes": bytes }));
        let largest: Vec<Json> = largest.collect();
        let (position, packed) = self.kept.unzip();
        let bytes = json!({ "position": position, "packed": packed, "block": self.block(), "largest": largest });
        json!({ "plays": name(self.plays), "bytes": bytes, "left": left, "trouble": self.trouble })
    }

    /// The bytes of a position that is laid out to be played.
    fn block(&self) -> usize {
        self.model.layout.size as usize
    }

    /// The variables that take most of a position, with their bytes, the largest first.
    fn largest(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut sizes: Vec<_> = self.model.vars.iter().map(|var| (var.name.as_str(), var.place.bytes())).collect();
        sizes.sort_by_key(|(_, bytes)| Reverse(*bytes));
        sizes.into_iter().take(LARGEST)
    }

    /// The file and line of a place.
    fn place(&self, note: &EngineNote) -> Option<(String, usize)> {
        let (file, line, _) = self.model.sources.place(note.at?);
        Some((file.to_owned(), line))
    }
}

/// A reason in words.
fn reason(words: &Engines, why: Fallback) -> &'static str {
    match why {
        Fallback::Failure => words.failure,
        Fallback::Position => words.position,
        Fallback::Form => words.form,
        Fallback::HookOrder => words.hook_order,
        Fallback::Endings => words.endings,
        Fallback::LargeSet => words.large_set,
        Fallback::TooLarge => words.too_large,
        Fallback::TooDeep => words.too_deep,
        Fallback::TooMuchWork => words.too_much_work,
        Fallback::ManyOptions => words.many_options,
        Fallback::Line => words.line,
        Fallback::NoOrder => words.no_order,
        Fallback::Trouble => words.trouble,
        Fallback::NoMachineCode => words.no_machine_code,
    }
}
