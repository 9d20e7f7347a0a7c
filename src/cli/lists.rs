//! Lists with which a game begins, as files that a command names.

use std::path::PathBuf;

use lawspeaker::facts::{FactFault, SeatList, Settings};
use lawspeaker::library::{self, Unusable};
use lawspeaker::list::List;

use super::games;

/// `SEAT=FILE`: a list and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOf {
    seat: String,
    file: PathBuf,
}

/// Reads `SEAT=FILE`.
pub fn of_seat(text: &str) -> Result<ListOf, String> {
    let parts = text.split_once('=').map(|(seat, file)| (seat.trim(), file.trim()));
    match parts.filter(|(seat, file)| !seat.is_empty() && !file.is_empty()) {
        Some((seat, file)) => Ok(ListOf { seat: seat.to_owned(), file: PathBuf::from(file) }),
        None => Err(String::from("write SEAT=FILE, for example Red=riders.army")),
    }
}

/// The settings of a command with its lists: the settings that the lists name hold too, where the command does not say
/// otherwise.
pub fn begin_with(lists: &[ListOf], over: Settings) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    for given in lists {
        let text = library::read_text(&given.file)?;
        let faults = |f: FactFault| games::faults(&given.file, &text, &[f]);
        let list = List::parse(&text).map_err(faults)?;
        agree(&mut settings, &over, &list.settings).map_err(|message| {
            faults(FactFault::new(list.game.line, list.game.column, message).over(list.game.text.chars().count()))
        })?;
        settings.lists.push(SeatList {
            bring: list.name.text,
            seat: given.seat.clone(),
            file: given.file.display().to_string(),
            lines: Some(list.lines),
            game: list.game.text,
        });
    }
    settings.lay_over(&over);
    Ok(settings)
}

/// Adds the settings of a list to those of the lists before it, which must not contradict it.
fn agree(settings: &mut Settings, over: &Settings, list: &Settings) -> Result<(), String> {
    for (name, value) in &list.options {
        match settings.options.iter().find(|(known, _)| known == name) {
            None => settings.options.push((name.clone(), value.clone())),
            Some((_, known)) if known == value || over.options.iter().any(|(said, _)| said == name) => {}
            Some((_, known)) => {
                let said = |value: &Option<String>| value.clone().unwrap_or_else(|| String::from("true"));
                let (a, b) = (said(known), said(value));
                return Err(format!(
                    "the lists are for different games: `{name}` is {a} in one before and {b} here (--with {name}=... \
                     decides)"
                ));
            }
        }
    }
    if let Some(preset) = &list.preset {
        match &settings.preset {
            Some(known) if known != preset && over.preset.is_none() => {
                return Err(format!("the lists are for different games: preset {known} and preset {preset}"));
            }
            _ => settings.preset = Some(preset.clone()),
        }
    }
    for variant in &list.variants {
        if !settings.variants.contains(variant) {
            settings.variants.push(variant.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_given_with_its_seat() {
        assert_eq!(of_seat("Red = a=b.army").map(|l| l.file), Ok(PathBuf::from("a=b.army")));
        for text in ["Red", "Red=", "=a.army", ""] {
            assert!(of_seat(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lists_that_contradict_each_other_are_refused_unless_the_command_decides() {
        let points = |n: &str| Settings { options: vec![("points".into(), Some(n.into()))], ..Settings::default() };
        let mut both = points("500");
        assert!(agree(&mut both, &Settings::default(), &points("500")).is_ok());
        assert!(agree(&mut both, &Settings::default(), &points("900")).unwrap_err().contains("points"));
        assert!(agree(&mut both, &points("700"), &points("900")).is_ok());
    }
}
