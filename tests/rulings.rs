//! Rulings in all their forms, of a small game that has every sort of them.
#![allow(missing_docs)]

use serde_json::Value as Json;

use crate::common::files::root;
use crate::common::session::{Session, has};

/// A name, the position, the action, and the exit code.
type Question = (&'static str, &'static str, &'static str, i32);

const QUESTIONS: [Question; 9] = [
    ("legal", "  Mouse at Alder   Owl at Ford\n  White to go\n", "Mouse to Birch", 0),
    ("set-aside", "  Mouse at Birch   rope\n  White to go\n", "Mouse to Cairn", 0),
    ("prohibited", "  Mouse at Birch\n  White to go\n", "Mouse to Cairn", 1),
    ("no-permission", "  Mouse at Alder   Wolf at Dell\n  White to go\n", "Mouse to Ford", 1),
    ("obliged", "  Mouse at Cairn   Wolf at Alder\n  White to go\n", "Wolf to Elm", 1),
    ("silenced", "  Wolf at Alder   Owl at Birch\n  White to go\n", "Wolf to Ford", 1),
    ("undecided", "  Bear at Alder   honey   hungry\n  Black to go\n", "Bear to Birch", 1),
    ("hangs", "  Mouse at Alder   Owl at Birch\n  White to go\n", "Mouse to Birch", 1),
    ("option", "  Mouse at Alder\n  White to invite\n", "invite Owl", 1),
];

impl Session {
    /// A folder with the small game in `quarrel`, and a position for each question.
    fn with_quarrel() -> Session {
        let session = Session::empty();
        let home = root().join("tests/rulings");
        std::fs::create_dir(session.path("quarrel")).unwrap();
        for file in ["quarrel.law", "clauses.tsv"] {
            std::fs::copy(home.join(file), session.path("quarrel").join(file)).unwrap();
        }
        for (name, facts, _, _) in QUESTIONS {
            let facts =
                facts.replace("rope", "rope: true").replace("honey", "honey: true").replace("hungry", "hungry: true");
            session.write(&format!("{name}.position"), format!("given quarrel\n{facts}"));
        }
        session
    }

    fn ask(&self, (name, _, action, code): Question, flags: &[&str]) -> String {
        let position = format!("{name}.position");
        let mut args = vec!["ask", "quarrel", "--at", &position, action];
        args.extend(flags);
        self.says(code, &args)
    }
}

fn question(name: &str) -> Question {
    *QUESTIONS.iter().find(|q| q.0 == name).unwrap()
}

#[test]
fn rulings_in_short_and_whole() {
    let session = Session::with_quarrel();
    let mut short = String::new();
    for question in QUESTIONS {
        for lang in [&[][..], &["--lang", "ja"]] {
            short += &session.ask(question, lang);
        }
        short.push('\n');
        let whole = |lang: &[&str]| session.ask(question, &[&["--why"], lang].concat());
        insta::assert_snapshot!(format!("why-{}", question.0), format!("{}\n{}", whole(&[]), whole(&["--lang", "ja"])));
    }
    insta::assert_snapshot!("short", short);
}

#[test]
fn the_start_of_the_game_is_asked_about_where_no_position_is_given() {
    let session = Session::empty();
    has(&session.says(0, &["ask", "tic-tac-toe", "B2"]), &["X: B2: legal"]);
    has(&session.says(0, &["ask", "tic-tac-toe"]), &["A1", "C3"]);
    let page = session.says(0, &["ask", "tic-tac-toe", "B2", "--format", "markdown"]);
    assert!(!page.contains("\n- \n"), "{page}");
}

#[test]
fn misses_remedies_and_readings() {
    let session = Session::with_quarrel();
    let mut said = String::new();
    for (name, flags) in [
        ("no-permission", &["--misses"][..]),
        ("no-permission", &["--would"]),
        ("no-permission", &["--would", "--lang", "ja"]),
        ("no-permission", &["--would", "--seen"]),
        ("no-permission", &["--would", "--limit", "5"]),
        ("prohibited", &["--would"]),
        ("legal", &["--would"]),
        ("obliged", &["--would"]),
        ("silenced", &["--would"]),
        ("undecided", &["--would"]),
        ("option", &["--would"]),
        ("hangs", &["--readings", "all"]),
        ("hangs", &["--readings", "all", "--lang", "ja"]),
        ("prohibited", &["--readings", "all", "--with", "crowd=own_pieces"]),
    ] {
        said += &format!("$ {name} {}\n{}\n", flags.join(" "), session.ask(question(name), flags));
    }
    insta::assert_snapshot!("searched", said);
}

#[test]
fn two_changes_where_one_is_not_enough() {
    let session = Session::with_quarrel();
    // Nothing is on the board, and a hill wants a rope.
    std::fs::write(session.path("far.position"), "given quarrel\n  Mouse at Alder   Bear at Cairn\n  White to go\n")
        .unwrap();
    let far = ("far", "", "Mouse to Cairn", 1);
    insta::assert_snapshot!("pairs", session.ask(far, &["--would"]));
}

#[test]
fn of_a_set_of_many_members_the_first_are_quoted() {
    let session = Session::empty();
    std::fs::create_dir(session.path("big")).unwrap();
    let cells: Vec<String> = (1..=40).map(|i| format!("C{i}")).collect();
    let rules = format!(
        "game big \"Big\"\nplayers A, B\nkind Cell {{ var taken: Bool = false }}\nCell {}\n\
         define free() -> set of Cell = {{ c in Cell where not c.taken }}\n\
         action take(c: Cell) by A {{ c.taken := true }}\nmay take \"a free cell\" when c in free()\n\
         procedure play {{ step turn {{ A chooses an action among take }} }}\n\
         ends draw \"over\" when no legal action\nentry \"turn\" at play.turn {{ }}\n",
        cells.join(", ")
    );
    session.write("big/game.law", rules);
    session.write("big.position", "given big\n  C3 taken true   turn\n");
    insta::assert_snapshot!("many", session.says(1, &["ask", "big", "--at", "big.position", "take C3"]));
    session.write("colon.position", "given big\n  C3 taken: true   turn\n");
    insta::assert_snapshot!("colon", session.says(2, &["ask", "big", "--at", "colon.position", "take C3"]));
}

#[test]
fn documents() {
    let session = Session::with_quarrel();
    for (name, lang) in [("prohibited", ""), ("silenced", "ja"), ("hangs", "")] {
        let flags = ["--readings", "all", "--would", "--lang", lang];
        let flags = if lang.is_empty() { &flags[..3] } else { &flags[..] };
        let form = |format: &str| session.ask(question(name), &[flags, &["--format", format]].concat());
        insta::assert_snapshot!(format!("markdown-{name}"), form("markdown"));
        let page = form("html");
        let (head, body) = page.split_once("<body>").unwrap();
        assert!(head.contains("prefers-color-scheme") && head.contains("charset=\"utf-8\""));
        for other in ["<script", "http://", "https://", "<link", "<img", "@import"] {
            let own = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(other), "the page asks for something from elsewhere: {other}");
        }
        insta::assert_snapshot!(format!("html-{name}"), body);
    }
}

#[test]
fn what_a_choice_leads_to_is_told() {
    let session = Session::with_quarrel();
    insta::assert_snapshot!("outcome", session.ask(question("legal"), &["--outcome"]));
    let markdown = session.ask(question("legal"), &["--outcome", "--format", "markdown"]);
    assert!(markdown.contains("### What it leads to\n\n```text\n"), "{markdown}");
    let page = session.ask(question("legal"), &["--outcome", "--format", "html"]);
    assert!(page.contains("What it leads to</h2>\n<pre>"), "{page}");
    // Of what cannot be done nothing is told.
    assert!(!session.ask(question("prohibited"), &["--outcome"]).contains("leads to"));
}

#[test]
fn a_document_is_written_to_a_file() {
    let session = Session::with_quarrel();
    let said = session.ask(question("prohibited"), &["--format", "html", "--out", "page.html"]);
    assert_eq!(said, "written: page.html\n");
    let page = std::fs::read_to_string(session.path("page.html")).unwrap();
    assert!(
        page.contains("lawspeaker ask quarrel --at prohibited.position &#39;Mouse to Cairn&#39; --format html</pre>"),
        "{page}"
    );
    let said = session.says(2, &["ask", "quarrel", "--at", "legal.position", "--why"]);
    assert!(said.contains("--why is about one action"), "{said}");
}

#[test]
fn data_is_as_its_schema_says() {
    let schema = root().join("docs/ruling.schema.json");
    let schema: Json = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let session = Session::with_quarrel();
    for question in QUESTIONS {
        for flags in
            [&["--json"][..], &["--format", "json", "--would", "--readings", "all", "--lang", "ja", "--outcome"]]
        {
            let said = session.ask(question, flags);
            let json: Json = serde_json::from_str(&said).unwrap();
            let faults = faults(&schema, &schema, &json, "");
            assert!(faults.is_empty(), "{}: {faults:#?}", question.0);
            if flags.len() == 1 {
                insta::assert_snapshot!(format!("json-{}", question.0), said);
            }
        }
    }
    let mut odd: Json = serde_json::from_str(&session.ask(QUESTIONS[0], &["--json"])).unwrap();
    odd["verdict"] = Json::from("perhaps");
    odd["more"] = Json::from(1);
    odd["deciding"][0]["clause"]["line"] = Json::from("four");
    assert_eq!(faults(&schema, &schema, &odd, "").len(), 3);
}

/// What of a value is not as a schema says: the part of JSON Schema that ours is written in.
fn faults(root: &Json, schema: &Json, value: &Json, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, rule) in schema.as_object().into_iter().flatten() {
        match key.as_str() {
            "$ref" => {
                let to = root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
                found.extend(faults(root, to, value, at));
            }
            "type" => {
                let one = [rule.clone()];
                let types = rule.as_array().map_or(&one[..], Vec::as_slice);
                let is = |t: &Json| match t.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("the schema has a type {other}"),
                };
                if !types.iter().any(is) {
                    found.push(format!("{at}: not {rule}"));
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => found.push(format!("{at}: none of {rule}")),
            "anyOf" if rule.as_array().unwrap().iter().all(|s| !faults(root, s, value, at).is_empty()) => {
                found.push(format!("{at}: none of the alternatives"));
            }
            "required" => {
                let missing = rule.as_array().unwrap().iter().filter(|k| value.get(k.as_str().unwrap()).is_none());
                found.extend(missing.map(|k| format!("{at}: {k} is missing")));
            }
            "properties" | "additionalProperties" => {}
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                found.extend(items.flat_map(|(i, item)| faults(root, rule, item, &format!("{at}/{i}"))));
            }
            "enum" | "anyOf" | "$schema" | "$defs" | "title" | "description" => {}
            other => panic!("the schema has a word {other} that is not looked at here"),
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let own = schema.get("properties").and_then(|p| p.get(key));
        match (own, schema.get("additionalProperties")) {
            (Some(own), _) => found.extend(faults(root, own, inner, &format!("{at}/{key}"))),
            (None, Some(Json::Bool(false))) => found.push(format!("{at}: {key} is not known")),
            (None, Some(other)) => found.extend(faults(root, other, inner, &format!("{at}/{key}"))),
            (None, None) => {}
        }
    }
    found
}
