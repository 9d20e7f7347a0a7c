//! Many games: in this process, or in others so that a crash is only the end of one of them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use lawspeaker::players::{Dice, derived};

use crate::generated::shrink::shrink;
use crate::generated::step::{Tried, Walk, try_game};
use crate::generated::{Game, game};

/// How many games of each set of rules, and how many plies of each.
pub const GAMES: u64 = 2;
pub const PLIES: usize = 30;

/// A game that takes longer than this is ended and told.
const SILENT: Duration = Duration::from_secs(300);

/// Game `i` of a seed.
pub fn made(seed: u64, i: u64) -> Game {
    game(&mut Dice::new(derived(seed, i)))
}

pub fn tried(game: &Game, i: u64) -> Tried {
    try_game(game, i, GAMES, PLIES)
}

/// Where what is found is written.
pub fn place() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    std::fs::create_dir_all(&place).expect("a folder for what is found");
    place
}

/// The files of a game as one text.
pub fn text(game: &Game) -> String {
    let one = |(name, text): &(String, String)| match name.as_str() {
        "game.law" => text.clone(),
        _ => format!("==== {name}\n{text}"),
    };
    game.files.iter().map(one).collect()
}

/// The game that a text is: `==== NAME` begins another file.
pub fn from_text(text: &str) -> Game {
    let mut files = vec![(String::from("game.law"), String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("==== ") {
            Some(name) => files.push((name.trim().to_owned(), String::new())),
            None => files.last_mut().expect("one").1.push_str(line),
        }
    }
    let of = |name: &str| Some(name.strip_prefix("variants/")?.strip_suffix(".law")?.to_owned());
    let variants = files.iter().filter_map(|(name, _)| of(name)).collect();
    Game { files, variants, ..Game::default() }
}

/// Makes a game that differs small, writes it and tells it.
pub fn told(name: &str, game: &Game, i: u64, difference: &str) -> String {
    let fails = |g: &Game| matches!(tried(g, i), Tried::Different(_));
    // What kills the process is not tried in it.
    let small = shrink(game, 1_500, fails);
    let after = match tried(&small, i) {
        Tried::Different(d) => d,
        _ => difference.to_owned(),
    };
    let file = place().join(format!("{name}.law"));
    let _ = std::fs::write(&file, text(&small));
    let _ = std::fs::write(file.with_extension("whole"), text(game));
    format!("game {i}: {difference}\nmade small ({}), {after}\n{}", file.display(), text(&small))
}

/// What came of many games.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    pub accepted: u64,
    pub refused: BTreeMap<String, u64>,
    pub walk: Walk,
    pub used: BTreeMap<String, u64>,
    pub different: Vec<(u64, String)>,
}

impl Sum {
    pub fn add(&mut self, i: u64, game: &Game, tried: Tried) {
        match tried {
            Tried::Refused(told) => {
                let first = told.into_iter().next().unwrap_or_default();
                *self.refused.entry(first.split(" at ").next().unwrap_or("").to_owned()).or_default() += 1;
            }
            Tried::Alike(walk) => {
                self.accepted += 1;
                self.walk.plies += walk.plies;
                self.walk.code += walk.code;
                self.walk.faults += walk.faults;
                self.count(game.used.iter().copied());
            }
            Tried::Different(difference) => {
                self.accepted += 1;
                self.different.push((i, difference));
                self.count(game.used.iter().copied());
            }
        }
    }

    fn count<'a>(&mut self, used: impl Iterator<Item = &'a str>) {
        used.for_each(|what| *self.used.entry(what.to_owned()).or_default() += 1);
    }

    pub fn games(&self) -> u64 {
        self.accepted + self.refused.values().sum::<u64>()
    }

    pub fn words(&self) -> String {
        let Walk { plies, code, faults } = self.walk;
        let mut out = format!(
            "{} games, {} accepted, {} different; {plies} choices; machine code in {code} of {} games played, {faults} stopped by a fault\n",
            self.games(),
            self.accepted,
            self.different.len(),
            self.accepted * GAMES,
        );
        self.refused.iter().for_each(|(why, n)| out += &format!("refused {n}: {why}\n"));
        self.used.iter().for_each(|(what, n)| out += &format!("{n:6} {what}\n"));
        out
    }
}

/// The games from `from` on in steps of `by`, each told in a log before it begins and when it is over.
pub fn shard(seed: u64, (from, to, by): (u64, u64, u64), log: &Path) {
    let mut log = OpenOptions::new().create(true).append(true).open(log).expect("a log");
    let mut say = |line: String| log.write_all(line.as_bytes()).expect("the log is written");
    for i in (from..to).step_by(by as usize) {
        say(format!("begin\t{i}\n"));
        let game = made(seed, i);
        let used: Vec<&str> = game.used.iter().copied().collect();
        say(match tried(&game, i) {
            Tried::Refused(told) => {
                format!("refused\t{i}\t{}\n", told.first().map_or("", |t| t.as_str()).replace('\n', " "))
            }
            Tried::Alike(Walk { plies, code, faults }) => {
                format!("alike\t{i}\t{plies}\t{code}\t{faults}\t{}\n", used.join("|"))
            }
            Tried::Different(difference) => format!("different\t{i}\t{}\n", difference.replace('\n', " ")),
        });
    }
}

/// One process with a part of the games.
struct Runner {
    log: PathBuf,
    child: Child,
    k: u64,
    read: usize,
    moved: Instant,
    current: Option<u64>,
}

/// Many games in so many processes; a crash or a game without an end is told as a difference.
pub fn many(seed: u64, games: u64, shards: u64) -> Sum {
    let begin = |k: u64, from: u64, log: &Path| {
        Command::new(std::env::current_exe().expect("this test"))
            .args(["made_at_random::one_shard", "--exact", "--ignored", "--nocapture"])
            .env("GENERATED_SHARD", format!("{seed} {from} {games} {shards} {}", log.display()))
            .env("GENERATED_OF", k.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process")
    };
    let mut sum = Sum::default();
    let mut runners: Vec<Runner> = (0..shards)
        .map(|k| {
            let log = place().join(format!("shard-{k}.log"));
            File::create(&log).expect("a log");
            Runner { child: begin(k, k, &log), log, k, read: 0, moved: Instant::now(), current: None }
        })
        .collect();
    let mut told = Instant::now();
    while !runners.is_empty() {
        std::thread::sleep(Duration::from_millis(200));
        runners.retain_mut(|r| {
            let over = r.child.try_wait().expect("the process is there");
            follow(r, &mut sum);
            let silent = r.moved.elapsed() > SILENT;
            if silent && over.is_none() {
                let _ = r.child.kill();
                let _ = r.child.wait();
            }
            if over.is_none() && !silent {
                return true;
            }
            // A game that was begun and is not over has ended its process.
            let Some(i) = r.current.take() else {
                return false;
            };
            let how = if silent { String::from("no end") } else { format!("the process died: {over:?}") };
            eprintln!("game {i}: {how}");
            sum.accepted += 1;
            sum.different.push((i, how));
            r.child = begin(r.k, i + shards, &r.log);
            r.moved = Instant::now();
            true
        });
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            eprintln!("{} games, {} accepted, {} different", sum.games(), sum.accepted, sum.different.len());
        }
    }
    sum
}

/// Reads on in the log of a process.
fn follow(r: &mut Runner, sum: &mut Sum) {
    let Ok(text) = std::fs::read_to_string(&r.log) else {
        return;
    };
    let new = text.get(r.read..).unwrap_or("");
    let Some(end) = new.rfind('\n') else {
        return;
    };
    for line in new[..end].lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let part = |n: usize| parts.get(n).copied().unwrap_or("");
        let number = |n: usize| part(n).parse::<u64>().unwrap_or(0);
        r.moved = Instant::now();
        r.current = None;
        match part(0) {
            "begin" => r.current = Some(number(1)),
            "refused" => {
                let why = part(2).split(" at ").next().unwrap_or("").to_owned();
                *sum.refused.entry(why).or_default() += 1;
            }
            "alike" => {
                sum.accepted += 1;
                sum.walk.plies += number(2);
                sum.walk.code += number(3);
                sum.walk.faults += number(4);
                sum.count(part(5).split('|'));
            }
            _ => {
                sum.accepted += 1;
                eprintln!("game {}: {}", part(1), part(2));
                sum.different.push((number(1), part(2).to_owned()));
            }
        }
    }
    r.read += end + 1;
}
