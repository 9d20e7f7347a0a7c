//! The one layout of rules: what is shipped has it, and it neither loses nor changes anything.

use lawspeaker::check::check;
use lawspeaker::layout::{PAGE_WIDTH, Unformatted, WIDTH, format, format_page, format_readable};
use lawspeaker::syntax::written::{Gap, Written};

use crate::common::files::{root, texts, under};

/// The rule files of the package: those that are shipped, and those that `new` writes.
fn rule_files() -> Vec<(String, String)> {
    let folders = ["rules", "src/cli/new_game"].map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| under(folder)).filter(|p| p.extension().is_some_and(|e| e == "law"));
    let text = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), text.replace("{name}", "name").replace("{title}", "Title"))
    };
    files.map(text).collect()
}

#[test]
fn all_rules_of_the_package_are_laid_out() {
    let files = rule_files();
    assert!(files.len() > 50);
    for (path, text) in files {
        assert!(format(&text, WIDTH).as_ref() == Ok(&text), "{path} is not laid out: `lawspeaker fmt` does it");
    }
}

#[test]
fn all_rules_in_pages_are_laid_out() {
    let mut pages = vec![root().join("README.md")];
    pages.extend(under(&root().join("docs")).into_iter().filter(|p| p.extension().is_some_and(|e| e == "md")));
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(format_page(&text) == text, "{} is not laid out: `lawspeaker fmt` does it", page.display());
    }
}

/// A number below `n`, from a generator whose state is given: SplitMix64.
fn draw(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
}

/// White space and comments at random, for between two tokens.
fn gap(state: &mut u64, number: usize) -> String {
    let mut out = String::new();
    for _ in 0..=draw(state, 3) {
        match draw(state, 12) {
            0..=5 => out.push_str(&" ".repeat(1 + draw(state, 4))),
            6 => out.push('\t'),
            7 | 8 => out.push_str(&format!("\n{}", " ".repeat(1 + draw(state, 9)))),
            9 => out.push_str("\n\n\n  "),
            10 => out.push_str(&format!(" // comment {number} \"of none\n ")),
            _ => out.push_str(&format!("\n// comment {number}\n   ")),
        }
    }
    out
}

/// Some declarations of a file, with another layout.
fn shaken(text: &str, state: &mut u64) -> String {
    let written = Written::new(text);
    let declarations = written.stretches.len();
    let from = draw(state, declarations);
    let some = &written.stretches[from..declarations.min(from + 12)];
    let mut out = String::new();
    for (number, stretch) in some.iter().enumerate() {
        let node = stretch.node.as_ref().unwrap();
        let mut last: Option<usize> = None;
        for token in node.tokens.clone() {
            let at = written.tokens[token];
            if let Some(last) = last {
                let between = &text[last..at.start];
                let spaced = !between.is_empty() || matches!(&text[at.start..at.end], "," | ")" | "}");
                match spaced && draw(state, 3) > 0 {
                    true => out.push_str(&gap(state, number)),
                    false => out.push_str(between),
                }
            }
            out.push_str(&text[at.start..at.end]);
            last = Some(at.end);
        }
        out.push_str(["\n", "\n\n", "  // last\n", "\n\n\n// own\n\n// own too\n"][draw(state, 4)]);
    }
    out
}

/// Everything but white space: what stands in tokens and in comments, in order.
fn dense(text: &str) -> String {
    text.lines()
        .map(|line| line.split_whitespace().collect::<String>() + if line.contains("//") { "\n" } else { "" })
        .collect()
}

/// The tree of a text without its places.
fn tree(text: &str) -> String {
    let (file, faults) = lawspeaker::syntax::parse(0, text);
    assert!(faults.is_empty(), "{faults:?}\n{text}");
    without_places(&format!("{file:?}"))
}

fn without_places(text: &str) -> String {
    let mut parts = text.split("Span {");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |out, part| out + part.split_once('}').map_or("", |(_, rest)| rest))
}

#[test]
fn nothing_is_lost_or_changed_whatever_the_layout_was() {
    let files = rule_files();
    let mut comments = 0;
    for seed in 0..200 {
        let mut state = seed;
        let (path, text) = &files[draw(&mut state, files.len())];
        let shaken = shaken(text, &mut state);
        let laid = format(&shaken, WIDTH).unwrap_or_else(|e| panic!("{path} {seed}: {e:?}\n{shaken}"));
        assert_eq!(dense(&laid).replace('\n', ""), dense(&shaken).replace('\n', ""), "{path} {seed}");
        assert_eq!(tree(&laid), tree(&shaken), "{path} {seed}");
        assert_eq!(format(&laid, WIDTH).unwrap(), laid, "{path} {seed}: twice is once");
        comments += laid.matches("//").count();
    }
    assert!(comments > 1000, "{comments}");
}

#[test]
fn a_model_stays_as_it_is() {
    for game in ["classics/tic-tac-toe", "classics/hex", "classics/leduc-holdem", "classics/breakthrough"] {
        let files = texts(&root().join("rules").join(game));
        let mut state = 7;
        let respaced: Vec<(String, String)> = files
            .iter()
            .map(|(name, text)| match name.ends_with(".law") {
                // One space becomes another gap wherever the text is not in quotes and not a comment.
                true => (name.clone(), respaced(text, &mut state)),
                false => (name.clone(), text.clone()),
            })
            .collect();
        let model = |files: &[(String, String)]| {
            let checked = check(files, &[]);
            let mut model = checked.model.unwrap_or_else(|| panic!("{game}: {:?}", checked.diagnostics));
            model.sources = Default::default();
            without_places(&format!("{model:?}"))
        };
        let laid: Vec<(String, String)> = respaced
            .iter()
            .map(|(name, text)| match name.ends_with(".law") {
                true => (name.clone(), format(text, WIDTH).unwrap()),
                false => (name.clone(), text.clone()),
            })
            .collect();
        assert!(model(&files) == model(&laid), "{game}");
    }
}

/// A file with another layout between the tokens of its declarations.
fn respaced(text: &str, state: &mut u64) -> String {
    let written = Written::new(text);
    let mut out = String::new();
    for stretch in &written.stretches {
        let mut last: Option<usize> = None;
        for token in stretch.node.as_ref().unwrap().tokens.clone() {
            let at = written.tokens[token];
            if let Some(last) = last {
                let spaced = last < at.start;
                out.push_str(&if spaced { gap(state, token) } else { String::new() });
            }
            out.push_str(&text[at.start..at.end]);
            last = Some(at.end);
        }
        out.push('\n');
    }
    out
}

/// A text, and how it is laid out.
#[track_caller]
fn becomes(text: &str, laid: &str) {
    assert_eq!(format(text, WIDTH).unwrap(), laid);
    assert_eq!(format(laid, WIDTH).unwrap(), laid);
}

#[test]
fn blocks_stay_on_one_line_if_they_were_and_fit() {
    becomes("procedure play{step one{a:=1   b:=2}}", "procedure play { step one { a := 1  b := 2 } }\n");
    becomes(
        "procedure play {\n step one { a := 1 }\n\n\n step two {\n}\n}",
        "procedure play {\n  step one { a := 1 }\n\n  step two { }\n}\n",
    );
}

#[test]
fn lines_break_at_seams_first() {
    let long = "may march \"to the next region\" cite dice.army.1, dice.char.1 when some a in Area: host(a) is p and \
                room(a) > 0 and not besieged(a)";
    becomes(
        long,
        "may march \"to the next region\" cite dice.army.1, dice.char.1\n  when some a in Area: host(a) is p and \
         room(a) > 0 and not besieged(a)\n",
    );
    becomes("may march \"x\"\n cite a.1\n   when p", "may march \"x\"\n  cite a.1\n  when p\n");
    becomes("define f(p: Player) -> Int =\n  2", "define f(p: Player) -> Int\n  = 2\n");
}

#[test]
fn comments_and_empty_lines_stay() {
    becomes(
        "// head\n\n\n\nkind A{x:Int// one\n  // two\n\n  y:Int\n  // end\n}   // last\n// after",
        "// head\n\nkind A {\n  x: Int // one\n  // two\n\n  y: Int\n  // end\n} // last\n// after\n",
    );
    becomes("define f() -> Int = a // one\n  + b", "define f() -> Int\n  = a // one\n      + b\n");
}

#[test]
fn the_alternatives_of_a_reading_are_a_table() {
    becomes(
        "reading odd \"Which?\" { this \"one\" default longer \"the other\" }",
        "reading odd \"Which?\" {\n  this   \"one\" default\n  longer \"the other\"\n}\n",
    );
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    let text = "kind  A { }\ndefin  x\nkind  B { }\n";
    assert!(matches!(format(text, WIDTH), Err(Unformatted::Unread(fault)) if fault.span.start == 12));
    assert_eq!(format_readable(text, WIDTH).unwrap(), "kind A { }\ndefin  x\nkind B { }\n");
}

#[test]
fn blocks_of_pages_are_laid_out() {
    let page =
        "# A\n\n```law\n\nkind  A { }\n```\n\n```sh\nkind  A { }\n```\n\n```law\nno rules\n```\n```law\nkind  B { }";
    let laid =
        "# A\n\n```law\n\nkind A { }\n```\n\n```sh\nkind  A { }\n```\n\n```law\nno rules\n```\n```law\nkind  B { }";
    assert_eq!(format_page(page), laid);
    const { assert!(PAGE_WIDTH < WIDTH) };
}

#[test]
fn line_ends_of_windows_and_byte_order_marks_stay() {
    becomes("\u{feff}kind  A { }\r\nkind B {\r\n x: Int }\r\n", "\u{feff}kind A { }\r\nkind B {\r\n  x: Int\r\n}\r\n");
    becomes("", "");
    becomes("\n\n  // only\n\n", "// only\n");
}

#[test]
fn a_gap_knows_its_comments() {
    let gap = Gap::new(" // a\n\n\n// b\n\n");
    let comments: Vec<(&str, usize)> = gap.comments.iter().map(|c| (c.text, c.lines)).collect();
    assert_eq!(comments, [("// a", 0), ("// b", 3)]);
    assert_eq!(gap.lines, 2);
}
