//! What `check` tells of play: what certainly goes wrong before anybody has a choice, and that a game has no ending.

use std::sync::Arc;

use lawspeaker::check::{Checked, Diagnostic};
use lawspeaker::facts::Settings;
use lawspeaker::game::{Evaluator as _, Fault, Position, Status};
use lawspeaker::model::{ClauseId, Config, Model};
use lawspeaker::rules::Rules;
use lawspeaker::span::Span;

/// The code of what goes wrong at the start.
const CODE: &str = "law::start";

/// The code of a game that goes on for ever.
const ENDLESS: &str = "law::endless-game";

/// How many choices without an alternative are followed.
const MOST: usize = 100;

/// What goes wrong.
enum Wrong {
    Fault(Fault),
    Never(ClauseId),
}

/// Plays a sound game up to the first real choice, and adds what goes wrong until then to the diagnostics of the
/// checker.
pub fn look(checked: &mut Checked, config: Option<&Config>) {
    let Some(model) = checked.model.clone().map(Arc::new) else { return };
    if model.ends.is_empty() && !checked.diagnostics.iter().any(|d| d.code == ENDLESS) {
        checked.diagnostics.push(without_end(&model));
    }
    let config = config.cloned().unwrap_or_else(|| Config::defaults(&model));
    let Ok(rules) = Rules::of_model(Arc::clone(&model), &Settings::default()) else { return };
    let rules = Rules::configured(Arc::clone(rules.loaded()), Settings::default(), config);
    if let Some(wrong) = first_wrong(&rules) {
        checked.diagnostics.push(diagnostic(&model, &wrong));
    }
}

fn first_wrong(rules: &Rules) -> Option<Wrong> {
    let mut position = match rules.explainer().start() {
        Ok(position) => position,
        Err(fault) => return Some(Wrong::Fault(fault)),
    };
    for _ in 0..MOST {
        match step(rules, &mut position) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(wrong) => return Some(wrong),
        }
    }
    None
}

/// Looks at a position and makes its only choice; `false` if the game is over or there are several.
fn step(rules: &Rules, position: &mut Position) -> Result<bool, Wrong> {
    let explainer = rules.explainer();
    if let Status::Over(_) = explainer.status(position).map_err(Wrong::Fault)? {
        return Ok(false);
    }
    if let Some(never) = explainer.nevers(position).map_err(Wrong::Fault)?.first() {
        return Err(Wrong::Never(*never));
    }
    let options = explainer.options(position).map_err(Wrong::Fault)?;
    let [only] = options[..] else { return Ok(false) };
    explainer.apply(position, only).map_err(Wrong::Fault)?;
    Ok(true)
}

fn without_end(model: &Model) -> Diagnostic {
    let play = model.codes.iter().find(|c| c.name == "play").map_or_else(Span::default, |c| first_line(model, c.span));
    Diagnostic::warning(ENDLESS, "this game has no ending", play, "after this nobody has won or lost")
        .help("write one: `ends draw \"LABEL\" when CONDITION`")
}

fn diagnostic(model: &Model, wrong: &Wrong) -> Diagnostic {
    match wrong {
        Wrong::Fault(fault) => {
            let message = format!("the game fails before anybody has a choice: {}", fault.seen(model));
            Diagnostic::error(CODE, message, fault.span, "here")
        }
        Wrong::Never(id) => {
            let at = model.clause(*id).map_or_else(Span::default, |c| first_line(model, c.span));
            let message = format!("the game begins with what is never so: `{}`", model.clause_title(*id, ""));
            Diagnostic::error(CODE, message, at, "this holds before anybody has a choice")
                .help("change the set-up, or the condition of the `never`")
        }
    }
}

fn first_line(model: &Model, span: Span) -> Span {
    let line = model.sources.text(span).lines().next().unwrap_or_default();
    Span { end: span.start + line.trim_end().len() as u32, ..span }
}
