//! Rules under options and readings that are drawn for each game.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lawspeaker::facts::Settings;
use lawspeaker::model::{Base, Config, ConfigItem, KindId, Value};
use lawspeaker::rules::Rules;
use lawspeaker::simulate;

use super::session::Session;

/// The rules under options and readings drawn with a seed.
pub fn dealt(session: &Session, seed: u64) -> Session {
    under(session, simulate::varied(session.model(), session.rules.config(), seed))
}

/// The rules under other options and readings.
fn under(session: &Session, config: Config) -> Session {
    let settings = settings_of(session, &config);
    let rules = Rules::configured(Arc::clone(session.rules.loaded()), settings, config);
    Session { rules, lang: session.lang.clone() }
}

/// Rules that are drawn again and again: those that came first are kept, so that they are lowered once.
#[derive(Default)]
pub struct Deals(Mutex<HashMap<Config, Session>>);

/// So many sets of options and readings are kept.
const KEPT: usize = 64;

impl Deals {
    /// The rules under options and readings drawn with a seed.
    pub fn dealt(&self, session: &Session, seed: u64) -> Session {
        let config = simulate::varied(session.model(), session.rules.config(), seed);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dealt) = kept.get(&config) {
            return dealt.clone();
        }
        let dealt = under(session, config.clone());
        if kept.len() < KEPT {
            kept.insert(config, dealt.clone());
        }
        dealt
    }
}

/// The settings that give these options and readings.
fn settings_of(session: &Session, config: &Config) -> Settings {
    let named = session.model().config.iter().zip(&config.0).filter(|(item, value)| item.default != **value);
    let options = named.map(|(item, value)| (item.name.clone(), Some(value_of(session, item, *value))));
    Settings { options: options.collect(), preset: None, ..session.rules.settings().clone() }
}

/// The value of an option or reading, as `--with` takes it.
pub fn value_of(session: &Session, item: &ConfigItem, value: i32) -> String {
    let text = match item.choices.get(usize::try_from(value).unwrap_or(0)) {
        Some(choice) if item.is_reading() => choice.name.clone(),
        _ => session.rules.explainer().value_text(&item.ty.base, &Value::Int(value), ""),
    };
    match (&item.ty.base, value) {
        (Base::Bool, 0) => String::from("false"),
        (Base::Bool, _) => String::from("true"),
        // Settings name members by their identifiers.
        (Base::Member(kind), member) => member_id(session, *kind, member).unwrap_or(text),
        _ => text,
    }
}

fn member_id(session: &Session, kind: KindId, member: i32) -> Option<String> {
    let members = &session.model().kinds.get(kind.i())?.members;
    members.get(usize::try_from(member).ok()?).map(|m| m.id.clone())
}
