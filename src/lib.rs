//! Lawspeaker: rulebooks of tabletop games as text that checks, plays, explains and replays.
//!
//! [`Rules`] is the handle on a rulebook: it loads the rules of a game, plays, reads and writes moves in the game's
//! notation, and gives a ruling on every one of them with the clauses that decide it.
//!
//! ```
//! use lawspeaker::{Rules, Status, Verdict};
//!
//! let rules = Rules::open("confrontation")?;
//! let position = rules.position("given confrontation\n  Frodo at Rohan   Flying Nazgul at Cardolan\n  Good to move")?;
//! let Status::Decision(question) = rules.status(&position)? else { panic!("Good is to move") };
//!
//! // What may be done, in the game's notation.
//! let options: Vec<String> = rules.options(&position)?.iter().map(|c| rules.say(&position, *c)).collect();
//! assert_eq!(options, ["Frodo to Gondor"]);
//!
//! // Why something may not be done: the ruling with the clauses of the rulebook.
//! let leap = rules.read(&position, "Frodo to Mordor")?;
//! let ruling = rules.judge(&position, question.seat, leap);
//! assert_eq!(ruling.verdict, Verdict::Illegal);
//! println!("{}", rules.ruling_text(&position, question.seat, leap, &ruling));
//!
//! // A thousand random games, on all cores; the result depends only on the seed.
//! let games = rules.simulate(1000, 7);
//! assert_eq!(games.len(), 1000);
//! # Ok::<(), lawspeaker::RulesError>(())
//! ```
//!
//! The folder `examples` has a bot, a referee and a replay checker.
//!
//! # Features
//!
//! - `jit` (on): rules that are played often become machine code, with Cranelift. Without it they are played as
//!   trees: slower, but otherwise the same.
//! - `cli` (on): the program `lawspeaker`, and reports of faults drawn with frames and colours.
//!
//! With `default-features = false` the library depends on neither Cranelift nor anything of the command line.
//!
//! # How it is built
//!
//! ```text
//!  .law      syntax ── tree ──> check ── model ──> explain, engine ──> game (Position, Choice, Ruling, View)
//!                                 │                                │
//!                             diagnostics           facts, notation, list, record, rulings, simulate, perft
//!                                 │                                │
//!                              report                       rules (the handle)
//!                                 │                                │
//!                                 │                casebook, search, audit
//!                                 └──────────── cli ───────────────┘
//! ```
//!
//! Data flows one way, and nothing below imports what is above it. `model` imports nothing else of this crate but
//! spans; only `syntax`, `facts`, `casebook` and `record` know the grammar; only `report` renders diagnostics; only
//! `reading` reads files and only `writing` writes them. `engine` and `explain` do not know each other: `rules` decides
//! which of them is asked. The library never prints, never exits, draws random numbers
//! only in `players`, and never panics on any text.

// The modules are for the program and the tests of this package: what is meant for others is named below.
#[doc(hidden)]
pub mod audit;
#[doc(hidden)]
pub mod casebook;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod conflict;
#[doc(hidden)]
pub mod contest;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod exceptions;
mod excerpt;
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod facts;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod lexicon;
#[doc(hidden)]
pub mod library;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod notation;
#[doc(hidden)]
pub mod perft;
#[doc(hidden)]
pub mod picture;
#[doc(hidden)]
pub mod plain;
#[doc(hidden)]
pub mod players;
#[doc(hidden)]
pub mod reading;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod rulings;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod simulate;
#[doc(hidden)]
pub mod span;
#[doc(hidden)]
pub mod spelling;
#[doc(hidden)]
pub mod stats;
#[doc(hidden)]
pub mod syntax;
#[doc(hidden)]
pub mod terms;
#[doc(hidden)]
pub mod writing;

/// What the checker reports.
///
/// ```
/// use lawspeaker::{LoadError, Rules, RulesError};
///
/// let Err(RulesError::Load(error)) = Rules::from_text("game heap \"Heap\"\nplayers Ann, Bob\nvar n: 0..3 = 7") else {
///     panic!("7 is out of range");
/// };
/// let LoadError::Rules { checked, .. } = &*error else { panic!("the file could be read") };
/// assert!(checked.diagnostics.iter().any(|d| d.code == "law::range"));
/// ```
pub use check::{Diagnostic, Severity};
/// ```
/// let error = lawspeaker::Rules::open("chess")?.position("given chess\n  nobody at home").unwrap_err();
/// let lawspeaker::RulesError::Text(faults) = error else { panic!("a fact is wrong") };
/// assert_eq!((faults[0].line, faults[0].column), (2, 3));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use facts::FactFault;
/// ```
/// use lawspeaker::{Rules, Settings};
///
/// let settings = Settings { options: vec![("variant_cards".into(), None)], ..Settings::default() };
/// let rules = Rules::open_with("confrontation", &settings)?;
/// assert_eq!(rules.settings().list(), "variant_cards");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use facts::Settings;
/// ```
/// use lawspeaker::{Choice, Rules};
///
/// let rules = Rules::open("tic-tac-toe")?;
/// let start = rules.start()?;
/// let choice: Choice = rules.read(&start, "B2")?;
/// assert_eq!(rules.say(&start, choice), "B2");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::Choice;
/// ```
/// use lawspeaker::{History, Rules};
///
/// let rules = Rules::open("tic-tac-toe")?;
/// let mut position = rules.start()?;
/// let mut history = History::default();
/// for text in ["B2", "A1"] {
///     let choice = rules.read(&position, text)?;
///     rules.apply(&mut position, choice)?;
///     history.choices.push(choice);
/// }
/// let choice = rules.read(&position, "C3")?;
/// assert!(rules.sensitivity_after(&history, 0, choice, 100).is_same(), "these rules have no readings");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::History;
/// ```
/// use lawspeaker::{List, Rules, Verdict};
///
/// let army = List::parse("army for miniatures with points 500\n3 Gimli")?;
/// let rules = Rules::open_with("miniatures", &army.settings)?;
/// let ruling = rules.validate(&army, 0).map_err(|faults| faults[0].clone())?;
/// assert_eq!(ruling.verdict, Verdict::Illegal);
/// assert!(ruling.demands.iter().any(|d| d.kept == Some(false)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub use game::ListRuling;
/// ```
/// let rules = lawspeaker::Rules::open("chess")?;
/// let start: lawspeaker::Position = rules.start()?;
/// let mut next = start.clone();
/// rules.apply(&mut next, rules.options(&start)?[0])?;
/// assert_ne!(start.digest(), next.digest());
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::Position;
/// ```
/// use lawspeaker::{Question, Rules, Status};
///
/// let rules = Rules::open("chess")?;
/// let Status::Decision(question) = rules.status(&rules.start()?)? else { panic!("White moves") };
/// let Question { seat, optional, .. } = question;
/// assert_eq!((rules.seat_name(seat, "").as_str(), optional), ("White", false));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::Question;
/// ```
/// use lawspeaker::Rules;
///
/// let rules = Rules::open("confrontation")?;
/// let position = rules.position("given confrontation\n  Frodo at Rohan   Orcs at Dagorlad\n  Good to move")?;
/// let choice = rules.read(&position, "Frodo to Gondor")?;
/// let sensitivity = rules.sensitivity(&position, 0, choice, 100);
/// assert_eq!(sensitivity.differing, 0, "no reading makes it another verdict");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::Sensitivity;
/// ```
/// use lawspeaker::{Rules, View};
///
/// let rules = Rules::open("leduc-holdem")?;
/// let view: View = rules.view(&rules.start()?, 0);
/// assert_eq!(view.seat, 0);
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::View;
/// ```
/// use lawspeaker::{Rules, WhatIfs};
///
/// let rules = Rules::open("confrontation")?;
/// let position = rules.position("given confrontation\n  Frodo at Rohan   Orcs at Dagorlad\n  Good to move")?;
/// let leap = rules.read(&position, "Frodo to Mordor")?;
/// let what_ifs: WhatIfs = rules.what_ifs(&position, 0, leap, 200);
/// assert!(!what_ifs.found.is_empty(), "it would be legal from elsewhere");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::WhatIfs;
/// ```
/// use lawspeaker::{Evaluator, Fault, Rules};
///
/// fn options_at_the_start(evaluator: &impl Evaluator) -> Result<usize, Fault> {
///     evaluator.count(&evaluator.start()?)
/// }
/// assert_eq!(options_at_the_start(&Rules::open("chess")?), Ok(20));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::{Evaluator, Fault};
/// ```
/// use lawspeaker::{Outcome, Rules, Status};
///
/// let rules = Rules::open("tic-tac-toe")?;
/// let mut position = rules.start()?;
/// for cell in ["A1", "B1", "A2", "B2", "A3"] {
///     let choice = rules.read(&position, cell)?;
///     rules.apply(&mut position, choice)?;
/// }
/// let Status::Over(Outcome { winners, .. }) = rules.status(&position)? else { panic!("three in a row") };
/// assert_eq!(winners, [0]);
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::{Outcome, Status};
/// ```
/// use lawspeaker::{Reason, Rules, Ruling, Verdict};
///
/// let rules = Rules::open("confrontation")?;
/// let position = rules.position("given confrontation\n  Frodo at Rohan   Orcs at Dagorlad\n  Good to move")?;
/// let leap = rules.read(&position, "Frodo to Mordor")?;
/// let ruling: Ruling = rules.judge(&position, 0, leap);
/// assert_eq!((ruling.verdict, ruling.reason), (Verdict::Illegal, Reason::NoPermission));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use game::{Reason, Ruling, Verdict};
/// ```
/// use lawspeaker::{Folder, Rules, Settings};
///
/// let files = vec![(String::from("nim.law"), String::from(r#"
/// game nim "Nim"
/// players Ann, Bob
/// var heap: 0..9 = 9
/// var active: Player = Ann
/// action take(n: 1..3) by active where n <= heap log "take {n}" { heap -= n }
/// may take "one to three"
/// procedure play { step turns { while heap > 0 {
///   active chooses an action among take
///   active := if active is Ann then Bob else Ann
/// } } }
/// ends active loses "nothing left" when heap is 0
/// "#))];
/// let folder = Folder { name: "nim".into(), files, ..Folder::default() };
/// let rules = Rules::of_folder(folder, &Settings::default())?;
/// assert_eq!(rules.options(&rules.start()?)?.len(), 3);
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use library::Folder;
/// ```
/// assert!(lawspeaker::shipped().iter().any(|name| name == "classics/chess"));
/// ```
pub use library::shipped;
/// ```
/// use lawspeaker::{LoadError, Rules, RulesError};
///
/// let RulesError::Load(error) = Rules::open("ches").unwrap_err() else { panic!("there is no such game") };
/// let LoadError::Files(unusable) = &*error else { panic!("nothing was read") };
/// assert!(unusable.help.as_ref().is_some_and(|help| help.starts_with("did you mean chess?")));
/// ```
pub use library::{LoadError, Unusable};
/// ```
/// let list = lawspeaker::List::parse("army for miniatures with points 500\nGimli\n3 Rohan Warrior")?;
/// assert_eq!((list.game.text.as_str(), list.lines.len()), ("miniatures", 2));
/// # Ok::<(), lawspeaker::FactFault>(())
/// ```
pub use list::List;
/// ```
/// use lawspeaker::{Rules, RulesError, Unread};
///
/// let rules = Rules::open("confrontation")?;
/// let position = rules.position("given confrontation\n  Frodo at Rohan   Orcs at Dagorlad\n  Good to move")?;
/// let unread = rules.read(&position, "Frodo to Gondr").unwrap_err();
/// assert!(matches!(unread, RulesError::Unread(Unread::Unknown(..))));
/// assert!(unread.to_string().contains("did you mean \"Frodo to Gondor\""));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use notation::Unread;
/// ```
/// use lawspeaker::{Record, Replay, ReplayEnd, Rules};
///
/// let record: Record = Rules::record("record tic_tac_toe\n1. X: B2\n2. O: A1\n3. X: A1\n")?;
/// let replay: Replay = Rules::open(&record.settings.game)?.replay(&record);
/// assert!(matches!(replay.end, ReplayEnd::Stopped { ply: 3, .. }), "A1 is taken");
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use record::{Record, Replay, ReplayEnd};
pub use rules::{Rulebook, Rules, RulesError};
/// ```
/// use lawspeaker::{Finish, Played, Rules};
///
/// let played: Played = Rules::open("connect-four")?.play(7);
/// assert!(matches!(played.finish, Finish::Over(_)));
/// # Ok::<(), lawspeaker::RulesError>(())
/// ```
pub use simulate::{Finish, Played};
