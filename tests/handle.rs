//! `Rules`, the handle of the library: loading, settings, play, and what is left to the explaining evaluator.

use lawspeaker::{Finish, List, Rules, RulesError, Settings, Status, Verdict};

/// Piles, a shuffle, and a decision about several members; `more` is the body of the last step.
fn cards(n: usize) -> String {
    let members: Vec<String> = (1..=n).map(|i| format!("C{i}")).collect();
    format!(
        "game cards \"Cards\"\nplayers Ann, Bob\nkind Card members {}\nordered pile deck of Card = Card\n\
         pile laid of Card\nvar turns: 0..9 = 0\n\
         action lay(c: Card) by Ann log \"lay {{c}}\" {{ laid += {{c}} }}\nmay lay \"l\" when c not in laid\n\
         procedure play {{\n  step first {{\n    shuffle deck\n    Ann chooses an action among lay\n    turns += 1\n  }}\n}}\n\
         ends draw \"over\" when turns > 0\n",
        members.join(", ")
    )
}

#[test]
fn what_is_left_to_the_explaining_evaluator_is_told() {
    let rules = Rules::from_text(&cards(3)).expect("sound rules");
    assert_eq!(rules.engine_notes(), []);
    // Sets of any number of members leave no more.
    let rules = Rules::from_text(&cards(300)).expect("sound rules");
    assert_eq!(rules.engine_notes(), []);
    assert!(!rules.evaluators().asked().1, "all is asked of the explaining evaluator");
    assert!(matches!(rules.play(3).finish, Finish::Over(_)));
}

#[test]
fn a_game_is_the_same_whoever_answers() {
    let rules = Rules::open("confrontation").expect("a shipped game");
    let ways = [rules.clone().explaining(), rules.clone(), rules.compiled()];
    let mut games = Vec::new();
    for rules in &ways {
        let mut position = rules.start().expect("a start");
        let mut said = Vec::new();
        while !matches!(rules.status(&position), Ok(Status::Over(_))) && said.len() < 200 {
            let options = rules.options(&position).expect("options");
            let choice = options[said.len() * 7 % options.len()];
            said.push(rules.say(&position, choice));
            rules.apply(&mut position, choice).expect("an option can be made");
        }
        games.push((said, position.digest()));
    }
    assert!(games[0].0.len() > 30, "{}", games[0].0.len());
    assert!(games.iter().all(|game| *game == games[0]));
}

#[test]
fn settings_are_taken_in_words() {
    let rules = Rules::open("confrontation").expect("a shipped game");
    let other = rules.with("variant_cards").expect("an option");
    assert_ne!(rules.digest(), other.digest());
    assert_eq!(other.settings().list(), "variant_cards");
    let both = other.with("variant open_river").expect("a variant");
    assert_eq!(both.settings().list(), "variant_cards, variant open_river");
    assert_ne!(both.digest(), other.digest());
    for (words, wanted) in [
        ("variant_crads", "no option or reading is called `variant_crads`; did you mean"),
        ("preset none_such", "there is no preset `none_such`"),
        ("variant closed_river", "the rules of"),
        ("=", "expected"),
    ] {
        let error = rules.with(words).expect_err(words);
        assert!(error.to_string().contains(wanted), "{words}: {error}");
    }
    let brief = rules.with("variant closed_river").expect_err("no such variant").brief();
    assert!(brief.contains("there is no variant `closed_river`"), "{brief}");
}

#[test]
fn errors_say_what_is_wrong() {
    let error = Rules::open("confrontatoin").expect_err("no such game");
    assert!(error.to_string().contains("no game is called confrontatoin"), "{error}");
    let error = Rules::from_text("game x").expect_err("no rules");
    assert!(error.brief().starts_with("law::"), "{}", error.brief());
    let rules = Rules::open("tic-tac-toe").expect("a shipped game");
    let start = rules.start().expect("a start");
    assert!(matches!(rules.read(&start, "D9"), Err(RulesError::Unread(_))));
    assert!(matches!(rules.ask(&start, "1 +"), Err(RulesError::Expression(_))));
    assert!(matches!(rules.position("given tic-tac-toe\n nothing of the kind"), Err(RulesError::Text(_))));
    assert!(rules.seat("Z", "").expect_err("no such seat").message.contains("no seat is called Z"));
    // A fault of the rules has its place.
    let faulty = "game f \"F\"\nplayers A, B\nvar n: 0..3 = 0\nprocedure play { step s { n += 4 } }\nends draw \"d\" when n > 2\n";
    let rules = Rules::from_text(faulty).expect("it is not seen before play");
    let error = rules.start().expect_err("out of range");
    assert!(matches!(&error, RulesError::Fault { fault, .. } if fault.code() == "out-of-range"), "{error:?}");
    assert!(error.to_string().contains("at game.law:4:"), "{error}");
}

#[test]
fn the_rest_of_the_handle_answers() {
    let rules = Rules::open("tic-tac-toe").expect("a shipped game");
    let start = rules.start().expect("a start");
    assert_eq!(rules.perft(&start, 3).expect("no fault"), 504);
    let games = rules.simulate(50, 3);
    assert_eq!(games, rules.clone().explaining().simulate(50, 3));
    assert_eq!(games[0].0, rules.play(lawspeaker::players::derived(3, 0)).finish);
    assert_eq!(rules.view(&start, 1).seat, 1);
    assert_eq!(rules.ask(&start, "B2.mark is none").expect("an expression").0, lawspeaker::model::Value::bool(true));
    let centre = rules.read(&start, "B2").expect("it is free");
    let ruling = rules.judge(&start, 1, centre);
    assert_eq!(ruling.verdict, Verdict::Illegal);
    let words = rules.ruling_text(&start, 1, centre, &ruling);
    assert!(words.contains("X's decision"), "{words}");
    let list = List::parse("army for miniatures with points 500\n3 Gimli").expect("a list");
    let rules = Rules::open_with("miniatures", &list.settings).expect("a shipped game");
    assert_eq!(rules.validate(&list, 0).expect("it can be read").verdict, Verdict::Illegal);
    let list = List::parse("fleet for miniatures\nGimli").expect("a list");
    let faults = rules.validate(&list, 0).expect_err("there are no fleets");
    assert_eq!((faults[0].line, faults[0].column), (1, 1));
    assert_eq!(Settings::default().list(), "");
}
