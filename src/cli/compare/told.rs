//! The report in words.

use std::collections::BTreeMap;

use lawspeaker::compare::{
    Ahead, Change, Clashes, Comparison, Counted, Deciding, Difference, Fork, Goes, How, OtherRecord, OtherRuling, Play,
    Records, Rulings, Side, Sort, Waking, Written,
};
use lawspeaker::lexicon::{Counted as Count, Words, fill};
use lawspeaker::stats::Estimate;

use super::Report;
use crate::cli::document::{Document, Item, Section, Table};

/// What is told of one set of rules next to the first.
#[derive(Default)]
struct Told {
    lead: String,
    items: Vec<Item>,
    /// Whether the items belong together.
    whole: bool,
}

impl Told {
    fn new(lead: impl Into<String>) -> Told {
        Told { lead: lead.into(), ..Told::default() }
    }
}

/// The report as a document.
pub fn document(report: &Report, words: &Words) -> Document {
    let say = &words.compare;
    let single = report.others.len() == 1;
    let name = |i: usize| match (single, i) {
        (true, 0) => say.first.to_owned(),
        (true, _) => say.second.to_owned(),
        (false, _) => fill(say.rules, &[&(i + 1).to_string()]),
    };
    let sides = std::iter::once(&report.first).chain(report.others.iter().map(|(side, _)| side));
    let about: Vec<String> =
        sides.enumerate().map(|(i, side)| format!("{}{}{}", name(i), words.colon, named(side))).collect();
    let teller = Teller { words, other: if single { say.second_rules } else { say.these_rules } };
    let mut sections = Vec::new();
    let mut tell = |title: &str, one: &dyn Fn(&Comparison) -> Option<Told>| {
        let told: Vec<Option<Told>> = report.others.iter().map(|(_, found)| one(found)).collect();
        if told.iter().any(Option::is_some) {
            sections.push(section(title, told, words));
        }
    };
    tell(say.head_written, &|found| Some(teller.written(&found.written)));
    tell(say.head_rulings, &|found| Some(teller.rulings(&found.rulings, &found.written)));
    tell(say.head_records, &|found| Some(teller.records(&found.records)));
    tell(say.head_proofs, &|found| Some(teller.proofs(&found.clashes, &found.counts)));
    let heads: Vec<String> = (0..=report.others.len()).map(name).collect();
    sections.extend(play(report, &heads, words));
    let mut tell = |title: &str, one: &dyn Fn(&Comparison) -> Option<Told>| {
        let told: Vec<Option<Told>> = report.others.iter().map(|(_, found)| one(found)).collect();
        if told.iter().any(Option::is_some) {
            sections.push(section(title, told, words));
        }
    };
    tell(say.head_waking, &|found| found.waking.as_ref().map(|waking| teller.waking(waking)));
    tell(say.head_ahead, &|found| found.ahead.as_ref().map(|ahead| teller.ahead(ahead)));
    tell(say.head_unseen, &|found| {
        let unplayed = found.unplayed.as_ref().map(|why| fill(say.unplayed, &[why]));
        let phrase = if found.play.as_ref().is_some_and(Play::is_sure) { say.unseen_but_games } else { say.unseen };
        let unseen =
            (found.differs() && !found.unseen.is_empty()).then(|| fill(phrase, &[&found.unseen.join(words.comma)]));
        let same = (!found.differs()).then(|| say.same.to_owned());
        let all: Vec<String> = unplayed.into_iter().chain(unseen).chain(same).collect();
        let mut all = all.into_iter();
        let lead = all.next()?;
        Some(Told { lead, items: all.map(Item::new).collect(), whole: false })
    });
    let title = fill(say.title, &[report.first.rules.model().title.get(&words.tag.to_string())]);
    Document { title, about, sections, end: fill(say.again, &[&report.command]) }
}

/// What a side is called: its folder and its settings.
pub fn named(side: &Side) -> String {
    match side.settings.list() {
        list if list.is_empty() => side.folder.name.clone(),
        list => format!("{} ({list})", side.folder.name),
    }
}

/// One section about all sets of rules: what several of them share is told once, with their numbers before it.
fn section(title: &str, told: Vec<Option<Told>>, words: &Words) -> Section {
    let mut section = Section { title: title.to_owned(), ..Section::default() };
    if let [Some(_)] = told.as_slice() {
        for one in told.into_iter().flatten() {
            (section.lead, section.items) = (one.lead, one.items);
        }
        return section;
    }
    let mut items: Vec<(Item, Vec<usize>)> = Vec::new();
    let mut leads: Vec<(Item, Vec<usize>)> = Vec::new();
    let put = |all: &mut Vec<(Item, Vec<usize>)>, item: Item, set: usize| match all
        .iter_mut()
        .find(|(known, _)| *known == item)
    {
        Some((_, sets)) => sets.push(set),
        None => all.push((item, vec![set])),
    };
    for (i, one) in told.into_iter().enumerate() {
        let Some(one) = one else { continue };
        if one.whole {
            put(&mut leads, Item { text: one.lead, inner: one.items }, i + 2);
            continue;
        }
        put(&mut leads, Item::new(one.lead), i + 2);
        one.items.into_iter().for_each(|item| put(&mut items, item, i + 2));
    }
    let marked = |(item, sets): (Item, Vec<usize>)| {
        let sets: Vec<String> = sets.iter().map(usize::to_string).collect();
        let text = format!("[{}] {}", sets.join(words.comma), item.text);
        Item { text, ..item }
    };
    section.items = leads.into_iter().chain(items).map(marked).collect();
    section
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn signed(value: f64) -> String {
    format!("{value:+.1}")
}

/// A difference with its interval, so many times, and a mark if it is sure.
fn difference(estimate: &Estimate, times: f64, words: &Words) -> String {
    let [difference, low, high] = [estimate.value, estimate.low, estimate.high].map(|x| signed(times * x));
    let mark = if estimate.leaves_out(0.0) { " *" } else { "" };
    fill(words.compare.difference, &[&difference, &low, &high]) + mark
}

/// Who wins how often, how games end, how long they are and how much there is to choose: a column for each set of
/// rules.
fn play(report: &Report, heads: &[String], words: &Words) -> Option<Section> {
    let say = &words.compare;
    let plays: Vec<Option<&Play>> = report.others.iter().map(|(_, found)| found.play.as_ref()).collect();
    let first = plays.iter().find_map(|play| *play)?;
    let mut table = Table { head: vec![String::new()], rows: Vec::new() };
    table.head.extend(heads.iter().cloned());
    let mut row = vec![say.games_played.to_owned(), first.games.to_string()];
    row.extend(plays.iter().map(|play| play.map_or_else(String::new, |play| play.games.to_string())));
    table.rows.push(row);
    let of = |n: usize, all: usize| percent(n as f64 / all.max(1) as f64) + " %";
    for name in names(&plays, |play| play.shares.iter().map(|share| share.name.as_str()).collect()) {
        let share = |play: &Play| play.shares.iter().find(|share| share.name == name).cloned();
        let was = plays.iter().flatten().find_map(|play| Some(of(share(play)?.games[0], play.games)));
        let mut row = vec![name.clone(), was.unwrap_or_else(|| of(0, 1))];
        row.extend(plays.iter().map(|play| {
            play.map_or_else(String::new, |play| {
                share(play).map_or_else(
                    || of(0, 1),
                    |share| {
                        let now = of(share.games[1], play.games);
                        format!("{now}{}{}", words.comma, difference(&share.difference, 100.0, words))
                    },
                )
            })
        }));
        table.rows.push(row);
    }
    for name in names(&plays, |play| play.means.iter().map(|mean| mean.name.as_str()).collect()) {
        let mean = |play: &Play| play.means.iter().find(|mean| mean.name == name).cloned();
        let was = plays.iter().flatten().find_map(|play| Some(format!("{:.1}", mean(play)?.means[0])));
        let mut row = vec![name.clone(), was.unwrap_or_default()];
        row.extend(plays.iter().map(|play| {
            play.and_then(mean).map_or_else(String::new, |mean| {
                format!("{:.1}{}{}", mean.means[1], words.comma, difference(&mean.difference, 1.0, words))
            })
        }));
        table.rows.push(row);
    }
    let bots: Vec<String> = report.bots.iter().map(|(seat, bot)| format!("{seat}={bot}")).collect();
    let who = match bots.is_empty() {
        true => say.play_random.to_owned(),
        false => fill(say.play_bots, &[&bots.join(words.comma)]),
    };
    let mut items: Vec<Item> = vec![Item::new(fill(say.play_sure, &[&first.comparisons.to_string()]))];
    if first.watched != first.games {
        items.push(Item::new(fill(say.play_watched, &[&first.watched.to_string()])));
    }
    if plays.iter().flatten().any(|play| play.precise == Some(false)) {
        items.push(Item::new(say.imprecise));
    }
    let faulty = |(i, play): (usize, &Option<&Play>)| {
        let [was, now] = play.as_ref()?.faulty.map(|n| n.to_string());
        let which = heads.get(i + 1)?;
        (was != "0" || now != "0").then(|| Item::new(fill(say.faulty, &[&was, &now, which])))
    };
    items.extend(plays.iter().enumerate().filter_map(faulty));
    Some(Section { title: say.head_play.to_owned(), lead: who, table: Some(table), items })
}

/// What is told of any of the games, each once.
fn names(plays: &[Option<&Play>], of: impl Fn(&Play) -> Vec<&str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in plays.iter().flatten().flat_map(|play| of(play)) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// What comes instead, or why a record stops, without the parts of the ruling that do not decide.
fn brief(text: &str, words: &Words) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or("");
    let first = if text.contains('\n') { first.split(". ").next().unwrap_or(first) } else { first };
    match lines.find(|line| line.starts_with("  ")) {
        Some(decides) => format!("{first}{}{}", words.comma, decides.trim()),
        None => shortened(first, words),
    }
}

/// The most characters of what comes instead.
const LONG: usize = 240;

/// A text up to the last comma before it becomes too long.
fn shortened(text: &str, words: &Words) -> String {
    if text.chars().count() <= LONG {
        return text.to_owned();
    }
    let end = text.char_indices().nth(LONG).map_or(text.len(), |(at, _)| at);
    let kept = text.get(..end).unwrap_or(text);
    let kept = kept.rsplit_once(", ").map_or(kept, |(kept, _)| kept);
    format!("{kept}{}...", words.comma)
}

/// The most options that are told.
const TOLD: usize = 10;

fn listed(texts: &[String], words: &Words) -> String {
    let mut told: Vec<&str> = texts.iter().take(TOLD).map(String::as_str).collect();
    let more = fill(words.compare.more, &[&texts.len().saturating_sub(TOLD).to_string()]);
    if texts.len() > TOLD {
        told.push(&more);
    }
    told.join("; ")
}

/// Says things in a language, with what the other rules are called.
struct Teller<'a> {
    words: &'a Words,
    other: &'static str,
}

impl Teller<'_> {
    fn written(&self, written: &Written) -> Told {
        let say = &self.words.compare;
        let mut told = Told::new(match (written.changes.is_empty(), written.other) {
            (false, _) => fill(say.written, &[&written.changes.len().to_string()]),
            (true, true) => say.written_other.to_owned(),
            (true, false) => say.written_same.to_owned(),
        });
        told.items.extend(written.changes.iter().map(|change| Item::new(self.change(change))));
        for (phrase, ids) in [(say.lost, &written.lost), (say.gained, &written.gained)] {
            if !ids.is_empty() {
                told.items.push(Item::new(fill(phrase, &[&ids.join(self.words.comma)])));
            }
        }
        told
    }

    /// `changed: plus strength "..." (char.frodo.2)`.
    fn change(&self, change: &Change) -> String {
        let say = &self.words.compare;
        let mut what = change.what.clone();
        if let Some(only) = change.only_value() {
            what = format!("{what}{}{only}", self.words.colon);
        }
        if let Some((was, now)) = change.values.as_ref().filter(|_| change.sort == Sort::Changed) {
            let nothing = |text: &str| if text.is_empty() { self.words.none.to_owned() } else { text.to_owned() };
            what = fill(say.value, &[&what, &nothing(was), &nothing(now)]);
        }
        if !change.cites.is_empty() {
            what += &self.words.bracketed(&change.cites.join(self.words.comma));
        }
        let phrase = match change.sort {
            Sort::Added => say.added,
            Sort::Removed => say.removed,
            Sort::Changed => say.changed,
        };
        fill(phrase, &[&what])
    }

    /// Which changes make a difference.
    fn because(&self, deciding: &Deciding) -> String {
        let say = &self.words.compare;
        let phrase = match deciding.how {
            _ if deciding.names.is_empty() => say.through_nothing,
            How::Alone => say.through,
            How::Together => say.through_together,
            How::Each => say.through_each,
        };
        fill(phrase, &[&deciding.names.join(self.words.comma)])
    }

    /// The same as the head of a list.
    fn because_of(&self, deciding: &Deciding) -> String {
        self.because(deciding) + self.words.colon.trim_end()
    }

    fn rulings(&self, rulings: &Rulings, written: &Written) -> Told {
        let say = &self.words.compare;
        let cases = self.words.counts.of(Count::Cases, rulings.cases);
        let mut told = Told::new(fill(say.rulings, &[&cases, &rulings.others.len().to_string()]));
        let mut groups: BTreeMap<&Deciding, Vec<&OtherRuling>> = BTreeMap::new();
        for other in &rulings.others {
            groups.entry(&other.deciding).or_default().push(other);
        }
        for (deciding, others) in groups {
            let case = |other: &&OtherRuling| {
                let phrase = if other.unusable { say.case_unusable } else { say.case };
                fill(phrase, &[&other.place, &other.case, &other.expected, &brief(&other.got, self.words)])
            };
            told.items.push(Item::over(self.because_of(deciding), others.iter().map(case)));
        }
        if !rulings.failing.is_empty() {
            told.items.push(Item::new(fill(say.failing, &[&rulings.failing.join(self.words.comma)])));
        }
        let reached = |what: &str| rulings.reached.iter().any(|(name, _)| name == what);
        let idle = written.changes.iter().filter(|change| change.decides && !reached(&change.what));
        let idle: Vec<&str> = idle.map(|change| change.what.as_str()).collect();
        if rulings.cases > 0 && !idle.is_empty() {
            told.items.push(Item::new(fill(say.no_case, &[&idle.join(self.words.comma)])));
        }
        told
    }

    fn records(&self, records: &Records) -> Told {
        let say = &self.words.compare;
        let all = self.words.counts.of(Count::Records, records.records);
        let mut told = Told::new(fill(say.records, &[&all, &records.others.len().to_string()]));
        let mut groups: BTreeMap<&Deciding, Vec<&OtherRecord>> = BTreeMap::new();
        for other in &records.others {
            groups.entry(&other.deciding).or_default().push(other);
        }
        for (deciding, others) in groups {
            let (mut lines, mut counts) = (Vec::new(), Vec::new());
            for OtherRecord { record, goes, .. } in others {
                match goes {
                    Goes::Stops(0, why) => lines.push(fill(say.record_unplayed, &[record, &brief(why, self.words)])),
                    Goes::Stops(ply, why) => {
                        let why = brief(why, self.words);
                        lines.push(fill(say.record_stops, &[record, &ply.to_string(), &why]));
                    }
                    Goes::Ends(why) => lines.push(fill(say.record_ends, &[record, &brief(why, self.words)])),
                    Goes::Options(ply) => counts.push(format!("{record} ({ply})")),
                }
            }
            if !counts.is_empty() {
                lines.push(fill(say.record_options, &[&counts.join(self.words.comma)]));
            }
            told.items.push(Item::over(self.because_of(deciding), lines));
        }
        if !records.failing.is_empty() {
            told.items.push(Item::new(fill(say.failing, &[&records.failing.join(self.words.comma)])));
        }
        told
    }

    fn proofs(&self, clashes: &Clashes, counts: &[Counted]) -> Told {
        let say = &self.words.compare;
        let pairs = clashes.pairs.map(|pairs| pairs.to_string());
        let [come, gone] = [&clashes.come, &clashes.gone].map(|these| these.len().to_string());
        let mut told = Told::new(fill(say.clashes, &[&pairs[0], &pairs[1], &come, &gone, self.other]));
        for (phrase, these) in [(say.clash_come, &clashes.come), (say.clash_gone, &clashes.gone)] {
            for clash in these {
                let both = fill(self.words.tree.against, &[&clash.clauses[0], &clash.clauses[1]]);
                told.items.push(Item::over(fill(phrase, &[&both]), [clash.known.clone()]));
            }
        }
        for (phrase, these) in [(say.warning_come, &clashes.warned), (say.warning_gone, &clashes.unwarned)] {
            told.items.extend(these.iter().map(|warning| Item::new(fill(phrase, &[warning]))));
        }
        told.items.extend(counts.iter().map(|counted| self.counted(counted)));
        told
    }

    /// The numbers of positions ahead.
    fn counted(&self, counted: &Counted) -> Item {
        let say = &self.words.compare;
        let differs = counted.depths.last().filter(|[was, now]| was != now);
        let Some([was, now]) = differs else {
            let numbers: Vec<String> = counted.depths.iter().map(|[was, _]| was.to_string()).collect();
            return Item::new(fill(say.counts_same, &[&counted.from, &numbers.join(self.words.comma)]));
        };
        let plies = self.words.counts.of(Count::Plies, counted.depths.len());
        let text = fill(say.counts_differ, &[&counted.from, &plies, &was.to_string(), &now.to_string(), self.other]);
        Item::over(text, counted.fork.iter().flat_map(|fork| self.fork(fork)))
    }

    /// The plies of a game, and what is different after them.
    fn fork(&self, fork: &Fork) -> Vec<String> {
        let say = &self.words.compare;
        let plies = fork.plies.iter().enumerate();
        let mut lines: Vec<String> =
            plies.map(|(n, (who, text))| format!("{}. {who}{}{text}", n + 1, self.words.colon)).collect();
        match &fork.difference {
            Difference::Standing(was, now) => lines.push(fill(say.standing, &[was, now, self.other])),
            Difference::Options(gone, come) => {
                for (rules, texts) in [(say.first_rules, gone), (self.other, come)] {
                    if !texts.is_empty() {
                        lines.push(fill(say.only, &[&listed(texts, self.words), rules]));
                    }
                }
            }
        }
        if !fork.deciding.names.is_empty() {
            lines.push(self.because(&fork.deciding));
        }
        lines
    }

    fn waking(&self, waking: &Waking) -> Told {
        let say = &self.words.compare;
        let games = self.words.counts.of(Count::Games, waking.games);
        let only = |now: bool| {
            let rules = if now { self.other } else { say.first_rules };
            let parts = waking.only(now).into_iter();
            parts.map(move |(name, games)| Item::new(fill(say.woke, &[name, &games.to_string(), rules])))
        };
        let items: Vec<Item> = only(true).chain(only(false)).collect();
        let lead = fill(if items.is_empty() { say.no_waking } else { say.waking }, &[&games]);
        Told { lead, items, whole: false }
    }

    fn ahead(&self, ahead: &Ahead) -> Told {
        let say = &self.words.compare;
        let positions = self.words.counts.of(Count::Positions, ahead.positions);
        let plies = self.words.counts.of(Count::Plies, ahead.same_to);
        let games = self.words.counts.of(Count::Games, ahead.games as usize);
        let Some(fork) = &ahead.fork else {
            let phrase = if ahead.all { say.same_everywhere } else { say.same_near };
            return Told::new(fill(phrase, &[&positions, &plies, &games]));
        };
        let after = self.words.counts.of(Count::Plies, fork.plies.len());
        let phrase = if ahead.shortest { say.shortest } else { say.found };
        let lead = fill(phrase, &[&after, &positions, &plies, &games]);
        Told { lead, items: self.fork(fork).into_iter().map(Item::new).collect(), whole: true }
    }
}
