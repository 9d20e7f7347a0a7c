//! What came of many games, as a page with plots and tables.

use lawspeaker::lexicon::{Words, fill};
use lawspeaker::players::Bot;
use lawspeaker::simulate::Figures;
use lawspeaker::stats::{Counts, Estimate};

use super::rows::{Crossed, RANGES, Report, Row};
use super::series::Until;
use super::told::{self, QUANTILES, percent};
use crate::cli::page::charts::{self, Axes, Bar, Line};
use crate::cli::page::{Page, figure, remark, table};
use crate::cli::ruling_page::{command, digest};
use crate::cli::session::Session;

/// The rows of a table on the page.
const SHOWN: usize = 40;

/// The bars of a plot.
const BARS: usize = 14;

/// The page.
pub fn page(report: &Report<'_>, figures: &Figures, (bots, seed): (&[Bot], u64), until: &Until) -> String {
    let session = report.session;
    let words = session.lexicon().words;
    let title = session.model().title.get(&session.lang);
    let mut page = Page::new(&words.tag.to_string(), title, &about(report, seed));
    let seated = report.seats().into_iter().zip(bots).map(|(seat, bot)| format!("{seat}{}{bot}", words.colon));
    page.note(&seated.collect::<Vec<_>>().join(words.comma));
    if bots.contains(&Bot::Random) {
        page.note(words.sim.random);
    }
    page.note(&told::confidence(report, until));
    page.section(words.sim.head_wins, &wins(report));
    page.section(words.sim.head_endings, &endings(report));
    page.section(words.sim.head_lengths, &lengths(report));
    page.section(words.sim.head_options, &options(report, figures));
    page.section(words.sim.head_kinds, &kinds(report, figures));
    for seat in figures.options.keys() {
        let head = trimmed(&fill(words.sim.firsts, &[&session.seat_name(Some(*seat))]), words);
        crossed(&mut page, report, &head, &report.firsts(figures, *seat));
    }
    crossed(&mut page, report, &trimmed(words.sim.standing, words), &report.standing(figures));
    crossed(&mut page, report, &trimmed(words.sim.by_setting, words), &report.settings(figures));
    page.section(words.heads.repeat, &repeat(session, words));
    page.html()
}

/// A heading of the screen without its colon.
fn trimmed(head: &str, words: &Words) -> String {
    head.trim_end_matches(words.colon.trim_end()).to_owned()
}

/// How the page was made, to make it again.
pub fn repeat(session: &Session, words: &Words) -> String {
    let escaped = lawspeaker::picture::escaped;
    format!(
        "<p>{}{}</p>\n<pre>{}</pre>\n<p>{}</p>\n",
        escaped(words.heads.command),
        escaped(words.colon.trim_end()),
        escaped(&command(std::env::args_os())),
        fill(&escaped(words.heads.digest), &[&format!("<code>{}</code>", digest(session))])
    )
}

/// Settings, games and seed.
fn about(report: &Report<'_>, seed: u64) -> String {
    let words = report.session.lexicon().words;
    let settings = report.session.rules.settings().list();
    let seed = fill(words.sim.seed, &[&seed.to_string()]);
    let parts = [words.sim.title.to_owned(), settings, told::games(report), seed];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn between(share: &Estimate, words: &Words) -> String {
    let [p, low, high] = [share.value, share.low, share.high].map(percent);
    fill(words.odds.share, &[&p, &low, &high])
}

fn row_table(name: &str, rows: &[&Row], words: &Words) -> String {
    let heads = [name, words.sim.games, words.sim.share].map(str::to_owned);
    let row = |row: &&Row| vec![row.name.clone(), row.games.to_string(), between(&row.share, words)];
    table(&heads, &rows.iter().map(row).collect::<Vec<_>>())
}

fn wins(report: &Report<'_>) -> String {
    let words = report.session.lexicon().words;
    let rows = report.wins(words.play.draw);
    let bar = |(series, row): (usize, &Row)| Bar { name: row.name.clone(), share: row.share, series };
    let bars: Vec<Bar> = rows.iter().enumerate().map(bar).collect();
    let rows: Vec<&Row> = rows.iter().collect();
    figure(&charts::bars(&bars, words.sim.head_wins), "") + &row_table(words.sim.winner, &rows, words)
}

fn endings(report: &Report<'_>) -> String {
    let words = report.session.lexicon().words;
    let rows = report.endings();
    let bar = |(row, _): &(Row, _)| Bar { name: row.name.clone(), share: row.share, series: 0 };
    let bars: Vec<Bar> = rows.iter().take(BARS).map(bar).collect();
    let heads = [words.sim.ending, words.sim.games, words.sim.share, words.sim.clause].map(str::to_owned);
    let row = |(row, clause): &(Row, Option<_>)| {
        let clause = clause.map_or_else(String::new, |id| report.clause(id));
        vec![row.name.clone(), row.games.to_string(), between(&row.share, words), clause]
    };
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    figure(&charts::bars(&bars, words.sim.head_endings), "") + &table(&heads, &rows)
}

/// Quantiles and the mean of numbers, in a table.
fn spread(named: &[(String, &Counts)], words: &Words) -> String {
    let share = |share: f64| format!("{:.0} %", 100.0 * share);
    let [low, lower, upper, high] = QUANTILES.map(share);
    let heads = ["", words.sim.least, &low, &lower, words.sim.median, &upper, &high, words.sim.most, words.sim.mean];
    let row = |(name, counts): &(String, &Counts)| {
        let quantile = |share: f64| counts.quantile(share).to_string();
        let [low, lower, upper, high] = QUANTILES.map(quantile);
        let [least, median, most] = [counts.least(), counts.median(), counts.most()].map(|n| n.to_string());
        vec![name.clone(), least, low, lower, median, upper, high, most, format!("{:.1}", counts.mean())]
    };
    table(&heads.map(str::to_owned), &named.iter().map(row).collect::<Vec<_>>())
}

fn lengths(report: &Report<'_>) -> String {
    let words = report.session.lexicon().words;
    let lengths = &report.tally.lengths;
    let bins = lengths.histogram(2 * RANGES);
    let mut out = figure(&charts::histogram(&bins, words.sim.plies, words.sim.head_lengths), "");
    out += &spread(&[(words.sim.plies.to_owned(), lengths)], words);
    let rows = report.by_length();
    if rows.len() < 2 {
        return out;
    }
    let middles: Vec<f64> =
        report.tally.by_length(RANGES).into_iter().filter(|(_, w)| w.over > 0).map(middle).collect();
    let shares: Vec<Vec<Estimate>> = rows.iter().map(|row| report.shares(row, rows.len())).collect();
    let line = |(seat, name): (usize, String)| {
        let points = middles.iter().zip(&shares);
        Line { name, points: points.filter_map(|(x, all)| Some((*x, *all.get(seat)?))).collect() }
    };
    let lines: Vec<Line> = report.seats().into_iter().enumerate().map(line).collect();
    let axes = Axes { across: words.sim.plies, percent: true, marked: None };
    let head = trimmed(words.sim.by_length, words);
    out += &format!("<h3>{}</h3>\n", lawspeaker::picture::escaped(&head));
    let legend = charts::legend(lines.iter().map(|line| line.name.as_str()));
    out += &figure(&charts::lines(&lines, &axes, &head), &legend);
    out + &crossed_table(report, &rows)
}

fn middle<T>(((from, to), _): ((usize, usize), T)) -> f64 {
    (from + to) as f64 / 2.0
}

fn options(report: &Report<'_>, figures: &Figures) -> String {
    let words = report.session.lexicon().words;
    let all = figures.all_options();
    let exact = |mean: f64| Estimate { value: mean, low: mean, high: mean };
    let points =
        figures.options_by_ply(2 * RANGES).into_iter().map(|(range, mean)| (middle((range, ())) + 1.0, exact(mean)));
    let line = Line { name: words.sim.options_head.to_owned(), points: points.collect() };
    let axes = Axes { across: words.sim.ply, percent: false, marked: None };
    let mut named = vec![(words.sim.all_seats.to_owned(), &all)];
    named.extend(figures.options.iter().map(|(seat, counts)| (report.session.seat_name(Some(*seat)), counts)));
    let legend = charts::legend([words.sim.options_head]);
    figure(&charts::lines(&[line], &axes, words.sim.head_options), &legend) + &spread(&named, words)
}

fn kinds(report: &Report<'_>, figures: &Figures) -> String {
    let words = report.session.lexicon().words;
    let kinds = report.kinds(figures);
    let all = kinds.iter().map(|(_, plies)| plies).sum::<usize>().max(1) as f64;
    let bar = |(name, plies): &(String, usize)| {
        let value = *plies as f64 / all;
        Bar { name: name.clone(), share: Estimate { value, low: value, high: value }, series: 1 }
    };
    let bars: Vec<Bar> = kinds.iter().take(BARS).map(bar).collect();
    let heads = [words.sim.kind, words.sim.a_game, words.sim.share].map(str::to_owned);
    let row = |(name, plies): &(String, usize)| {
        let share = fill(words.sim.percent, &[&percent(*plies as f64 / all)]);
        vec![name.clone(), format!("{:.1}", *plies as f64 / figures.games.max(1) as f64), share]
    };
    let rows: Vec<Vec<String>> = kinds.iter().map(row).collect();
    figure(&charts::bars(&bars, words.sim.head_kinds), "") + &table(&heads, &rows)
}

fn crossed(page: &mut Page, report: &Report<'_>, head: &str, rows: &[Crossed]) {
    if !rows.is_empty() {
        page.section(head, &crossed_table(report, rows));
    }
}

fn crossed_table(report: &Report<'_>, rows: &[Crossed]) -> String {
    let words = report.session.lexicon().words;
    let heads = [String::new(), words.sim.games.to_owned()].into_iter().chain(report.seats());
    let row = |row: &Crossed| {
        let shares = report.shares(row, rows.len());
        let shares = shares.iter().map(|share| between(share, words));
        [row.name.clone(), row.winners.over.to_string()].into_iter().chain(shares).collect::<Vec<String>>()
    };
    let shown: Vec<Vec<String>> = rows.iter().take(SHOWN).map(row).collect();
    let together = remark(&fill(words.sim.together, &[&rows.len().to_string()]));
    let more = match rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => remark(&fill(words.sim.more_rows, &[&more.to_string()])),
    };
    table(&heads.collect::<Vec<_>>(), &shown) + &together + &more
}
