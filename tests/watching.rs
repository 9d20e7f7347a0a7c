//! `test --watch`: what is run again after a change.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout};

use crate::common::session::{Session, has};

const GAME: &str = r#"game heap "A heap"
players First, Second
define other(p: Player) -> Player = if p is First then Second else First
var heap: 0..9 = 5
var active: Player = First
action take(n: 1..2) by active where n <= heap log "take {n}" { heap := heap - n }
may take "any"
procedure play { step turns { while heap > 0 { active chooses an action among take  active := other(active) } } }
ends other(active) wins "the last" when heap is 0
"#;

const ODD: &str = r#"variant odd "Odd"
may not take "one of an even heap" when n is 1 and heap mod 2 is 0
"#;

const CASES: &str = r#"# Heap

```case
case "at first"
given heap from the start
then
  First may only "take 1", "take 2"

case "of four"
given heap with variant odd from the start
when
  First: take 1
then
  Second may only "take 2"

case "wrong"
given heap from the start
when
  First: take 1
then
  Second may only "take 1"
```
"#;

/// The program while it watches.
struct Watching {
    child: Child,
    shown: BufReader<ChildStdout>,
}

impl Watching {
    fn new(session: &Session, args: &[&str]) -> Watching {
        let mut child = session.command(args).spawn().unwrap();
        let shown = BufReader::new(child.stdout.take().unwrap());
        Watching { child, shown }
    }

    /// What is shown up to a line with this text.
    fn until(&mut self, end: &str) -> String {
        let mut all = String::new();
        while !all.lines().last().is_some_and(|line| line.contains(end)) {
            assert!(self.shown.read_line(&mut all).unwrap() > 0, "{all}");
        }
        all
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Changes a part of a file at once: nobody sees it half written.
fn change(session: &Session, name: &str, from: &str, to: &str) {
    let text = session.read(name);
    assert!(text.contains(from), "{from} in {text}");
    session.write("changed", text.replace(from, to));
    std::fs::rename(session.path("changed"), session.path(name)).unwrap();
}

#[test]
fn only_what_a_change_can_affect_is_run_again() {
    let session = Session::empty();
    session.write("heap/game.law", GAME);
    session.write("heap/variants/odd.law", ODD);
    session.write("heap/cases/heap.md", CASES);
    let mut watching = Watching::new(&session, &["test", "heap/cases", "--watch"]);
    let first = watching.until("decided something");
    has(&first, &["case \"wrong\"", "expected `Second may only \"take 1\"`", "3 cases: 2 passed, 1 failed"]);
    // What failed is run again even if only a comment changes.
    change(&session, "heap/game.law", "may take", "// Any number.\nmay take");
    let comment = watching.until("run again");
    has(&comment, &["case \"wrong\"", "2 passed, 1 failed", "run again: 1 case; not affected by the change: 2 cases"]);
    change(&session, "heap/variants/odd.law", "n is 1", "n < 2");
    has(&watching.until("run again"), &["run again: 2 cases; not affected by the change: 1 case"]);
    change(&session, "heap/cases/heap.md", "may only \"take 1\"\n", "may only \"take 1\", \"take 2\"\n");
    let mended = watching.until("run again");
    has(&mended, &["3 passed, 0 failed", "run again: 1 case; not affected by the change: 2 cases"]);
    // Lines above a case do not change it.
    change(&session, "heap/cases/heap.md", "# Heap\n", "# Heap\n\nOf five.\n");
    has(&watching.until("run again"), &["run again: 0 cases; not affected by the change: 3 cases"]);
    change(&session, "heap/game.law", "0..9 = 5", "0..9 = 1");
    let fewer = watching.until("run again");
    has(&fewer, &["case \"at first\"", "run again: 3 cases; not affected by the change: 0 cases"]);
    // Rules that cannot be read are told of once.
    change(&session, "heap/game.law", "may take \"any\"", "may take any");
    let broken = watching.until("run again");
    assert_eq!(broken.matches("law::syntax").count(), 1, "{broken}");
}

#[test]
fn what_is_inside_the_program_cannot_change() {
    let session = Session::empty();
    has(&session.says(2, &["test", "tic-tac-toe", "--watch"]), &["inside the program", "lawspeaker new"]);
    has(&session.says(2, &["test", "nowhere", "--watch"]), &["nowhere"]);
    session.says(2, &["test", "tic-tac-toe", "--watch", "--json"]);
}
