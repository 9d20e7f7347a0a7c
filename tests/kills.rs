//! Commands are killed while they write: no file is lost or half-written, nothing is left lying about, and what was
//! typed by hand stays.
//!
//! A thousand kills: `KILLS=1000 cargo test kills -- --ignored --nocapture`.
#![cfg(unix)]

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lawspeaker::explain::Explainer;
use lawspeaker::facts::config_of;
use lawspeaker::library;
use lawspeaker::players::Dice;
use lawspeaker::record::{self, Record, ReplayEnd};
use tempfile::TempDir;

use crate::common::session::program;

/// How the names of files that are not finished yet end.
const ENDING: &str = ".lawspeaker.tmp";
/// Files that one command rewrites.
const MANY: usize = 24;
/// A record as a person types it.
const TYPED: &str = "// The long game.\nrecord nim  // our own rules\n\nFirst \"Ann\"\n// Ann begins.\n\
                     First: take 3 // bold\n\n  2. Second: take 1\n// tea\n";

/// What was done and found.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    /// Processes that had ended before, which do not count.
    late: usize,
    /// Kills that left an unfinished file.
    leftovers: usize,
    /// Plies that were kept, in all.
    plies: usize,
    /// Kills after which some files were new and others old.
    between: usize,
}

/// A folder with a long game in it.
struct Bench {
    dir: TempDir,
    dice: Dice,
    tally: Tally,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let bench = Bench { dir: tempfile::tempdir().unwrap(), dice: Dice::new(seed), tally: Tally::default() };
        assert!(bench.command(&["new", "nim"]).status().unwrap().success());
        let law = bench.path("nim/game.law");
        let text = std::fs::read_to_string(&law).unwrap();
        std::fs::write(&law, text.replace("7..30 = 15", "7..900 = 800").replace("0..30", "0..900")).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(self.dir.path(), args);
        command.stdin(Stdio::piped());
        command
    }

    /// Runs to the end; how long it took.
    fn whole(&self, args: &[&str]) -> Duration {
        let begun = Instant::now();
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        begun.elapsed()
    }

    /// Starts a command, types a text to it and kills it at some moment up to `most`; gives what it printed.
    fn kill(&mut self, args: &[&str], typed: &str, most: Duration) -> String {
        let mut child = self.command(args).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
        let mut out = child.stdout.take().unwrap();
        let printed = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = out.read_to_string(&mut text);
            text
        });
        let wait = self.dice.below(most.as_micros() as usize + 1);
        std::thread::sleep(Duration::from_micros(wait as u64));
        match killed(&mut child) {
            true => self.tally.kills += 1,
            false => self.tally.late += 1,
        }
        self.tally.leftovers += usize::from(!self.unfinished().is_empty());
        printed.join().unwrap()
    }

    /// The unfinished files in the folder and in `many`.
    fn unfinished(&self) -> Vec<PathBuf> {
        let folders = [self.dir.path().to_owned(), self.path("many")];
        let entries = folders.iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten();
        let paths = entries.map(|e| e.unwrap().path());
        paths.filter(|p| p.to_string_lossy().ends_with(ENDING)).collect()
    }

    /// The text of a record, which must be whole and legal; nothing if there is none yet.
    fn sound(&self, name: &str) -> Option<(String, Record)> {
        let text = std::fs::read_to_string(self.path(name)).ok()?;
        assert!(text.ends_with('\n'), "cut off: {text}");
        let record = record::parse(&text).unwrap_or_else(|faults| panic!("{faults:?} in {text}"));
        Some((text, record))
    }

    fn legal(&self, record: &Record) {
        let loaded = library::open(&self.path("nim").display().to_string(), &[]).unwrap();
        let config = config_of(&loaded.model, &record.settings).unwrap();
        let replayed = record::replay(record, &Explainer::new(loaded.model, config));
        assert!(!matches!(replayed.end, ReplayEnd::Stopped { .. }), "{:?}", replayed.end);
    }

    /// `play` on a fresh record: every ply that was answered with the next question is on disk.
    fn play(&mut self, round: usize, most: Duration) {
        let file = format!("{round}.record");
        let printed = self.kill(&["play", "nim", "--record", &file, "--seed", "1"], &"1\n".repeat(600), most);
        self.kept(&file, "record nim\n", 0, &printed);
    }

    /// `play --resume` on a record typed by hand, which goes on from kill to kill.
    fn resume(&mut self, most: Duration) {
        let before = match self.sound("typed.record") {
            // Some plies are left to play.
            Some((text, record)) if record.plies.len() < 400 => text,
            _ => {
                std::fs::write(self.path("typed.record"), TYPED).unwrap();
                String::from(TYPED)
            }
        };
        let plies = record::parse(&before).unwrap().plies.len();
        let printed = self.kill(&["play", "nim", "--resume", "typed.record"], &"1\n".repeat(600), most);
        let head = if before == TYPED { "// The long game.\nrecord nim  // our own rules\n" } else { &before };
        let text = self.kept("typed.record", head, plies, &printed);
        let typed = TYPED.lines().all(|line| text.contains(line));
        assert!(typed, "what was typed is gone:\n{text}");
    }

    fn kept(&mut self, file: &str, head: &str, plies: usize, printed: &str) -> String {
        let answered = printed.matches("> 1\n").count();
        let asked = printed.matches("decides:").count();
        let Some((text, record)) = self.sound(file) else {
            assert_eq!(asked, 0, "no record, but:\n{printed}");
            return String::new();
        };
        assert!(text.starts_with(head), "{head} in {text}");
        assert!(record.plies.len() + 1 >= plies + asked.max(answered), "{asked} asked, but {text}");
        self.legal(&record);
        self.tally.plies += record.plies.len() - plies;
        text
    }

    /// A command that writes many files: each is as it was or as it is to be.
    fn many(&mut self, args: &[&str], old: &[String], new: &[String], kind: &str, most: Duration) {
        let file = |n: usize| format!("many/{n}.{kind}");
        for (n, text) in old.iter().enumerate() {
            std::fs::write(self.path(&file(n)), text).unwrap();
        }
        self.kill(args, "", most);
        let mut written = 0;
        for n in 0..old.len() {
            let text = self.read(&file(n));
            assert!(text == old[n] || text == new[n], "{}:\n{text}", file(n));
            written += usize::from(text == new[n]);
        }
        self.tally.between += usize::from(written > 0 && written < old.len());
    }

    /// At the next start nothing is left over.
    fn tidy(&self, args: &[&str]) {
        self.whole(args);
        assert_eq!(self.unfinished(), Vec::<PathBuf>::new());
    }

    fn empty_many(&self) {
        let many = self.path("many");
        let _ = std::fs::remove_dir_all(&many);
        std::fs::create_dir(many).unwrap();
    }
}

/// Kills a process; `false`: it had ended.
fn killed(child: &mut Child) -> bool {
    let ended = matches!(child.try_wait(), Ok(Some(_)));
    let _ = child.kill();
    child.wait().unwrap();
    !ended
}

fn games(bench: &mut Bench, kills: usize) {
    let most = bench.whole(&["random", "nim", "--games", "1"]) * 8;
    let until = bench.tally.kills + kills;
    let mut round = 0;
    while bench.tally.kills < until {
        round += 1;
        match round % 2 {
            0 => bench.play(round, most),
            _ => bench.resume(most),
        }
        if !bench.unfinished().is_empty() {
            std::fs::write(bench.path("last.record"), "record nim\n").unwrap();
            bench.tidy(&["play", "nim", "--resume", "last.record"]);
        }
        let _ = std::fs::remove_file(bench.path(&format!("{round}.record")));
    }
}

fn rewrites(bench: &mut Bench, kills: usize) {
    bench.empty_many();
    let record = |n: usize| {
        let mut text = format!("// Game {n}.\nrecord nim // with comments\n");
        for ply in 0..100 {
            let (who, count) = if ply % 2 == 0 { ("First", 1) } else { ("Second", 2) };
            let _ = writeln!(text, "{who}: take {count} // ply {ply}");
        }
        text
    };
    let args = ["replay", "many", "--rewrite", "--game", "nim"];
    hunt(bench, kills, &args, "record", record);
}

fn accepts(bench: &mut Bench, kills: usize) {
    bench.empty_many();
    let law = |e: std::fs::DirEntry| (e.path().extension().is_some_and(|e| e == "law" || e == "tsv")).then(|| e.path());
    for file in std::fs::read_dir(bench.path("nim")).unwrap().filter_map(|e| law(e.unwrap())) {
        std::fs::copy(&file, bench.path("many").join(file.file_name().unwrap())).unwrap();
    }
    let book = |n: usize| {
        let case = "given nim\n  heap: 5   last: 2   First to move\nthen\n  ask \"take 2\"";
        format!(
            "# Book {n}\n\nProse.\n\n```case\ncase \"one\"\n{case}\n```\n\n```ruling\nas it was\n```\n\nMore prose.\n"
        )
    };
    hunt(bench, kills, &["test", "many", "--accept"], "md", book);
}

/// Kills a command that rewrites many files, after it has run once undisturbed.
fn hunt(bench: &mut Bench, kills: usize, args: &[&str], kind: &str, text: impl Fn(usize) -> String) {
    let old: Vec<String> = (0..MANY).map(text).collect();
    let file = |n: usize| format!("many/{n}.{kind}");
    for (n, text) in old.iter().enumerate() {
        std::fs::write(bench.path(&file(n)), text).unwrap();
    }
    let most = bench.whole(args).mul_f64(1.1);
    let new: Vec<String> = (0..MANY).map(|n| bench.read(&file(n))).collect();
    assert!(old.iter().zip(&new).all(|(old, new)| old != new), "{}", new[0]);
    for line in old[0].lines().filter(|l| l.contains("//") || l.contains("rose")) {
        let kept = line.split("//").all(|part| new[0].contains(part.trim()));
        assert!(kept, "{line} in {}", new[0]);
    }
    let until = bench.tally.kills + kills;
    while bench.tally.kills < until {
        bench.many(args, &old, &new, kind, most);
        if !bench.unfinished().is_empty() {
            bench.tidy(args);
        }
    }
}

fn all(kills: usize, seed: u64) -> Tally {
    let mut bench = Bench::new(seed);
    games(&mut bench, kills / 2);
    rewrites(&mut bench, kills / 4);
    accepts(&mut bench, kills - kills / 2 - kills / 4);
    assert_eq!(bench.tally.kills, kills);
    assert_eq!(still(&bench.dir), 0);
    bench.tally
}

fn still(dir: &TempDir) -> usize {
    let unfinished = |p: &Path| p.to_string_lossy().ends_with(ENDING);
    std::fs::read_dir(dir).unwrap().filter(|e| unfinished(&e.as_ref().unwrap().path())).count()
}

#[test]
fn a_few_kills_lose_nothing() {
    all(16, 1);
}

#[test]
#[ignore = "takes minutes"]
fn many_kills_lose_nothing() {
    let number = |name: &str, otherwise| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    println!("{:?}", all(number("KILLS", 1000) as usize, number("SEED", 1)));
}
