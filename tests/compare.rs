//! `compare`: what variants change, in the program's own words.

use lawspeaker::audit::{self, Fate, MutationRun};
use lawspeaker::compare::{self, OtherRecord, Side};
use lawspeaker::facts::Settings;
use lawspeaker::library::{self, Folder};

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
fn an_idea_at_breakfast() {
    let desk = desk("confrontation", "breakfast.law");
    let args = ["compare", "confrontation", "--variant", "breakfast", "--games", "20", "--positions", "100"];
    let args = [&args[..], &["--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

#[test]
fn chess_without_castling() {
    let desk = desk("classics/chess", "no-castling.law");
    let args = ["compare", "chess", "--variant", "no_castling", "--games", "4", "--positions", "50"];
    let args = [&args[..], &["--time", "1000"]].concat();
    insta::assert_snapshot!(desk.says(1, &args));
}

#[test]
fn miniatures_in_the_mud() {
    let desk = desk("miniatures", "mud.law");
    let args = ["compare", "miniatures", "--variant", "mud", "--games", "0", "--positions", "20"];
    let args = [&args[..], &["--time", "1000"]].concat();
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
    has(&json, &["\"lost\": [\n      \"take.2\"\n    ]", "\"differs\": true"]);
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

/// Mutants are variants: what a case or record catches is named, and comes out otherwise.
#[test]
fn mutants_are_named() {
    let settings = Settings::default;
    let (mut caught, mut unnamed) = (0, Vec::new());
    for game in ["leduc-holdem", "breakthrough", "tic-tac-toe"] {
        let folder = library::find(game).unwrap();
        let before = Side::new(folder.clone(), settings()).unwrap();
        let suite = audit::suite(&folder, &before.rules.model().name, &settings()).unwrap();
        let run = MutationRun::new(&folder, &before.rules.model().name, &settings(), &|_, _| ()).unwrap();
        let every = (run.mutants.len() / 40).max(1);
        for mutant in run.mutants.iter().step_by(every) {
            let Fate::Caught { by, .. } = run.hold(mutant) else { continue };
            let mutated = |(name, text): &(String, String)| {
                let text = if *name == mutant.file { mutant.apply(text) } else { text.clone() };
                (name.clone(), text)
            };
            let files = folder.files.iter().map(mutated).collect();
            let after = Side::new(Folder { files, ..folder.clone() }, settings()).unwrap();
            let written = compare::written(&before, &after);
            let rulings = compare::rulings(&before, &after, &suite, &written);
            let records = compare::records(&before, &after, &suite, "");
            let fails = rulings.others.iter().any(|other| other.case == by)
                || records.others.iter().any(|other| match other {
                    OtherRecord::Stops(name, _) | OtherRecord::Options(name, _) => *name == by,
                });
            assert!(fails, "{}: {by} is not told of", mutant.id);
            caught += 1;
            if written.changes.is_empty() {
                unnamed.push(mutant.id.clone());
            }
        }
    }
    assert!(caught >= 80, "{caught}");
    assert_eq!(unnamed, Vec::<String>::new());
}
