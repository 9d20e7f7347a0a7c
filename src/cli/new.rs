//! `new`: a folder to write a game in.

use std::io::Write as _;
use std::path::Path;

use lawspeaker::library::{self, Unusable};
use lawspeaker::writing::{self, Policy};

use super::screen::Screen;
use super::{Answer, Run};

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
    let target = Path::new(&args.name);
    if target.symlink_metadata().is_ok() {
        let help = "choose another name; nothing is overwritten";
        return Err(Unusable::new(format!("{} is there already", args.name), help).into());
    }
    let files = match &args.from {
        Some(game) => library::find(game)?.files,
        None => small(&args.name)?,
    };
    for (path, text) in &files {
        write(&target.join(path), text)?;
    }
    let shown = &args.name;
    writeln!(screen, "{shown}: {} files", files.len())?;
    writeln!(screen, "next: lawspeaker check {shown}")?;
    writeln!(screen, "      lawspeaker play {shown}")?;
    writeln!(screen, "      lawspeaker test {shown}")?;
    Ok(Answer::Yes)
}

fn small(path: &str) -> Result<Vec<(String, String)>, Unusable> {
    let title = Path::new(path).file_name().and_then(|n| n.to_str());
    let title = title.unwrap_or("").replace(['"', '{', '}', '\\'], "");
    let name = identifier(&title).ok_or_else(|| {
        let help = "a game's name begins with a letter: lawspeaker new mygame";
        Unusable::new(format!("{path} gives no name for a game"), help)
    })?;
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
    fn names_become_what_the_language_allows() {
        assert_eq!(identifier("My-Game 2").as_deref(), Some("my_game_2"));
        assert_eq!(identifier("2nd"), None);
        let files = small("games/My-Game").unwrap();
        assert!(files[0].1.contains("game my_game \"My-Game\""));
        assert!(files[0].1.contains("{p} to move"));
    }
}
