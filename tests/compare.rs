//! `compare`: what variants change, in the program's own words.

use lawspeaker::audit::{self, Fate, Mutant, MutationRun};
use lawspeaker::compare::{self, Edits, Side};
use lawspeaker::facts::Settings;
use lawspeaker::library::{self, Folder};
use rayon::prelude::*;

use crate::common::files::{root, under};
use crate::common::session::{Session, has};

/// A folder with a copy of a shipped game and a variant of it.
fn desk(game: &str, variant: &str) -> Session {
    let desk = Session::empty();
    let folder = root().join("rules").join(game);
    let name = game.rsplit('/').next().unwrap();
    for file in under(&folder) {
        let inner = file.strip_prefix(&folder).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        desk.write(&format!("{name}/{}", inner.display()), &text);
    }
    let text = std::fs::read_to_string(root().join("tests/compare").join(variant)).unwrap();
    desk.write(&format!("{name}/variants/{variant}"), &text);
    desk
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn an_idea_at_breakfast() {
    let desk = desk("confrontation", "breakfast.law");
    let args = ["compare", "confrontation", "--variant", "breakfast", "--games", "20", "--positions", "100"];
    let args = [&args[..], &["--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn chess_without_castling() {
    let desk = desk("classics/chess", "no-castling.law");
    let args = ["compare", "chess", "--variant", "no_castling", "--games", "4", "--positions", "50"];
    let args = [&args[..], &["--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn miniatures_in_the_mud() {
    let desk = desk("miniatures", "mud.law");
    let args = ["compare", "miniatures", "--variant", "mud", "--games", "0", "--positions", "20"];
    let args = [&args[..], &["--counted", "100", "--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn a_new_road() {
    let desk = desk("confrontation", "pass.law");
    let args = ["compare", "confrontation", "--variant", "over_the_pass", "--games", "4", "--positions", "20"];
    let args = [&args[..], &["--counted", "100", "--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

const GAME: &str = r#"game heap "A heap"
source book "clauses.tsv"
players First, Second
define other(p: Player) -> Player = if p is First then Second else First
var heap: 0..9 = 5
var active: Player = First
action take(n: 1..2) by active where n <= heap log "take {n}" cite take.1 { heap := heap - n }
may take "any" cite take.2
procedure play { step turns cite take.1 { while heap > 0 { active chooses an action among take  active := other(active) } } }
ends other(active) wins "the last" cite take.3 when heap is 0
"#;

#[test]
fn folders_and_layout() {
    let desk = Session::empty();
    desk.write("heap/game.law", GAME);
    desk.write("heap/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    desk.write("other/game.law", GAME.replace("{ heap := heap - n }", "{\n  // Fewer.\n  heap := heap - n\n}"));
    desk.write("other/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    let same = desk.says(0, &["compare", "heap", "--against", "other", "--games", "50"]);
    has(&same, &["the two say the same, word by word", "No difference was found in what comes out."]);
    desk.write("other/game.law", GAME.replace("\"any\" cite take.2", "\"any\" when n is 1 or heap > 4"));
    insta::assert_snapshot!(desk.says(1, &["compare", "heap", "--against", "other", "--games", "50"]));
    let json = desk.says(1, &["compare", "heap", "--against", "other", "--games", "50", "--json"]);
    has(&json, &["\"lost\": [", "\"take.2\"", "\"differs\": true"]);
}

/// A heap, and two variants of it that can be laid over each other.
fn two_ideas() -> Session {
    let desk = Session::empty();
    desk.write("heap/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    desk.write("heap/game.law", GAME);
    let odd = "variant odd \"Odd\"\nmay not take \"one of an even heap\" when n is 1 and heap mod 2 is 0\n";
    desk.write("heap/variants/odd.law", odd);
    let even = "variant even \"Even\"\nmay not take \"two of an even heap\" when n is 2 and heap mod 2 is 0\n\
                define unused(n: 0..9) -> Int = n\n";
    desk.write("heap/variants/even.law", even);
    desk.write(
        "heap/cases/heap.md",
        "# Heap\n\n```case\ncase \"both\"\ngiven heap from the start\nwhen\n  First: take 1\nthen\n  \
         Second may only \"take 1\", \"take 2\"\n```\n",
    );
    desk
}

#[test]
fn several_sets_side_by_side() {
    let desk = two_ideas();
    let args = ["compare", "heap", "--variant", "odd", "--variant", "even", "--given", "variant odd, variant even"];
    insta::assert_snapshot!(desk.says(1, &[&args[..], &["--games", "50"]].concat()));
}

/// A variant that is in force under neither rules decides a case that names it.
#[test]
fn a_variant_that_only_a_case_names() {
    let desk = two_ideas();
    let of = |then: &str| {
        format!(
            "# Heap\n\n```case\ncase \"odd\"\ngiven heap with variant odd from the start\nwhen\n  First: take 1\n\
             then\n  {then}\n```\n"
        )
    };
    desk.write("heap/cases/heap.md", of("Second may only \"take 2\""));
    for (from, to) in [("heap/game.law", "other/game.law"), ("heap/clauses.tsv", "other/clauses.tsv")] {
        desk.write(to, desk.read(from));
    }
    let odd = "variant odd \"Odd\"\nmay not take \"one of an even heap\" when n is 1 and heap mod 2 is 1\n";
    desk.write("other/variants/odd.law", odd);
    desk.write("other/variants/even.law", desk.read("heap/variants/even.law"));
    let said = desk.says(1, &["compare", "heap", "--against", "other", "--games", "20"]);
    has(&said, &["changed: variant odd: may not take \"one of an even heap\"", "because of variant odd: may not take"]);
}

#[test]
fn forms_of_the_report() {
    let desk = two_ideas();
    let args = ["compare", "heap", "--variant", "odd", "--variant", "even", "--games", "50", "--format"];
    insta::assert_snapshot!(desk.says(1, &[&args[..], &["md"]].concat()));
    let page = desk.says(1, &[&args[..], &["html"]].concat());
    has(&page, &["<!doctype html>", "<style>", "<table class=\"numbers\">", "one of an even heap"]);
    assert!(!page.contains("<script") && !page.contains("http"), "{page}");
    let out = [&args[..], &["html", "--out", "page.html"]].concat();
    has(&desk.says(1, &out), &["written: page.html"]);
    has(&desk.says(2, &out), &["page.html is there already"]);
    has(&desk.says(1, &[&out[..], &["--force"]].concat()), &["written: page.html"]);
}

#[test]
fn bots_play_to_a_precision() {
    let desk = two_ideas();
    let args = ["compare", "heap", "--variant", "odd", "--seats", "First=greedy", "--precision", "5"];
    let args = [&args[..], &["--positions", "20", "--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
    let few = [&args[..], &["--games", "20"]].concat();
    has(&desk.says(1, &few), &["the shares are not as precise as was asked for: allow more --games"]);
    let json = desk.says(1, &[&args[..], &["--json"]].concat());
    has(&json, &["\"bot\": \"greedy\"", "\"precise\": true", "\"watched\""]);
    has(&desk.says(2, &["compare", "heap", "--variant", "odd", "--seats", "Third=greedy"]), &["Third"]);
    has(&desk.says(2, &["compare", "heap", "--variant", "odd", "--precision", "0"]), &["--precision"]);
}

/// Two changes of which either is enough, and two that do it only together.
#[test]
fn several_changes_bring_it_about_each_or_together() {
    let desk = two_ideas();
    let case = "\n```case\ncase \"of five\"\ngiven heap from the start\nthen\n  First may \"take 2\"\n```\n";
    desk.write("heap/cases/five.md", format!("# Five\n{case}"));
    let never = |label: &str, heap: u8| format!("may not take \"{label}\" when n is 2 and heap is {heap}\n");
    desk.write("heap/variants/each.law", format!("variant each \"E\"\n{}{}", never("no", 5), never("not at all", 5)));
    let args = ["--games", "0", "--positions", "1", "--counted", "1"];
    let said = desk.says(1, &[&["compare", "heap", "--variant", "each"][..], &args].concat());
    let each = "because of each of these by itself: may not take \"no\", may not take \"not at all\":";
    has(&said.split_whitespace().collect::<Vec<_>>().join(" "), &[each]);
    desk.write("heap/game.law", GAME.replace("var active", "define unit() -> Int = 1\nvar active"));
    let both = "variant both \"B\"\nreplace define unit() -> Int = 5\n\
                may not take \"a unit\" when heap is unit() and n is 2\n";
    desk.write("heap/variants/both.law", both);
    let said = desk.says(1, &[&["compare", "heap", "--variant", "both"][..], &args].concat());
    has(&said, &["because of these together: define unit, may not take \"a unit\":"]);
}

/// A record that stops: the ply is told. Games that go otherwise because of the only change.
#[test]
fn a_record_stops_at_a_ply() {
    let desk = two_ideas();
    let record = "record heap\n\n1. First: take 1\n2. Second: take 1\n3. First: take 2\n4. Second: take 1\n";
    desk.write("heap/records/four.record", record);
    desk.says(0, &["replay", "heap/records/four.record", "--game", "heap"]);
    let said = desk.says(1, &["compare", "heap", "--variant", "odd", "--games", "40"]);
    has(&said, &["records/four.record stops at ply 2: Second: take 1: illegal"]);
    let json = desk.says(1, &["compare", "heap", "--variant", "odd", "--games", "40", "--json"]);
    has(&json, &["\"how\": \"alone\"", "\"ply\": 2", "\"parts\": ["]);
}

/// A link, a side, a member and a value of it, a row, a step: one more, one less, or another.
#[test]
fn each_thing_that_an_overlay_changes_is_named() {
    let desk = Session::empty();
    let text = |name: &str| std::fs::read_to_string(root().join("tests/rules").join(name)).unwrap();
    desk.write("overlays/game.law", text("overlays.law"));
    for variant in ["more", "less"] {
        desk.write(&format!("overlays/variants/{variant}.law"), text(&format!("overlays-{variant}.law")));
    }
    for table in ["hexes", "sides", "roads", "fewer"] {
        let name = format!("overlays-{table}.csv");
        desk.write(&format!("overlays/{name}"), text(&name));
    }
    let args = ["compare", "overlays", "--variant", "more", "--variant", "less", "--games", "0", "--positions", "20"];
    insta::assert_snapshot!(desk.says(1, &[&args[..], &["--time", "1000"]].concat()));
}

#[test]
fn the_shortest_game_as_records() {
    let desk = two_ideas();
    let args = ["compare", "heap", "--variant", "odd", "--games", "0", "--records", "difference"];
    has(&desk.says(1, &args), &["written: difference/first.record", "written: difference/second.record"]);
    has(&desk.says(2, &args), &["difference/first.record is there already"]);
    let records = ["first", "second"].map(|name| desk.read(&format!("difference/{name}.record")));
    insta::assert_snapshot!(records.join("----\n"));
    for name in ["first", "second"] {
        desk.says(0, &["replay", &format!("difference/{name}.record"), "--game", "heap"]);
    }
}

#[test]
fn a_conflict_that_a_variant_brings_and_one_that_it_takes_away() {
    let desk = Session::empty();
    desk.write("heap/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    let worth = "define worth(n: 0..9) -> 0..99 = n\ninstead worth(n) = 20 \"even\" when n in { 2, 4, 6, 8 }\n";
    let takes = |rules: &str| GAME.replace("var active", &format!("{worth}{rules}\nvar active"));
    desk.write("heap/game.law", takes(""));
    desk.write("heap/variants/four.law", "variant four \"Four\"\ninstead worth(n) = 40 \"four\" when n is 4\n");
    let args = ["--games", "0", "--positions", "20"];
    let told = desk.says(1, &[&["compare", "heap", "--variant", "four"][..], &args].concat());
    desk.write("heap/game.law", takes("instead worth(n) = 40 \"four\" when n is 4"));
    desk.write("heap/variants/four.law", "variant four \"Four\"\nremove \"four\"\n");
    let gone = desk.says(1, &[&["compare", "heap", "--variant", "four"][..], &args].concat());
    insta::assert_snapshot!([told, gone].join("----\n"));
}

#[test]
fn what_cannot_be_compared() {
    let desk = Session::empty();
    desk.write("heap/game.law", GAME);
    desk.write("heap/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    let mut all = String::new();
    for args in [
        &["compare", "heap"][..],
        &["compare", "heap", "--variant", "none"],
        &["compare", "heap", "--against", "nowhere"],
        &["compare", "tic-tac-toe", "--base", "HEAD"],
        &["compare", "heap", "--base=-x"],
    ] {
        all += &desk.says(2, args);
    }
    insta::assert_snapshot!(all);
    has(&desk.says(2, &["compare", "heap", "--base", "HEAD"]), &["git"]);
}

#[test]
fn a_revision_of_git() {
    let desk = Session::empty();
    desk.write("heap/game.law", GAME);
    desk.write("heap/clauses.tsv", "id\tparaphrase_en\ntake.1\t\ntake.2\t\ntake.3\t\n");
    let git = |args: &[&str]| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let done = std::process::Command::new("git").arg("-C").arg(desk.dir.path()).args(own).args(args).output();
        assert!(done.unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    desk.write("heap/game.law", GAME.replace("0..9 = 5", "0..9 = 4"));
    let said = desk.says(1, &["compare", "heap", "--base", "HEAD", "--games", "50"]);
    has(&said, &["first: heap at HEAD", "second: heap\n", "the shortest game"]);
}

/// The rules with one place of them changed.
fn mutated(folder: &Folder, mutant: &Mutant) -> Option<Side> {
    let changed = |(name, text): &(String, String)| {
        let text = if *name == mutant.file { mutant.apply(text) } else { text.clone() };
        (name.clone(), text)
    };
    let files = folder.files.iter().map(changed).collect();
    Side::new(Folder { files, ..folder.clone() }, Settings::default()).ok()
}

/// Whether a change is of the part of the rules in which a mutant is: they have the same label, or the same name.
fn is_of(change: &str, owner: &str) -> bool {
    let quoted: Vec<&str> = owner.split('"').skip(1).step_by(2).collect();
    match quoted.last() {
        Some(label) => change.contains(label),
        None => change.contains(owner.split([' ', '(']).rfind(|word| !word.is_empty()).unwrap_or("")),
    }
}

/// A game with what it is compared by.
struct Desk {
    folder: Folder,
    before: Side,
    suite: audit::Suite,
}

impl Desk {
    fn new(game: &str) -> Desk {
        let folder = library::find(game).unwrap();
        let before = Side::new(folder.clone(), Settings::default()).unwrap();
        let suite = audit::suite(&folder, &before.rules.model().name, &Settings::default()).unwrap();
        Desk { folder, before, suite }
    }
}

/// Games whose cases and records run in a moment.
const SMALL: [&str; 7] =
    ["leduc-holdem", "breakthrough", "tic-tac-toe", "connect-four", "hex", "reversi", "backgammon"];

/// Compares the rules of some games with mutants of them that a case or record catches, of each game about so many.
/// Returns how many there were, and those of which the comparison does not name the clause.
fn caught(games: &[&str], each: usize) -> (usize, Vec<String>) {
    let (mut caught, mut unnamed) = (0, Vec::new());
    for game in games {
        let Desk { folder, before, suite } = &Desk::new(game);
        let run = MutationRun::new(folder, &before.rules.model().name, &Settings::default(), &|_, _| ()).unwrap();
        let some: Vec<&Mutant> = run.mutants.iter().step_by((run.mutants.len() / each).max(1)).collect();
        let names = |mutant: &&Mutant| -> Option<Option<String>> {
            let Fate::Caught { by, .. } = run.hold(mutant) else { return None };
            let after = mutated(folder, mutant).unwrap();
            let written = compare::written(before, &after);
            let edits = Edits::new(before, &after, &written);
            let rulings = compare::rulings(before, &after, suite, &written, &edits);
            let records = compare::records(before, &after, suite, &edits, "");
            let case = rulings.others.iter().find(|other| other.case == by).map(|other| &other.deciding);
            let record = records.others.iter().find(|other| other.record == by).map(|other| &other.deciding);
            let deciding = case.or(record).unwrap_or_else(|| panic!("{}: {by} is not told of", mutant.id));
            let named = deciding.names.iter().any(|name| is_of(name, &mutant.owner));
            Some((!named).then(|| format!("{}: {:?}", mutant.id, deciding.names)))
        };
        let told: Vec<Option<String>> = some.par_iter().filter_map(names).collect();
        caught += told.len();
        unnamed.extend(told.into_iter().flatten());
    }
    (caught, unnamed)
}

/// Mutants are variants: what a case or record catches comes out otherwise because of the clause that was changed.
#[test]
fn mutants_are_named() {
    let (caught, unnamed) = caught(&["leduc-holdem", "breakthrough", "tic-tac-toe"], 12);
    assert_eq!(unnamed, Vec::<String>::new());
    assert!(caught >= 25, "{caught}");
}

#[test]
#[ignore = "long"]
fn a_hundred_mutants_are_named() {
    let (mut all, mut unnamed) = (0, Vec::new());
    for (game, each) in
        [SMALL.map(|game| (game, 15)).as_slice(), &[("chess", 15), ("confrontation", 40), ("riddle", 10)]].concat()
    {
        let began = std::time::Instant::now();
        let (caught, others) = caught(&[game], each);
        println!("{game}: {caught} mutants, {} not named, {:.0?}", others.len(), began.elapsed());
        all += caught;
        unnamed.extend(others);
    }
    assert_eq!(unnamed, Vec::<String>::new());
    assert!(all >= 100, "{all}");
}

/// Mutants of which `mutants.md` says that they change nothing: no case, record or count comes out otherwise. Returns
/// how many were compared, and what differs. One that the checker refuses is no variant, and is left out.
fn equivalent(games: &[&str], every: usize) -> (usize, Vec<String>) {
    let (mut compared, mut differs) = (0, Vec::new());
    for game in games {
        let Desk { folder, before, suite } = &Desk::new(game);
        let mutants = audit::mutants(&folder.rules());
        let explained: Vec<String> =
            audit::explanation(folder).iter().step_by(every).map(|explained| explained.id.clone()).collect();
        let differs_in = |id: &String| -> Option<Option<String>> {
            let Some(mutant) = mutants.iter().find(|mutant| mutant.id == *id) else {
                return Some(Some(format!("{game} has no mutant {id}")));
            };
            let after = mutated(folder, mutant)?;
            let written = compare::written(before, &after);
            let edits = Edits::new(before, &after, &written);
            let rulings = compare::rulings(before, &after, suite, &written, &edits);
            let records = compare::records(before, &after, suite, &edits, "");
            let within = (2000, std::time::Duration::from_secs(1000));
            let counts = compare::counts(before, &after, within, &edits, "");
            let same = rulings.others.is_empty()
                && records.others.is_empty()
                && counts.iter().all(|counted| counted.fork.is_none());
            Some((!same).then(|| format!("{game}: {id}: {:?} {:?} {counts:?}", rulings.others, records.others)))
        };
        let found: Vec<Option<String>> = explained.par_iter().filter_map(differs_in).collect();
        compared += found.len();
        differs.extend(found.into_iter().flatten());
    }
    (compared, differs)
}

#[test]
fn mutants_that_change_nothing_show_no_difference() {
    let (compared, differs) = equivalent(&["tic-tac-toe", "breakthrough", "leduc-holdem", "hex"], 2);
    assert_eq!(differs, Vec::<String>::new());
    assert!(compared >= 4, "{compared}");
}

#[test]
#[ignore = "long"]
fn all_mutants_that_change_nothing_show_no_difference() {
    let (mut all, mut differs) = (0, Vec::new());
    // Of the games whose cases take long, some.
    let large = [("chess", 1), ("confrontation", 1), ("riddle", 1), ("war-of-the-ring", 2), ("miniatures", 24)];
    for (game, every) in [SMALL.map(|game| (game, 1)).as_slice(), &large].concat() {
        let began = std::time::Instant::now();
        let (compared, others) = equivalent(&[game], every);
        println!("{game}: {compared} mutants, {} differ, {:.0?}", others.len(), began.elapsed());
        all += compared;
        differs.extend(others);
    }
    assert_eq!(differs, Vec::<String>::new());
    assert!(all >= 125, "{all}");
}
