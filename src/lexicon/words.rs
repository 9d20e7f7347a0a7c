//! The program's own words, one table a language.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::game::{Reason, Verdict};
use crate::model::{ClauseKind, HookTime, Layer};

/// The languages that there are: a tag, and its table. The first has all words that another lacks.
pub const LANGUAGES: [(&str, &str); 2] = [("en", include_str!("en.tsv")), ("ja", include_str!("ja.tsv"))];

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::table(&LANGUAGES[0]));
static OTHERS: LazyLock<Vec<Words>> = LazyLock::new(|| LANGUAGES.iter().skip(1).map(Words::table).collect());

/// The lines of a table: key and text.
fn rows(text: &'static str) -> HashMap<&'static str, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let (key, text) = line.split_once('\t')?;
        Some((key, text.replace("\\n", "\n").replace("\\s", " ")))
    };
    lines.filter_map(row).collect()
}

/// A part of the table: a field for each key, which has a prefix in the file.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident $prefix:literal { $($(#[$field_doc:meta])* $field:ident: $part:ty,)* }
     $($key:ident),* $(,)?) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $part,)*
            $(#[doc = concat!("`", $prefix, stringify!($key), "`")] pub $key: &'static str,)*
        }

        impl $name {
            #[cfg(test)]
            const KEYS: &'static [&'static str] = &[$(concat!($prefix, stringify!($key))),*];

            fn read(_tag: &'static str, find: &dyn Fn(&str) -> &'static str) -> $name {
                $name {
                    $($field: <$part>::read(_tag, find),)*
                    $($key: find(concat!($prefix, stringify!($key))),)*
                }
            }
        }
    };
}

/// The tag of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(&'static str);

impl Tag {
    fn read(tag: &'static str, _: &dyn Fn(&str) -> &'static str) -> Tag {
        Tag(tag)
    }
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl PartialEq<&str> for Tag {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

table! {
    /// The words of one language.
    Words "" {
        /// Its tag, for pages.
        tag: Tag,
        /// Headings of a page and of a derivation.
        heads: Heads,
        /// What is said in `play`.
        play: Play,
        /// What stands on the screen of `play`.
        screen: ScreenWords,
        /// What is said of a member.
        card: CardWords,
        /// What clauses are called.
        clauses: Clauses,
        /// The words for faults of the rules.
        faults: Faults,
        /// How many there are of something.
        counts: Counts,
        /// Why a file is not written.
        refusals: Refusals,
        /// What is said in `replay`.
        replay: Replays,
        /// What is said in `exceptions`.
        tree: Trees,
        /// What is said of two clauses that could disagree, and in `check`.
        pairs: Pairs,
        /// What is said of what plays a game.
        engines: Engines,
        /// What is said in `odds`.
        odds: OddsWords,
        /// What is said in `solve`.
        solve: Solves,
        /// What is said in `find`.
        find: Finds,
        /// What is said of what a choice leads to.
        events: EventWords,
        /// What is said in `simulate` and `random`.
        many: Many,
        /// What more is said of many games, in `simulate` and `explore`.
        sim: SimWords,
        /// What is said in `explore`.
        explore: ExploreWords,
        bots: BotWords,
        /// What is said in `perft`.
        perft: PerftWords,
        /// What is said in `clauses`.
        register: Registers,
        /// What is said in `test`.
        tests: Tests,
        /// What is said in `fmt`.
        layout: LayoutWords,
        /// What is said in `mutate`.
        mutants: MutantWords,
        /// What is said in `compare`.
        compare: CompareWords,
        /// What is said in `games`.
        games: GamesWords,
        /// What is said in `new`.
        made: MadeWords,
        /// What is said in a rulebook, and in `book`.
        book: BookWords,
    }
    comma, series_comma, series_last, colon, question, permitted, offered, game_over, not_yours, chance_decides,
    no_such_action, no_permission,
    prohibited, obligation_unmet, conflict, gap, by, over, forbidden_besides, needs, asked, fails, seen, overruled,
    nearest, farther_off, applies, does_not_apply, silenced_by, gives_way_to, used_up, of, is, after_it, made_by,
    made_of, gives, best, action_of, none, yes, no, unseen, rulebook_line, unclear, reading_taken, not_asked, withheld,
    asked_at, asked_to,
    would_not_asked, depends, under, as_it_stands, played_again, unreached, unreached_under, same_where_reached,
    same_under_all, same_under_pairs, other_under,
    other_under_pairs, only_together, and, would, would_both, any_but, anything, with_member, without_member,
    would_none, field_holds, field_holds_not, holds, holds_not, would_none_alone, would_bounded, would_legal,
    would_more, legal, illegal, undecided, bracketed,
    farther_one, farther_many, untranslated, labelled, some_member, some_member_of, counted, it, against_it, price,
    price_of, price_over, priced, priced_each, breaks,
    keeps, keeps_others, cannot_tell, but_it, it_is, way_to, side,
    quoted, because_holds, because_fails, with_members,
}

table! {
    /// Headings.
    Heads "head." {}
    ruling, verdict, why, lost, would, outcome, readings, position, facts, derivation, repeat, permissions,
    prohibitions, obligations, other_clauses, exceptions, definitions, reading, alternative, in_force, digest,
    command, seen_by, seen_by_all, from, settings,
}

table! {
    /// What is said in `play`.
    Play "play." {}
    pile, pile_unseen, empty, off_board, part, other_areas, nothing_there,
    variable, decides, decides_on, chance_decides, hand_over, prompt, ply, secret, it_was,
    chance,
    draw, wins, win, because, over, nothing_to_choose, none_legal,
    record, record_seed, kept, broken, broken_at, no_option,
    save_what,
    game_of, after_game, match_result,
    total, saved, own_record, replaces, undone, nothing_happened, not_kept,
    nothing_undone, undo_asks, nothing_redone, resign_asks, resigned,
    yes_typed, no_typed, as_it_was,
    steps_left, steps_other, or_command, help_hint, unknown, ambiguous,
    unseen_thing, not_yours, elsewhere, rules_fail, did_you_mean, or, and_more, fault_help, help,
}

table! {
    /// What stands on the screen of `play`.
    ScreenWords "screen." {}
    small, keys, decides, asked, phase, options, happened, page, thinks, take_it, over, help,
}

table! {
    /// What is said of a member.
    CardWords "card." {}
    printed, now, ability, player, lies_in, not_seen,
}

table! {
    /// What clauses are called, by their kind.
    Clauses "clause." {}
    may_not, may, must, instead_of, instead, define, times, plus, at_most, at_least, also, except, before, after,
    at, bring, seen, action, choice, silence, spare, never, ends,
}

table! {
    /// The words for faults of the rules.
    Faults "fault." {}
    line, against, conflict, gap, out_of_range, nothing, endless, too_long, bad_position, values, several_values,
    beat_each_other, obligations, endings, replacing, order_interrupted, order, undefined, no_legal_action,
    no_ending, definition_too_large, too_large, price_too_large, negative_price, no_such_seat, no_such_index,
    too_many_numbers, not_in_set, not_in_pile, cannot_be, too_many_copies, no_decider, no_lowest, no_highest,
    no_least, no_greatest, no_index, no_moved, no_counted, no_winner, nothing_to_choose, too_few_to_choose,
    nothing_to_draw, becomes_nothing, not_there, not_in, too_few_copies, negative_copies, not_active, too_deep,
    ring, same_position, same_position_through, no_decision, too_much_work, too_many_options,
    no_room, missing_clause, missing_definition, missing_procedure, missing_variable, missing_hook, not_at_decision,
    no_instruction, no_such_ending, no_such_entry, no_such_choice, open, ahead, untold,
}

table! {
    /// How many there are of something.
    Counts "count." {}
    ply_one, ply_many, position_one, position_many, record_one, record_many, game_one, game_many, pair_one,
    pair_many, name_one, name_many, clause_one, clause_many, file_one, file_many, error_one, error_many,
    warning_one, warning_many, mutant_one, mutant_many, case_one, case_many, casebook_one, casebook_many, fault_one,
    fault_many, part_one, part_many, line_one, line_many, count_one, count_many, test_one, test_many,
    seat_one, seat_many, option_one, option_many, reading_one, reading_many, preset_one, preset_many, variant_one,
    variant_many,
}

table! {
    /// Why a file is not written.
    Refusals "refusal." {}
    there, busy, changed, folder, file, filled, read_only, disk, system, no_folder, not_allowed, full,
}

table! {
    /// What is said in `replay`.
    Replays "replay." {}
    stopped, unread, unchanged, rewritten, left, total, position_saved, step, other_rules, first_difference,
    all_legal, not_over, result, at_ply, at_line, after_ply, no_beginning, was_legal, possible, no_outcome,
    no_seat, wrong_seat, wrong_count, wrong_digest, wrong_result, after_end, fault, rules, unsaid, options,
    more_options, positions, bare, added,
}

table! {
    /// What is said in `exceptions`.
    Trees "tree." {}
    definition, action, procedure, step, list, endings, total, general, but, silenced_by, spared_by,
    set_aside_by, counted, of, when, in_variant, so_that, prefer_most, prefer_least, loses, once, openly,
    also_beats, despite, pairs, against,
}

table! {
    /// What is said of two clauses that could disagree, and in `check`.
    Pairs "pair." {}
    with_variant, no_faults, total, ranked, agree, members, independent, ending_checks, conditions, tried,
    nevers, can, open, only_where, more, anywhere, at, no_legal, some_legal, first_asks, second_asks, set, set_on,
    set_off, used, unused, field, field_true, field_false, on, not_on, without, has, has_many,
}

table! {
    /// What is said of what plays a game, in `check --engine`.
    Engines "engine." {}
    machine_code, trees, explaining, size, size_sparse, most, to_trees, to_explaining, instead_of_code, whole, failure,
    position, form, hook_order, endings, large_set, too_large, too_deep, too_much_work, many_options, line, no_order,
    trouble, no_machine_code,
}

table! {
    /// What is said in `odds`.
    OddsWords "odds." {}
    not_over, first_choice, ahead, as_far_as, rounded, rest, mean_exact, mean_about, mean_between, no_mean,
    between, tries, share, sampled,
}

table! {
    /// What is said in `solve`.
    Solves "solve." {}
    forced, never, not_within, undecided, too_wide, more, worlds, alike, whatever, more_ways, then, sentence,
    two_sentences, from_here, no_win, no_win_in_time, ends, goes_on,
}

table! {
    /// What is said of what a choice leads to.
    EventWords "event." {}
    became, was, with, without, gone, gone_from, taken, to, from_to, void, nothing_legal, against, semicolon, total,
    leads_to,
}

table! {
    /// What is said in `find`.
    Finds "find." {}
    up_to, all, looked, random, of_bots, never, not_found, shortest, in_game, in_game_of, found, found_note, written,
}

table! {
    /// What is said in `simulate` and `random`.
    Many "many." {}
    by_ending, lengths, lengths_mean, fault, left_out, no_options, given_up, broken, record_unread, record_unplayed,
    other_position, fault_word, in_game, long_record, record, replayed, total,
}

table! {
    /// What more is said of many games, in `simulate` and `explore`.
    SimWords "sim." {}
    precise, imprecise, interrupted, written, by_clause, quantiles, options, options_of, kinds, answer, pass, firsts,
    other_choices, standing, by_length, by_setting, games, percent, more_rows, random, confidence, confidence_looks,
    together, title, seed, share, winner, ending, clause, least, most, median, mean, plies, ply, kind, a_game,
    all_seats, options_head, head_wins, head_endings, head_lengths, head_options, head_kinds,
}

table! {
    /// What is said in `explore`.
    ExploreWords "explore." {}
    title, seat, wins, draws, points, points_of, share, all, fault, together, elsewhere, differs, precision,
    even_between, even_open, even_more, even_less, assumed,
}

table! {
    /// What is said in `match`.
    BotWords "bots." {}
    games, points, as_seat, elo, stronger, not_stronger, undecided,
}

table! {
    /// What is said in `compare`.
    CompareWords "compare." {}
    title, first, second, rules, first_rules, second_rules, these_rules, again, kept,
    head_written, head_rulings, head_records, head_proofs, head_play, head_waking, head_ahead, head_unseen,
    written, written_same, written_other, added, removed, changed, value, lost, gained, rulings, through,
    through_together, through_each, through_nothing, case, case_unusable, failing, no_case, records, record_stops,
    record_unplayed, record_ends,
    record_options, clashes, clash_come, clash_gone, warning_come, warning_gone, counts_same, counts_differ,
    play_random, play_bots, play_sure, play_watched, imprecise, games_played, difference, length, decisions, options,
    faulty, waking, no_waking, woke,
    same_everywhere, same_near, shortest, found, standing, goes_on, fails, only, more, unplayed, unseen,
    unseen_but_games, same,
}

table! {
    /// What is said in `perft`.
    PerftWords "perft." {}
    at_depth, ok, differs, row, row_differs, total, left_out,
}

table! {
    /// What is said in `clauses`.
    Registers "register." {}
    rule, note, manners, bare, case, total, failed, item_fails, failing, game_fails, more, cases, records, games,
    clause_head, part_head, measured, parts, clauses,
}

table! {
    /// What is said in `test`.
    Tests "tests." {}
    failed, unread, more_unread, case, and_more, expected, but, outcome, not_understood, total, again, not_written,
    changed,
}

table! {
    /// What is said in `fmt`.
    LayoutWords "layout." {}
    laid, unread, shipped, changed, other, done,
}

table! {
    /// What is said in `mutate`.
    MutantWords "mutant." {}
    stale, stale_refused, stale_caught, unknown, total, refused, caught, survived, all_explained, unexplained,
    left_out, explained, unreached, reached,
}

table! {
    /// What is said in `games`.
    GamesWords "games." {}
    seats_between, seats, options, readings, presets, variants, setting,
}

table! {
    /// What is said in `new`.
    MadeWords "made." {}
    files, next,
}

table! {
    /// What is said in a rulebook, and in `book`.
    BookWords "book." {}
    skip, pages, turn, start, contents, page_of, previous, next, clauses, clauses_lead, laws, laws_lead, trees,
    trees_lead, settings, settings_lead, members, members_lead, cases, cases_lead, records, records_lead, board,
    board_start, names, ability, reading, option, entry, setting, kind, case, record, name, readings, options,
    presets, more, and_more, added, removed, changed, concerned, stands_now, decided, considered, never,
    reason_in, decided_by, reasons, bare, noted, manners, names_members, also_named, named_by,
    abilities, cites, decides, declared, grounds, default, value, leads_to, set, holds, stop, changes, written,
    largest, open,
}

impl Clauses {
    /// What clauses of a kind are called.
    fn of(&self, kind: ClauseKind) -> &'static str {
        match kind {
            ClauseKind::Define => self.define,
            ClauseKind::Layer(Layer::Instead) => self.instead,
            ClauseKind::Layer(Layer::Times) => self.times,
            ClauseKind::Layer(Layer::Plus) => self.plus,
            ClauseKind::Layer(Layer::AtMost) => self.at_most,
            ClauseKind::Layer(Layer::AtLeast) => self.at_least,
            ClauseKind::Layer(Layer::Also) => self.also,
            ClauseKind::Layer(Layer::Except) => self.except,
            ClauseKind::Action => self.action,
            ClauseKind::May => self.may,
            ClauseKind::MayNot => self.may_not,
            ClauseKind::Must => self.must,
            ClauseKind::Bring => self.bring,
            ClauseKind::Hook(HookTime::Before) => self.before,
            ClauseKind::Hook(HookTime::At) => self.at,
            ClauseKind::Hook(HookTime::After) => self.after,
            ClauseKind::Hook(HookTime::Instead) => self.instead_of,
            ClauseKind::Seen => self.seen,
            ClauseKind::Silence => self.silence,
            ClauseKind::Spare => self.spare,
            ClauseKind::Never => self.never,
            ClauseKind::Ends => self.ends,
            ClauseKind::Choice => self.choice,
        }
    }
}

impl Words {
    fn table((tag, text): &(&'static str, &'static str)) -> Words {
        let (own, english) = (rows(text), rows(LANGUAGES[0].1));
        let find = |key: &str| -> &'static str {
            own.get(key).or_else(|| english.get(key)).cloned().unwrap_or_default().leak()
        };
        Words::read(tag, &find)
    }

    /// The words of a language; English where there are none.
    #[must_use]
    pub fn of(lang: &str) -> &'static Words {
        let tag = lang.split(['-', '_', '+']).next().unwrap_or("");
        OTHERS.iter().find(|words| words.tag == tag).unwrap_or_else(|| Words::english())
    }

    /// The English words.
    #[must_use]
    pub fn english() -> &'static Words {
        &ENGLISH
    }

    /// A verdict.
    #[must_use]
    pub fn verdict(&self, verdict: Verdict) -> &'static str {
        match verdict {
            Verdict::Legal => self.legal,
            Verdict::Illegal => self.illegal,
            Verdict::Undecided => self.undecided,
        }
    }

    /// A verdict; none where the position would not have come about.
    #[must_use]
    pub fn outcome(&self, verdict: Option<Verdict>) -> &'static str {
        verdict.map_or(self.unreached, |verdict| self.verdict(verdict))
    }

    /// A reason in a sentence; `seat` is whose decision it is instead.
    #[must_use]
    pub fn reason(&self, reason: &Reason, seat: &str) -> String {
        let text = match reason {
            Reason::Permitted => self.permitted,
            Reason::Offered => self.offered,
            Reason::GameOver => self.game_over,
            Reason::NotYourDecision(Some(_)) => self.not_yours,
            Reason::NotYourDecision(None) => self.chance_decides,
            Reason::NoSuchAction => self.no_such_action,
            Reason::NoPermission => self.no_permission,
            Reason::Prohibited => self.prohibited,
            Reason::ObligationUnmet => self.obligation_unmet,
            Reason::Conflict => self.conflict,
            Reason::Gap => self.gap,
        };
        fill(text, &[seat])
    }

    /// What is added in brackets.
    #[must_use]
    pub fn bracketed(&self, text: &str) -> String {
        fill(self.bracketed, &[text])
    }

    /// Several things within a sentence: `a, b and c`.
    #[must_use]
    pub fn series(&self, items: &[String]) -> String {
        match items {
            [] => self.none.to_owned(),
            [one] => one.clone(),
            [first @ .., last] => fill(self.series_last, &[&first.join(self.series_comma), last]),
        }
    }

    /// What a clause is called by its kind, its subject and its label: `may move "forward"`.
    #[must_use]
    pub fn clause(&self, kind: ClauseKind, subject: &str, label: &str) -> String {
        let head = fill(self.clauses.of(kind), &[subject]).trim_end().to_owned();
        if label.is_empty() { head } else { fill(self.labelled, &[&head, label]) }
    }
}

/// A phrase with its places filled in.
#[must_use]
pub fn fill(phrase: &str, with: &[&str]) -> String {
    let mut out = String::with_capacity(phrase.len() + 32);
    let mut rest = phrase;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((number, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        out.push_str(number.parse().ok().and_then(|i: usize| with.get(i).copied()).unwrap_or(""));
        rest = behind;
    }
    out + rest
}

/// A number with its thousands apart.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The places of a phrase that are filled in.
    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn each_language_has_all_words_and_no_others() {
        let parts = [
            Words::KEYS,
            Heads::KEYS,
            Play::KEYS,
            Clauses::KEYS,
            Faults::KEYS,
            Counts::KEYS,
            Refusals::KEYS,
            Replays::KEYS,
            Trees::KEYS,
            Pairs::KEYS,
            Engines::KEYS,
            OddsWords::KEYS,
            Solves::KEYS,
            Finds::KEYS,
            EventWords::KEYS,
            Many::KEYS,
            BotWords::KEYS,
            CompareWords::KEYS,
            PerftWords::KEYS,
            Registers::KEYS,
            Tests::KEYS,
            LayoutWords::KEYS,
            MutantWords::KEYS,
            MadeWords::KEYS,
            BookWords::KEYS,
            ScreenWords::KEYS,
            CardWords::KEYS,
            SimWords::KEYS,
            ExploreWords::KEYS,
            GamesWords::KEYS,
        ];
        let keys: BTreeSet<&str> = parts.into_iter().flatten().copied().collect();
        let english = rows(LANGUAGES[0].1);
        for (tag, text) in LANGUAGES {
            let table = rows(text);
            let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).count();
            assert_eq!(lines, table.len(), "{tag}: a line without a tab, or a key that stands twice");
            assert_eq!(table.keys().copied().collect::<BTreeSet<_>>(), keys, "{tag}");
            for (key, text) in &table {
                assert!(!text.is_empty(), "{tag}: {key}");
                assert_eq!(places(text), places(&english[key]), "{tag}: {key}");
            }
        }
    }

    #[test]
    fn phrases_are_filled_in_their_own_order() {
        assert_eq!(fill("{1}の{0}", &["手札", "善"]), "善の手札");
        assert_eq!(fill("{0} {7} {", &["a"]), "a  {");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
    }

    #[test]
    fn clauses_are_called_by_what_they_do() {
        assert_eq!(Words::of("").clause(ClauseKind::MayNot, "move", "full"), "may not move \"full\"");
        assert_eq!(Words::of("ja").clause(ClauseKind::MayNot, "move", "満員"), "禁止 move「満員」");
        assert_eq!(Words::of("ja-JP").clause(ClauseKind::Ends, "", "敗北"), "終局「敗北」");
        assert_eq!(Words::of("fr").verdict(Verdict::Legal), "legal");
    }
}
