//! The first line of a position: which game, with which options.

use super::parse::{Head, head};
use super::{FactFault, parse};
use crate::model::{Base, Config, ConfigItem, Model};
use crate::spelling::{fold, hint, nearest};
use std::fmt;

/// The settings as written: `given confrontation with variant_cards, shelob any_good`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The game.
    pub game: String,
    /// Single options and readings, which override the preset; without a value, they are switched on.
    pub options: Vec<(String, Option<String>)>,
    /// The bundle of settings.
    pub preset: Option<String>,
    /// The variants laid over the game, in order.
    pub variants: Vec<String>,
    /// Whether the game begins as usual.
    pub from_start: bool,
}

impl Settings {
    /// The same settings, wherever the game begins, as a key for loaded rules.
    #[must_use]
    pub fn rules(&self) -> Settings {
        Settings { from_start: false, ..self.clone() }
    }

    /// `variant_cards, preset seed`; empty if everything has its default.
    #[must_use]
    pub fn list(&self) -> String {
        let options = self.options.iter().map(|(name, value)| match value {
            None => name.clone(),
            Some(v) if v == "false" => format!("no {name}"),
            Some(v) => format!("{name} {v}"),
        });
        let preset = self.preset.iter().map(|p| format!("preset {p}"));
        let variants = self.variants.iter().map(|v| format!("variant {v}"));
        options.chain(preset).chain(variants).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "given {}", self.game)?;
        let list = self.list();
        if !list.is_empty() {
            write!(f, " with {list}")?;
        }
        if self.from_start {
            write!(f, " from the start")?;
        }
        Ok(())
    }
}

/// The settings of a position: its `given` line.
///
/// # Errors
/// There is no such line, or it is not understood.
pub fn header(text: &str) -> Result<Settings, FactFault> {
    for (i, line) in text.lines().enumerate() {
        match head(line) {
            Head::Empty => {}
            Head::Given => return parse::header(line, i + 1),
            _ => return Err(missing(i + 1)),
        }
    }
    Err(missing(1))
}

fn missing(line: usize) -> FactFault {
    FactFault::new(line, 1, "a position begins with `given GAME`, for example `given confrontation with variant_cards`")
}

/// The value of an option or reading from its text.
fn value_of(model: &Model, item: &ConfigItem, text: Option<&str>) -> Result<i32, String> {
    let name = &item.name;
    if item.is_reading() {
        let names = || item.choices.iter().map(|c| c.name.as_str());
        let known = names().collect::<Vec<_>>().join(", ");
        let Some(text) = text else {
            return Err(format!("the reading `{name}` needs one of: {known}"));
        };
        return names().position(|c| fold(c) == fold(text)).map(|i| i as i32).ok_or_else(|| {
            let near = hint(&nearest(text, names(), 2));
            format!("the reading `{name}` has no alternative `{text}` (it has {known}){near}")
        });
    }
    match &item.ty.base {
        Base::Bool => match text {
            None | Some("true" | "yes" | "on") => Ok(1),
            Some("false" | "no" | "off") => Ok(0),
            Some(other) => Err(format!("`{name}` is true or false, not `{other}`")),
        },
        Base::Member(kind) => {
            let members = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
            let Some(text) = text else {
                return Err(format!("`{name}` needs a value"));
            };
            members.iter().position(|m| fold(&m.id) == fold(text)).map(|i| i as i32).ok_or_else(|| {
                let near = hint(&nearest(text, members.iter().map(|m| m.id.as_str()), 2));
                format!("`{name}` cannot be `{text}`{near}")
            })
        }
        base => {
            let number = text.and_then(|t| t.parse::<i32>().ok()).ok_or_else(|| format!("`{name}` needs a number"))?;
            match base {
                Base::Range(lo, hi) if !(*lo..=*hi).contains(&number) => {
                    Err(format!("`{name}` is from {lo} to {hi}, not {number}"))
                }
                _ => Ok(number),
            }
        }
    }
}

/// The values of all options and readings under some settings: the defaults, then the preset, then single settings.
///
/// # Errors
/// An unknown name, or a value that does not fit, in words.
pub fn config_of(model: &Model, settings: &Settings) -> Result<Config, String> {
    let Config(mut config) = Config::defaults(model);
    if let Some(name) = &settings.preset {
        let known = || model.presets.iter().map(|p| p.name.as_str());
        let preset = model.presets.iter().find(|p| p.name == *name).ok_or_else(|| {
            let near = hint(&nearest(name, known(), 2));
            let list = known().collect::<Vec<_>>().join(", ");
            match list.is_empty() {
                true => format!("the game has no presets, so no `{name}`"),
                false => format!("there is no preset `{name}` (there are {list}){near}"),
            }
        })?;
        for (id, value) in &preset.settings {
            if let Some(place) = config.get_mut(id.i()) {
                *place = *value;
            }
        }
    }
    for (name, text) in &settings.options {
        let found = model.config.iter().position(|c| c.name == *name);
        let Some((item, place)) = found.and_then(|i| Some((model.config.get(i)?, config.get_mut(i)?))) else {
            let near = nearest(name, model.config.iter().map(|c| c.name.as_str()), 2);
            return Err(format!("there is no option or reading `{name}`{}", hint(&near)));
        };
        *place = value_of(model, item, text.as_deref())?;
    }
    Ok(Config(config))
}
