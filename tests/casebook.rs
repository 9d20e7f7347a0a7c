//! Positions and casebooks: good and broken texts.

use crate::common::{load, tiny};
use lawspeaker::casebook;
use lawspeaker::facts::{self, Scene};
use lawspeaker::rules::Rules;
use proptest::prelude::*;

const GOOD: &str = r#"# Moving

Some prose.

```case
case "Frodo walks" cite move.1, move.2
given tiny with no variant_cards
  Frodo at the shire   Witch-king at Rohan     // a comment
  frodo shown   Sam shown false
  hand of Good: Good 10, Noble Sacrifice
  hand of Dark: empty
  spent: Noble Sacrifice, Good 1
  Good to move
then
  Good to decide
  Good may "Frodo to Rohan" because move.1
  legal "frodo  to rohan" because "step"
  Good may not "Frodo to Misty Mountains" because "mountains"
  illegal "Frodo to The Shire" because no permission, move.1
  Dark may not "Witch-king to Mordor" because not your decision
  Good may only "Frodo to Rohan", "Frodo to Mordor"
  hand of Good has 2   hand of Good has Good 10
  holds 1  ==  1
  Dark does not see hand of Good   Good sees Frodo
when
  Good: Frodo to Rohan
  Dark: Witch-king to The Shire
then
  Frodo at Rohan   WitchKing at Shire
  active: Good
when
  Good: Frodo to Mordor
then
  Good wins "into Mordor"
  score Good 5, Dark 0

case "It is on record"
given tiny from the start
then
  ask "Frodo to Misty Mountains"
```

Prose.

```ruling
Good: Frodo to Misty Mountains: illegal, it is prohibited
  by may not go "mountains" [move.2]
     as to is MistyMountains (to is Misty Mountains)
  overruled: may go "step" [move.1] gives way to may not go "mountains" [move.2]
```
"#;

fn failures(text: &str) -> Vec<String> {
    let (cases, faults) = casebook::parse("x.md", text);
    let faults = faults.iter().map(ToString::to_string);
    let mut all: Vec<String> = faults.collect();
    for case in &cases {
        let report = casebook::run(case, &load);
        assert_eq!(report.passed, report.failures.is_empty());
        all.extend(report.failures.iter().map(ToString::to_string));
    }
    all
}

fn case(body: &str) -> String {
    format!("```case\ncase \"c\"\n{body}\n```\n")
}

fn one(body: &str) -> String {
    failures(&case(body)).join("\n")
}

#[test]
fn a_good_casebook_passes() {
    let fixed = casebook::accept("x.md", GOOD, &load);
    assert_eq!(failures(&fixed), Vec::<String>::new());
    let (cases, faults) = casebook::parse("x.md", GOOD);
    assert_eq!((cases.len(), faults.len()), (2, 0));
    let first = cases.first().expect("two cases");
    assert_eq!(first.heading, "Moving");
    assert_eq!(first.cites, ["move.1", "move.2"]);
    let report = casebook::run(first, &load);
    let decided: Vec<&String> = report.decided.iter().collect();
    assert_eq!(decided, ["end.1", "move.1", "move.2"]);
}

#[test]
fn a_name_of_two_members_is_refused() {
    let rules = "game twins \"Twins\"\nplayers A, B\nkind Title members Ring \"The Ring\"\n\
        kind Card members TheRing \"The Ring\"\nvar n: 0..3 = 0\naction rest by A log \"rest\" { n += 1 }\nmay rest\n\
        procedure play { step turns { while n < 3 { A chooses an action among rest } } }\nends draw \"over\" when n is 3\n\
        entry \"A to move\" at play.turns { n := 0 }\n";
    let (cases, faults) = casebook::parse("x.md", &case("given twins\n  A to move\nthen\n  A sees The Ring"));
    assert!(faults.is_empty(), "{faults:?}");
    let report = casebook::run(&cases[0], &|_| Ok::<_, String>(Rules::from_text(rules).expect("sound").explaining()));
    let said = report.failures.iter().map(ToString::to_string).collect::<String>();
    let wanted = "`The Ring` names the Title `Ring` and the Card `TheRing`: write the identifier of one";
    assert!(said.contains(wanted), "{said}");
}

#[test]
fn what_is_done_already_is_asked_about_at_once() {
    let given = "given tiny\n  Frodo at Shire   Witch-king at Mordor\n  Good to move\n";
    let done = "when\n  Good: Frodo to Rohan\nthen\n  odds 1 of Frodo.at is Rohan and active is Dark";
    assert_eq!(one(&format!("{given}{done}")), "");
    // Nothing is begun in this case: a ply is made first.
    let nothing = one(&format!("{given}then\n  odds 1 of active is Good with everyone random"));
    assert!(nothing.contains("it is 0"), "{nothing}");
}

#[test]
fn nonsense_is_never_taken_for_what_may_not_be_done() {
    for text in ["Frodo to Isengard", "Frodo to Rohann", "xyzzy"] {
        let line = format!("  Good to decide\n  Good may not \"{text}\" because no such action\n");
        let said = failures(&GOOD.replacen("  Good to decide\n", &line, 1));
        assert!(said.iter().any(|one| one.contains("nothing here is written")), "{text}: {said:?}");
    }
}

#[test]
fn a_recorded_ruling_is_held_to() {
    let changed = GOOD.replace("it is prohibited\n", "it is forbidden\n");
    let found = failures(&changed).join("\n");
    assert!(found.contains("expected the recorded ruling"), "{found}");
    let accepted = casebook::accept("x.md", &changed, &load);
    assert_eq!(accepted, casebook::accept("x.md", &accepted, &load));
    assert!(failures(&accepted).is_empty());
}

#[test]
fn what_fails_says_why() {
    let start = "given tiny from the start\n";
    for (body, wanted) in [
        ("then\n  Frodo at Rohan", "`Frodo at Rohan`, but `Character.at` of Frodo is The Shire"),
        ("then\n  Dark to decide", "but it is Good's decision"),
        ("then\n  Good may \"Frodo to Misty Mountains\"", "but it is illegal. The ruling is:"),
        ("then\n  Good may \"Frodo to Rohann\"", "did you mean \"Frodo to Rohan\""),
        ("then\n  Good may not \"Frodo to Rohann\"", "nothing here is written \"Frodo to Rohann\""),
        ("then\n  legal \"Frodo to Rohan\" because \"mountains\"", "\"mountains\" is not among the reasons"),
        ("then\n  Good may only \"Frodo to Rohan\"", "\"Frodo to Mordor\" is an option too"),
        ("then\n  Good wins", "but it is Good's decision"),
        ("then\n  holds 1 == 2", "it does not hold"),
        ("then\n  depends on shelob", "there is no ruling before it"),
        ("then\n  Good may “Frodo to Rohan”", "but `“` neither begins nor ends a text: write straight quotes"),
        ("then\n  holds uses", "must be a Bool, not 0..3 (compare it: `uses > 0`)"),
        ("then\n  holds uses - 1", "must be a Bool, not an Int (compare it: `uses - 1 > 0`)"),
        ("then\n  holds active", "must be a Bool, not a Player (compare it: `active is Good`)"),
        ("then\n  holds Frodo", "must be a Bool, not a Character (compare it: `Frodo is Frodo`)"),
        ("then\n  Good to decdie", "did you mean `Good to decide`?"),
        ("then\n  Good mya \"Frodo to Rohan\"", "did you mean `Good may \"Frodo to Rohan\"`?"),
        ("then\n  Good to mvoe", "did you mean \"Good to move\"?"),
        ("whne\n  Good: Frodo to Rohan\nthen\n  chance", "`whne` begins no part of a case; did you mean `when`?"),
        ("When\n  Good: Frodo to Rohan\nthen\n  chance", "did you mean `when`?"),
        ("then\n  Dark to move", "write `SEAT to decide`"),
        ("then\n  Good sees Witch-king\n  Good does not see Frodo", "Good sees it"),
        ("when\n  Dark: Witch-king to Mordor\nthen\n  chance", "but it is Good's decision"),
        ("when\n  Elves: sing\nthen\n  chance", "`Elves` is not a seat (the seats are Good, Dark, chance)"),
        ("when\n  Good: Frodo to Mordor\n  Dark: Witch-king to Mordor\nthen\n  Good wins", "but the game is over"),
        ("then\n  Good may not \"Frodo", "x.md:5:22: expected the closing quote"),
        ("then\n  legal Frodo", "x.md:5:9: expected a text in quotes"),
        ("then\n", "the case expects nothing"),
        ("when\n  Frodo to Rohan\nthen\n  chance", "expected a colon"),
        ("given tiny\nthen\n  chance", "a second `given`"),
    ] {
        let found = one(&format!("{start}{body}"));
        assert!(found.contains(wanted), "{body}\n--- gives\n{found}");
    }
}

#[test]
fn facts_that_are_wrong_say_why() {
    for (body, wanted) in [
        ("Froddo at Rohan", "there is no `Froddo` in the game; did you mean \"Frodo\"?"),
        ("Frodo at Rohann", "at: there is no Region `Rohann`; did you mean \"Rohan\"?"),
        ("Frodo, Sam at Rohan, Mordor", "one Region is needed here, not several"),
        ("active: Good, Dark", "one Player is needed here, not several"),
        ("Frodo at Rohan Sam at Mordor", "two spaces or a line break between `Frodo at Rohan` and `Sam at Mordor`"),
        ("uses: 1 active: Dark", "two spaces or a line break between `uses: 1` and `active: Dark`"),
        ("Frodo at Rohan Sam at Mordor uses: 1", "between `Frodo at Rohan` and `Sam at Mordor uses: 1`"),
        ("Good to mvoe", "`Good to mvoe` is not a fact; did you mean \"Good to move\"?"),
        ("# Frodo", "a comment begins with `//`"),
        ("Frodo at Sam", "`Sam` is of the kind Character, but the kind Region is needed here"),
        ("Frodo, Samm at Rohan", "did you mean \"Sam\"?"),
        ("Frodo it Rohan", "a Character has no `it`"),
        ("Frodo at", "a value is missing"),
        ("hand: Good 1", "there is one `hand` for each Player"),
        ("hand of Good: Good 1, Good 1", "is named twice"),
        ("hand of Good: Good 2", "there is no Card `Good 2`"),
        ("hand of Good: { Good 1 }", "did you mean \"Good 1\"? (a set is written without braces: `A, B`)"),
        ("hnd of Good: Good 1", "there is no variable or pile `hnd`; did you mean \"hand\"?"),
        ("uses: 7", "7 is out of range: it is from 0 to 3"),
        ("uses: none", "it cannot be nothing"),
        ("uses: 1   uses: 2", "`uses` is stated twice"),
        ("hand of Good has 9", "can be expected of a position, but not stated"),
        ("Dark to move", "where play goes on was already stated"),
    ] {
        let found = one(&format!("given tiny\n  {body}\n  Good to move\nthen\n  chance"));
        assert!(found.contains(wanted), "{body}\n--- gives\n{found}");
    }
    let found = one("given tiny\n  Frodo at Rohan\nthen\n  chance");
    assert!(found.contains("Add one of: \"{p} to move\""), "{found}");
    let found = one("given tiny\n  Good to move\nthen\n  Good to decide");
    assert!(found.contains("this position cannot arise: \"both lost\""), "{found}");
    let found = one("given tiny\ngiven impossible \"both lost\"\n  Good to move\nthen\n  Good to decide");
    assert_eq!(found, "");
    let found = one("given tiny with variant_crads from the start\nthen\n  chance");
    assert!(found.contains("did you mean \"variant_cards\"?"), "{found}");
    let found = one("given huge from the start\nthen\n  chance");
    assert!(found.contains("no game is called `huge`"), "{found}");
}

#[test]
fn headers_are_read() {
    let text = "given confrontation with variant_cards, no hidden, hand_size 7, shelob any_good, preset english_2002, variant open_river from the start";
    let settings = facts::header(text).expect("a header");
    assert!(settings.from_start);
    assert_eq!(settings.preset.as_deref(), Some("english_2002"));
    assert_eq!(settings.variants, ["open_river"]);
    assert_eq!(settings.options.len(), 4);
    assert_eq!(facts::header(&settings.to_string()), Ok(settings));
    let fault = facts::header("given confrontation shelob any_good").expect_err("no `with`");
    assert_eq!(fault.column, 21, "{fault}");
    let fault = facts::header("nonsense").expect_err("no position");
    assert!(fault.message.contains("a position begins with"), "{fault}");
}

#[test]
fn a_position_is_saved_and_read_again() {
    let referee = tiny();
    let text = "given tiny\n  Frodo, Sam at Rohan   Witch-king shown true\n  hand of Good: Good 1, Good 10\n  spent: Noble Sacrifice, Good 1\n  uses: 2\n  Dark to move\n";
    let scene = Scene::parse(text).expect("a position");
    let position = scene.opening(referee.explainer());
    assert!(position.is_ok(), "{position:?}");
    let position = position.expect("a position");
    let facts = facts::write(referee.explainer(), &position).expect("an entry");
    let scene = Scene::parse(&format!("given tiny\n{facts}\n")).expect("facts");
    assert_eq!(scene.position(referee.explainer()), Ok(position));

    let start = referee.start().expect("a start");
    let choice = referee.read(&start, "frodo to mordor").expect("a choice");
    let mut over = start.clone();
    referee.apply(&mut over, choice).expect("legal");
    let text = facts::save(referee.explainer(), &scene.settings, &[(start, choice)], &over);
    assert!(text.ends_with("when\n  Good: Frodo to Mordor\n"), "{text}");
    let scene = Scene::parse(&text).expect("facts and a move");
    assert_eq!(scene.position(referee.explainer()), Ok(over));
}

proptest! {
    #![proptest_config(crate::common::tried(200))]
    #[test]
    fn mutated_casebooks_do_not_panic(at in 0usize..2000, cut in 0usize..60, with in "[ -~\n`\"]{0,8}|[\u{3000}ホé\t]{1,4}") {
        let mut text = GOOD.to_owned();
        let at = (at % text.len()..text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let end = (at + cut).min(text.len());
        if text.is_char_boundary(end) {
            text.replace_range(at..end, &with);
        }
        let _ = failures(&text);
        let _ = casebook::accept("x.md", &text, &load);
        let _ = Scene::parse(&text);
    }

    #[test]
    fn any_fact_does_not_panic(text in "(Frodo|Sam|hand|of|Good|at|:|,|1|uses|has|not|\\[|\\]|Rohan|ホ| ){0,9}\\PC{0,5}") {
        let referee = tiny();
        let names = facts::Names::new(referee.model());
        let _ = facts::resolve(referee.model(), &names, &text);
    }
}

#[test]
fn blocks_that_hold_no_case_are_reported() {
    let fine = case("given tiny from the start\nthen\n  Good to decide");
    assert_eq!(failures(&fine), Vec::<String>::new());
    for (text, wanted) in [
        (fine.replace("```case", "```cases"), "x.md:1:4: a block that begins with `cases` is not read: write `case`"),
        (fine.replace("```case", "``` Case"), "x.md:1:5: a block that begins with `Case` is not read"),
        (format!("{fine}```rulings\n```\n"), "write `ruling`"),
        (String::from("prose\n```case\n// nothing\n```\n"), "x.md:2:1: this block has no case: write `case"),
    ] {
        let found = failures(&text);
        assert!(found.len() == 1 && found[0].contains(wanted), "{text}\n--- gives\n{found:?}");
    }
    let quoted = "````text\n```cases\n```\n````\n```law\n```\n```record\n```\n```\n```\n";
    assert_eq!(failures(quoted), Vec::<String>::new());
}

#[test]
fn one_mistake_in_a_case_is_reported_once() {
    let found = failures(&case("given tiny from the start\nwehn\n  Good: Frodo to Rohan\nthen\n  Good to decide\n"));
    assert_eq!(found.len(), 1, "{found:?}");
}
