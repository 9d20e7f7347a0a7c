//! Coverage measured and mutants, on a small game whose casebook has holes that are known.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use lawspeaker::audit::{self, Fate, MutationLog, MutationRun};
use lawspeaker::library::{self, Folder};
use lawspeaker::rules::Rulebook;

use crate::common::files::{copy, root};
use crate::common::session::Session;

fn fixture() -> PathBuf {
    root().join("tests/audit")
}

impl Session {
    /// A folder with a copy of the small game in `stones`.
    fn with_stones() -> Session {
        let session = Session::empty();
        copy(&fixture(), &session.path("stones"));
        session
    }

    fn json(&self, code: i32, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.says(code, args)).unwrap()
    }
}

/// The two cases that the casebook lacks.
const MISSING: &str = "
```case
case \"Of two stones two\" cite take.3
given stones
  left: 2   First to move
then
  holds limit() == 2 because take.3

case \"Three of four, and a heap that is empty\" cite take.2
given stones
  left: 4   First to move
then
  First may \"take 3\"

case \"Nobody begins with nothing\" cite end.1
given stones
given impossible \"an empty heap\"
  left: 0   First to move
then
  Second wins
```
";

#[test]
fn every_place_of_the_rules_has_its_mutants() {
    let session = Session::with_stones();
    insta::assert_snapshot!(session.says(0, &["mutate", "stones", "--list"]));
}

#[test]
fn survivors_are_shown_with_their_change() {
    let session = Session::with_stones();
    insta::assert_snapshot!(session.says(1, &["mutate", "stones", "--explained"]));
}

#[test]
fn a_part_of_the_mutants_can_be_had() {
    let session = Session::with_stones();
    let found = session.says(0, &["mutate", "stones", "--only", "take.2", "--list"]);
    assert!(found.lines().all(|l| l.contains("not three of three") || !l.contains("game.law")), "{found}");
    let first = session.says(0, &["mutate", "stones", "--sample", "5", "--seed", "3", "--list"]);
    assert!(first.ends_with("5 mutants\n"), "{first}");
    assert_eq!(first, session.says(0, &["mutate", "stones", "--sample", "5", "--seed", "3", "--list"]));
    assert_ne!(first, session.says(0, &["mutate", "stones", "--sample", "5", "--seed", "4", "--list"]));
}

#[test]
fn what_is_found_out_is_kept() {
    let session = Session::with_stones();
    let before = session.json(1, &["mutate", "stones", "--json"]);
    let kept = session.read("stones.mutants");
    assert_eq!(kept.lines().count(), 1 + before["mutants"].as_array().unwrap().len());
    // A file that was cut off in the middle of a line is gone on with.
    std::fs::write(session.path("stones.mutants"), &kept[..kept.len() - 20]).unwrap();
    assert_eq!(session.json(1, &["mutate", "stones", "--json"]), before);
    assert_eq!(session.read("stones.mutants").lines().count(), kept.lines().count());
    // What was caught by a case that is still there is believed.
    session.change("stones.mutants", "\"by\":\"Not three of three\"", "\"by\":\"somebody else\"");
    let again = session.says(1, &["mutate", "stones", "--json"]);
    assert!(again.contains("somebody else"), "{again}");
    // With more cases the survivors are tried again, and only they.
    let more = session.read("stones/cases/rulings.md") + MISSING;
    std::fs::write(session.path("stones/cases/rulings.md"), more).unwrap();
    let more = session.json(1, &["mutate", "stones", "--json"]);
    assert!(more.to_string().contains("somebody else"));
    let unexplained = |json: &serde_json::Value| json["survived"]["unexplained"].as_u64().unwrap();
    assert!(unexplained(&more) < unexplained(&before), "{more:#}");
    // Under other rules nothing is believed.
    session.change("stones/game.law", "// A heap", "// Heap");
    let anew = session.says(1, &["mutate", "stones", "--json"]);
    assert!(!anew.contains("somebody else"), "{anew}");
    // Another place, and none.
    session.says(1, &["mutate", "stones", "--only", "take.3", "--state", "other.jsonl"]);
    assert!(session.path("other.jsonl").exists());
}

#[test]
fn survivors_that_are_all_explained_are_no_fault() {
    let session = Session::with_stones();
    let survivors = session.json(1, &["mutate", "stones", "--json"]);
    let ids: Vec<String> = survivors["mutants"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m.get("survived").is_some())
        .map(|m| m["id"].as_str().unwrap().to_owned())
        .collect();
    let block = format!("```mutants\n{}\n    it is only a test\n```\n", ids.join("\n"));
    std::fs::write(session.path("stones/mutants.md"), block).unwrap();
    session.change("stones/README.md", "```mutants", "```text");
    let said = session.says(0, &["mutate", "stones"]);
    assert!(said.contains("survived, all explained"), "{said}");
}

#[test]
fn what_cannot_be_used_is_refused_with_advice() {
    let session = Session::with_stones();
    let has = |text: String, part: &str| assert!(text.contains(part), "{part} in:\n{text}");
    has(session.says(2, &["mutate", "stones", "--only", "nothing at all"]), "`--list` lists their names");
    has(session.says(2, &["mutate", "stones", "--state", "stones/game.law"]), "is not a list of mutants");
    has(session.says(2, &["mutate", "stones", "--state", "gone/state"]), "choose another place with --state");
    has(session.says(2, &["mutate", "stone"]), "no game is called stone");
    has(session.says(2, &["clauses", "stones", "--cases"]), "--measured");
    session.change("stones/cases/rulings.md", "left: 1   Second", "left: 2   Second");
    has(session.says(2, &["mutate", "stones"]), "cases/rulings.md:21 fails already");
    has(session.says(1, &["clauses", "stones", "--measured"]), "cases/rulings.md:21 fails");
    session.change("stones/cases/rulings.md", "left: 2   Second", "lift: 2   Second");
    has(session.says(2, &["mutate", "stones"]), "fails already");
    session.change("stones/cases/rulings.md", "case \"Not three", "casse \"Not three");
    has(session.says(2, &["mutate", "stones"]), "`lawspeaker test stones` shows all");
    session.change("stones/game.law", "left is 3", "left is three");
    has(session.says(2, &["mutate", "stones"]), "the rules of stones have errors");
}

/// Under settings that the cases were not written for, what still passes is run.
#[test]
fn what_does_not_pass_with_the_settings_is_left_out() {
    let session = Session::with_stones();
    session.write("stones/variants/two.law", "variant two \"At most two\"\nmay not take \"not three\" when n is 3\n");
    let left_out = "left out because they do not pass with these settings: cases/rulings.md:4";
    let said = session.says(1, &["mutate", "stones", "--variant", "two", "--no-state"]);
    assert!(said.contains(left_out) && said.contains("run against 2 cases"), "{said}");
    let said = session.says(0, &["clauses", "stones", "--measured", "--cases", "--variant", "two"]);
    assert!(said.contains(left_out) && said.contains("may not take \"not three\""), "{said}");
    let json = session.json(0, &["clauses", "stones", "--measured", "--cases", "--variant", "two", "--json"]);
    let decided = |part: &serde_json::Value| part["measured"]["cases"]["decided"].as_u64().unwrap();
    let parts = json["parts"].as_array().unwrap();
    let own = parts.iter().find(|part| part["part"].as_str().unwrap().contains("not three\"")).unwrap();
    assert_eq!(decided(own), 1, "{own}");
}

#[test]
fn a_waiver_must_waive_something() {
    let session = Session::with_stones();
    session.change("stones/cases/rulings.md", "  left: 3 ", "given impossible \"an empty heap\"\n  left: 3 ");
    let said = session.says(1, &["test", "stones"]);
    assert!(said.contains("no `never` with that label rules out the position"), "{said}");
}

#[test]
fn coverage_is_measured() {
    let session = Session::with_stones();
    insta::assert_snapshot!(
        session.says(0, &["clauses", "stones", "--measured", "--cases", "--records", "--games", "3"])
    );
    insta::assert_snapshot!(session.says(1, &["clauses", "stones", "--measured", "--cases", "--bare"]));
    let json = session.json(0, &["clauses", "stones", "--measured", "--json"]);
    assert_eq!(json["measured"][1]["through"], "records");
    assert_eq!(json["parts"][0]["part"], "define rival");
    let more = session.read("stones/cases/rulings.md") + MISSING;
    std::fs::write(session.path("stones/cases/rulings.md"), more).unwrap();
    session.says(0, &["clauses", "stones", "--measured", "--cases", "--bare"]);
}

/// Cases that do not come across a mutant are not asked: none of them would have noticed.
fn leaving_out_is_sound(game: &str) {
    let loaded = library::open(game, &[]).unwrap();
    let hunt =
        MutationRun::new(&loaded.folder, &loaded.model.name, &lawspeaker::facts::Settings::default(), &|_, _| {})
            .unwrap();
    let mut asked_fewer = 0;
    for mutant in &hunt.mutants {
        let Fate::Survived { asked, .. } = hunt.hold(mutant) else { continue };
        asked_fewer += usize::from(asked < hunt.suite.len());
        let mut files = loaded.folder.rules();
        let file = files.iter_mut().find(|(name, _)| *name == mutant.file).unwrap();
        file.1 = mutant.apply(&file.1);
        let rules = Rulebook::new(Folder { files, ..Folder::default() });
        for item in &hunt.suite {
            item.holds(&rules).unwrap_or_else(|e| panic!("{} notices {}: {e}", item.name, mutant.id));
        }
    }
    assert!(asked_fewer > 0 || game.contains("stones"), "{game}: every case was asked about every mutant");
}

#[test]
fn cases_left_out_would_not_have_noticed() {
    leaving_out_is_sound(&fixture().display().to_string());
    leaving_out_is_sound("connect-four");
}

/// What `mutants.md` explains is a mutant of the rules as they are.
#[test]
fn what_is_explained_is_a_mutant() {
    for game in library::shipped() {
        let folder = library::find(&game).unwrap();
        let made: BTreeSet<String> = audit::mutants(&folder.rules()).into_iter().map(|mutant| mutant.id).collect();
        let explained = audit::explanation(&folder).into_iter().map(|explained| explained.id);
        let unknown: Vec<String> = explained.filter(|id| !made.contains(id)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{game}");
    }
}

/// No case that is left out would have noticed a mutant, in any shipped game.
#[test]
#[ignore = "takes minutes: cargo test --release audit -- --ignored"]
fn cases_left_out_would_not_have_noticed_in_any_shipped_game() {
    for game in library::shipped() {
        leaving_out_is_sound(&game);
    }
}

#[test]
fn a_journal_without_a_file_knows_nothing() {
    let journal = MutationLog::none();
    journal.add("x", &Fate::Refused(String::new())).unwrap();
    assert_eq!(journal.known("x"), None);
}
