//! The reader of `.law` files: what the reference shows is read, and what is broken is said in plain words.

use lawspeaker::span::{Source, Sources, Span};
use lawspeaker::syntax::tree::{BinOp, ChooseWhat, DeclKind, ExprKind, Part, ProcItem, Stmt, StmtKind};
use lawspeaker::syntax::{parse, parse_expr};
use proptest::prelude::*;

/// One of everything that the reference gives only in tables.
const SAMPLE: &str = r#"// A comment at the margin.
game sample "A // sample" ja "例"
kind Piece { at: Int = -1  to: Piece?  order: set of Piece?  hand: 0..6 = 2  var text: Bool = false }
Piece Rook, Bishop "Bishop" cite a.1, 8.13 { at -1 to none order { Rook, Bishop } name "x" note "y" }
define log(of: Piece, by: Piece) -> Int?
define spare(p: Piece) -> set of Piece = { move(x, p) for x in Piece where x is not p } // trailing
at most spare(Rook) 9 "nine" openly once per battle when x is empty despite "b", "c" cite z.1 ranks above "d" exception to "e"
action move(card: Piece) cite a.1 log "{card}" where card.when is not none by top.owner { x[card].at += 1 }
procedure play(text: Piece) nested 3 cite b.2 {
  var to: Int = 3 cite c.3
  step hand cite q when battle is on order Good, Dark
  step spare order Dark when not (a < b) {
    move := 3
    put(x)
    put x into hand[p]
    take the top of hand[p] from hand[p]
    move all from a to b
    move x from a to b
    shuffle deck
    let y = min(1, -2) + abs(z) * 2 mod 3
    for x in 1..6 chosen by p { x := x }
    Good chooses x from hand[Good] where x.at > 2 cite a log "{x}"
    owner(c) chooses 1..3 xs from S
    p chooses number n from 0..5
    p chooses an action among move, pass_turn
    p chooses an action among retreat if any
    p may choose an action among retreat else "stand" cite x
    p may choose x from S log "a" else "pass" { finish battle }
    p may "strike" else "hold" cite x { }
    secretly { Good chooses g from hand[Good]  Dark chooses d from hand[Dark] }
    pick x at random from S where x in T log "{x}"
    roll d from 1..6 cite a
    when a and not b { } else when c { } else { f() }
    while some x in S: no y in T: x is y { battle(a, b) }
  }
  finally { x -= 1 }
}
define e1 = if a then b else if c then d else e
define e2 = the x in Piece where every y in Piece: x.at >= y.at
define e3 = most f(x) for x in { A, B } where x not in S or no legal action
define e4 = least back way(x) for x in 1..6
define e5 = match e { A: 1  B, C: -2  else: sum x.at for x in Piece }
define e6 = reach(border, r, x where x != r) + reach(border, r) - {}
define e7 = count x in hand[p] where p wins and x is not empty
"#;

fn read(text: &str) -> lawspeaker::syntax::tree::File {
    let (file, faults) = parse(0, text);
    assert!(faults.is_empty(), "{text}\n{faults:#?}");
    file
}

/// Message, line and column of the only fault.
fn fault(text: &str) -> (String, usize, usize) {
    let (_, faults) = parse(0, text);
    let [one] = faults.as_slice() else {
        panic!("one fault expected: {faults:#?}");
    };
    let sources = Sources { files: vec![Source { name: "a.law".into(), text: text.into() }] };
    let (_, line, column) = sources.place(one.span);
    (one.message.clone(), line, column)
}

fn help(text: &str) -> String {
    let (_, faults) = parse(0, text);
    faults.first().and_then(|f| f.help.clone()).unwrap_or_default()
}

#[test]
fn a_sample_of_everything_is_read() {
    let file = read(SAMPLE);
    assert_eq!(file.decls.len(), 15);
    let sources = Sources { files: vec![Source { name: String::new(), text: SAMPLE.into() }] };
    let spare = &file.decls[4];
    assert!(sources.text(spare.span).ends_with("is not p }"));
    let DeclKind::Procedure(play) = &file.decls[7].kind else {
        panic!("a procedure");
    };
    let ProcItem::Step(step) = &play.items[2] else {
        panic!("a step");
    };
    assert_eq!(step.body.len(), 22);
    let StmtKind::Choose(choose) = &step.body[10].kind else {
        panic!("a choice: {:?}", step.body[10]);
    };
    assert!(matches!(choose.what, ChooseWhat::Several { .. }));
}

#[test]
fn operators_bind_as_the_reference_says() {
    let shape = |text: &str| match parse_expr(0, 7, text) {
        Ok(expr) => expr,
        Err(fault) => panic!("{text}: {fault:?}"),
    };
    let or = shape("not a is b and c or d");
    let ExprKind::Binary(BinOp::Or, left, right) = or.kind else {
        panic!("or");
    };
    assert_eq!((right.span.start, right.span.end), (7 + 20, 7 + 21));
    let ExprKind::Binary(BinOp::And, left, _) = left.kind else {
        panic!("and");
    };
    let ExprKind::Not(inner) = left.kind else {
        panic!("not");
    };
    assert!(matches!(inner.kind, ExprKind::Binary(BinOp::Is, ..)));
    let minus = shape("a - b * 2 - -c");
    let ExprKind::Binary(BinOp::Sub, left, right) = minus.kind else {
        panic!("minus");
    };
    assert!(matches!(right.kind, ExprKind::Neg(_)));
    assert!(matches!(left.kind, ExprKind::Binary(BinOp::Sub, ..)));
}

#[test]
fn what_is_broken_is_said_in_plain_words() {
    let cases: &[(&str, &str, usize, usize)] = &[
        ("defin x = 1", "unknown declaration `defin`", 1, 1),
        ("hello world", "unknown declaration `hello`", 1, 1),
        ("  define x = 1", "this line belongs to no declaration", 1, 3),
        ("game a \"A", "this text is not closed", 1, 8),
        ("procedure p {\n  step a {\n    x := 1\n}\n", "`{` of line 2 is not closed", 2, 10),
        ("define x = f(1]", "`(` of line 1 is not closed", 1, 13),
        ("define x = 1)", "`)` closes nothing", 1, 13),
        ("define when = 1", "`when` is a reserved word", 1, 8),
        ("define X = 1", "expected a name that begins with a small letter", 1, 8),
        ("Piece rook { }", "expected a name that begins with a capital", 1, 7),
        ("define x = 1\n  cit a.1", "expected `cite`, an operator or the end of the declaration", 2, 3),
        ("define f(x) = 1", "expected `:`", 1, 11),
        ("define x = (1 + )", "expected an expression", 1, 17),
        ("define x = f(a b)", "expected `)`, `,` or an operator", 1, 16),
        ("define x = if a then b", "`if` needs a value for the other case", 1, 23),
        ("var x: int = 1", "expected a type", 1, 8),
        ("var x: Int := 3", "expected `=`", 1, 12),
        ("instead f(x) 3", "expected `=`", 1, 14),
        ("procedure p { x = 1 }", "expected `:=`", 1, 17),
        ("procedure p { p choses x from S }", "expected `:=`, `chooses`, `may` or `repeatedly`", 1, 17),
        ("procedure p { p may strike }", "expected a text in quotes, `choose` or `repeatedly`", 1, 21),
        ("never \"a\" when x = 1", "`=` does not compare", 1, 18),
        ("ends Good wins when x", "expected a text in quotes", 1, 16),
        ("players 2 to 8", "the seats of a game are named one by one", 1, 9),
        ("kind Piece { 3 }", "expected a field, `}` or `has`", 1, 14),
        ("links a between B { C -> D }", "expected `,` or `-`", 1, 23),
        ("action a { }", "the action `a` does not say whose it is", 1, 8),
        ("may a when x when y", "`when` is given twice", 1, 14),
        ("may a forward", "expected a text in quotes, `,`, `cite`, `when` or the end of the declaration", 1, 7),
    ];
    for (text, message, line, column) in cases {
        assert_eq!(fault(text), ((*message).to_owned(), *line, *column), "{text}");
    }
    assert_eq!(help("defin x = 1"), "did you mean `define`?");
    assert_eq!(help("define x = 1\n  cit a.1"), "did you mean `cite`?");
    assert_eq!(help("define x = a && b"), "write `and`");
}

#[test]
fn one_mistake_does_not_hide_another() {
    let (file, faults) = parse(3, "define x = \nvar y: Int = 1\n\ndefin z\n");
    assert_eq!(file.decls.len(), 1);
    assert_eq!(faults.len(), 2);
    assert!(faults.iter().all(|f| f.span.file == 3));
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("{", "}"), ("f(", ")"), ("x[", "]")] {
        for depth in [60, 65, 100_000] {
            let text = format!("define x = {}1{}", open.repeat(depth), close.repeat(depth));
            let (_, faults) = parse(0, &text);
            assert_eq!(faults.is_empty(), depth == 60, "{open} {depth}");
        }
    }
    for word in [
        "if a then ",
        "some x in S: ",
        "sum ",
        "not ",
        "-",
        "the x in S where ",
        "a.b + ",
        "the top of ",
        "if a is b then if not a == b then ",
    ] {
        let text = format!("define x = {}", word.repeat(100_000));
        assert_eq!(parse(0, &text).1.len(), 1, "{word}");
    }
    let row = |n| parse(0, &format!("define x = a{}", " + a".repeat(n))).1;
    assert!(row(63).is_empty());
    assert_eq!(row(100_000).len(), 1);
    // The deepest that is still read fits on the stack of a thread.
    let deep = |open: &str, close: &str| parse(0, &format!("define x = {}1{}", open.repeat(63), close.repeat(63))).1;
    assert!(deep("if a then (", ") else b").is_empty());
    let (open, close) = ("{ f(x) for x in S where not ((", ") + 1)}");
    assert_eq!(deep(open, close).len(), 1);
    assert!(deep("(", &(")".to_owned() + &" + a".repeat(63))).is_empty());
    let blocks = |n: usize| {
        let (open, close) = ("when some x in S: a { ".repeat(n), "}".repeat(n));
        parse(0, &format!("procedure p {{ {open} {close} }}")).1
    };
    assert!(blocks(63).is_empty());
    assert_eq!(blocks(100).len(), 1);
    // Unclosed and alternating, the worst for a grammar that tries alternatives.
    let text = format!("define x = {}", "{ x in { a, f(reach(b, ".repeat(12));
    assert!(parse_expr(0, 0, &text).is_err());
    let body = "{ x in S where { f(x) for x in { a, (".repeat(15) + "1 2" + &")}}}".repeat(15);
    assert!(parse_expr(0, 0, &body).is_err());
}

proptest! {
    #![proptest_config(crate::common::tried(400))]

    #[test]
    fn no_text_is_too_broken(
        edits in prop::collection::vec((0usize..5000, 0usize..30, 0u8..3, "[ -~\\n指]{0,6}"), 1..8)
    ) {
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for (at, length, what, new) in edits {
            let from = at % (text.len() + 1);
            let to = (from + length).min(text.len());
            let old: Vec<char> = text[from..to].to_vec();
            let put: Vec<char> = match what {
                0 => Vec::new(),
                1 => old.iter().chain(old.iter()).copied().collect(),
                _ => new.chars().collect(),
            };
            text.splice(from..to, put);
        }
        let text: String = text.into_iter().collect();
        let (_, faults) = parse(0, &text);
        for fault in faults {
            prop_assert!(text.get(fault.span.start as usize..fault.span.end as usize).is_some());
        }
        let _ = parse_expr(0, 0, &text);
    }
}

/// How many expressions are reached from some parts, those of patterns included, which are no parts. Parts are in the
/// order written and inside the whole.
fn reached(parts: &[Part<'_>], whole: Span) -> usize {
    let mut end = whole.start;
    let mut count = 0;
    for part in parts {
        match part {
            Part::Condition(e) | Part::Any(e) | Part::Value(e) | Part::Place(e) | Part::Seat(e) => {
                assert!(end <= e.span.start && e.span.end <= whole.end, "{e:#?}");
                end = e.span.end;
                let patterns = match &e.kind {
                    ExprKind::Match { arms, .. } => arms.iter().map(|(patterns, _)| written(patterns)).sum(),
                    _ => 0,
                };
                count += 1 + patterns + reached(&e.parts(), e.span);
            }
            Part::Block(body) => {
                for s in *body {
                    assert!(end <= s.span.start && s.span.end <= whole.end, "{s:#?}");
                    end = s.span.end;
                    count += reached(&s.parts(), s.span);
                }
            }
        }
    }
    count
}

/// How many expressions are in a tree.
fn written(tree: &impl std::fmt::Debug) -> usize {
    format!("{tree:?}").matches("Expr { kind: ").count()
}

#[test]
fn every_expression_is_a_part_of_what_contains_it() {
    let mut texts = vec![SAMPLE.to_owned()];
    for game in lawspeaker::library::shipped() {
        let files = lawspeaker::library::find(&game).unwrap().rules();
        texts.extend(files.into_iter().filter(|(name, _)| name.ends_with(".law")).map(|(_, text)| text));
    }
    let mut all = 0;
    for text in texts {
        for d in parse(0, &text).0.decls {
            let (found, there) = match &d.kind {
                DeclKind::Define { value, .. } => (reached(&d.kind.parts(), d.span), written(value)),
                // What follows the head of an action is in any order.
                DeclKind::Action(a) => {
                    let parts = d.kind.parts();
                    (parts.iter().map(|part| reached(&[*part], d.span)).sum(), written(a))
                }
                DeclKind::Clause(c) => (reached(&c.parts(), c.span), written(&c.kind)),
                DeclKind::Procedure(p) => {
                    let block = |body: &Vec<Stmt>| (reached(&[Part::Block(body)], d.span), written(body));
                    let steps =
                        p.items.iter().filter_map(|i| if let ProcItem::Step(s) = i { Some(&s.body) } else { None });
                    steps.chain(&p.finally).map(block).fold((0, 0), |sum, (a, b)| (sum.0 + a, sum.1 + b))
                }
                _ => continue,
            };
            assert_eq!(found, there, "{d:#?}");
            all += found;
        }
    }
    assert!(all > 1000, "{all}");
}
