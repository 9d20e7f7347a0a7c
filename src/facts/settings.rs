//! The first line of a position: which game, with which options.

use super::parse::{Head, head};
use super::{FactFault, Piece, parse};
use crate::model::{Base, Config, ConfigId, ConfigItem, Model};
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
    /// The lists with which it begins.
    pub lists: Vec<SeatList>,
}

/// A list with which a game begins, as it is named or written: `deck of North "gandalf.deck"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatList {
    /// What is brought; empty: the only thing that seats bring.
    pub bring: String,
    /// Whose it is.
    pub seat: String,
    /// The file; empty if there is none.
    pub file: String,
    /// What is in it; `None` if that is to be read from the file.
    pub lines: Option<Vec<Piece>>,
    /// The game that it is for; empty: the game that begins.
    pub game: String,
}

impl SeatList {
    /// From the text in quotes after a seat: the name of a file, or what is in the list.
    #[must_use]
    pub fn quoted(bring: String, seat: String, text: String, (line, column): (usize, usize)) -> SeatList {
        let kind = text.rsplit_once('.').map_or("", |(_, kind)| kind);
        let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let named = !kind.is_empty() && kind.chars().all(lower) && !text.contains([' ', '\t', ',', ';']);
        match named {
            true => SeatList { bring, seat, file: text, ..SeatList::default() },
            false => SeatList { bring, seat, lines: Some(vec![Piece { text, line, column }]), ..SeatList::default() },
        }
    }

    /// `with army of Red "2 Orc"`, if it says what is in it.
    #[must_use]
    pub fn setting(&self) -> String {
        let SeatList { bring, seat, file, lines, .. } = self;
        let text = lines.as_ref().map(|lines| lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join("; "));
        format!("{bring} of {seat} \"{}\"", text.as_ref().unwrap_or(file))
    }
}

impl Settings {
    /// The same settings, wherever the game begins, as a key for loaded rules.
    #[must_use]
    pub fn rules(&self) -> Settings {
        Settings { from_start: false, ..self.clone() }
    }

    /// Puts other settings over these: single options override those that are set, and variants are added.
    pub fn lay_over(&mut self, over: &Settings) {
        self.options.extend(over.options.iter().cloned());
        self.variants.extend(over.variants.iter().cloned());
        self.lists.extend(over.lists.iter().cloned());
        if over.preset.is_some() {
            self.preset.clone_from(&over.preset);
        }
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

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// A reading is named without an alternative.
    #[error("the reading `{name}` needs one of: {known}")]
    NoAlternative {
        /// The reading.
        name: String,
        /// Its alternatives.
        known: String,
    },
    /// A reading has not this alternative.
    #[error("the reading `{name}` has no alternative `{text}` (it has {known}){}", hint(near))]
    UnknownAlternative {
        /// The reading.
        name: String,
        /// As written.
        text: String,
        /// Its alternatives.
        known: String,
        /// The nearest.
        near: Vec<String>,
    },
    /// An option that is on or off has another value.
    #[error("`{name}` is true or false, not `{text}`")]
    NoTruth {
        /// The option.
        name: String,
        /// As written.
        text: String,
    },
    /// An option needs a value.
    #[error("`{0}` needs a value")]
    NoValue(String),
    /// An option needs a number.
    #[error("`{0}` needs a number")]
    NoNumber(String),
    /// An option cannot have this value.
    #[error("`{name}` cannot be `{text}`{}", hint(near))]
    UnknownValue {
        /// The option.
        name: String,
        /// As written.
        text: String,
        /// The nearest.
        near: Vec<String>,
    },
    /// A number is out of an option's range.
    #[error("`{name}` is from {lo} to {hi}, not {number}")]
    OutOfRange {
        /// The option.
        name: String,
        /// The least.
        lo: i32,
        /// The greatest.
        hi: i32,
        /// As written.
        number: i32,
    },
    /// The game has no presets.
    #[error("the game has no presets, so no `{0}`")]
    NoPresets(String),
    /// There is no such preset.
    #[error("there is no preset `{name}` (there are {known}){}", hint(near))]
    UnknownPreset {
        /// As written.
        name: String,
        /// The presets.
        known: String,
        /// The nearest.
        near: Vec<String>,
    },
    /// The rules are loaded for another number of seats.
    #[error("`{name}` is {seats} here: the rules are loaded for {seats} seats")]
    OtherSeats {
        /// The option that says how many play.
        name: String,
        /// How many do.
        seats: usize,
    },
    /// Two options are on that exclude each other.
    #[error("`{name}` excludes `{other}`: switch one of them off")]
    Excluded {
        /// The option that says so.
        name: String,
        /// The other one.
        other: String,
    },
    /// There is no such option or reading.
    #[error("no option or reading is called `{name}`{}", hint(near))]
    Unknown {
        /// As written.
        name: String,
        /// The nearest.
        near: Vec<String>,
    },
}

impl From<SettingError> for String {
    fn from(error: SettingError) -> String {
        error.to_string()
    }
}

/// The value of an option or reading from its text.
fn value_of(model: &Model, item: &ConfigItem, text: Option<&str>) -> Result<i32, SettingError> {
    let name = item.name.clone();
    let written = |text: &str| text.to_owned();
    if item.is_reading() {
        let names = || item.choices.iter().map(|c| c.name.as_str());
        let known = names().collect::<Vec<_>>().join(", ");
        let Some(text) = text else {
            return Err(SettingError::NoAlternative { name, known });
        };
        return names().position(|c| fold(c) == fold(text)).map(|i| i as i32).ok_or_else(|| {
            let near = nearest(text, names(), 2);
            SettingError::UnknownAlternative { name, text: written(text), known, near }
        });
    }
    match &item.ty.base {
        Base::Bool => match text {
            None | Some("true" | "yes" | "on") => Ok(1),
            Some("false" | "no" | "off") => Ok(0),
            Some(other) => Err(SettingError::NoTruth { name, text: written(other) }),
        },
        Base::Member(kind) => {
            let members = model.kinds.get(kind.i()).map_or(&[][..], |k| &k.members);
            let Some(text) = text else {
                return Err(SettingError::NoValue(name));
            };
            members.iter().position(|m| fold(&m.id) == fold(text)).map(|i| i as i32).ok_or_else(|| {
                let near = nearest(text, members.iter().map(|m| m.id.as_str()), 2);
                SettingError::UnknownValue { name, text: written(text), near }
            })
        }
        base => {
            let Some(number) = text.and_then(|t| t.parse::<i32>().ok()) else {
                return Err(SettingError::NoNumber(name));
            };
            match *base {
                Base::Range(lo, hi) if !(lo..=hi).contains(&number) => {
                    Err(SettingError::OutOfRange { name, lo, hi, number })
                }
                _ => Ok(number),
            }
        }
    }
}

fn seats_in(model: &Model) -> usize {
    model.kinds.first().map_or(0, |seats| seats.members.len())
}

/// How many seats the settings ask for, if an option says how many play and that is not the number of seats in the
/// model.
#[must_use]
pub fn seats_of(model: &Model, settings: &Settings) -> Option<usize> {
    let seating = model.seating?;
    let name = model.config.get(seating.option.i()).map(|item| item.name.as_str())?;
    let preset = settings.preset.as_ref().and_then(|name| model.presets.iter().find(|p| p.name == *name));
    let preset = preset.and_then(|p| p.settings.iter().rev().find(|(id, _)| *id == seating.option));
    let single = settings.options.iter().rev().find(|(option, _)| option == name);
    let asked = match single {
        Some((_, text)) => text.as_ref()?.parse().ok()?,
        None => preset.map_or(seating.usual, |(_, value)| *value as usize),
    };
    ((seating.least..=seating.most).contains(&asked) && asked != seats_in(model)).then_some(asked)
}

/// The values of all options and readings under some settings: the defaults, then the preset, then single settings.
///
/// # Errors
/// An unknown name, a value that does not fit, or two options that exclude each other.
pub fn config_of(model: &Model, settings: &Settings) -> Result<Config, SettingError> {
    let Config(mut config) = Config::defaults(model);
    if let Some(name) = &settings.preset {
        let known = || model.presets.iter().map(|p| p.name.as_str());
        let preset = model.presets.iter().find(|p| p.name == *name).ok_or_else(|| {
            let (name, near) = (name.clone(), nearest(name, known(), 2));
            match known().collect::<Vec<_>>().join(", ") {
                list if list.is_empty() => SettingError::NoPresets(name),
                known => SettingError::UnknownPreset { name, known, near },
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
            return Err(SettingError::Unknown { name: name.clone(), near });
        };
        let seats = model.seating.filter(|s| model.config.get(s.option.i()).is_some_and(|c| c.name == item.name));
        *place = match (value_of(model, item, text.as_deref()), seats) {
            (Err(SettingError::OutOfRange { name, number, .. }), Some(seating)) => {
                return Err(match usize::try_from(number).is_ok_and(|n| (seating.least..=seating.most).contains(&n)) {
                    true => SettingError::OtherSeats { name, seats: seats_in(model) },
                    false => {
                        SettingError::OutOfRange { name, lo: seating.least as i32, hi: seating.most as i32, number }
                    }
                });
            }
            (value, _) => value?,
        };
    }
    let config = Config(config);
    if let Some((a, b)) = config.excluded(model) {
        let name = |id: ConfigId| model.config.get(id.i()).map_or_else(String::new, |item| item.name.clone());
        return Err(SettingError::Excluded { name: name(a), other: name(b) });
    }
    Ok(config)
}
