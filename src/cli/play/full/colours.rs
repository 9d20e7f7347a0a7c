//! The colours of seats, and the styles of what is said.

use lawspeaker::model::{Model, PLAYER};
use lawspeaker::spelling::fold;
use ratatui::style::{Color, Modifier, Style};

/// Colours by their names, for seats that are called so.
const NAMED: [(&str, Color); 11] = [
    ("red", Color::LightRed),
    ("blue", Color::LightBlue),
    ("green", Color::LightGreen),
    ("yellow", Color::LightYellow),
    ("white", Color::White),
    ("black", Color::DarkGray),
    ("grey", Color::Gray),
    ("gray", Color::Gray),
    ("purple", Color::LightMagenta),
    ("pink", Color::LightMagenta),
    ("orange", Color::Yellow),
];

/// The colours of other seats, in their order.
const OTHERS: [Color; 8] = [
    Color::LightCyan,
    Color::LightRed,
    Color::LightYellow,
    Color::LightGreen,
    Color::LightMagenta,
    Color::LightBlue,
    Color::Cyan,
    Color::Yellow,
];

/// How everything is coloured; without colours only weights are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    seats: Vec<Color>,
    on: bool,
}

impl Colours {
    /// The colours of the seats of a game: a seat that is called by a colour has it.
    pub fn of(model: &Model, on: bool) -> Colours {
        let seats = model.kinds.get(PLAYER.i()).map_or(&[][..], |kind| &kind.members);
        let mut others = OTHERS.iter().cycle();
        let colour = |id: &str| NAMED.iter().find(|(name, _)| fold(id) == *name).map(|(_, colour)| *colour);
        let named: Vec<Option<Color>> = seats.iter().map(|seat| colour(&seat.id)).collect();
        let free = |named: Option<Color>| named.or_else(|| others.next().copied()).unwrap_or_default();
        Colours { seats: named.into_iter().map(free).collect(), on }
    }

    /// Of what belongs to a seat.
    pub fn seat(&self, seat: Option<u16>) -> Style {
        let colour = seat.and_then(|seat| self.seats.get(usize::from(seat))).filter(|_| self.on);
        colour.map_or(Style::new(), |colour| Style::new().fg(*colour))
    }

    /// Of what is wrong.
    pub fn bad(&self) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.on { style.fg(Color::LightRed) } else { style }
    }

    /// Of what matters less.
    pub fn dim(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Of what stands out.
    pub fn bold(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Of what a cursor is on, and of bars.
    pub fn bar(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
