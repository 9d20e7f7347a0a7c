//! All that a command says to a seat about a position, as texts.

use lawspeaker::explain::Explainer;
use lawspeaker::game::{
    Choice, Evaluator as _, Event, EventKind, History, Meant, Position, Ruling, Sensitivity, Status, Told, Verdict,
};
use lawspeaker::lexicon::Lexicon;
use lawspeaker::model::{Base, DefId, Expr, ExprKind, KindId, Model, Ty, Value};
use lawspeaker::notation::{self, Unread};
use lawspeaker::players::Dice;
use lawspeaker::rulings::{self, Depth, RulingPage, Sheet};
use lawspeaker::span::Span;
use lawspeaker::{map, picture};

/// Who asks, where, and in which language.
#[derive(Clone, Copy)]
pub struct Asks<'a> {
    pub rules: &'a Explainer,
    pub seat: u16,
    pub lang: &'a str,
}

/// How much is asked of a line: the dear things are asked now and then.
#[derive(Clone, Copy, Debug)]
pub struct Much {
    pub pages: bool,
    pub sensitivity: bool,
    pub would: bool,
}

impl Much {
    pub fn drawn(dice: &mut Dice) -> Much {
        Much { pages: dice.below(6) == 0, sensitivity: dice.below(30) == 0, would: dice.below(300) == 0 }
    }
}

impl Asks<'_> {
    /// What is seen, the map, its marks and its picture.
    pub fn looks(&self, position: &Position) -> Vec<String> {
        let Asks { rules, seat, lang } = *self;
        let model = rules.model();
        let mut view = rules.view(position, seat);
        let marks = rules.marks(position, seat);
        let pictured = picture::board(model, &view, &marks, &[], lang).map(|p| format!("{p:?}"));
        let board = map::board(model, &view, &marks, lang);
        let options = rules.seen_options(position, seat, lang).unwrap_or_default();
        let open = options.iter().filter(|o| !o.veiled).filter_map(|o| o.choices.first().copied());
        let near = map::near(model, &view, &open.collect::<Vec<Choice>>());
        let part =
            map::board_near(model, &view, &marks, &map::Near { cells: near.clone(), ..map::Near::default() }, lang);
        // The order of the options tells nothing.
        view.question.iter_mut().flat_map(|q| &mut q.options).for_each(|options| options.sort());
        let beside = rules.beside(position, Some(seat), lang).join("\n");
        vec![format!("{view:?}"), format!("{marks:?}"), board, part, pictured.unwrap_or_default(), beside]
    }

    /// What is told of the value of an expression.
    pub fn value(&self, position: &Position, expr: &Expr) -> Vec<String> {
        let Asks { rules, seat, lang } = *self;
        match rules.value_for(position, Some(seat), expr) {
            Ok(Some(found)) => rulings::value_lines(rules, (position, Some(seat)), ("it", &found), (true, lang)),
            Ok(None) => vec![String::from("not told")],
            Err(fault) => vec![fault.words(rules.model())],
        }
    }

    /// What is told of a member.
    pub fn card(&self, position: &Position, member: (KindId, u16)) -> Vec<String> {
        rulings::member_card(self.rules, position, Some(self.seat), member, self.lang)
    }

    /// The options as they are listed.
    pub fn options(&self, position: &Position) -> String {
        match self.rules.seen_options(position, self.seat, self.lang) {
            Ok(options) => options.iter().map(|o| format!("{} x{}\n", o.text, o.choices.len())).collect(),
            Err(fault) => fault.outline(self.rules.model()),
        }
    }

    /// What is said of a line that the seat writes.
    pub fn line(&self, position: &Position, line: &str, much: Much) -> Vec<String> {
        match notation::read_seen(self.rules, position, self.seat, line) {
            Ok(meant) => self.judged(position, &meant, much),
            Err(Unread::Elsewhere(asked)) => {
                let ruling = self.rules.judge_elsewhere(position, self.seat, &asked, true);
                let much = Much { sensitivity: false, would: false, ..much };
                self.said(position, Choice::Pass, &ruling, much, true)
            }
            Err(unread) => vec![unread.to_string()],
        }
    }

    fn judged(&self, position: &Position, meant: &Meant, much: Much) -> Vec<String> {
        let Some(choice) = meant.choice() else { return vec!["nothing".into()] };
        let ruling = self.rules.judge_meant(position, self.seat, meant);
        let veiled = matches!(meant, Meant::Option(option) if option.veiled);
        let mut said = vec![match meant {
            Meant::Option(option) => format!("option {}", option.text),
            Meant::Other(_) => String::from("no option"),
        }];
        said.extend(self.said(position, choice, &ruling, much, veiled));
        said
    }

    /// A ruling in all its forms.
    fn said(&self, position: &Position, choice: Choice, ruling: &Ruling, much: Much, veiled: bool) -> Vec<String> {
        let Asks { rules, seat, lang } = *self;
        let model = rules.model();
        let sheet = Sheet::new(rules, position, (seat, choice), ruling, lang);
        let mut said = vec![sheet.text(Depth::Short), sheet.text(Depth::Misses), sheet.text(Depth::Whole)];
        said.push(rulings::text(rules, position, seat, choice, ruling, lang));
        said.push(rulings::json(rules, position, seat, choice, ruling, lang).to_string());
        let sensitivity = match much.sensitivity && !veiled {
            true => rules.sensitivity(&History::of(position.clone()), seat, choice, 64),
            false => Sensitivity::certain(ruling.verdict),
        };
        let sensitivity_words = rulings::sensitivity_words(model, &sensitivity, lang);
        let rows = rulings::reading_rows(model, rules.config(), &sensitivity, lang);
        said.extend(sensitivity_words.clone());
        said.push(rulings::reading_table(&rows, lang));
        said.push(rulings::sensitivity_json(model, rules.config(), &sensitivity, lang).to_string());
        let what_ifs = (much.would && ruling.verdict != Verdict::Legal && !veiled)
            .then(|| rules.what_ifs(position, seat, choice, (600, true), &mut |_| ()));
        let what_if_words = what_ifs.filter(|r| !r.bounded).map(|r| rulings::what_if_words(model, position, &r, lang));
        said.extend(what_if_words.clone().unwrap_or_default());
        if much.pages {
            let view = rules.view(position, seat);
            let marks = rules.marks(position, seat);
            let question = match rules.status(position) {
                Ok(Status::Decision(question)) => Some(question),
                _ => None,
            };
            let known = |kind, member: u16| rules.sees_place(position, kind, usize::from(member), seat);
            let parts = match veiled {
                true => Vec::new(),
                false => picture::parts(model, position, question.as_ref(), choice, &known),
            };
            let page = RulingPage {
                outcome_words: None,
                sheet: &sheet,
                game: model.title.get(lang).to_owned(),
                settings: String::new(),
                from: String::from("here"),
                viewer: Some(seat.to_string()),
                picture: picture::board(model, &view, &marks, &parts, lang),
                map: map::board(model, &view, &marks, lang),
                facts: None,
                sensitivity_words,
                readings: rows,
                what_if_words,
                digest: String::new(),
                command: String::new(),
            };
            said.extend([page.html(), page.markdown()]);
        }
        said
    }

    /// The ruling about a choice, whoever decides, as a library's caller may ask for it.
    pub fn ruling(&self, position: &Position, choice: Choice, much: Much) -> Vec<String> {
        let ruling = self.rules.judge_seen(position, self.seat, choice);
        self.said(position, choice, &ruling, much, false)
    }

    /// What the seat is told of a choice, at once and later.
    pub fn told(&self, before: &Position, after: &Position, choice: Choice) -> [Told; 2] {
        let both = (before, after);
        [
            self.rules.told(Some(self.seat), both, choice, self.lang),
            self.rules.told_later(self.seat, both, choice, self.lang),
        ]
    }

    /// What the seat saw change by a choice at the moment it changed, and what it is told that the choice led to.
    pub fn led_to(&self, before: &Position, choice: Choice) -> (Vec<EventKind>, Vec<String>) {
        let mut after = before.clone();
        let events = self.rules.apply_told(&mut after, choice, Some(self.seat)).unwrap_or_default();
        let names = self.rules.names(Some(self.seat), (before, &after), self.lang);
        let model = self.rules.model();
        let changed = |e: &Event| {
            matches!(e.kind, EventKind::Became { var, .. } if !model.is_passing(var)).then(|| e.kind.clone())
        };
        let mut texts = rulings::events_text(model, &events, self.lang);
        let lexicon = Lexicon::new(model, self.lang).calling(&names);
        texts.extend(rulings::events_brief(&lexicon, &events, ""));
        texts.extend(rulings::events_told(&lexicon, &events));
        (events.all.iter().filter_map(changed).collect(), texts)
    }

    /// What a line means and how it is judged, found from all there is.
    pub fn referee(&self, position: &Position, line: &str) -> String {
        match notation::read(self.rules, position, line) {
            Ok(choice) => format!("{choice:?}, {:?}", self.rules.judge(position, self.seat, choice).reason),
            Err(unread) => unread.to_string(),
        }
    }
}

/// Lines that a seat may write which wants to know more: what is written so in either position, and the same misspelt.
pub fn lines(rules: &Explainer, positions: [&Position; 2], seat: u16, many: usize, dice: &mut Dice) -> Vec<String> {
    let mut found = vec![String::from("xyzzy"), String::from("3"), String::from("?")];
    let langs = lawspeaker::lexicon::languages(rules.model());
    for position in positions {
        let shown = rules.seen_options(position, seat, "").unwrap_or_default();
        let candidates = rules.candidates(position);
        let mut acts = Vec::new();
        rules.action_ids().for_each(|id| rules.all_actions(id, &mut acts));
        let options = rules.options(position).unwrap_or_default();
        for _ in 0..many {
            let lang = &langs[dice.below(langs.len())];
            let pools: [&[Choice]; 3] = [&candidates, &acts, &options];
            let pool = pools[dice.below(3)];
            if !pool.is_empty() {
                found.push(rules.say(position, pool[dice.below(pool.len())], lang));
            }
            if !shown.is_empty() && dice.below(3) == 0 {
                found.push(shown[dice.below(shown.len())].text.clone());
            }
        }
    }
    let right = found.len();
    for i in 0..right {
        let wrong = misspelt(&found[i], dice);
        found.push(wrong);
    }
    found
}

/// A definition of the rules with arguments that are drawn; nothing for one that takes a set.
pub fn a_value(model: &Model, dice: &mut Dice) -> Option<Expr> {
    let id = dice.below(model.defs.len().max(1));
    let def = model.defs.get(id)?;
    let span = Span::default();
    let arg = |base: &Base, dice: &mut Dice| {
        let value = match base {
            Base::Member(kind) => dice.below(model.kinds[kind.i()].members.len()) as i32,
            Base::Bool => dice.below(2) as i32,
            Base::Range(lo, hi) => lo + dice.below((hi - lo + 1) as usize) as i32,
            Base::Int => dice.below(12) as i32,
            _ => return None,
        };
        let ty = Ty { base: base.clone(), optional: false };
        Some(Expr { kind: ExprKind::Const(Value::Int(value)), ty, span })
    };
    let args = def.params.iter().map(|(_, ty)| arg(&ty.base, dice)).collect::<Option<Vec<Expr>>>()?;
    Some(Expr { kind: ExprKind::Call { def: DefId(id as u16), args }, ty: def.ty.clone(), span })
}

fn misspelt(line: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = line.chars().collect();
    if letters.is_empty() {
        return String::from("x");
    }
    let at = dice.below(letters.len());
    match dice.below(4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, 'x'),
        2 => letters.swap(0, at),
        _ => {
            for letter in letters.iter_mut().filter(|l| l.is_ascii_digit()) {
                *letter = char::from(b'0' + dice.below(10) as u8);
            }
            letters[at] = if letters[at].is_ascii_digit() { '7' } else { 'q' };
        }
    }
    letters.into_iter().collect()
}
