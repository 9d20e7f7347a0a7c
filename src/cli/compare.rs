//! `compare`: what a change of the rules changes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use lawspeaker::audit::{self, Suite};
use lawspeaker::compare::{
    self, Ahead, Budget, Change, Clash, Clashes, Difference, OtherRecord, OtherRuling, Play, Records, Rulings, Share,
    Side, Sort, Waking, Written,
};
use lawspeaker::conflict;
use lawspeaker::facts::Settings;
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Unusable};
use serde_json::{Value as Json, json};

use super::flags::{RulesArgs, SeedArgs};
use super::number::{LARGEST, within};
use super::revision;
use super::screen::{Screen, Style};
use super::{Answer, Run, Stop, session};

/// Compare two sets of rules by their consequences: what is written otherwise, and which rulings, records and games
/// come out otherwise.
///
/// The first rules are GAME as it stands. The second are the same with the variants, preset and settings that are
/// given, or another folder (--against). With --base the first are those of an earlier revision, and the second those
/// of now. Settings given together with --against or --base hold on both sides.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker compare confrontation --variant open_river\n  \
    lawspeaker compare confrontation --with shadowfax_move=same_character\n  \
    lawspeaker compare mygame --against mygame-with-rivers\n  \
    lawspeaker compare mygame --base HEAD\n\n\
    Cases and records are those of the first rules. Games are played by bots that choose at random, with the same \
    seeds on both sides; a difference is marked with * if it is sure at 95 % for all differences of the report \
    together.\n\n\
    Exit code 1: a ruling, a record, a game, an option or a conflict comes out otherwise.")]
pub struct Args {
    /// A folder of .law files, or the name of a shipped game.
    game: String,
    /// Take the rules of this folder or shipped game as the second.
    #[arg(long, value_name = "FOLDER", conflicts_with = "base")]
    against: Option<String>,
    /// Take the folder as it was at this revision of git as the first, and as it is now as the second.
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
    /// Play this many games under each rules.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = within::<u64>(0..=LARGEST))]
    games: u64,
    /// Compare the options of this many positions, the nearest to the start first.
    #[arg(long, default_value_t = 5000, value_name = "N", value_parser = within::<usize>(1..=LARGEST))]
    positions: usize,
    /// Spend at most so long on each of three things: positions, games that are compared ply by ply, and games with a
    /// ruling on each ply.
    #[arg(long, default_value_t = 4, value_name = "SECONDS", value_parser = within::<u64>(1..=LARGEST))]
    time: u64,
    #[command(flatten)]
    seed: SeedArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// The most games in which each ply is ruled on, and that are compared ply by ply.
const FEW_GAMES: u64 = 20;

/// What came of everything.
struct Comparison {
    written: Written,
    rulings: Rulings,
    records: Records,
    clashes: Clashes,
    play: Option<Play>,
    waking: Option<Waking>,
    ahead: Option<Ahead>,
    /// Why games and positions were not compared.
    unplayed: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let given = args.rules.settings();
    let now = library::find(&args.game)?;
    let [first, second] = match (&args.against, &args.base) {
        (Some(other), _) => [Side::new(now, given.clone())?, Side::new(library::find(other)?, given)?],
        (None, Some(base)) => {
            let then = revision::folder_at(&args.game, base)?;
            [Side::new(then, given.clone())?, Side::new(now, given)?]
        }
        (None, None) if given.list().is_empty() => {
            let help = "add --variant, --preset or --with, or a second folder (--against), or a revision (--base)";
            return Err(Unusable::new("there is nothing to compare the game with", help).into());
        }
        (None, None) => [Side::new(now.clone(), Settings::default())?, Side::new(now, given)?],
    };
    let lang = session::language(second.rules.model(), args.rules.lang())?;
    let suite = audit::suite(&first.folder, &first.rules.model().name, &Settings::default())?;
    let found = compared(args, [&first, &second], &suite, &lang);
    let words = Words::of(&lang);
    if args.json {
        screen.json(&to_json(args, [&first, &second], &found))?;
    } else {
        print([&first, &second], &found, words, screen)?;
    }
    Ok(Answer::from(!found.differs()))
}

fn compared(args: &Args, [first, second]: [&Side; 2], suite: &Suite, lang: &str) -> Comparison {
    let written = compare::written(first, second);
    let rulings = compare::rulings(first, second, suite, &written);
    let records = compare::records(first, second, suite, lang);
    let clashes = compare::clashes(first, second, conflict::TRIES, lang);
    let seed = args.seed.fixed();
    let mut found =
        Comparison { written, rulings, records, clashes, play: None, waking: None, ahead: None, unplayed: None };
    let time = Duration::from_secs(args.time);
    let games = (args.games.min(FEW_GAMES), seed);
    let budget = Budget { positions: args.positions, games, time };
    match compare::ahead(first, second, budget, lang) {
        Ok(ahead) => found.ahead = Some(ahead),
        Err(fault) => {
            found.unplayed = Some(lawspeaker::lexicon::Lexicon::new(second.rules.model(), lang).fault(&fault));
            return found;
        }
    }
    if args.games > 0 {
        found.play = Some(compare::play(first, second, args.games, seed, lang));
        found.waking = Some(compare::waking(first, second, args.games.min(FEW_GAMES), seed, time));
    }
    found
}

impl Comparison {
    /// Whether anything comes out otherwise.
    fn differs(&self) -> bool {
        !self.rulings.others.is_empty()
            || !self.records.others.is_empty()
            || !self.clashes.come.is_empty()
            || !self.clashes.gone.is_empty()
            || self.ahead.as_ref().is_some_and(|ahead| ahead.fork.is_some())
            || self.play.as_ref().is_some_and(|play| play.shares.iter().any(Share::is_sure) || play.length.is_sure())
    }
}

/// What a side is called: its folder and its settings.
fn named(side: &Side) -> String {
    match side.settings.list() {
        list if list.is_empty() => side.folder.name.clone(),
        list => format!("{} ({list})", side.folder.name),
    }
}

fn print(sides: [&Side; 2], found: &Comparison, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let said = fill(words.compare.title, &[&named(sides[0]), &named(sides[1])]);
    let said = screen.styled(Style::Bold, &said);
    writeln!(screen, "{said}")?;
    print_written(&found.written, words, screen)?;
    print_rulings(&found.rulings, &found.written, words, screen)?;
    print_records(&found.records, words, screen)?;
    print_clashes(&found.clashes, words, screen)?;
    if let Some(play) = &found.play {
        print_play(play, words, screen)?;
    }
    if let Some(waking) = &found.waking {
        print_waking(waking, words, screen)?;
    }
    if let Some(ahead) = &found.ahead {
        print_ahead(ahead, words, screen)?;
    }
    if let Some(why) = &found.unplayed {
        head(screen, &fill(words.compare.unplayed, &[why]))?;
    }
    if !found.differs() {
        head(screen, words.compare.same)?;
    }
    Ok(())
}

fn head(screen: &mut Screen, said: &str) -> Result<(), Stop> {
    writeln!(screen)?;
    Ok(screen.indented(0, said)?)
}

fn line(screen: &mut Screen, said: &str) -> Result<(), Stop> {
    Ok(screen.indented(2, said)?)
}

fn print_written(written: &Written, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let count = written.changes.len().to_string();
    let said = match (written.changes.is_empty(), written.other) {
        (false, _) => fill(say.written, &[&count]),
        (true, true) => say.written_other.to_owned(),
        (true, false) => say.written_same.to_owned(),
    };
    head(screen, &said)?;
    for change in &written.changes {
        let said = one_change(change, words);
        line(screen, &said)?;
    }
    for (phrase, ids) in [(say.lost, &written.lost), (say.gained, &written.gained)] {
        if !ids.is_empty() {
            line(screen, &fill(phrase, &[&ids.join(words.comma)]))?;
        }
    }
    Ok(())
}

/// `changed: plus strength "..." (char.frodo.2)`.
fn one_change(change: &Change, words: &Words) -> String {
    let say = &words.compare;
    let mut what = change.what.clone();
    if let Some((was, now)) = &change.values {
        let nothing = |text: &str| if text.is_empty() { words.none.to_owned() } else { text.to_owned() };
        what = fill(say.value, &[&what, &nothing(was), &nothing(now)]);
    }
    if !change.cites.is_empty() {
        what += &words.bracketed(&change.cites.join(words.comma));
    }
    let phrase = match change.sort {
        Sort::Added => say.added,
        Sort::Removed => say.removed,
        Sort::Changed => say.changed,
    };
    fill(phrase, &[&what])
}

fn print_rulings(rulings: &Rulings, written: &Written, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let cases = words.counts.of(Counted::Cases, rulings.cases);
    head(screen, &fill(say.rulings, &[&cases, &rulings.others.len().to_string()]))?;
    let mut groups: BTreeMap<&[String], Vec<&OtherRuling>> = BTreeMap::new();
    for other in &rulings.others {
        groups.entry(&other.through).or_default().push(other);
    }
    for (through, others) in groups {
        let said = match through {
            [] => say.through_nothing.to_owned(),
            all => fill(say.through, &[&all.join(words.comma)]),
        };
        line(screen, &said)?;
        for other in others {
            let phrase = if other.unusable { say.case_unusable } else { say.case };
            let said = fill(phrase, &[&other.place, &other.case, &other.expected, &brief(&other.got, words)]);
            screen.indented(4, &said)?;
        }
    }
    if !rulings.failing.is_empty() {
        line(screen, &fill(say.failing, &[&rulings.failing.join(words.comma)]))?;
    }
    let reached = |what: &str| rulings.reached.iter().any(|(name, _)| name == what);
    let idle = written.changes.iter().filter(|change| change.decides && !reached(&change.what));
    let idle: Vec<&str> = idle.map(|change| change.what.as_str()).collect();
    if rulings.cases > 0 && !idle.is_empty() {
        line(screen, &fill(say.no_case, &[&idle.join(words.comma)]))?;
    }
    Ok(())
}

/// What comes instead, or why a record stops, without the parts of the ruling that do not decide.
fn brief(text: &str, words: &Words) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("");
    let first = if text.contains('\n') { first.split(". ").next().unwrap_or(first) } else { first };
    match lines.find(|line| line.starts_with("  ")) {
        Some(decides) => format!("{first}{}{}", words.comma, decides.trim()),
        None => first.to_owned(),
    }
}

fn print_records(records: &Records, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let all = words.counts.of(Counted::Records, records.records);
    head(screen, &fill(say.records, &[&all, &records.others.len().to_string()]))?;
    let mut others = Vec::new();
    for other in &records.others {
        match other {
            OtherRecord::Stops(name, why) => {
                line(screen, &fill(say.record_stops, &[name, &brief(why, words)]))?;
            }
            OtherRecord::Options(name, ply) => others.push(format!("{name} ({ply})")),
        }
    }
    if !others.is_empty() {
        line(screen, &fill(say.record_options, &[&others.join(words.comma)]))?;
    }
    if !records.failing.is_empty() {
        line(screen, &fill(say.failing, &[&records.failing.join(words.comma)]))?;
    }
    Ok(())
}

fn print_clashes(clashes: &Clashes, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let pairs = clashes.pairs.map(|pairs| pairs.to_string());
    let [come, gone] = [&clashes.come, &clashes.gone].map(|these| these.len().to_string());
    head(screen, &fill(say.clashes, &[&pairs[0], &pairs[1], &come, &gone]))?;
    for (phrase, these) in [(say.clash_come, &clashes.come), (say.clash_gone, &clashes.gone)] {
        for clash in these {
            let both = fill(words.tree.against, &[&clash.clauses[0], &clash.clauses[1]]);
            line(screen, &fill(phrase, &[&both]))?;
            screen.indented(4, &clash.known)?;
        }
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn signed(value: f64) -> String {
    format!("{value:+.1}")
}

fn print_play(play: &Play, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let games = play.games.map(|games| games.to_string());
    head(screen, &fill(say.play, &[&games[0], &games[1], &play.comparisons.to_string()]))?;
    for share in &play.shares {
        let of = |n: usize, all: usize| percent(n as f64 / all.max(1) as f64);
        let shares = [of(share.games[0], play.games[0]), of(share.games[1], play.games[1])];
        let (difference, low, high) = share.difference;
        let [difference, low, high] = [difference, low, high].map(|x| signed(100.0 * x));
        let mark = if share.is_sure() { "*" } else { " " };
        line(screen, &fill(say.share, &[mark, &shares[0], &shares[1], &difference, &low, &high, &share.name]))?;
    }
    let length = &play.length;
    let means = length.means.map(|mean| format!("{mean:.1}"));
    let (difference, low, high) = length.difference;
    let [difference, low, high] = [difference, low, high].map(signed);
    let mark = if length.is_sure() { "*" } else { " " };
    line(screen, &fill(say.length, &[mark, &means[0], &means[1], &difference, &low, &high]))?;
    if play.faulty != [0, 0] {
        let faulty = play.faulty.map(|games| games.to_string());
        line(screen, &fill(say.faulty, &[&faulty[0], &faulty[1]]))?;
    }
    Ok(())
}

fn print_waking(waking: &Waking, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let games = words.counts.of(Counted::Games, waking.games);
    if waking.woke.is_empty() && waking.slept.is_empty() {
        return head(screen, &fill(say.no_waking, &[&games]));
    }
    head(screen, &fill(say.waking, &[&games]))?;
    for (phrase, names) in [(say.woke, &waking.woke), (say.slept, &waking.slept)] {
        for (name, in_games) in names {
            line(screen, &fill(phrase, &[name, &in_games.to_string()]))?;
        }
    }
    Ok(())
}

fn print_ahead(ahead: &Ahead, words: &Words, screen: &mut Screen) -> Result<(), Stop> {
    let say = &words.compare;
    let positions = words.counts.of(Counted::Positions, ahead.positions);
    let plies = words.counts.of(Counted::Plies, ahead.same_to);
    let games = words.counts.of(Counted::Games, ahead.games as usize);
    let Some(fork) = &ahead.fork else {
        let phrase = if ahead.all { say.same_everywhere } else { say.same_near };
        return head(screen, &fill(phrase, &[&positions, &plies, &games]));
    };
    let after = words.counts.of(Counted::Plies, fork.plies.len());
    let phrase = if ahead.shortest { say.shortest } else { say.found };
    head(screen, &fill(phrase, &[&after, &positions, &plies, &games]))?;
    for (n, (who, text)) in fork.plies.iter().enumerate() {
        line(screen, &format!("{}. {who}{}{text}", n + 1, words.colon))?;
    }
    match &fork.difference {
        Difference::Standing(was, now) => line(screen, &fill(say.standing, &[was, now])),
        Difference::Options(gone, come) => {
            for (phrase, texts) in [(say.only_first, gone), (say.only_second, come)] {
                if !texts.is_empty() {
                    line(screen, &fill(phrase, &[&listed(texts, words)]))?;
                }
            }
            Ok(())
        }
    }
}

/// The most options that are told.
const TOLD: usize = 10;

fn listed(texts: &[String], words: &Words) -> String {
    let mut told: Vec<&str> = texts.iter().take(TOLD).map(String::as_str).collect();
    let more = fill(words.compare.more, &[&texts.len().saturating_sub(TOLD).to_string()]);
    if texts.len() > TOLD {
        told.push(&more);
    }
    told.join("; ")
}

fn to_json(args: &Args, sides: [&Side; 2], found: &Comparison) -> Json {
    let change = |change: &Change| {
        let sort = match change.sort {
            Sort::Added => "added",
            Sort::Removed => "removed",
            Sort::Changed => "changed",
        };
        let (before, after) = change.values.clone().unzip();
        json!({ "what": change.what, "sort": sort, "cites": change.cites, "before": before, "after": after })
    };
    let ruling = |other: &OtherRuling| {
        json!({
            "case": other.case, "place": other.place, "expected": other.expected, "got": other.got,
            "unusable": other.unusable, "through": other.through,
        })
    };
    let record = |other: &OtherRecord| match other {
        OtherRecord::Stops(name, why) => json!({ "record": name, "stops": why }),
        OtherRecord::Options(name, ply) => json!({ "record": name, "options_differ_at": ply }),
    };
    let share = |share: &Share| {
        let (difference, sure) = (share.difference, share.is_sure());
        json!({ "name": share.name, "games": share.games, "difference": difference, "sure": sure })
    };
    let clash = |clash: &Clash| json!({ "clauses": clash.clauses, "known": clash.known, "found": clash.found });
    let reached = |(name, cases): &(String, usize)| json!({ "what": name, "cases": cases });
    let woke = |(name, games): &(String, usize)| json!({ "what": name, "games": games });
    json!({
        "first": named(sides[0]),
        "second": named(sides[1]),
        "seed": args.seed.fixed(),
        "differs": found.differs(),
        "written": {
            "changes": found.written.changes.iter().map(change).collect::<Vec<_>>(),
            "lost": found.written.lost, "gained": found.written.gained, "other": found.written.other,
        },
        "rulings": {
            "cases": found.rulings.cases,
            "failing": found.rulings.failing,
            "others": found.rulings.others.iter().map(ruling).collect::<Vec<_>>(),
            "reached": found.rulings.reached.iter().map(reached).collect::<Vec<_>>(),
        },
        "records": {
            "records": found.records.records,
            "failing": found.records.failing,
            "others": found.records.others.iter().map(record).collect::<Vec<_>>(),
        },
        "conflicts": {
            "pairs": found.clashes.pairs,
            "come": found.clashes.come.iter().map(clash).collect::<Vec<_>>(),
            "gone": found.clashes.gone.iter().map(clash).collect::<Vec<_>>(),
        },
        "play": found.play.as_ref().map(|play| json!({
            "games": play.games, "faulty": play.faulty, "comparisons": play.comparisons,
            "shares": play.shares.iter().map(share).collect::<Vec<_>>(),
            "length": { "means": play.length.means, "difference": play.length.difference },
        })),
        "waking": found.waking.as_ref().map(|waking| json!({
            "games": waking.games,
            "woke": waking.woke.iter().map(woke).collect::<Vec<_>>(),
            "slept": waking.slept.iter().map(woke).collect::<Vec<_>>(),
        })),
        "ahead": found.ahead.as_ref().map(|ahead| json!({
            "positions": ahead.positions, "same_to": ahead.same_to, "all": ahead.all, "games": ahead.games,
            "shortest": ahead.shortest,
            "fork": ahead.fork.as_ref().map(|fork| json!({
                "plies": fork.plies,
                "only_first": match &fork.difference { Difference::Options(a, _) => a.clone(), _ => Vec::new() },
                "only_second": match &fork.difference { Difference::Options(_, b) => b.clone(), _ => Vec::new() },
                "standing": match &fork.difference {
                    Difference::Standing(a, b) => Some([a, b]),
                    Difference::Options(..) => None,
                },
            })),
        })),
        "unplayed": found.unplayed,
    })
}
