//! The records and transcripts that are to be played again.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use lawspeaker::library::{self, Unusable};
use lawspeaker::record::{self, Record};
use lawspeaker::report::plural;

use super::cache::Home;
use super::{games, session};

/// A record to play again.
pub(super) struct Source {
    /// Where it is, or what it is called in the program.
    pub file: PathBuf,
    /// The game and the text of a record that is in the program.
    pub inside: Option<(String, String)>,
    /// Of a transcript: which of its games, from 0, and whether it has others.
    pub game: Option<(usize, bool)>,
}

impl Source {
    pub fn text(&self) -> Result<Cow<'_, str>, Unusable> {
        match &self.inside {
            Some((_, text)) => Ok(Cow::Borrowed(text)),
            None => library::read_text(&self.file).map(Cow::Owned),
        }
    }

    pub fn record(&self, text: &str) -> Result<Record, Unusable> {
        record::parse_on(text).map_err(|f| games::faults(&self.file, text, &f))
    }

    /// Where its rules are looked for first.
    pub fn home(&self) -> Home {
        self.inside.as_ref().map_or_else(|| Home::beside(&self.file), |(game, _)| Home::given(game))
    }
}

/// The records named, those in the folders named, and those of shipped games, in order.
pub(super) fn find(places: &[PathBuf]) -> Result<Vec<Source>, Unusable> {
    let mut files = Vec::new();
    for place in places {
        let before = files.len();
        let shipped = place.to_str().filter(|_| !place.exists()).and_then(library::shipped_name);
        if let Some(game) = shipped {
            let folder = library::find(&game)?;
            let source = |(name, text): &(String, String)| Source {
                file: Path::new(&game).join(name),
                inside: Some((game.clone(), text.clone())),
                game: None,
            };
            files.extend(folder.records().map(source));
        } else if place.is_dir() {
            let found = session::files_below(place, "record")?;
            files.extend(found.into_iter().map(|file| Source { file, inside: None, game: None }));
        } else {
            if let Some(number) = numbered_game(place) {
                let message = format!("{} does not exist", place.display());
                return Err(Unusable::new(message, format!("write {} --number {}", number.0, number.1)));
            }
            files.push(Source { file: place.clone(), inside: None, game: None });
        }
        if files.len() == before {
            let message = format!("there are no records in {}", place.display());
            let help = format!(
                "a record is a file that ends in .record; name transcripts themselves: {}/*.pgn",
                place.display()
            );
            return Err(Unusable::new(message, help));
        }
    }
    Ok(files)
}

/// The file and the number that `games.pgn#3` means, if it is not itself a file.
fn numbered_game(place: &Path) -> Option<(&str, usize)> {
    let (file, number) = place.to_str()?.rsplit_once('#')?;
    let number = number.parse().ok()?;
    (!place.exists() && Path::new(file).is_file()).then_some((file, number))
}

/// The same with each game of the transcripts among them, or the one with a number.
pub(super) fn games_in(files: Vec<Source>, number: Option<usize>) -> Result<Vec<Source>, Unusable> {
    let mut all = Vec::with_capacity(files.len());
    for source in files {
        // What cannot be read is said where it is played.
        let text = source.text().ok().filter(|text| record::is_transcript(text));
        let games = text.map(|text| record::read_transcript(&text).map_or(1, |games| games.len()));
        let count = games.unwrap_or(1);
        if let Some(number) = number.filter(|n| *n > count) {
            let message = format!("{} has no game {number}", source.file.display());
            return Err(Unusable::new(message, format!("it has {}", plural(count, "game"))));
        }
        let Source { file, inside, .. } = source;
        let wanted = (0..count).filter(|i| number.is_none_or(|n| n == i + 1));
        all.extend(wanted.map(|i| {
            let game = games.is_some().then_some((i, count > 1));
            Source { file: file.clone(), inside: inside.clone(), game }
        }));
    }
    Ok(all)
}

/// A file, and which of its games.
pub(super) fn named(file: &Path, number: Option<usize>) -> String {
    match number {
        Some(number) => format!("{}#{number}", file.display()),
        None => file.display().to_string(),
    }
}
