//! Ids and values come first, and words are made of them: what has the same name stays apart, and a name that is one of
//! the program's own words stays a name.

use std::sync::Arc;

use lawspeaker::check::check;
use lawspeaker::explain::Explainer;
use lawspeaker::facts::{self, Settings};
use lawspeaker::game::{Cover, Evaluator as _, Position, Sensitivity, Told, Verdict};
use lawspeaker::lexicon::{self, Lexicon};
use lawspeaker::map;
use lawspeaker::model::ConfigId;
use lawspeaker::notation;
use lawspeaker::rulings::{Depth, Sheet, sensitivity_words};

fn rules(law: &str) -> Explainer {
    let checked = check(&[("game.law".to_owned(), law.to_owned())], &[]);
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let config = facts::config_of(&model, &Settings::default()).unwrap();
    Explainer::new(Arc::new(model), config)
}

fn twins() -> (Explainer, Position) {
    let rules = rules(include_str!("words/twins.law"));
    let start = rules.start().unwrap();
    (rules, start)
}

/// A ruling with all that was considered.
fn ruling(rules: &Explainer, position: &Position, action: &str, lang: &str) -> String {
    let choice = notation::read(rules, position, action).unwrap();
    let ruling = rules.judge(position, 0, choice);
    Sheet::new(rules, position, (0, choice), &ruling, lang).text(Depth::Whole)
}

#[test]
fn a_piece_stands_on_one_of_two_places_of_one_name() {
    let (rules, start) = twins();
    let board = map::board(rules.model(), &rules.view(&start, 0), &[], "");
    assert_eq!(board.matches("no (mate best)").count(), 1, "{board}");
    assert_eq!(board.matches("best (mate no)").count(), 1, "{board}");
    assert_eq!(board.matches("Hill").count(), 2, "{board}");
}

#[test]
fn a_name_that_is_one_of_the_programs_words_stays_a_name() {
    let (rules, start) = twins();
    let english = ruling(&rules, &start, "no to Dale", "");
    assert!(english.contains("(leader is no, best is no)"), "{english}");
    let japanese = ruling(&rules, &start, "no to Dale", "ja");
    assert!(japanese.contains("（leader は no、best は no）"), "{japanese}");
}

#[test]
fn what_no_one_translated_is_marked() {
    let (rules, start) = twins();
    let japanese = ruling(&rules, &start, "no to Dale", "ja");
    assert!(japanese.contains("禁止 go「the leader stays」（原文）"), "{japanese}");
    for lang in ["", "en"] {
        assert!(ruling(&rules, &start, "no to Dale", lang).contains("may not go \"the leader stays\" (game.law:17)"));
    }
    let german = ruling(&rules, &start, "no to Dale", "de");
    assert!(german.contains("may not go \"the leader stays\" (not translated) (game.law:17)"), "{german}");
}

#[test]
fn a_fault_is_told_in_each_language() {
    let rules = rules(include_str!("words/worth.law"));
    let fault = rules.options(&rules.start().unwrap()).unwrap_err();
    let japanese = Lexicon::new(rules.model(), "ja").fault(&fault);
    assert!(japanese.starts_with("衝突：worth(Flint) は一方では 1、他方では 2（"), "{japanese}");
    assert_eq!(fault.to_string(), "conflict: clauses apply together and disagree");
    let error: &dyn std::error::Error = &fault;
    assert!(error.source().is_none());
}

#[test]
fn what_was_tried_of_the_readings_is_counted_in_its_place() {
    let (rules, _) = twins();
    let table = [0, 1].map(|id| (ConfigId(id), vec![Some(Verdict::Legal); 2])).to_vec();
    let tried = Sensitivity { cover: Cover::Pairs, combinations: 1234, table, ..Sensitivity::certain(Verdict::Legal) };
    let said = sensitivity_words(rules.model(), &tried, "");
    assert_eq!(
        said,
        ["at this position, as it stands: the same under each alternative of the 2 readings and each two of them \
          (1,234 tried)"]
    );
}

#[test]
fn a_language_is_known_or_refused() {
    let (rules, _) = twins();
    let model = rules.model();
    assert_eq!(lexicon::language(model, "").as_deref(), Ok(""));
    assert_eq!(lexicon::language(model, "ja").as_deref(), Ok("ja"));
    assert_eq!(lexicon::language(model, "ja-JP").as_deref(), Ok("ja"));
    let refused = lexicon::language(model, "tlh").unwrap_err();
    assert_eq!(refused.known, ["en", "ja"]);
    assert_eq!(refused.to_string(), "there is no language `tlh`; there are en, ja");
    let german = include_str!("words/twins.law").replace("Piece Two \"best\"", "Piece Two \"best\" de \"Bester\"");
    assert_eq!(lexicon::language(self::rules(&german).model(), "de").as_deref(), Ok("de"));
}

#[test]
fn a_name_that_begins_another_takes_nothing_out_of_it() {
    let rules = rules(include_str!("words/cards.law"));
    let before = rules.start().unwrap();
    let choice = rules.options(&before).unwrap()[0];
    let mut after = before.clone();
    rules.apply(&mut after, choice).unwrap();
    for seat in [None, Some(0), Some(1)] {
        let told = rules.told(seat, (&before, &after), choice, "");
        assert_eq!(told, Told::Said("lays Card 10".into()), "{seat:?}");
    }
}

#[test]
fn a_conflict_says_what_each_clause_gives() {
    let rules = rules(include_str!("words/worth.law"));
    let start = rules.start().unwrap();
    let two = rules.options(&start).unwrap_err().words(rules.model());
    assert!(two.starts_with("conflict: worth(Flint) is 1 by one and 2 by the other ("), "{two}");
    let wet = rules.model().vars.iter().position(|v| v.name == "wet").unwrap();
    let mut start = start;
    assert!(start.write(rules.model(), lawspeaker::model::VarId(wet as u16), 0, &lawspeaker::model::Value::Int(1)));
    let three = rules.options(&start).unwrap_err().words(rules.model());
    assert!(three.starts_with("conflict: worth(Flint) is 1, 2, 3, each by another clause ("), "{three}");
}

#[cfg(feature = "cli")]
mod commands {
    use std::collections::BTreeSet;
    use std::path::Path;

    use lawspeaker::model::{Model, TemplatePart};
    use lawspeaker::{audit, library};

    use crate::common::files::root;
    use crate::common::session::{self, Session};

    /// What a game calls its things, and its rules: words of these need no translation.
    struct Game {
        names: BTreeSet<String>,
        /// All rule files and casebooks, and the names of mutants, with single blanks.
        text: String,
    }

    impl Game {
        /// A game, and what is asked of it, which is repeated as it was typed.
        fn new(name: &str, asked: &[&str]) -> Game {
            let loaded = library::open(name, &[]).unwrap();
            let files = loaded.folder.rules();
            let mutants = audit::mutants(&files);
            let text = files.iter().map(|(_, text)| text).chain(loaded.folder.casebooks().map(|(_, text)| text));
            let text = text.chain(mutants.iter().map(|m| &m.id)).map(String::as_str);
            let text: Vec<&str> = text.chain(asked.iter().copied()).flat_map(str::split_whitespace).collect();
            let names = names(&loaded.model).iter().flat_map(|n| letters(n)).collect();
            Game { names, text: text.join(" ") }
        }

        /// Whether a piece of text is English that no rule file says: of a line, one word is enough; beside Japanese
        /// it takes three.
        fn is_english(&self, piece: &str, least: usize) -> bool {
            let piece = piece.trim_matches(|c: char| !c.is_alphanumeric());
            let words: Vec<&str> = piece.split_whitespace().filter_map(word).collect();
            let said = piece.split_whitespace().collect::<Vec<_>>().join(" ");
            // What a register says of a clause stands behind its name.
            let behind = said.split_once(": ").map_or("", |(_, text)| text);
            // Numbers and an id may stand before it.
            let plain: Vec<&str> = said.split(' ').skip_while(|token| word(token).is_none()).collect();
            words.len() >= least
                && words.iter().any(|w| !self.names.contains(*w))
                && !self.text.contains(&said)
                && !self.text.contains(&plain.join(" "))
                && (behind.is_empty() || !self.text.contains(behind))
                && !said.starts_with("lawspeaker ")
        }

        /// The lines in which English is left.
        fn english<'a>(&self, said: &'a str) -> Vec<&'a str> {
            let left = |line: &&str| match line.is_ascii() {
                true => self.is_english(line, 1),
                false => {
                    // What stands in such quotes is to be typed.
                    let prose: Vec<&str> = line.split('`').step_by(2).collect();
                    prose.iter().flat_map(|p| p.split(|c: char| !c.is_ascii())).any(|piece| self.is_english(piece, 3))
                }
            };
            said.lines().filter(left).collect()
        }
    }

    /// Without the lines that quote the rules: a declaration or mutant with its place (`game.law:12`), and the lines that
    /// a mutant changes.
    fn unquoted(said: &str) -> String {
        let quoted = |line: &&str| {
            let place = |token: &str| token.contains(".law:") || token.contains(".md:");
            line.trim_start().starts_with(['+', '-']) || line.split_whitespace().any(place)
        };
        said.lines().filter(|line| !quoted(line)).map(|line| format!("{line}\n")).collect()
    }

    /// A word of letters, with what stands at its ends; no name of a file and no expression.
    fn word(token: &str) -> Option<&str> {
        let word = token.trim_matches(|c: char| c.is_ascii_punctuation());
        (word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic())).then_some(word)
    }

    fn letters(name: &str) -> Vec<String> {
        name.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    }

    /// The names of a game, and the words of its notation.
    fn names(model: &Model) -> Vec<String> {
        let mut names: Vec<String> = vec![model.title.text.clone(), model.name.clone()];
        for kind in &model.kinds {
            names.push(kind.name.clone());
            names.extend(kind.members.iter().flat_map(|m| [m.id.clone(), m.name.text.clone()]));
        }
        names.extend(model.vars.iter().flat_map(|v| [v.name.clone(), v.label.text.clone()]));
        names.extend(model.defs.iter().map(|d| d.name.clone()));
        names.extend(model.actions.iter().map(|a| a.name.clone()));
        names.extend(model.codes.iter().flat_map(|c| c.steps.iter().map(|s| &s.name).chain([&c.name])).cloned());
        names.extend(model.config.iter().flat_map(|c| c.choices.iter().map(|c| &c.name).chain([&c.name])).cloned());
        let logs = model.actions.iter().flat_map(|a| &a.log.parts);
        names.extend(logs.filter_map(|part| match part {
            TemplatePart::Text(text) => Some(text.clone()),
            TemplatePart::Value(_) => None,
        }));
        names
    }

    /// What a command prints on its standard output; `typed` is what a person types.
    fn says(dir: &Path, (code, args): (i32, &[&str]), typed: &[&str]) -> String {
        let lines: String = typed.iter().map(|line| format!("{line}\n")).collect();
        let output = session::typed(session::program(dir, args), &lines);
        session::checked(&output, code, args);
        let text = session::utf8(&output.stdout);
        // What was typed is repeated after the prompt.
        let shown = |line: &&str| !typed.iter().any(|t| !t.is_empty() && line.ends_with(&format!("> {t}")));
        text.lines().filter(shown).map(|line| format!("{line}\n")).collect()
    }

    /// Runs a command in Japanese, and in English, where the same look must find something.
    fn hold(dir: &Path, game: &str, command: (i32, &[&str]), typed: &[&str]) -> String {
        let asked: Vec<&str> = command.1.iter().copied().filter(|a| a.contains(' ')).collect();
        let game = Game::new(game, &asked);
        let japanese = [command.1, &["--lang", "ja"]].concat();
        let said = says(dir, (command.0, &japanese), typed);
        assert!(!said.trim().is_empty(), "{japanese:?}");
        assert_eq!(game.english(&said), [""; 0], "{japanese:?} said:\n{said}");
        let english = says(dir, command, typed);
        assert!(!game.english(&english).is_empty(), "{:?}: no English is seen in\n{english}", command.1);
        said
    }

    fn desk() -> Session {
        let desk = Session::empty();
        let write = |name: &str, text: &str| desk.write(name, text);
        let of = |path: &str| std::fs::read_to_string(root().join("rules").join(path)).unwrap();
        let first = of("confrontation/records/first-game.record");
        write("first.record", &first);
        write("ring.record", &of("miniatures/records/ring-500.record"));
        write("rook.position", &of("classics/chess/positions/rook-ending.position"));
        write("opera.record", &of("classics/chess/records/opera-game.record"));
        write("king.record", &of("classics/leduc-holdem/records/king-against-pair.record"));
        write(
            "ford.position",
            "given confrontation\n  Frodo, Sam at Fangorn   Orcs at Dagorlad   Balrog at Mordor\n  Dark to move\n",
        );
        write("race.position", "given confrontation\n  Frodo at Rohan   Flying Nazgul at Cardolan\n  Good to move\n");
        write("corner.position", "given tic-tac-toe\n  A1 mark X   B1 mark O\n  X to move\n");
        let ttt = "record tic-tac-toe\n";
        for (name, plies) in [
            ("taken", "X: A1\nO: A1\n"),
            ("unknown", "X: A9\n"),
            ("seat", "Y: A1\n"),
            ("turn", "O: A1\n"),
            ("count", "X: A1 ; 7\n"),
            ("digest", "X: A1 ; 9 0000000000000001\n"),
            ("result", "X: A1\nresult X wins 1-0\n"),
            ("end", "X: A1\nO: B1\nX: A2\nO: B2\nX: A3\nO: B3\n"),
            ("open", "X: A1\n"),
        ] {
            write(&format!("broken/{name}.record"), &format!("{ttt}{plies}"));
        }
        write("broken/other.record", "record tic-tac-toe\nrules 0000000000000001\nX: A1 ; 7\nO: A1 ; 8\n");
        desk
    }

    #[test]
    fn replays() {
        let desk = desk();
        let run = |game: &str, code, args: &[&str]| hold(desk.dir.path(), game, (code, args), &[]);
        run(
            "confrontation",
            0,
            &["replay", "first.record", "--to", "30", "--explain", "--board", "--save", "x.position", "--force"],
        );
        run("miniatures", 0, &["replay", "ring.record", "--to", "12", "--explain"]);
        run("chess", 0, &["replay", "opera.record", "--board"]);
        run("leduc-holdem", 0, &["replay", "king.record", "--explain"]);
        run("tic-tac-toe", 1, &["replay", "broken"]);
        let step = ["replay", "broken/end.record", "--step", "--board"];
        hold(desk.dir.path(), "tic-tac-toe", (1, &step), &["", "", "q"]);
        let copy = ["replay", "broken/open.record", "broken/taken.record", "--rewrite"];
        let said = says(desk.dir.path(), (1, &[&copy[..], &["--lang", "ja"]].concat()), &[]);
        assert_eq!(Game::new("tic-tac-toe", &[]).english(&said), [""; 0], "{said}");
        run("tic-tac-toe", 1, &copy);
    }

    #[test]
    fn play() {
        let desk = desk();
        let typed = [
            "options",
            "board",
            "hand",
            "? Frodo to Mordor",
            "?? Frodo to Mordor",
            "undo",
            "save own.record",
            "save own.record",
            "save .",
            "save first.record",
            "save /dev/full",
            "save /no/such/place",
            "help",
            "nonsense",
            "opt",
            "1",
            "undo",
            "2",
            "quit",
        ];
        let args =
            ["play", "confrontation", "--seats", "Dark=random", "--seed", "7", "--record", "kept.record", "--force"];
        let said = hold(desk.dir.path(), "confrontation", (0, &args), &typed);
        assert!(said.contains("first.record はすでにある"), "{said}");
        let args =
            ["play", "leduc-holdem", "--seats", "First=random", "--seed", "3", "--record", "cards.record", "--force"];
        hold(desk.dir.path(), "leduc-holdem", (0, &args), &["1", "1", "1", "1"]);
        let args = ["play", "chess", "--record", "chess.record", "--force"];
        hold(desk.dir.path(), "chess", (0, &args), &["1", "? 2", "quit"]);
    }

    #[test]
    fn rulings() {
        let desk = desk();
        let run = |game: &str, code, args: &[&str]| hold(desk.dir.path(), game, (code, args), &[]);
        let first = ["ask", "confrontation", "--at", "first.record", "--ply", "12"];
        let ask = |code, more: &[&str]| run("confrontation", code, &[&first[..], more].concat());
        ask(1, &["Frodo to Mordor", "--why"]);
        ask(1, &["Frodo to Mordor", "--would"]);
        ask(0, &["Sam to Moria", "--readings", "all"]);
        run("miniatures", 0, &["validate", "miniatures", &army("good_500.army")]);
    }

    fn army(name: &str) -> String {
        root().join("rules/miniatures/armies").join(name).display().to_string()
    }

    #[test]
    fn what_lies_ahead() {
        let desk = desk();
        let run = |game: &str, code, args: &[&str]| hold(desk.dir.path(), game, (code, args), &[]);
        let ford = ["odds", "confrontation", "--at", "ford.position", "--do", "Orcs to Fangorn"];
        let odds = |more: &[&str]| run("confrontation", 0, &[&ford[..], more].concat());
        odds(&["--seats", "random", "Frodo.at"]);
        odds(&["--seats", "random", "winner"]);
        odds(&["--seats", "random", "--until", "over", "--limit", "300", "ending"]);
        odds(&["--seats", "random", "--sample", "20", "winner"]);
        odds(&["--seats", "random", "--seats", "Good=worst", "Frodo.at is none"]);
        run("leduc-holdem", 0, &["odds", "leduc-holdem", "--seats", "random", "--until", "over", "score of First"]);
        run(
            "tic-tac-toe",
            0,
            &["odds", "tic-tac-toe", "--at", "corner.position", "--seats", "random", "--until", "over", "ending"],
        );
        run("confrontation", 0, &["solve", "confrontation", "--at", "race.position", "--seat", "Good", "--open"]);
        run("confrontation", 1, &["solve", "confrontation", "--at", "race.position", "--seat", "Dark", "--open"]);
        run("tic-tac-toe", 1, &["solve", "tic-tac-toe", "--at", "corner.position", "--seat", "O"]);
        run("tic-tac-toe", 1, &["solve", "tic-tac-toe", "--at", "corner.position", "--seat", "X", "--plies", "3"]);
        run("chess", 1, &["solve", "chess", "--at", "rook.position", "--seat", "White", "--limit", "200"]);
        let find = |code, condition: &str, more: &[&str]| {
            run("tic-tac-toe", code, &[&["find", "tic-tac-toe", condition], more].concat());
        };
        find(0, "B2.mark is X", &["--out", "x.record", "--force"]);
        find(0, "draw", &["--limit", "50", "--out", "x.record", "--force"]);
        find(1, "draw and A1.mark is none", &["--limit", "50", "--games", "3"]);
        find(1, "draw", &["--limit", "20", "--games", "0"]);
    }

    #[test]
    fn clauses() {
        let desk = desk();
        let run = |game: &str, code, args: &[&str]| hold(desk.dir.path(), game, (code, args), &[]);
        for game in ["confrontation", "miniatures", "chess", "leduc-holdem"] {
            run(game, 0, &["exceptions", game]);
            run(game, 0, &["check", game]);
            run(game, 0, &["exceptions", game, "ends"]);
        }
        for name in ["strength", "room", "move", "retreat", "battle.cards"] {
            run("confrontation", 0, &["exceptions", "confrontation", name]);
        }
        run("miniatures", 0, &["exceptions", "miniatures", "army"]);
        run("leduc-holdem", 0, &["check", "leduc-holdem", "--conflicts"]);
        run("confrontation", 0, &["check", "confrontation", "--conflicts"]);
    }

    #[test]
    fn games_at_random() {
        let dir = desk();
        let run = |game: &str, args: &[&str]| hold(dir.dir.path(), game, (0, args), &[]);
        run("tic-tac-toe", &["simulate", "tic-tac-toe", "--games", "40", "--seats", "X=first"]);
        run("leduc-holdem", &["simulate", "leduc-holdem", "--games", "20"]);
        run("tic-tac-toe", &["simulate", "tic-tac-toe", "--games", "20", "--details"]);
        run("leduc-holdem", &["simulate", "leduc-holdem", "--games", "20", "--vary", "--precision", "20"]);
        run("confrontation", &["explore", "confrontation", "--with", "turn_limit=20,40", "--games", "20"]);
        run("tic-tac-toe", &["games", "tic-tac-toe"]);
        run("tic-tac-toe", &["random", "tic-tac-toe", "--games", "20", "--replay"]);
        run("confrontation", &["random", "confrontation", "--games", "3", "--vary"]);
        run("tic-tac-toe", &["perft", "tic-tac-toe", "--depth", "2", "--divide"]);
        run("tic-tac-toe", &["perft", "tic-tac-toe", "--table", "--limit", "1000"]);
        let said = hold(
            dir.dir.path(),
            "chess",
            (1, &["random", "chess", "--games", "3", "--plies", "4", "--keep", "faults"]),
            &[],
        );
        assert!(said.contains("4 手では終わらない"), "{said}");
        hold(dir.dir.path(), "chess", (0, &["simulate", "chess", "--games", "1", "--seats", "first"]), &[]);
    }

    #[test]
    fn the_rulebook() {
        let dir = desk();
        let stones = root().join("tests/audit").display().to_string();
        let run = |name: &str, code, args: &[&str]| {
            let game = Game::new(name, &[]);
            let japanese = [args, &["--lang", "ja"]].concat();
            let said = unquoted(&says(dir.dir.path(), (code, &japanese), &[]));
            assert_eq!(game.english(&said), [""; 0], "{japanese:?} said:\n{said}");
            let english = unquoted(&says(dir.dir.path(), (code, args), &[]));
            assert!(!game.english(&english).is_empty(), "{args:?}: no English is seen in\n{english}");
        };
        run("confrontation", 0, &["clauses", "confrontation"]);
        run(&stones, 0, &["clauses", &stones, "--measured", "--games", "3"]);
        run(&stones, 1, &["clauses", &stones, "--measured", "--cases", "--bare"]);
        run("leduc-holdem", 0, &["test", "leduc-holdem"]);
        run(&stones, 0, &["test", &stones, "--accept"]);
        run(&stones, 1, &["mutate", &stones, "--no-state", "--only", "take"]);
        run(&stones, 1, &["mutate", &stones, "--no-state", "--sample", "20", "--explained"]);
    }

    #[test]
    fn lists() {
        let dir = desk();
        let army = std::fs::read_to_string(army("good_500.army")).unwrap();
        dir.write("dear.army", army.replace("points 500", "points 105"));
        hold(dir.dir.path(), "miniatures", (1, &["validate", "miniatures", "dear.army"]), &[]);
    }

    #[test]
    fn new_games() {
        let dir = desk();
        let said = says(dir.dir.path(), (0, &["new", "first", "--lang", "ja"]), &[]);
        assert_eq!(said.lines().next(), Some("first：ファイル 4 件"));
        let game = Game::new("tic-tac-toe", &[]);
        assert_eq!(game.english(&said), [""; 0]);
        let said = says(dir.dir.path(), (0, &["games", "--lang", "ja"]), &[]);
        assert!(said.contains("事例集") && !said.contains("casebook"), "{said}");
        let english = says(dir.dir.path(), (0, &["new", "second"]), &[]);
        assert!(!game.english(&english).is_empty(), "{english}");
        let refused = dir.says(2, &["games", "--lang", "tlh"]);
        assert!(refused.contains("there is no language `tlh`") && refused.contains("en, ja"), "{refused}");
    }
}
