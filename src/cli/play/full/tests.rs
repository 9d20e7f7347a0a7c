//! Screens of shipped games, as they are drawn.

use std::path::PathBuf;

use lawspeaker::facts::Settings;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::colours::Colours;
use super::draw::{Laid, draw};
use super::scene::{Focus, Page, Scene};
use super::stage::{self, Log, sight};
use crate::cli::games;
use crate::cli::play::seated::PlayerAt;
use crate::cli::play::table::{Spot, Table};
use crate::cli::play::talk::{Next, Said, Show, Talk, Turn};
use crate::cli::session::Session;

/// The scene of a game after some plies, at the next decision with several options, on a screen of some size.
fn scene(game: &str, lang: &str, plies: usize, (width, height): (u16, u16), colour: bool) -> Scene {
    let session = Session::open(game, &Settings::default(), lang).unwrap();
    let opened = games::at_start(&session, 7).unwrap();
    let mut table = Table::new(&session, opened, Spot::Free(PathBuf::new())).unwrap();
    let mut players: Vec<PlayerAt> = session.model().kinds[0].members.iter().map(|_| PlayerAt::Person).collect();
    let mut talk = Talk::new(&mut table, &mut players, true);
    let (question, options) = loop {
        let n = talk.table.done.len();
        match talk.turn().unwrap() {
            Turn::Person(question, options) if n >= plies => break (question, options),
            turn => make(&mut talk, turn),
        }
    };
    talk.look(question.seat, false);
    let mut scene = stage::empty(&session, Colours::of(session.model(), colour));
    let area = Rect::new(0, 0, width, height);
    stage::decision(&mut scene, &talk, &question, &options);
    let viewer = talk.viewer_of(question.seat);
    stage::board(&mut scene, &viewer, &talk.table.position, area);
    let plies = talk.table.done.len();
    scene.log = Log::new(plies).lines(&talk, 0);
    let laid = draw(&scene, area, &mut Buffer::empty(area));
    let pane = (usize::from(laid.map.width), usize::from(laid.map.height));
    let near = viewer.near(&talk.table.position, &options);
    scene.board_at = sight(&scene, pane, laid.most.board, &near);
    scene
}

/// Makes a ply: one option of many, or what chance brings.
fn make(talk: &mut Talk<'_, '_>, turn: Turn) {
    let n = talk.table.done.len();
    match turn {
        Turn::Person(question, options) => {
            let choice = options[n * 7 % options.len()].choices[0];
            talk.table.advance(Some(question), choice).unwrap();
        }
        Turn::Only(question, only) => talk.table.advance(Some(question), only.choices[0]).unwrap(),
        Turn::Chance => {
            let outcome = talk.table.roll().unwrap().unwrap();
            talk.table.advance(None, outcome).unwrap();
        }
        turn => panic!("{turn:?}"),
    }
}

/// What a scene looks like, and where its parts lie.
fn drawn(scene: &Scene, (width, height): (u16, u16)) -> (Buffer, Laid) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut laid = Laid::default();
    terminal.draw(|frame| laid = draw(scene, frame.area(), frame.buffer_mut())).unwrap();
    (terminal.backend().buffer().clone(), laid)
}

/// The letters on the screen. A wide letter hides the place after it.
fn text(buffer: &Buffer) -> String {
    let row = |y: u16| {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += lawspeaker::map::columns(symbol).max(1) as u16;
        }
        assert_eq!(x, buffer.area.width, "half a letter at the edge: {line}");
        line.trim_end().to_owned() + "\n"
    };
    (0..buffer.area.height).map(row).collect()
}

#[test]
fn six_games_are_drawn_in_two_sizes_and_languages() {
    let games = [
        ("chess", 9),
        ("backgammon", 12),
        ("hex", 8),
        ("confrontation", 24),
        ("miniatures", 60),
        ("war-of-the-ring", 60),
    ];
    for (game, plies) in games {
        for size in [(80, 24), (120, 40)] {
            for lang in ["en", "ja"] {
                let scene = scene(game, lang, plies, size, true);
                let (buffer, _) = drawn(&scene, size);
                insta::assert_snapshot!(format!("{game}-{}x{}-{lang}", size.0, size.1), text(&buffer));
            }
        }
    }
}

#[test]
fn other_games_are_drawn_on_a_small_screen() {
    for (game, plies) in [
        ("reversi", 6),
        ("connect-four", 9),
        ("tic-tac-toe", 3),
        ("breakthrough", 6),
        ("leduc-holdem", 4),
        ("riddle", 30),
        ("middle-earth-ccg", 320),
    ] {
        let scene = scene(game, "", plies, (80, 24), true);
        insta::assert_snapshot!(format!("{game}-80x24"), text(&drawn(&scene, (80, 24)).0));
    }
}

#[test]
fn a_screen_of_any_size_is_drawn() {
    let mut scene = scene("confrontation", "", 24, (80, 24), true);
    for width in [1, 39, 40, 61, 79, 200] {
        for height in [1, 11, 12, 17, 60] {
            drawn(&scene, (width, height));
        }
    }
    scene.page = Some(Page { said: vec![Said::Text("a\nb".into())], at: 9 });
    scene.message = "word ".repeat(90);
    scene.board_at = (900, 900);
    scene.options_at = 900;
    scene.log_at = 900;
    drawn(&scene, (40, 12));
}

#[test]
fn seats_have_their_colours_unless_there_are_none() {
    let coloured = |colour| {
        let scene = scene("hex", "", 8, (80, 24), colour);
        let (buffer, _) = drawn(&scene, (80, 24));
        let colours: Vec<Color> = buffer.content.iter().map(|cell| cell.fg).filter(|c| *c != Color::Reset).collect();
        colours
    };
    let with = coloured(true);
    assert!(with.contains(&Color::LightRed) && with.contains(&Color::LightBlue), "{with:?}");
    assert_eq!(coloured(false), []);
}

#[test]
fn options_are_sought_by_what_is_typed() {
    let mut scene = scene("chess", "", 0, (80, 24), true);
    (scene.typed, scene.at) = (String::from("e4"), 2);
    let (buffer, laid) = drawn(&scene, (80, 24));
    assert!(text(&buffer).contains("options 1/20"), "{}", text(&buffer));
    assert_eq!(laid.options.len(), 1);
    assert_eq!(laid.cursor, (4, 22));
    // The cells that are named stand out.
    let (place, _) = laid.cells.iter().find(|(_, cell)| scene.cells[laid.options[0].1].contains(cell)).unwrap();
    assert!(buffer[(place.x, place.y)].modifier.contains(Modifier::BOLD));
}

#[test]
fn a_click_leaves_the_list_as_it_was() {
    let mut scene = scene("connect-four", "", 9, (80, 24), true);
    let (_, before) = drawn(&scene, (80, 24));
    let text = scene.options[3].clone();
    scene.clicked = Some((text.clone(), String::new()));
    scene.typed = text;
    assert_eq!(drawn(&scene, (80, 24)).1.options, before.options);
    scene.typed = scene.options[1].clone();
    assert_eq!(drawn(&scene, (80, 24)).1.options.len(), 1);
}

#[test]
fn what_one_plays_from_stays_above_a_board_that_is_scrolled() {
    let mut scene = scene("riddle", "", 30, (80, 24), true);
    for at in [0, 20, 900] {
        scene.board_at = (0, at);
        let drawn = text(&drawn(&scene, (80, 24)).0);
        assert!(drawn.contains("hand of Black Rider 1 (2): Rope 1, Rope 5") && drawn.contains("die: 3"), "{drawn}");
    }
}

#[test]
fn the_cursor_is_seen_on_the_board_and_in_the_options() {
    let mut scene = scene("reversi", "", 6, (80, 24), true);
    (scene.focus, scene.chosen) = (Focus::Options, Some(1));
    let (buffer, laid) = drawn(&scene, (80, 24));
    let (place, _) = laid.options.iter().find(|(_, option)| *option == 1).unwrap();
    assert!(buffer[(place.x, place.y)].modifier.contains(Modifier::REVERSED));
    (scene.focus, scene.cell) = (Focus::Board, Some(27));
    let (buffer, laid) = drawn(&scene, (80, 24));
    let (place, _) = laid.cells.iter().find(|(_, cell)| *cell == 27).unwrap();
    assert!(buffer[(place.x, place.y)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn what_is_asked_when_the_game_is_over_is_answered() {
    let session = Session::open("leduc-holdem", &Settings::default(), "").unwrap();
    let opened = games::at_start(&session, 7).unwrap();
    let mut table = Table::new(&session, opened, Spot::Free(PathBuf::new())).unwrap();
    let mut players = [PlayerAt::Person, PlayerAt::Person];
    let mut talk = Talk::new(&mut table, &mut players, true);
    loop {
        match talk.turn().unwrap() {
            Turn::Over(_) => break,
            turn => make(&mut talk, turn),
        }
    }
    let mut said = |line: &str| {
        let next = talk.answer_at_end(line).unwrap();
        (next, talk.said())
    };
    let text = |said: &[Said]| match said {
        [Said::Text(text)] => text.clone(),
        said => panic!("{said:?}"),
    };
    assert!(text(&said("? king of spades").1).starts_with("king of spades"));
    assert!(text(&said("? hearts").1).contains("king of hearts"));
    assert!(matches!(said("hand").0, Next::Show(Show::Hand)));
    assert!(matches!(said("1").0, Next::Again));
    assert!(matches!(said("q").0, Next::Leave));
}
