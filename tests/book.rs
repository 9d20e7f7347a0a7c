//! The rulebook as pages: everything has its place, every link leads somewhere, and nothing is left unescaped.

use std::collections::{BTreeMap, BTreeSet};

use lawspeaker::audit::{self, SuiteItem};
use lawspeaker::book::{self, About, File};
use lawspeaker::compare::Side;
use lawspeaker::facts::Settings;
use lawspeaker::library::{self, Folder};
use lawspeaker::rules::Rulebook;
use rayon::prelude::*;

use crate::common::session::{Session, has};

/// A game with its cases and records.
struct Shelf {
    side: Side,
    suite: Vec<SuiteItem>,
}

impl Shelf {
    fn of(folder: Folder, settings: &Settings) -> Shelf {
        let side = Side::new(folder, settings.clone()).unwrap_or_else(|e| panic!("{e}"));
        let suite = audit::suite(&side.folder, &side.rules.model().name, &Settings::default());
        Shelf { suite: suite.unwrap_or_else(|e| panic!("{e}")).all, side }
    }

    fn named(game: &str) -> Shelf {
        Shelf::of(library::find(game).unwrap_or_else(|e| panic!("{e}")), &Settings::default())
    }

    fn about<'a>(&'a self, lang: &'a str) -> About<'a> {
        About { side: &self.side, before: None, suite: &self.suite, measured: None, lang }
    }
}

fn text<'f>(files: &'f [File], name: &str) -> &'f str {
    &files.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("there is no {name}")).text
}

fn pages(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|f| f.name.ends_with(".html"))
}

/// The tags and the texts between them of a page, in order: whether it is a tag, and what it says.
fn parts(page: &str) -> Vec<(bool, &str)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        found.push((false, before));
        let (tag, behind) = after.split_once('>').expect("every tag ends");
        found.push((true, tag));
        rest = behind;
    }
    found.push((false, rest));
    found
}

/// The values of an attribute in a tag.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, after) = tag.split_once(&format!(" {name}=\""))?;
    after.split_once('"').map(|(value, _)| value)
}

/// Every tag that is opened is closed in its order, and all text and all attributes are escaped.
fn well_formed(file: &File) {
    const ALONE: [&str; 3] = ["meta", "link", "!doctype"];
    let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let mut open: Vec<&str> = Vec::new();
    for (is_tag, said) in parts(&file.text) {
        for after in said.split('&').skip(1) {
            assert!(entities.iter().any(|e| after.starts_with(e)), "{}: &{after:.40}", file.name);
        }
        if !is_tag {
            continue;
        }
        assert_eq!(said.matches('"').count() % 2, 0, "{}: <{said}>", file.name);
        let name = said.split(|c: char| c.is_whitespace()).next().unwrap().trim_end_matches('/');
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{}: </{name}>", file.name),
            None if ALONE.contains(&name) || said.ends_with('/') => {}
            None => open.push(name),
        }
        assert!(!["script", "style", "iframe", "img"].contains(&name), "{}: <{said}>", file.name);
        assert!(!said.contains(" on") || name != "a", "{}: <{said}>", file.name);
    }
    assert!(open.is_empty(), "{}: {open:?}", file.name);
}

/// The headings of a page follow one another without a gap.
fn headings_in_order(file: &File) {
    let mut last = 0;
    for (_, said) in parts(&file.text).into_iter().filter(|(is_tag, _)| *is_tag) {
        let Some(level) = said.strip_prefix('h').and_then(|rest| rest.chars().next()?.to_digit(10)) else { continue };
        assert!(level <= last + 1, "{}: h{level} after h{last}", file.name);
        last = level;
    }
    assert_eq!(file.text.matches("<h1>").count(), 1, "{}", file.name);
}

/// Every link of the pages leads to a file and to a place in it, and no place has the name of another.
fn links_lead_somewhere(files: &[File]) -> BTreeMap<&str, BTreeSet<&str>> {
    let tags = |file| parts(file).into_iter().filter(|(is_tag, _)| *is_tag).map(|(_, tag)| tag);
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let own = places.entry(&file.name).or_default();
        for id in tags(&file.text).filter(|_| file.name.ends_with(".html")).filter_map(|tag| attribute(tag, "id")) {
            assert!(own.insert(id), "{}: {id} stands twice", file.name);
        }
    }
    for file in pages(files) {
        for href in tags(&file.text).filter_map(|tag| attribute(tag, "href")) {
            let (to, id) = href.split_once('#').unwrap_or((href, ""));
            let to = if to.is_empty() { file.name.as_str() } else { to };
            let there = places.get(to).unwrap_or_else(|| panic!("{}: {href} is no file", file.name));
            assert!(id.is_empty() || there.contains(id), "{}: {href} leads nowhere", file.name);
        }
    }
    places
}

/// The same in the Markdown.
fn markdown_links_lead_somewhere(file: &File) {
    let places: BTreeSet<&str> =
        file.text.split("<a id=\"").skip(1).filter_map(|rest| rest.split_once('"').map(|(id, _)| id)).collect();
    for to in file.text.split("](#").skip(1).filter_map(|rest| rest.split_once(')').map(|(to, _)| to)) {
        assert!(places.contains(to), "#{to} leads nowhere");
    }
}

/// Every clause of the register, every case, every record, every member and every line that begins a rule has its place.
fn everything_has_its_place(shelf: &Shelf, files: &[File]) {
    let places = links_lead_somewhere(files);
    let all: BTreeSet<&str> = places.values().flatten().copied().collect();
    let markdown = text(files, "book.md");
    let count = |sort: &str| all.iter().filter(|id| id.starts_with(sort)).count();
    let model = shelf.side.rules.model();
    assert_eq!(count("clause-"), model.register.len());
    assert_eq!(count("case-"), shelf.suite.iter().filter(|s| !s.is_record()).count());
    assert_eq!(count("record-"), shelf.suite.iter().filter(|s| s.is_record()).count());
    assert_eq!(count("setting-"), model.config.len());
    let shown = model.kinds.iter().filter(|kind| kind.pair.is_none() && !kind.of_hooks);
    assert_eq!(count("member-"), shown.map(|kind| kind.members.len()).sum::<usize>());
    for row in &model.register {
        assert!(all.contains(format!("clause-{}", row.id).as_str()), "{}", row.id);
        assert!(markdown.contains(&format!("<a id=\"clause-{}\">", row.id)), "{}", row.id);
    }
    for clause in &model.clauses {
        let (file, line, _) = model.sources.place(clause.span);
        let of_law = file.ends_with(".law") && clause.span.start < clause.span.end && clause.first.is_none();
        let is_choice = clause.kind == lawspeaker::model::ClauseKind::Choice;
        let id = format!("rule-{}.{line}", file.replace('/', "_2f_"));
        assert!(!of_law || is_choice || all.contains(id.as_str()), "{id}");
    }
}

fn holds(shelf: &Shelf, lang: &str) {
    let files = book::book(&shelf.about(lang));
    assert_eq!(files[0].name, "index.html");
    everything_has_its_place(shelf, &files);
    for page in pages(&files) {
        well_formed(page);
        headings_in_order(page);
        assert!(page.text.contains(&format!("<html lang=\"{}\">", if lang.is_empty() { "en" } else { lang })));
        assert!(page.text.len() < 1_000_000, "{} {}: {}", shelf.side.folder.name, page.name, page.text.len());
    }
    markdown_links_lead_somewhere(files.iter().find(|f| f.name == "book.md").unwrap());
    if lang.is_empty() {
        assert!(files == book::book(&shelf.about(lang)), "the same rules give the same bytes");
    }
}

#[test]
#[cfg_attr(not(feature = "jit"), ignore = "the same with machine code")]
fn of_every_shipped_game_everything_is_in_the_book() {
    library::shipped().par_iter().for_each(|name| {
        let shelf = Shelf::named(name);
        ["", "ja"].par_iter().for_each(|lang| holds(&shelf, lang));
    });
}

#[test]
fn the_book_of_a_small_game() {
    let shelf = Shelf::named("tic-tac-toe");
    let files = book::book(&shelf.about(""));
    insta::assert_snapshot!("tic-tac-toe-markdown", text(&files, "book.md"));
    insta::assert_snapshot!("tic-tac-toe-clauses", text(&files, "clauses.html"));
    let names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    insta::assert_snapshot!("tic-tac-toe-files", names.join("\n"));
    insta::assert_snapshot!("tic-tac-toe-japanese", text(&book::book(&shelf.about("ja")), "index.html"));
}

#[test]
fn what_is_measured_stands_beside_the_rules() {
    let shelf = Shelf::named("tic-tac-toe");
    let measured =
        book::measure(shelf.side.rules.model(), &Rulebook::new(shelf.side.folder.clone()), &shelf.suite, &|| ());
    assert!(measured.faults.is_empty(), "{:?}", measured.faults);
    let files = book::book(&About { measured: Some(&measured), ..shelf.about("") });
    insta::assert_snapshot!("tic-tac-toe-measured", text(&files, "rules.html"));
    everything_has_its_place(&shelf, &files);
    assert!(text(&files, "cases.html").contains("Decided by, the most seldom first"));
    pages(&files).for_each(well_formed);
}

/// The marks of a page with the headings, links and rules around them.
fn marked(page: &str) -> String {
    let lines: Vec<&str> = page.lines().filter(|line| line.contains("<mark>")).collect();
    lines.join("\n")
}

#[test]
fn what_a_variant_changes_is_marked() {
    let folder = library::find("confrontation").unwrap();
    let settings = Settings {
        variants: vec!["open_river".into()],
        options: vec![("shelob_blocked".into(), Some("any_good".into()))],
        ..Settings::default()
    };
    let (shelf, plain) = (Shelf::of(folder.clone(), &settings), Side::new(folder, Settings::default()).unwrap());
    let files = book::book(&About { before: Some(&plain), ..shelf.about("") });
    everything_has_its_place(&shelf, &files);
    let marks = pages(&files).map(|page| format!("{}\n{}\n", page.name, marked(&page.text)));
    insta::assert_snapshot!("open-river-marks", marks.collect::<String>());
    let front = text(&files, "book.md").split("## Contents").next().unwrap();
    insta::assert_snapshot!("open-river-front", front);
}

/// A game whose every text would be markup.
fn hostile() -> Vec<(String, String)> {
    let evil = r#"<script>alert('&')</script> \"x\" | *b* `c` [d](e)"#;
    let said = evil.replace("\\\"", "'");
    let law = format!(
        "game heap \"{evil}\"\nsource book \"clauses.tsv\"\nplayers Ann \"{evil}\", Bob\n\
         reading way \"{evil}\" cite a.1 {{\n  one \"{evil}\" default\n  two \"{evil}\"\n}}\n\
         option few: 1..3 = 2 \"{evil}\"\n\
         kind Thing {{ note: Int = 3 }}\nThing Stone \"{evil}\" cite a.1 {{\n  ability \"{evil}\" {{\n    \
         may take \"{evil} too\" when few > 1 and way is two\n  }}\n}}\n\
         var heap: 0..9 = 5\nvar active: Player = Ann\n// {said}\n\
         action take(n: 1..2) by active where n <= heap log \"take {{n}}\" cite a.1 {{\n  heap := heap - n\n  \
         active := if active is Ann then Bob else Ann\n}}\n\
         may take \"{evil}\" cite a.1\n\
         procedure play {{ step turns \"{evil}\" {{ while heap > 0 {{ active chooses an action among take }} }} }}\n\
         ends active loses \"{evil} end\" cite a.1 when heap is 0\n\
         entry \"<b>{{p}}</b> to move\" (p: Player) at play.turns {{ active := p }}\n"
    );
    let register = format!("id\tsection\tline\tparaphrase_en\tambiguity\na.1\t{said}\t{said}\t{said}\t{said}\n");
    let cases = "# <i>Head</i>\n\n```case\ncase \"<b>one</b> & all\" cite a.1\ngiven heap\n  heap: 1\n  \
                 <b>Bob</b> to move\nthen\n  heap: 1\n```\n";
    let record = "record heap\ntitle \"<u>two</u>\"\nAnn \"<em>me</em>\"\n\n1. Ann: take 2\n";
    [
        ("game.law", law),
        ("clauses.tsv", register),
        ("cases/a.md", cases.to_owned()),
        ("records/a.record", record.to_owned()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .to_vec()
}

#[test]
fn nothing_is_taken_for_markup() {
    let folder = Folder { name: "heap".into(), files: hostile(), ..Folder::default() };
    let shelf = Shelf::of(folder, &Settings::default());
    let files = book::book(&shelf.about(""));
    everything_has_its_place(&shelf, &files);
    for page in pages(&files) {
        well_formed(page);
        for tag in ["<script", "<b>", "<i>", "<u>", "<em>"] {
            assert!(!page.text.contains(tag), "{} has {tag}", page.name);
        }
    }
    let markdown = text(&files, "book.md");
    let prose = markdown.split("\n```").step_by(2).collect::<String>().replace("\\<", "").replace("\\[", "");
    assert!(!prose.contains("<script") && !prose.contains(" *b*") && !prose.contains("[d](e)"), "{prose}");
}

#[test]
fn a_folder_is_written() {
    let desk = Session::empty();
    let said = desk.says(0, &["book", "tic-tac-toe", "--out", "ttt"]);
    has(&said, &["ttt: ", "pages and a file of Markdown", "open ttt/index.html"]);
    assert!(desk.path("ttt/index.html").is_file() && desk.path("ttt/style.css").is_file());
    let again = desk.says(2, &["book", "tic-tac-toe", "--out", "ttt"]);
    has(&again, &["ttt has files in it already", "--force"]);
    desk.write("ttt/own.txt", "mine");
    let json =
        desk.says(0, &["book", "tic-tac-toe", "--out", "ttt", "--force", "--measured", "--lang", "ja", "--json"]);
    has(&json, &["\"name\": \"index.html\"", "\"faults\": []"]);
    assert_eq!(std::fs::read_to_string(desk.path("ttt/own.txt")).unwrap(), "mine");
    has(&std::fs::read_to_string(desk.path("ttt/index.html")).unwrap(), &["<html lang=\"ja\">", "三目並べ"]);
    let mut all = String::new();
    for args in [
        &["book", "tic-tac-toe", "--out", "ttt/own.txt"][..],
        &["book", "tic-tac-toe", "--out", "no/such/place"],
        &["book", "tic-tac-toe", "--out", "other", "--variant", "none"],
        &["book", "tic-tac-toe", "--out", "other", "--lang", "xx"],
        &["book", "tic-tac-to", "--out", "other"],
        &["book", "tic-tac-toe"],
    ] {
        all += &desk.says(2, args);
    }
    assert!(!desk.path("other").exists(), "nothing is begun that is not done");
    insta::assert_snapshot!("refused", all);
}

#[test]
fn a_case_that_does_not_hold_is_told() {
    let desk = Session::empty();
    let files = hostile();
    for (name, text) in &files {
        let text = text.replace("then\n  heap: 1", "then\n  heap: 2");
        desk.write(&format!("heap/{name}"), &text);
    }
    has(&desk.says(0, &["book", "heap", "--out", "out"]), &["open out/index.html"]);
    let said = desk.says(1, &["book", "heap", "--out", "again", "--measured"]);
    has(&said, &["failed cases/a.md:4", "open again/index.html"]);
}
