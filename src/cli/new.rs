//! `new`: a folder to write a game in.

use std::io::Write as _;
use std::path::Path;

use lawspeaker::lexicon::{Counted, fill};
use lawspeaker::library::{self, Folder, Unusable};
use lawspeaker::map;
use lawspeaker::record;
use lawspeaker::rules::Rulebook;
use lawspeaker::writing::{self, Policy};

use super::flags::LangArgs;
use super::ruling_page::quoted;
use super::screen::Screen;
use super::{Answer, Run, session};

/// Start a new game: a small complete one with comments and a casebook, or a copy of another.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker new mygame\n  \
    lawspeaker new my_confrontation --from confrontation")]
pub struct Args {
    /// The folder to create.
    name: String,
    /// Copy this game: a folder of .law files, or the name of a shipped game.
    #[arg(long, value_name = "GAME")]
    from: Option<String>,
    #[command(flatten)]
    lang: LangArgs,
}

/// The files of the small game. `{name}`, `{title}` and `{path}` are filled in.
const SMALL: [(&str, &str); 4] = [
    ("game.law", include_str!("new_game/game.law")),
    ("clauses.tsv", include_str!("new_game/clauses.tsv")),
    ("cases/rulings.md", include_str!("new_game/cases/rulings.md")),
    ("variants/twice.law", include_str!("new_game/variants/twice.law")),
];

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let words = session::program_words(&args.lang.lang)?;
    let target = Path::new(&args.name);
    if target.symlink_metadata().is_ok() {
        let help = "choose another name; nothing is overwritten";
        return Err(Unusable::new(format!("{} is there already", args.name), help).into());
    }
    let files = match &args.from {
        Some(game) => copy(library::find(game)?, &names(&args.name)?.0),
        None => small(&args.name)?,
    };
    for (path, text) in &files {
        write(&target.join(path), text)?;
    }
    let shown = quoted(&args.name);
    let made = &words.made;
    writeln!(screen, "{}", fill(made.files, &[&shown, &words.counts.of(Counted::Files, files.len())]))?;
    let gap = " ".repeat(map::columns(made.next));
    for (before, command) in [(made.next, "check"), (&gap, "play"), (&gap, "test")] {
        writeln!(screen, "{before}lawspeaker {command} {shown}")?;
    }
    Ok(Answer::Yes)
}

/// The name and the title of a game in a folder of that path.
fn names(path: &str) -> Result<(String, String), Unusable> {
    let title = Path::new(path).file_name().and_then(|n| n.to_str());
    let title = title.unwrap_or("").replace(['"', '{', '}', '\\'], "");
    let name = identifier(&title).ok_or_else(|| {
        let help = "a game's name begins with a letter: lawspeaker new mygame";
        Unusable::new(format!("{path} gives no name for a game"), help)
    })?;
    Ok((name, title))
}

/// The files of another game under a name of its own, so that cases and records are about the copy.
fn copy(folder: Folder, name: &str) -> Vec<(String, String)> {
    let renamed = |(path, text): &(String, String)| {
        let first = match path.rsplit_once('.') {
            Some((_, "law")) => "game",
            Some((_, "record")) => "record",
            Some((_, "md" | "case" | "position")) => "given",
            _ => return (path.clone(), text.clone()),
        };
        (path.clone(), text.split_inclusive('\n').map(|line| called(line, first, &folder, name)).collect())
    };
    let files: Vec<(String, String)> = folder.files.iter().map(renamed).collect();
    let copied = Rulebook::new(Folder { files: files.clone(), ..folder.clone() });
    let original = Rulebook::new(folder);
    let kept = |(path, text): (String, String)| {
        let text = if path.ends_with(".record") { redigested(&text, &original, &copied) } else { text };
        (path, text)
    };
    files.into_iter().map(kept).collect()
}

/// A line that names the game, with the new name; any other as it is.
fn called(line: &str, first: &str, folder: &Folder, name: &str) -> String {
    let found = line.trim_start().strip_prefix(first).and_then(|rest| {
        let old = rest.trim_start();
        let end = old.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(old.len());
        let old = old.get(..end).filter(|old| rest.starts_with([' ', '\t']) && folder.declares(old))?;
        let before = line.len() - rest.trim_start().len();
        Some((line.get(..before)?, line.get(before + old.len()..)?))
    });
    found.map_or_else(|| line.to_owned(), |(before, after)| format!("{before}{name}{after}"))
}

/// A record with the digest of the copied rules, if it has that of the original ones.
fn redigested(text: &str, original: &Rulebook, copied: &Rulebook) -> String {
    let Some((record, digest)) = record::parse(text).ok().and_then(|r| r.rules.map(|d| (r, d))) else {
        return text.to_owned();
    };
    match (original.rules(&record.settings), copied.rules(&record.settings)) {
        (Ok(old), Ok(new)) if old.digest() == digest => {
            text.replacen(&format!("{digest:016x}"), &format!("{:016x}", new.digest()), 1)
        }
        _ => text.to_owned(),
    }
}

fn small(path: &str) -> Result<Vec<(String, String)>, Unusable> {
    let (name, title) = names(path)?;
    let fill = |text: &str| text.replace("{name}", &name).replace("{title}", &title).replace("{path}", path);
    let files = SMALL.iter();
    Ok(files.map(|(p, t)| ((*p).to_owned(), fill(t))).collect())
}

/// A name the language allows: small letters, digits and `_`, beginning with a letter.
fn identifier(title: &str) -> Option<String> {
    let name: String = title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name.starts_with(|c: char| c.is_ascii_lowercase()).then_some(name)
}

fn write(path: &Path, text: &str) -> Result<(), Unusable> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    std::fs::create_dir_all(folder).map_err(|e| {
        let help = "choose a place where you may write";
        Unusable::new(format!("cannot make {}: {e}", folder.display()), help)
    })?;
    Ok(writing::write(path, text, Policy::New)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_a_name_of_its_own() {
        let files = [
            ("a.law", "game old_name \"Old\"\nvar game_over: Bool = false\n"),
            ("cases/a.md", "given old, gone\n```case\ncase \"a\"\ngiven old-name with old_name\n"),
            ("a.record", "record old_name // the first\ntitle \"old_name\"\n"),
            ("a.tsv", "game old_name\n"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec();
        let copied = copy(Folder { files, ..Folder::default() }, "mine");
        let texts: Vec<&str> = copied.iter().map(|(_, text)| text.as_str()).collect();
        let wanted = [
            "game mine \"Old\"\nvar game_over: Bool = false\n",
            "given old, gone\n```case\ncase \"a\"\ngiven mine with old_name\n",
            "record mine // the first\ntitle \"old_name\"\n",
            "game old_name\n",
        ];
        assert_eq!(texts, wanted);
    }

    #[test]
    fn names_become_what_the_language_allows() {
        assert_eq!(identifier("My-Game 2").as_deref(), Some("my_game_2"));
        assert_eq!(identifier("2nd"), None);
        let files = small("games/My-Game").unwrap();
        assert!(files[0].1.contains("game my_game \"My-Game\""));
        assert!(files[0].1.contains("{p} to move"));
    }
}
