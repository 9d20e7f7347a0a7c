//! What the program prints at positions that are alike for a seat.

use std::sync::Arc;

use lawspeaker::explain::Explainer;
use lawspeaker::game::{Evaluator as _, Status};
use lawspeaker::library::{self, Loaded};
use lawspeaker::{facts, model::Config};

use crate::common::session;

use super::asks::lines;
use super::{alike, draw, games};

/// What the program prints, at two positions in files of the same name.
struct Twins {
    dir: tempfile::TempDir,
    game: String,
}

impl Twins {
    fn new(game: &Loaded) -> Twins {
        let dir = tempfile::tempdir().expect("a folder");
        let shipped = library::shipped().contains(&game.folder.name);
        if !shipped {
            let home = dir.path().join(&game.folder.name);
            std::fs::create_dir_all(&home).expect("a folder");
            game.folder.files.iter().for_each(|(name, text)| std::fs::write(home.join(name), text).expect("a file"));
        }
        let game = if shipped { game.folder.name.clone() } else { format!("../{}", game.folder.name) };
        Twins { dir, game }
    }

    fn put(&self, name: &str, text: &str) {
        let home = self.dir.path().join(name);
        std::fs::create_dir_all(&home).expect("a folder");
        std::fs::write(home.join("here.position"), text).expect("a file");
    }

    fn says(&self, twin: &str, args: &[&str], typed: &str) -> String {
        let output = session::typed(session::program(&self.dir.path().join(twin), args), typed);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{:?}\n{}\n{}", output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn the_program_prints_the_same() {
    let mut printed = 0;
    for game in games().iter().filter(|g| ["confrontation", "numbers", "hands", "scouts"].contains(&&*g.folder.name)) {
        let twins = Twins::new(game);
        let rules = Explainer::new(Arc::clone(&game.model), Config::defaults(&game.model));
        let mut left = 3;
        draw(game, 23, 150, &mut |asks, position, alike, dice| {
            // Files are read under the settings of the table.
            let written = [position, &alike.position].map(|p| facts::write(&rules, p));
            let ([Some(one), Some(two)], true) =
                (written, left > 0 && alike::alike(&rules, position, &alike.position, asks.seat))
            else {
                return;
            };
            if one == two {
                return;
            }
            left -= 1;
            for (name, facts) in [("one", one), ("two", two)] {
                let lines: String = facts.lines().map(|l| format!("  {l}\n")).collect();
                twins.put(name, &format!("given {}\n{lines}", game.model.name));
            }
            let seat = game.model.kinds[0].members[usize::from(asks.seat)].id.as_str();
            let ask = ["ask", &twins.game, "--at", "here.position", "--seat", seat, "--seen"];
            let typed = lines(&rules, [position, &alike.position], asks.seat, 2, dice);
            let forms: [&[&str]; 7] = [
                &[],
                &["--why"],
                &["--misses"],
                &["--readings", "all"],
                &["--json"],
                &["--format", "html"],
                &["--format", "markdown"],
            ];
            let mut both = |args: &[&str], typed: &str| {
                printed += 1;
                let [one, two] = ["one", "two"].map(|twin| twins.says(twin, args, typed));
                assert_eq!(one, two, "{}: {args:?}", game.folder.name);
            };
            both(&ask, "");
            both(&[&ask[..], &["--json"]].concat(), "");
            for line in &typed {
                let form = forms[dice.below(forms.len())];
                both(&[&ask[..], &[line], form].concat(), "");
            }
            let own = matches!(rules.status(position), Ok(Status::Decision(q)) if q.seat == asks.seat);
            if own {
                let asked: String =
                    typed.iter().filter(|l| !l.trim().is_empty()).map(|l| format!("? {l}\n?? {l}\n")).collect();
                let typed = format!("board\nhand\noptions\n{asked}help\nquit\n");
                let record = format!("out{left}.record");
                both(&["play", &twins.game, "--at", "here.position", "--seed", "4", "--record", &record], &typed);
            }
        });
        assert!(left < 3, "{}: nothing was written", game.folder.name);
    }
    assert!(printed > 100, "{printed}");
}
