//! `exceptions` and `check --conflicts` as a person meets them.

use crate::common::session::Session;

const GAME: &str = r#"game guard "The guard"
source book "clauses.tsv"
players Good, Dark
kind Region members Shire "the Shire" ja "ホビット庄", Moria, Rohan
kind Character owned by side { side: Player  printed: Int  var at: Region?  var shown: Bool = false }
Character Frodo "Frodo" ja "フロド" { side Good  printed 1 }
Character Orcs { side Dark  printed 2
  ability "Terror" cite orcs.1 { plus strength(c) by -1 "afraid of Orcs" when c.at is Orcs.at and c is not Orcs }
}
silence ability "Terror" of c: Character "by daylight" cite orcs.2 when c.shown
spare "Terror" cite orcs.2 when Orcs.at is Moria

define strength(c: Character) -> Int = c.printed cite char.1
instead strength(c) = 4 "brave" ja "勇敢" cite char.2 when c.shown
instead strength(c) = 1 "afraid of the dark" exception to "brave" cite char.3 when c.at is Moria
instead strength(Frodo) = 3 "the Ring" exception to "afraid of the dark" cite char.4 when Frodo.at is Moria
at most strength(c) 9 cite char.1

var active: Player = Good
var turns: 0..50 = 0
action walk(c: Character, to: Region) by active where c.side is active cite walk.1 { c.at := to }
may walk "on foot" cite walk.1 when to is not c.at
may walk "on a pony" despite "not back" once per game cite walk.2 when c is Frodo
may not walk "not back" cite walk.3 when to is Shire
must walk "to the war" cite walk.4 so that to is Rohan when strength(c) > 3

procedure play { step days { while turns < 50 { day() } } }
procedure day() {
  step march { active chooses an action among walk }
  step rest cite walk.1 { turns += 1 }
}
after day.rest "a song" cite walk.1 when Frodo.shown { turns += 1 }
ends draw "enough" cite walk.1 when turns >= 50
ends Good wins "home again" cite walk.1 ranks above "enough" when Frodo.at is Shire
"#;

const VARIANT: &str = r#"variant night "By night"
instead strength(c) = 0 "asleep" cite char.5 when turns >= 40
"#;

const REGISTER: &str = "id\tparaphrase_en\nchar.1\t\nchar.2\t\nchar.3\t\nchar.4\t\nchar.5\t\norcs.1\t\norcs.2\t\nwalk.1\t\nwalk.2\t\nwalk.3\t\nwalk.4\t\n";

fn desk() -> Session {
    let desk = Session::empty();
    desk.write("guard/game.law", GAME);
    desk.write("guard/variants/night.law", VARIANT);
    desk.write("guard/clauses.tsv", REGISTER);
    desk
}

#[test]
fn trees() {
    let desk = desk();
    let mut all = String::new();
    for args in [
        &["exceptions", "guard"][..],
        &["exceptions", "guard", "strength"],
        &["exceptions", "guard", "strength", "--variant", "night"],
        &["exceptions", "guard", "brave", "--lang", "ja"],
        &["exceptions", "guard", "walk"],
        &["exceptions", "guard", "day.rest"],
        &["exceptions", "guard", "ends"],
    ] {
        all += &format!("$ {}\n{}\n", args.join(" "), desk.says(0, args));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_name_that_there_is_not_gets_a_suggestion() {
    let desk = desk();
    let said = desk.says(2, &["exceptions", "guard", "strenght"]);
    assert!(said.contains("did you mean strength?"), "{said}");
    let said = desk.says(2, &["exceptions", "guard", "xyzzy"]);
    assert!(said.contains("lists what has exceptions"), "{said}");
}

#[test]
fn programs_get_the_tree_and_the_pairs() {
    let desk = desk();
    let said = desk.says(0, &["exceptions", "guard", "strength", "--json", "--variant", "night"]);
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    let brave = &json["clauses"][0]["inside"][0];
    assert_eq!((&brave["label"], &brave["cites"][0]), (&"brave".into(), &"char.2".into()));
    assert_eq!(brave["inside"][0]["inside"][0]["label"], "the Ring");
    let asleep = &json["clauses"][0]["inside"][1];
    assert_eq!((&asleep["variant"], &asleep["file"]), (&"night".into(), &"variants/night.law".into()));
    let clash = json["pairs"].as_array().unwrap().iter().find(|p| p["answer"] == "clash").unwrap();
    assert!(clash["example"]["facts"].as_array().unwrap().iter().any(|f| f == "turns: 40"), "{clash}");
    let list = desk.says(0, &["exceptions", "guard", "--json"]);
    assert!(serde_json::from_str::<serde_json::Value>(&list).unwrap().as_array().unwrap().len() > 3);
}

#[test]
fn conflicts_are_searched_in_the_game_and_in_its_variants() {
    let desk = desk();
    let said = desk.says(0, &["check", "guard", "--conflicts"]);
    let (game, variant) = said.split_once("of clauses that could disagree").unwrap();
    assert!(!game.contains("law::possible-conflict"), "{said}");
    assert!(variant.contains("law::possible-conflict") && variant.contains("turns: 40"), "{said}");
    assert!(variant.contains("guard with variant night"), "{said}");
    let json = desk.says(0, &["check", "guard", "--conflicts", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["pairs"].as_array().is_some_and(|p| !p.is_empty()));
    let plain = desk.says(0, &["check", "guard", "--json"]);
    assert!(!plain.contains("pairs"));
}

#[test]
fn conflicts_are_searched_under_the_options_that_are_set() {
    let desk = desk();
    let siege = "variant siege \"Under siege\"\noption walls: Bool = false \"With walls\"\n\
                 instead strength(c) = 5 \"behind walls\" cite char.5 when walls and turns >= 40\n";
    desk.write("guard/variants/siege.law", siege);
    let rules = ["guard", "--variant", "siege"];
    let warned = |with: &[&str]| {
        let said = desk.says(0, &[&["check", "--conflicts"], &rules[..], with].concat());
        said.contains("law::possible-conflict")
    };
    assert!(warned(&[]) && warned(&["--with", "walls=true"]) && !warned(&["--with", "walls=false"]));
    let clash = |with: &[&str]| {
        let said = desk.says(0, &[&["exceptions", "--json"], &rules[..], &["strength"], with].concat());
        let json: serde_json::Value = serde_json::from_str(&said).unwrap();
        json["pairs"].as_array().unwrap().iter().any(|p| p["answer"] == "clash")
    };
    assert!(clash(&[]) && clash(&["--with", "walls"]) && !clash(&["--with", "walls=false"]));
    let said = desk.says(2, &["check", "guard", "--with", "wals=true"]);
    assert!(said.contains("no option or reading is called `wals`"), "{said}");
}
