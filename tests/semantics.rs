//! What the language means: small games in `tests/rules`, their casebooks, and rules that fail in play.

use std::path::PathBuf;
use std::sync::Arc;

use lawspeaker::casebook;
use lawspeaker::check::{Severity, check};
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Evaluator, Fault, FaultDetail, FaultKind, Position, Status, Verdict};
use lawspeaker::lexicon::Lexicon;
use lawspeaker::library::{Folder, Loaded};
use lawspeaker::list;
use lawspeaker::model::{Config, Model};
use lawspeaker::notation;
use lawspeaker::rules::Rules;

use crate::common::files::root;

fn folder() -> PathBuf {
    root().join("tests/rules")
}

fn model(files: &[(String, String)], variants: &[String]) -> Result<Model, String> {
    let checked = check(files, variants);
    let errors = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let words = errors.map(|d| {
        let place = d.labels.first().map(|l| checked.sources.place(l.0));
        format!("{} {} at {place:?}\n", d.code, d.message)
    });
    let words: String = words.collect();
    checked.model.ok_or(words)
}

/// The game `NAME.law`, with the variants `NAME-VARIANT.law` and the tables beside it.
fn load(settings: &Settings) -> Result<Rules, String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder()).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("").to_owned();
        let stem = name.strip_suffix(".law").unwrap_or("");
        let table = name.ends_with(".csv");
        if table || stem == settings.game || stem.starts_with(&format!("{}-", settings.game)) {
            files.push((name, std::fs::read_to_string(&path).map_err(|e| e.to_string())?));
        }
    }
    let model = Arc::new(model(&files, &settings.variants)?);
    let folder = Folder { files, ..Folder::default() };
    let loaded = Loaded { model, folder, variants: settings.variants.clone(), warnings: Vec::new() };
    Rules::of(Arc::new(loaded), settings).map(Rules::explaining).map_err(|e| e.to_string())
}

#[test]
fn the_casebooks_hold() {
    let mut wrong = String::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let (found, faults) = casebook::parse(name, &std::fs::read_to_string(&path).unwrap());
        wrong.extend(faults.iter().map(|f| format!("{f}\n")));
        for case in &found {
            cases += 1;
            wrong.extend(casebook::run(case, &load).failures.iter().map(|f| format!("{f}\n")));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(cases >= 45, "{cases}");
}

/// A game of two seats with some declarations, whose procedure `play` has this body.
fn game(decls: &str, body: &str) -> Result<Explainer, String> {
    let body = body.lines().map(|l| format!("  {l}\n")).collect::<String>();
    let text = format!(
        "game small \"Small\"\nplayers One, Two\nvar n: 0..9 = 0\nkind Thing members X, Y, Z\n{decls}\n\
         procedure play {{\n{body}}}\n"
    );
    let model = model(&[("small.law".into(), text)], &[])?;
    let config = Config::defaults(&model);
    Ok(Explainer::new(Arc::new(model), config))
}

/// Starts a game and makes these choices, as far as it goes.
fn play(game: &Explainer, choices: &[&str]) -> Result<Position, Fault> {
    let mut position = game.start()?;
    for text in choices {
        let choice = notation::read(game, &position, text).unwrap_or_else(|e| panic!("{text}: {e}"));
        game.apply(&mut position, choice)?;
    }
    Ok(position)
}

fn fails(decls: &str, body: &str, choices: &[&str]) -> Fault {
    let game = game(decls, body).unwrap_or_else(|e| panic!("{body}: {e}"));
    play(&game, choices).expect_err(body)
}

const PASS: &str = "action rest by One log \"rest\" { }\nmay rest \"r\" when n < 9\n";

#[test]
fn rules_that_fail_say_how() {
    let hooks = |a: &str, b: &str| {
        format!("{PASS}procedure fight {{ step s }}\nat fight.s \"a\" {{ {a} }}\nat fight.s \"b\" {{ {b} }}\n")
    };
    let rest = "One chooses an action among rest";
    let cases: Vec<(String, String, &[&str], FaultKind, usize)> = vec![
        // Nothing says what happens next.
        (PASS.into(), rest.into(), &["rest"], FaultKind::Gap, 0),
        (PASS.into(), format!("n := 9 {rest}"), &[], FaultKind::Gap, 1),
        // Numbers.
        (PASS.into(), format!("{rest} n := n + 10"), &["rest"], FaultKind::OutOfRange, 0),
        (PASS.into(), format!("{rest} n := 5 / n"), &["rest"], FaultKind::OutOfRange, 0),
        ("var big: Int = 2000000000".into(), "big += big".into(), &[], FaultKind::OutOfRange, 0),
        // Nothing to choose from, nothing to take.
        ("var s: set of Thing".into(), "One chooses x from s".into(), &[], FaultKind::Nothing, 0),
        ("var s: set of Thing".into(), "pick x at random from s".into(), &[], FaultKind::Nothing, 0),
        ("pile p of Thing".into(), "take X from p".into(), &[], FaultKind::Nothing, 0),
        // Bags.
        ("var b: bag of Thing".into(), "put X into b take Y from b".into(), &[], FaultKind::Nothing, 0),
        ("var b: bag of 1..6".into(), "put n + 7 into b".into(), &[], FaultKind::OutOfRange, 0),
        // 7 would have a bit in the byte of the set.
        ("var s: set of 1..6".into(), "put n + 7 into s".into(), &[], FaultKind::OutOfRange, 0),
        ("var b: bag of 1..6".into(), "roll d from 6..6 times 256 into b".into(), &[], FaultKind::OutOfRange, 0),
        (
            "var b: bag of 1..6\nvar c: bag of 1..6".into(),
            "roll d from 6..6 times 200 into b c := b b += c".into(),
            &[],
            FaultKind::OutOfRange,
            0,
        ),
        ("procedure fight { step s }".into(), "finish fight".into(), &[], FaultKind::Nothing, 0),
        // Hooks that nothing ranks.
        (hooks("n := 1", "n := 2"), format!("fight() {rest}"), &[], FaultKind::Conflict, 2),
        (hooks("n := n + 1", "n := n * 2"), format!("n := 3 fight() {rest}"), &[], FaultKind::Conflict, 2),
        (hooks("One may \"x\" { n := 1 }", "n := 2"), format!("fight() {rest}"), &[], FaultKind::Conflict, 2),
        (hooks("", "").replace("at fight", "instead of fight"), format!("fight() {rest}"), &[], FaultKind::Conflict, 2),
        // Two endings.
        (
            format!("{PASS}ends One wins \"a\" when n is 1\nends Two wins \"b\" when n is 1"),
            "step s { n := 1 }".into(),
            &[],
            FaultKind::Conflict,
            2,
        ),
        // Too many at once.
        (
            "procedure dig(k: 0..9) nested 2 { when k > 0 { dig(k - 1) } }".into(),
            "dig(2)".into(),
            &[],
            FaultKind::Endless,
            0,
        ),
        (ring(9), "p0(280)".into(), &[], FaultKind::Endless, 0),
    ];
    for (decls, body, choices, kind, clauses) in cases {
        let fault = fails(&decls, &body, choices);
        assert_eq!((fault.kind, fault.clauses.len()), (kind, clauses), "{body}: {:?}", fault.detail);
    }
}

/// A loop that changes nothing is named, with what it passes through; one that counts is not taken for it.
#[test]
fn a_loop_that_comes_back_to_the_same_position_is_found_at_once() {
    let decls = "var s: set of Thing\nvar big: Int = 0\nvar turn: Bool = false\n\
        procedure inner { step i { for t in Thing { n := 0 } } }\n\
        procedure outer { step o { inner() } }\nafter outer.o \"tired\" { turn := not turn }";
    let asks = "One may choose x from s else \"none\" { n := 1 }";
    let named = |body: &str| {
        let game = game(decls, body).unwrap_or_else(|e| panic!("{body}: {e}"));
        let fault = play(&game, &[]).expect_err(body);
        assert_eq!(fault.kind, FaultKind::Endless, "{body}");
        let names = match &fault.detail {
            FaultDetail::SamePosition(codes) => {
                codes.iter().map(|c| game.model().codes[c.0 as usize].name.clone()).collect()
            }
            other => vec![format!("{other:?}")],
        };
        (names.join(", "), game.model().sources.line(fault.span).trim().to_owned(), fault.clauses.len())
    };
    let alone = format!("while n is 0 {{ {asks} }}");
    assert_eq!(named(&alone), (String::new(), alone, 0));
    let (names, place, clauses) = named(&format!("n := 0\nwhile n is 0 {{ outer() {asks} }}"));
    assert_eq!((names.as_str(), clauses), ("outer, inner, after outer.o", 1));
    assert!(place.starts_with("while n is 0 { outer()"), "{place}");
    // Of two loops in each other the one that comes back is named.
    let (_, place, _) = named(&format!("while n is 0 {{ for t in Thing {{ inner() }} {asks} }}"));
    assert!(place.starts_with("while n is 0"), "{place}");
    // What counts comes back to no position.
    assert_eq!(named(&format!("while big >= 0 {{ big += 1 {asks} }}")).0, "NoDecision");
}

/// Procedures that do each other in a ring, each as many times as can be: together more than a stack holds.
fn ring(n: usize) -> String {
    let next = |i| (i + 1) % n;
    (0..n)
        .map(|i| format!("procedure p{i}(k: 0..300) nested 32 {{ when k > 0 {{ p{}(k - 1) }} }}\n", next(i)))
        .collect()
}

#[test]
fn bags_are_written_and_shown_copy_by_copy() {
    let facts = "pool: 3, 3, 6\nheld of Two: Red, Blue, Blue\nAsh dice 1, 5, 5\nOne to strike";
    let given = facts::read(&format!("given bags\n{facts}"), &load).expect("a position");
    let again = facts::write(given.referee.explainer(), &given.position).expect("an entry leads to it");
    assert!(again.contains("Ash dice 1, 5, 5\n") && again.contains("held of Two: Red, 2 Blue\n"), "{again}");
    let read = facts::read(&format!("given bags\n{again}"), &load).expect("what was written");
    assert_eq!(read.position, given.position, "{again}");
    let view = given.referee.view(&given.position, 0);
    let model = given.referee.model();
    let lexicon = Lexicon::new(model, "");
    let piles: Vec<String> = view.piles.iter().map(|p| lexicon.pile(&view, p)).collect();
    assert_eq!(piles[..3], ["pool (3): 3, 3, 6", "held of One (0): ", "held of Two: 3 unseen"]);
    let (kind, ash) = {
        let units = view.kinds.iter().flat_map(|k| k.known.iter().map(move |m| (k.kind, m)));
        let mut units = units.filter(|(kind, m)| model.kinds[kind.i()].members[usize::from(m.member)].id == "Ash");
        units.next().expect("a unit")
    };
    let dice = model.kinds[kind.i()].fields.iter().position(|f| f.name == "dice").expect("a field");
    let dice = ash.fields.iter().find(|f| f.field == dice).map(|f| lexicon.value(&f.value));
    assert_eq!(dice.as_deref(), Some("{1, 5, 5}"));
}

#[test]
fn hooks_that_give_the_same_in_any_order_are_no_conflict() {
    let decls = format!(
        "{PASS}procedure fight {{ step s }}\nat fight.s {{ n += 1 }}\nat fight.s {{ n += 2 }}\nat fight.s when n > 8 {{ n := 0 }}\n"
    );
    let game = game(&decls, "fight() One chooses an action among rest").unwrap();
    let position = play(&game, &[]).unwrap();
    assert!(matches!(game.status(&position), Ok(Status::Decision(_))));
}

#[test]
fn endings_rank_and_agree() {
    let body = "step s { n := 1 }";
    for (decls, winners) in [
        ("ends One wins \"a\" when n is 1\nends Two wins \"b\" ranks above \"a\" when n is 1", vec![1]),
        ("ends One wins \"a\" when n is 1\nends Two loses \"b\" when n is 1", vec![0]),
        ("ends draw \"d\" when n is 1", vec![]),
        ("ends Player wins \"all\" when n is 1", vec![0, 1]),
    ] {
        let game = game(decls, body).unwrap();
        let Ok(Status::Over(outcome)) = game.status(&play(&game, &[]).unwrap()) else {
            panic!("{decls}");
        };
        assert_eq!(outcome.winners, winners, "{decls}");
    }
}

#[test]
fn what_is_removed_in_one_step_goes_together() {
    // Inside the step One would have won already.
    let decls = "ends One wins \"a\" when n is 1\nends Two wins \"b\" when n is 2";
    let game = game(decls, "step s { n := 1 n := 2 }").unwrap();
    let Ok(Status::Over(outcome)) = game.status(&play(&game, &[]).unwrap()) else {
        panic!("not over");
    };
    assert_eq!(outcome.winners, [1]);
}

#[test]
fn variants_remove_replace_and_set() {
    let base = "game small \"Small\"\nplayers One, Two\noption most_of: 1..9 = 3 \"m\"\nkind Thing { size: Int = 1 }\n\
        Thing X { size 2 }\nThing Y\nvar n: 0..9 = 0\ndefine worth(t: Thing) -> Int = t.size + most_of\n\
        instead worth(Y) = 7 \"dear\" cite w.1\naction rest by One log \"rest\" { }\nmay rest \"r\" when worth(X) + worth(Y) > n\n\
        procedure play { step s { One chooses an action among rest } }\nends draw \"d\" when n > 8\n";
    let worth = |overlay: &str, wanted: &[&str]| {
        let files = vec![("small.law".to_owned(), base.to_owned()), ("v.law".to_owned(), overlay.to_owned())];
        let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
        let model = model(&files, &wanted)?;
        let exprs = ["worth(X)", "worth(Y)"].map(|e| lawspeaker::check::expression(&model, e));
        let config = Config::defaults(&model);
        let game = Explainer::new(Arc::new(model), config);
        let position = game.start().map_err(|f| f.to_string())?;
        let values = exprs.map(|e| game.eval(&position, &e.unwrap()).unwrap().0.int().unwrap());
        Ok::<_, String>(values)
    };
    assert_eq!(worth("variant v \"v\"\nremove \"dear\"", &[]), Ok([5, 7]));
    assert_eq!(worth("variant v \"v\"\nremove \"dear\"", &["v"]), Ok([5, 4]));
    assert_eq!(worth("variant v \"v\"\nremove w.1", &["v"]), Ok([5, 4]));
    assert_eq!(worth("variant v \"v\"\nset X.size = 5\nset most_of = 1", &["v"]), Ok([6, 7]));
    assert_eq!(worth("variant v \"v\"\nset Y.size = 5\nremove \"dear\"", &["v"]), Ok([5, 8]));
    assert_eq!(worth("variant v \"v\"\nreplace define worth(t: Thing) -> Int = 1", &["v"]), Ok([1, 7]));
    assert_eq!(worth("variant v \"v\"\nplus worth(t) by 1", &["v"]), Ok([6, 8]));
    for wrong in ["remove \"deer\"", "replace define word(t: Thing) -> Int = 1", "set X.weight = 3", "set Q.size = 3"] {
        let error = worth(&format!("variant v \"v\"\n{wrong}"), &["v"]).unwrap_err();
        assert!(error.starts_with("law::"), "{wrong}: {error}");
    }
}

/// What a variant removes by the name of a shared ability, and by what a `seen` or an `entry` cites.
#[test]
fn variants_remove_shared_abilities_and_what_is_seen() {
    let base = "game small \"Small\"\nplayers One, Two\nsource rulebook \"clauses.tsv\"\nkind Thing { size: Int = 1 }\n\
        ability Dear of t: Thing \"dear\" cite w.1 { plus worth(x) by 4 cite w.1 when x is t }\nThing X { has Dear }\nThing Y { has Cheap }\n\
        ability Cheap of t: Thing \"cheap\" cite w.2 { plus worth(x) by 1 cite w.2 when x is t }\n\
        var n: 0..9 = 0\nseen n by p cite w.3 when p is One\ndefine worth(t: Thing) -> Int = t.size\n\
        procedure play { step s { One chooses number k from 0..worth(X) + worth(Y) cite w.2 n := 9 } }\n\
        ends draw \"d\" cite w.1 when n > 8\n\
        entry \"late\" at play.s { pick t at random from Thing cite w.4 n := 1 }\n";
    let register = "id\tsection\tkind\tline\tstatement\tambiguity\nw.1\ts\trule\t1\tone\t\nw.2\ts\trule\t1\ttwo\t\n\
        w.3\ts\trule\t1\tthree\t\nw.4\ts\trule\t1\tfour\t\n";
    let with = |overlay: &str| {
        let files = [("small.law", base), ("v.law", overlay), ("clauses.tsv", register)];
        let files: Vec<(String, String)> = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        let wanted: Vec<String> = if overlay.is_empty() { Vec::new() } else { vec!["v".to_owned()] };
        model(&files, &wanted).unwrap_or_else(|e| panic!("{overlay}: {e}"))
    };
    let worth = |model: Model, of: &str| {
        let expr = lawspeaker::check::expression(&model, of).unwrap();
        let config = Config::defaults(&model);
        let game = Explainer::new(Arc::new(model), config);
        let position = game.start().unwrap();
        game.eval(&position, &expr).unwrap().0.int().unwrap()
    };
    assert_eq!((worth(with(""), "worth(X)"), worth(with(""), "worth(Y)")), (5, 2));
    for remove in ["remove Dear", "remove \"dear\""] {
        let overlay = format!("variant v \"v\"\n{remove}");
        assert_eq!((worth(with(&overlay), "worth(X)"), worth(with(&overlay), "worth(Y)")), (1, 2), "{remove}");
    }
    assert_eq!((with("").seen.len(), with("variant v \"v\"\nremove w.3").seen.len()), (1, 0));
    let cited = with("").citations.iter().filter(|c| c.id == "w.4").count();
    assert_eq!(cited, 1, "what a statement of an entry cites");
}

#[test]
fn variants_change_what_is_asked_of_a_list() {
    let overlay = "variant open \"Open\"\nremove \"own side\"\nremove \"thirds\"\nremove pack\n\
        must band \"a full list\" so that size(mine(p)) >= 3\n";
    let files = [("muster.law", include_str!("rules/muster.law")), ("open.law", overlay)];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let verdicts = |variants: &[String]| {
        let model = model(&files, variants).unwrap();
        let config = Config::defaults(&model);
        let game = Explainer::new(Arc::new(model), config);
        let band = list::bring_named(game.model(), "band").unwrap();
        let verdict = |list: &str| {
            let lines = [facts::Piece { text: list.to_owned(), line: 1, column: 1 }];
            let list = list::members(&game, band, 0, &lines).unwrap();
            game.list_ruling(band, 0, &list).unwrap().verdict
        };
        let pack = list::bring_named(game.model(), "pack").is_ok();
        (verdict("Captain, 2 Ghoul"), verdict("Prince, Archer"), pack)
    };
    assert_eq!(verdicts(&[]), (Verdict::Illegal, Verdict::Legal, true));
    assert_eq!(verdicts(&[String::from("open")]), (Verdict::Legal, Verdict::Illegal, false));
}

#[test]
fn facts_over_an_entry_that_are_wrong_say_why() {
    let rules = load(&Settings { game: "set_up".into(), ..Settings::default() }).expect("a game");
    let referee = rules.explainer();
    for (body, wanted) in [
        ("but at: Ford   but at: Mill", "`at` is stated twice here"),
        ("at: Ford   but at: Mill", "`at` is stated twice here"),
        ("but as it is laid out", "`but` states a fact over what the entry does"),
        ("also at: Mill", "`also` adds to a set, a pile or a bag"),
        ("also Wold owner South", "`also` adds to a set, a pile or a bag"),
        ("but hand of North: Rain", "`Rain` also lies in `deck of North` after the entry"),
        ("also hand of South: Fire", "`Fire` also lies in `deck of South` after the entry"),
        ("but at: Mll", "did you mean \"Mill\"?"),
        ("but hand of North has 2", "can be expected of a position, but not stated"),
    ] {
        let scene = facts::Scene::parse(&format!("given set_up\n  as it is laid out\n  {body}\n")).expect("a position");
        let faults = scene.opening(referee).expect_err(body);
        assert!(faults.iter().any(|f| f.message.contains(wanted)), "{body}\n--- gives\n{faults:?}");
    }
    let scene = facts::Scene::parse("given set_up\n  after a throw\n  but at: Mill\n").expect("a position");
    let faults = scene.opening(referee).expect_err("chance comes first");
    assert!(faults.iter().any(|f| f.message.contains("asks for a decision or chance")), "{faults:?}");
    assert_eq!((faults[0].line, faults[0].column), (3, 3));
}

#[test]
fn a_notation_is_written_in_the_style_asked_for() {
    let rules = load(&Settings { game: "styles".into(), ..Settings::default() }).expect("a game");
    let position = rules.start().expect("no fault");
    let first = rules.options(&position).expect("no fault")[0];
    for (tag, wanted) in [
        ("", "from Bree to Moria"),
        ("ja", "ブリーからモリアへ"),
        ("+short", "Bree-Moria"),
        ("ja+short", "ブリー-モリア"),
        ("ja+arrow", "ブリー→モリア"),
    ] {
        let tag = lawspeaker::lexicon::language(rules.model(), tag).expect("there is such a language");
        assert_eq!(rules.explainer().say(&position, first, &tag), wanted, "{tag}");
    }
    let unknown = lawspeaker::lexicon::language(rules.model(), "ja+uci").expect_err("there is no such style");
    assert_eq!(unknown.to_string(), "there is no style `uci`; there are arrow, short");
}
