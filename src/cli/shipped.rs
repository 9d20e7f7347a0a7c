//! `games`: what is shipped in the program.

use std::io::Write as _;

use lawspeaker::audit;
use lawspeaker::check;
use lawspeaker::facts::Settings;
use lawspeaker::lexicon::{Counted, Words, fill};
use lawspeaker::library::{self, Folder};
use lawspeaker::model::{Base, ConfigItem, Model, scalar_span};
use lawspeaker::rules::Rules;
use rayon::prelude::*;
use serde_json::{Value as Json, json};

use super::flags::LangArgs;
use super::screen::{Screen, Style};
use super::session::{self, Session};
use super::{Answer, Run, Stop, varied};

/// List the games that are shipped with the program, or tell about one game: who plays, how large its rules are, and
/// what can be set.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lawspeaker games\n  lawspeaker games confrontation\n  \
    lawspeaker play tic-tac-toe\n  lawspeaker new mygame --from tic-tac-toe")]
pub struct Args {
    /// Tell about this game: the name of a shipped game, or a folder of .law files.
    #[arg(value_name = "GAME")]
    game: Option<String>,
    #[command(flatten)]
    lang: LangArgs,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

/// What there is to tell about a game.
struct Game {
    folder: Folder,
    session: Session,
    cases: usize,
    records: usize,
    /// The names of its variants, with their titles.
    variants: Vec<(String, String)>,
}

/// Runs the command.
pub fn run(args: &Args, screen: &mut Screen) -> Run {
    let lang = &args.lang.lang;
    if let Some(name) = &args.game {
        let game = Game::open(name, lang)?;
        match args.json {
            true => screen.json(&game.json())?,
            false => game.print(screen)?,
        }
        return Ok(Answer::Yes);
    }
    let words = session::program_words(lang)?;
    // Not every game has names in every language.
    let open = |name: &String| Game::open(name, lang).or_else(|_| Game::open(name, ""));
    let games: Vec<Game> = library::shipped().par_iter().map(open).collect::<Result<_, Stop>>()?;
    if args.json {
        screen.json(&games.iter().map(Game::json).collect::<Json>())?;
        return Ok(Answer::Yes);
    }
    let width = games.iter().map(|game| game.folder.name.chars().count()).max().unwrap_or(0);
    for game in &games {
        let title = screen.styled(Style::Bold, game.title());
        writeln!(screen, "{:width$}  {title}", game.folder.name)?;
        screen.indented(width + 2, &game.sizes(words))?;
    }
    Ok(Answer::Yes)
}

impl Game {
    fn open(name: &str, lang: &str) -> Result<Game, Stop> {
        let folder = library::find(name)?;
        let session = Session::of(Rules::of_folder(folder.clone(), &Settings::default())?, lang)?;
        let suite = audit::suite(&folder, &session.model().name, &Settings::default())?;
        let records = suite.all.iter().filter(|item| item.is_record()).count();
        let title = |name: String| {
            let title = folder.variant_title(&name).unwrap_or_default().to_owned();
            (name, title)
        };
        let variants = check::variants(&folder.rules()).into_iter().map(title).collect();
        Ok(Game { cases: suite.all.len() - records, records, variants, session, folder })
    }

    fn model(&self) -> &Model {
        self.session.model()
    }

    fn title(&self) -> &str {
        self.model().title.get(&self.session.lang)
    }

    /// The least and the greatest number of seats.
    fn seats(&self) -> (usize, usize) {
        let seats = self.session.rules.seats();
        self.model().seating.map_or((seats, seats), |seating| (seating.least, seating.most))
    }

    /// The clauses as they stand in the rules: one about several actions counts once.
    fn clauses(&self) -> usize {
        self.model().clauses.iter().filter(|clause| clause.first.is_none()).count()
    }

    fn readings(&self) -> impl Iterator<Item = (usize, &ConfigItem)> {
        self.model().config.iter().enumerate().filter(|(_, item)| item.is_reading())
    }

    fn options(&self) -> impl Iterator<Item = (usize, &ConfigItem)> {
        self.model().config.iter().enumerate().filter(|(_, item)| !item.is_reading())
    }

    /// Seats, and how much there is of everything.
    fn sizes(&self, words: &Words) -> String {
        let (least, most) = self.seats();
        let seats = match least == most {
            true => words.counts.of(Counted::Seats, least),
            false => fill(words.games.seats_between, &[&least.to_string(), &words.counts.of(Counted::Seats, most)]),
        };
        let counts = [
            (self.clauses(), Counted::Clauses),
            (self.cases, Counted::Cases),
            (self.records, Counted::Records),
            (self.options().count(), Counted::Options),
            (self.readings().count(), Counted::Readings),
            (self.model().presets.len(), Counted::Presets),
            (self.variants.len(), Counted::Variants),
        ];
        let counts = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| words.counts.of(what, n));
        std::iter::once(seats).chain(counts).collect::<Vec<_>>().join(words.comma)
    }

    /// The values that an option or reading can have, as `--with` takes them.
    fn values(&self, index: usize, item: &ConfigItem) -> Vec<String> {
        if let Some(seating) = self.model().seating.filter(|seating| seating.option.i() == index) {
            return vec![format!("{}..{}", seating.least, seating.most)];
        }
        let (lo, n) = scalar_span(&item.ty.base, &self.model().kinds);
        let all = lo..lo.saturating_add_unsigned(n);
        match item.is_reading() || matches!(item.ty.base, Base::Bool | Base::Member(_)) {
            true => all.map(|value| varied::value_of(&self.session, item, value as i32)).collect(),
            false => vec![format!("{lo}..{}", all.end - 1)],
        }
    }

    fn default(&self, item: &ConfigItem) -> String {
        varied::value_of(&self.session, item, item.default)
    }

    fn print(&self, screen: &mut Screen) -> Result<(), Stop> {
        let (lang, words) = (self.session.lang.as_str(), self.session.lexicon().words);
        let title = screen.styled(Style::Bold, self.title());
        writeln!(screen, "{}  {title}", self.folder.name)?;
        screen.indented(2, &self.sizes(words))?;
        let seats = (0..self.session.rules.seats()).map(|seat| self.session.seat_name(Some(seat as u16)));
        screen.indented(2, &fill(words.games.seats, &[&seats.collect::<Vec<_>>().join(words.comma)]))?;
        for (head, items) in [
            (words.games.options, self.options().collect::<Vec<_>>()),
            (words.games.readings, self.readings().collect()),
        ] {
            if !items.is_empty() {
                writeln!(screen, "{head}")?;
            }
            for (index, item) in items {
                let values = self.values(index, item).join(words.comma);
                screen.indented(2, &fill(words.games.setting, &[&item.name, &values, &self.default(item)]))?;
                screen.indented(6, item.text.get(lang))?;
            }
        }
        if !self.model().presets.is_empty() {
            writeln!(screen, "{}", words.games.presets)?;
        }
        for preset in &self.model().presets {
            screen.indented(2, &format!("{}{}{}", preset.name, words.colon, preset.text.get(lang)))?;
        }
        if !self.variants.is_empty() {
            writeln!(screen, "{}", words.games.variants)?;
        }
        for (name, title) in &self.variants {
            screen.indented(2, &format!("{name}{}{title}", words.colon))?;
        }
        Ok(())
    }

    fn json(&self) -> Json {
        let lang = self.session.lang.as_str();
        let (least, most) = self.seats();
        let names = (0..self.session.rules.seats()).map(|seat| self.session.seat_name(Some(seat as u16)));
        let item = |(index, item): (usize, &ConfigItem)| {
            json!({
                "name": item.name, "text": item.text.get(lang), "values": self.values(index, item),
                "default": self.default(item), "cites": item.cites,
            })
        };
        let preset = |preset: &lawspeaker::model::Preset| {
            let settings = preset.settings.iter().filter_map(|(id, value)| {
                let item = self.model().config.get(id.i())?;
                Some((item.name.clone(), Json::from(varied::value_of(&self.session, item, *value))))
            });
            let settings: serde_json::Map<String, Json> = settings.collect();
            json!({ "name": preset.name, "text": preset.text.get(lang), "settings": settings })
        };
        let variant = |(name, title): &(String, String)| json!({ "name": name, "title": title });
        json!({
            "name": self.folder.name,
            "title": self.title(),
            "seats": { "least": least, "most": most, "names": names.collect::<Vec<_>>() },
            "clauses": self.clauses(),
            "register": self.model().register.len(),
            "casebooks": self.folder.casebooks().count(),
            "cases": self.cases,
            "records": self.records,
            "options": self.options().map(item).collect::<Vec<_>>(),
            "readings": self.readings().map(item).collect::<Vec<_>>(),
            "presets": self.model().presets.iter().map(preset).collect::<Vec<_>>(),
            "variants": self.variants.iter().map(variant).collect::<Vec<_>>(),
        })
    }
}
