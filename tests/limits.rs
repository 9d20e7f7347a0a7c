//! What rules may cost: limits that all evaluators keep alike, with a fault that says what goes on for too long, or
//! an error of the checker.

use std::fmt::Write as _;
use std::sync::Arc;

use lawspeaker::check;
use lawspeaker::explain::Explainer;
use lawspeaker::game::{Choice, Evaluator, Fault, FaultKind, Position};
use lawspeaker::model::{Config, LEAST, Model, Value};
use lawspeaker::rules::Evaluators;
use lawspeaker::simulate;

/// A game of one file: its faults, or its model.
fn read(text: &str) -> Result<Arc<Model>, Vec<String>> {
    let checked = check::check(&[(String::from("game.law"), text.to_owned())], &[]);
    let faults = checked.diagnostics.iter().filter(|d| d.severity == check::Severity::Error);
    let faults: Vec<String> = faults.map(|d| format!("{}: {}", d.code, d.message)).collect();
    checked.model.map(Arc::new).ok_or(faults)
}

/// The three ways to play a game.
struct Three {
    model: Arc<Model>,
    explain: Explainer,
    trees: Evaluators,
    code: Evaluators,
}

impl Three {
    fn new(text: &str) -> Three {
        let model = read(text).unwrap_or_else(|faults| panic!("{faults:?}"));
        let config = Config::defaults(&model);
        let engine = || Evaluators::new(Arc::clone(&model), config.clone()).as_trees();
        let (trees, code) = (engine(), engine());
        code.compile();
        Three { explain: Explainer::new(Arc::clone(&model), config.clone()), trees, code, model }
    }

    /// What all three say of something.
    fn all<T: PartialEq + std::fmt::Debug>(&self, ask: impl Fn(&dyn Evaluator) -> T) -> T {
        let said = ask(&self.explain);
        assert_eq!(said, ask(&self.trees), "trees");
        assert_eq!(said, ask(&self.code), "machine code");
        said
    }

    fn start(&self) -> Result<Position, Fault> {
        self.all(|e| e.start())
    }

    fn options(&self, position: &Position) -> Result<Vec<Choice>, Fault> {
        self.all(|e| e.options(position))
    }

    fn apply(&self, position: &Position, choice: Choice) -> Result<Position, Fault> {
        self.all(|e| {
            let mut next = position.clone();
            e.apply(&mut next, choice).map(|()| next)
        })
    }

    /// Plays by always taking the first option, at most so many plies; how many it were.
    fn play(&self, most: usize) -> Result<usize, Fault> {
        let mut position = self.start()?;
        for ply in 0..most {
            let options = self.options(&position)?;
            let Some(first) = options.first() else {
                return Ok(ply);
            };
            position = self.apply(&position, *first)?;
        }
        Ok(most)
    }

    fn words(&self, fault: &Fault) -> String {
        fault.words(&self.model)
    }
}

/// A game of one action, `go`, that is chosen until `turns` is 5.
fn game(effect: &str, rest: &str) -> String {
    format!(
        "game sample \"S\"\nplayers A, B\nvar turns: 0..9 = 0\nvar x: 0..99 = 0\n{rest}\n\
         action go() by A {{ {effect} turns += 1 }}\nmay go \"g\"\n\
         procedure play {{ step s {{ while turns < 6 {{ A chooses an action among go }} }} }}\n\
         ends draw \"done\" when turns >= 5\n"
    )
}

fn definitions(n: usize, body: impl Fn(usize) -> String, last: &str) -> String {
    let mut text = String::new();
    for i in 0..n {
        let _ = writeln!(text, "{}", body(i));
    }
    text + last
}

#[cfg(feature = "jit")]
#[test]
fn procedures_that_do_the_next_twice_are_made_machine_code() {
    let mut rest = String::new();
    for i in 0..24 {
        let next = i + 1;
        let _ = writeln!(rest, "procedure p{i}() {{ when turns > 3 {{ p{next}() }} when x > {i} {{ p{next}() }} }}");
    }
    let three = Three::new(&game("p0()", &(rest + "procedure p24() { x := (x + 7) mod 60 }")));
    assert_eq!(three.play(100), Ok(5));
    assert!(three.code.compile(), "there is machine code");
}

#[test]
fn statements_are_counted_alike() {
    let rest = "procedure q2() { x := 1 x := 2 x := 3 x := 4 x := 5 x := 6 x := 7 x := 8 x := 9 x := 0 }\n\
                procedure q1() { q2() q2() q2() q2() q2() q2() q2() q2() q2() q2() }\n\
                procedure q0() { q1() q1() q1() q1() q1() q1() q1() q1() q1() q1() }\n";
    let of = |turns: usize| {
        let three = Three::new(&game(&format!("for a in 1..{turns} {{ q0() }}"), rest));
        three.play(1).map_err(|f| (f.kind, three.words(&f)))
    };
    // Ten times ten times ten, and what leads there.
    assert_eq!(of(700), Ok(1));
    let (kind, words) = of(2000).unwrap_err();
    assert_eq!(kind, FaultKind::Endless, "{words}");
    // Wherever the limit lies, it lies there for all.
    for turns in 814..=818 {
        let _ = of(turns);
    }
}

#[test]
fn procedures_are_as_deep_as_the_limit_says() {
    let chain = |n: usize| {
        let body = |i: usize| format!("procedure p{i}() {{ p{}() }}", i + 1);
        game("p0()", &definitions(n - 1, body, &format!("procedure p{}() {{ x += 1 }}", n - 1)))
    };
    // With `play` and the action.
    assert_eq!(Three::new(&chain(253)).play(100), Ok(5));
    let faults = read(&chain(254)).unwrap_err();
    assert_eq!(faults, ["law::range: more than 255 procedures, actions and hooks can be active inside each other"]);
}

#[test]
fn nested_procedures_are_as_deep_in_all() {
    // Each of nine may be active 32 times, and there is room for 255 together.
    let mut rest = String::from("procedure light() { lighter() }\nprocedure lighter() { x := 3 }\n");
    for i in 0..9 {
        let next = (i + 1) % 9;
        let _ = writeln!(
            rest,
            "procedure r{i}(n: 0..400) nested 32 {{ when n > 0 {{ light() r{next}(n - 1) }} else {{ light() }} }}"
        );
    }
    for n in (248..=255).chain([280]) {
        let three = Three::new(&game(&format!("r0({n})"), &rest));
        let played = three.play(100);
        if n == 280 {
            assert_eq!(played.unwrap_err().kind, FaultKind::Endless);
        }
    }
}

#[test]
fn a_chain_of_definitions_is_not_endless() {
    let chain = |n: usize| {
        let body = |i: usize| format!("define c{i}() -> Int = c{}()", i + 1);
        let ends = "ends draw \"never\" when c0() > 98\n";
        game("", &(definitions(n, body, &format!("define c{n}() -> Int = x\n")) + ends))
    };
    for n in [100, 160, 990] {
        assert_eq!(Three::new(&chain(n)).play(100), Ok(5), "{n} definitions");
    }
    let faults = read(&chain(1000)).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("law::range: `c"), "{faults:?}");
    assert!(faults[0].ends_with("uses definitions more than 3000 levels deep"), "{faults:?}");
    assert_eq!(read(&chain(20_000)).unwrap_err().len(), 1);
}

/// What is deepest of all that is allowed: conditions of clauses, in brackets.
#[test]
fn the_deepest_definitions_have_room_on_the_stack_of_a_thread() {
    let body = |i: usize| {
        let next = (0..20).fold(format!("c{}()", i + 1), |inner, _| format!("({inner} + 1 - 1)"));
        format!("define c{i}() -> Int = x\ninstead c{i}() = 7 \"k{i}\" when {next} > 60")
    };
    for n in [67, 10] {
        let text = game(
            "",
            &(definitions(n, body, &format!("define c{n}() -> Int = x\n")) + "ends draw \"never\" when c0() > 98\n"),
        );
        assert_eq!(Three::new(&text).play(100), Ok(5));
    }
}

#[test]
fn an_int_holds_all_that_is_documented() {
    let rest = "var top: Int = 2147483647\nvar low: Int = -2147483646\nvar some_day: Int?\n";
    let three = Three::new(&game("some_day := low low := top top := some_day or 0", rest));
    let mut position = three.start().expect("a start");
    position = three.apply(&position, three.options(&position).expect("options")[0]).expect("it goes on");
    let stored = |name: &str| {
        let var = three.model.vars.iter().position(|v| v.name == name).expect("there is one");
        three.all(|e| e.read(&position, lawspeaker::model::VarId(var as u16), 0))
    };
    assert_eq!(stored("low"), Value::Int(i32::MAX));
    assert_eq!(stored("top"), Value::Int(LEAST));
    assert_eq!(stored("some_day"), Value::Int(LEAST));
    for (effect, what) in [("low -= 1", "low - 1"), ("top += 1", "top + 1"), ("x := abs(low - 1)", "abs")] {
        let fault = Three::new(&game(effect, rest)).play(9).unwrap_err();
        assert_eq!(fault.kind, FaultKind::OutOfRange, "{what}: {:?}", fault.detail);
    }
    for text in ["var n: Int = -2147483647", "var n: Int = 2147483648", "var n: -2147483648..0 = 0"] {
        let faults = read(&game("", text)).unwrap_err();
        assert!(faults.iter().any(|f| f.starts_with("law::range")), "{text}: {faults:?}");
    }
}

/// Nothing that is known at a position is worked out twice, so these take as long as there are of them.
#[test]
fn definitions_that_ask_the_next_twice_are_worked_out_once() {
    let body = |i: usize| format!("define d{i}() -> Int = d{0}() - d{0}()", i + 1);
    let rest = definitions(40, body, "define d40() -> Int = x\nmay not go \"q\" when d0() > 2000000000\n");
    assert_eq!(Three::new(&game("", &rest)).play(100), Ok(5));
}

/// What a definition is of a set is not kept.
#[test]
fn definitions_that_take_too_long_are_a_fault() {
    let body = |i: usize| format!("define d{i}(s: set of Player) -> Int = d{0}(s) - d{0}(s)", i + 1);
    let rest = definitions(
        40,
        body,
        "define d40(s: set of Player) -> Int = count p in s\nmay not go \"q\" when d0({ A, B }) > 2000000000\n",
    );
    let three = Three::new(&game("", &rest));
    let fault = three.start().unwrap_err();
    assert_eq!(fault.kind, FaultKind::TooLong);
    let words = three.words(&fault);
    assert!(
        words.starts_with("too-long: more than 10,000,000 steps are needed to work this out (may not go"),
        "{words}"
    );
}

#[test]
fn quantifiers_that_take_too_long_are_a_fault() {
    for (of, depth) in [(4095, 3), (127, 4)] {
        let vars: Vec<String> = (0..depth).map(|i| format!("v{i}")).collect();
        let some: String = vars.iter().map(|v| format!("some {v} in 0..{of}: ")).collect();
        let rest = format!("may not go \"q\" when {some}{} + x is -1\n", vars.join(" + "));
        let three = Three::new(&game("", &rest));
        let fault = three.start().unwrap_err();
        assert_eq!(fault.kind, FaultKind::TooLong, "{of}");
        assert!(three.words(&fault).contains("(may not go"), "{}", three.words(&fault));
    }
}

/// An action of many arguments.
fn wide(cond: &str) -> String {
    format!(
        "game sample \"S\"\nplayers A, B\nvar n: 0..99 = 0\n\
         action go(a: 1..100, b: 1..100, c: 1..100, d: 1..100, e: 1..100) by A {cond} {{ n += 1 }}\nmay go \"x\"\n\
         procedure play {{ step turns {{ while n < 50 {{ A chooses an action among go }} }} }}\n\
         ends draw \"long\" when n >= 50\n"
    )
}

#[test]
fn too_many_options_are_a_fault() {
    let three = Three::new(&wide(""));
    let start = three.start().expect("one is legal, so it rests");
    let fault = three.options(&start).unwrap_err();
    assert_eq!(three.words(&fault), "too-long: there are more than 1,000,000 options (action go), at game.law:4:1");
    let next = three.apply(&start, Choice::Act(lawspeaker::model::ActionId(0), lawspeaker::game::Args::new(&[3; 5])));
    assert!(next.is_ok(), "a choice that is known can be made");
}

#[test]
fn arguments_that_nothing_meets_are_a_fault() {
    let three = Three::new(&wide("where a + b + c + d + e + n > 5000"));
    let fault = three.start().unwrap_err();
    assert_eq!(fault.kind, FaultKind::TooLong);
    assert!(three.words(&fault).contains("(action go)"), "{}", three.words(&fault));
}

#[test]
fn a_fault_that_takes_long_is_met_once() {
    let three = Three::new(&wide(""));
    let finishes = simulate::outcomes(&three.trees, None, 0..1000, 7, 100, |finish, _| finish);
    assert_eq!(finishes.len(), 1);
    assert!(matches!(&finishes[0], simulate::Finish::Fault(f) if f.kind == FaultKind::TooLong));
}

/// A definition is made for the arguments it is given, and each quantifier gives another one.
#[test]
fn definitions_of_what_quantifiers_bind_are_lowered_in_proportion() {
    let body = |i: usize| {
        format!(
            "define d{i}(a: 0..3) -> Bool = (some b in 0..3: d{0}(b) and a > 3) and (some b in 0..3: d{0}(b))",
            i + 1
        )
    };
    let rest = definitions(30, body, "define d30(a: 0..3) -> Bool = x is a\nmay not go \"q\" when d0(0)\n");
    assert_eq!(Three::new(&game("x := 60", &rest)).play(100), Ok(5));
}

/// A condition on the members of a set becomes one on all at once, part by part.
#[test]
fn conditions_that_ask_the_next_twice_are_lowered_in_proportion() {
    let body = |i: usize| format!("define e{i}(a: 0..3) -> Bool = e{0}(a) and x < 99 or e{0}(a)", i + 1);
    let rest =
        definitions(40, body, "define e40(a: 0..3) -> Bool = x is a\nmay not go \"q\" when no a in 0..3: e0(a)\n");
    assert_eq!(Three::new(&game("", &rest)).play(100), Ok(5));
    // Brackets in brackets take room to read where the project's own code is not optimized.
    let nested = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
        let inner = (0..16).fold(String::from("x is a"), |c, i| format!("(if {c} then a is {} else a is 3)", i % 3));
        let rest = format!("may not go \"q\" when no a in 0..3: {inner} or x < 90\n");
        assert_eq!(Three::new(&game("", &rest)).play(100), Ok(5));
    });
    nested.expect("a thread").join().expect("no panic");
}

/// Sets of sets, each made of the next twice.
#[test]
fn sets_that_ask_the_next_twice_are_made_machine_code() {
    let body = |i: usize| format!("define s{i}() -> set of 0..9 = s{0}() + {{ {1} }} + s{0}()", i + 1, i % 10);
    let last = "define s40() -> set of 0..9 = { n in 0..9 where n < x }\nmay not go \"q\" when size(s0()) > 10\n";
    assert_eq!(Three::new(&game("x += 1", &definitions(40, body, last))).play(100), Ok(5));
}
