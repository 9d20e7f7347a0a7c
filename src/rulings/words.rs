//! The tool's own words in rulings, one table a language. `{0}` and `{1}` are filled in.

use crate::game::{Reason, Verdict};

/// The words of one language.
#[derive(Debug)]
pub struct Words {
    /// Its tag, for pages.
    pub tag: &'static str,
    /// Between several things.
    pub comma: &'static str,
    /// Around what is added: before and after.
    pub brackets: (&'static str, &'static str),
    /// Between a thing and what is said of it.
    pub colon: &'static str,
    /// The verdicts: legal, illegal, undecided.
    pub verdicts: [&'static str; 3],
    /// The question of a page: seat, action.
    pub question: &'static str,
    pub permitted: &'static str,
    pub offered: &'static str,
    pub game_over: &'static str,
    pub not_yours: &'static str,
    pub chance_decides: &'static str,
    pub no_such_action: &'static str,
    pub no_permission: &'static str,
    pub prohibited: &'static str,
    pub obligation_unmet: &'static str,
    pub conflict: &'static str,
    pub gap: &'static str,
    pub by: &'static str,
    pub forbidden_besides: &'static str,
    pub needs: &'static str,
    pub asked: &'static str,
    pub fails: &'static str,
    pub seen: &'static str,
    pub overruled: &'static str,
    pub nearest: &'static str,
    pub farther_off: &'static str,
    pub farther: [&'static str; 2],
    pub applies: &'static str,
    pub does_not_apply: &'static str,
    pub silenced_by: &'static str,
    pub gives_way_to: &'static str,
    pub used_up: &'static str,
    pub of: &'static str,
    pub is: &'static str,
    pub after_it: &'static str,
    pub made_by: &'static str,
    pub best: &'static str,
    pub action_of: &'static str,
    pub none: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub unseen: &'static str,
    pub hangs: &'static str,
    pub under: &'static str,
    pub same_under_all: &'static str,
    pub same_under_pairs: &'static str,
    pub other_under: &'static str,
    pub other_under_pairs: &'static str,
    pub only_together: &'static str,
    pub and: &'static str,
    pub would: &'static str,
    pub would_both: &'static str,
    pub any_but: &'static str,
    pub anything: &'static str,
    pub with_member: &'static str,
    pub without_member: &'static str,
    pub would_none: &'static str,
    pub would_none_alone: &'static str,
    pub would_bounded: &'static str,
    pub would_legal: &'static str,
    pub would_more: &'static str,
    /// Headings of a page and of a derivation.
    pub heads: Heads,
    /// What clauses are called by the word with which they begin, the longest first; empty: as the rules have it.
    pub clauses: &'static [(&'static str, &'static str)],
    /// Around a label: before and after.
    pub quotes: (&'static str, &'static str),
}

/// Headings.
#[derive(Debug)]
pub struct Heads {
    pub ruling: &'static str,
    pub verdict: &'static str,
    pub why: &'static str,
    pub lost: &'static str,
    pub near: &'static str,
    pub would: &'static str,
    pub readings: &'static str,
    pub position: &'static str,
    pub facts: &'static str,
    pub derivation: &'static str,
    pub repeat: &'static str,
    pub permissions: &'static str,
    pub prohibitions: &'static str,
    pub obligations: &'static str,
    pub other_clauses: &'static str,
    pub exceptions: &'static str,
    pub definitions: &'static str,
    pub reading: &'static str,
    pub alternative: &'static str,
    pub in_force: &'static str,
    pub digest: &'static str,
    pub command: &'static str,
    pub seen_by: &'static str,
    pub seen_by_all: &'static str,
    pub from: &'static str,
    pub settings: &'static str,
}

static ENGLISH: Words = Words {
    tag: "en",
    comma: ", ",
    brackets: (" (", ")"),
    colon: ": ",
    verdicts: ["legal", "illegal", "undecided"],
    question: "May {0} do this: {1}?",
    permitted: "it is permitted",
    offered: "it is one of the options",
    game_over: "the game is over",
    not_yours: "it is {0}'s decision",
    chance_decides: "chance decides here",
    no_such_action: "there is no such action now",
    no_permission: "no permission reaches it",
    prohibited: "it is prohibited",
    obligation_unmet: "an obligation asks for something else",
    conflict: "clauses conflict",
    gap: "no clause speaks",
    by: "by {0}",
    forbidden_besides: "and expressly forbidden by {0}",
    needs: "needs: {0}",
    asked: "asked: {0}",
    fails: "fails: {0}",
    seen: "as {0}",
    overruled: "overruled: {0}",
    nearest: "nearest: {0}",
    farther_off: "farther: {0}",
    farther: ["(1 other permission is farther)", "({0} other permissions are farther)"],
    applies: "applies",
    does_not_apply: "does not apply",
    silenced_by: "is silenced by {0}",
    gives_way_to: "gives way to {0}",
    used_up: "is used up",
    of: "{0} of {1}",
    is: "{0} is {1}",
    after_it: "after it: {0}",
    made_by: "{0} by {1}",
    best: "best",
    action_of: "an action of {0}",
    none: "none",
    yes: "yes",
    no: "no",
    unseen: "unseen",
    hangs: "hangs on the reading {0} (here {1}): {2}",
    under: "{0} under {1}",
    same_under_all: "the same under all {0} combinations of the {1} readings",
    same_under_pairs: "the same under each alternative of the {1} readings and each two of them ({0} tried)",
    other_under: "another verdict under {0} of the {1} combinations of the readings",
    other_under_pairs: "another verdict under {0} of the {1} tried (each alternative of the readings and each two of them)",
    only_together: "{0} only together: {1}",
    and: " and ",
    would: "it would be legal with {0}",
    would_both: "it would be legal with {0} and {1}",
    any_but: "anything but {0}",
    anything: "any other value",
    with_member: "{0} with {1}",
    without_member: "{0} without {1}",
    would_none: "no change of one fact or two makes it legal",
    would_none_alone: "no change of one fact makes it legal",
    would_bounded: "(not all was tried: {0} positions were judged at the most)",
    would_legal: "it is legal as it is",
    would_more: "({0} more)",
    heads: Heads {
        ruling: "Ruling",
        verdict: "Verdict",
        why: "Why",
        lost: "Why the others lost",
        near: "What comes near",
        would: "What would make it legal",
        readings: "How sure this is",
        position: "The position",
        facts: "The position in words",
        derivation: "The derivation",
        repeat: "To repeat it",
        permissions: "permissions",
        prohibitions: "prohibitions",
        obligations: "obligations",
        other_clauses: "other clauses",
        exceptions: "exceptions",
        definitions: "definitions",
        reading: "Reading",
        alternative: "Alternative",
        in_force: "in force",
        digest: "Rules, options and readings have the digest {0}.",
        command: "The same answer is given by",
        seen_by: "as {0} sees it",
        seen_by_all: "as a referee sees it, who sees all",
        from: "{0}, before ply {1}",
        settings: "played with {0}",
    },
    clauses: &[],
    quotes: ("\"", "\""),
};

static JAPANESE: Words = Words {
    tag: "ja",
    comma: "、",
    brackets: ("（", "）"),
    colon: "：",
    verdicts: ["合法", "不可", "未決"],
    question: "{0}は次のことをしてよいか：{1}",
    permitted: "許可されている",
    offered: "選択肢の一つである",
    game_over: "ゲームは終わっている",
    not_yours: "決めるのは{0}である",
    chance_decides: "ここで決めるのは偶然である",
    no_such_action: "いまそのような行動はない",
    no_permission: "これを許す条項がない",
    prohibited: "禁止されている",
    obligation_unmet: "義務が別の行動を求めている",
    conflict: "条項どうしが衝突している",
    gap: "定める条項がない",
    by: "根拠：{0}",
    forbidden_besides: "明文でも禁止：{0}",
    needs: "必要な条件：{0}",
    asked: "求められること：{0}",
    fails: "満たされない条件：{0}",
    seen: "このとき：{0}",
    overruled: "退けられた条項：{0}",
    nearest: "最も近い許可：{0}",
    farther_off: "その次の許可：{0}",
    farther: ["（ほかの許可 1 件はさらに遠い）", "（ほかの許可 {0} 件はさらに遠い）"],
    applies: "適用される",
    does_not_apply: "適用されない",
    silenced_by: "{0}によって無効になっている",
    gives_way_to: "{0}に譲る",
    used_up: "もう使い切っている",
    of: "{1}の{0}",
    is: "{0} は {1}",
    after_it: "その後：{0}",
    made_by: "{0}（{1}による）",
    best: "最良",
    action_of: "{0}の行動",
    none: "なし",
    yes: "はい",
    no: "いいえ",
    unseen: "見えない",
    hangs: "解釈 {0}（ここでは {1}）しだい：{2}",
    under: "{1} なら{0}",
    same_under_all: "解釈 {1} 件の全 {0} 通りの組み合わせで同じ",
    same_under_pairs: "解釈 {1} 件のどの選択肢でも、どの二つの組でも同じ（{0} 通りを試行）",
    other_under: "解釈の {1} 通りの組み合わせのうち {0} 通りで判定が変わる",
    other_under_pairs: "試した {1} 通り（各選択肢と二つずつの組）のうち {0} 通りで判定が変わる",
    only_together: "同時にそろったときだけ{0}：{1}",
    and: " と ",
    would: "次のようなら合法：{0}",
    would_both: "次の二つがそろえば合法：{0} と {1}",
    any_but: "{0} 以外",
    anything: "ほかの値ならどれでも",
    with_member: "{0} に {1} があれば",
    without_member: "{0} に {1} がなければ",
    would_none: "一つか二つの事実を変えても合法にはならない",
    would_none_alone: "一つの事実を変えるだけでは合法にならない",
    would_bounded: "（判定した局面は最大 {0} 通りで、すべては試していない）",
    would_legal: "このままで合法",
    would_more: "（ほか {0} 件）",
    heads: Heads {
        ruling: "裁定",
        verdict: "判定",
        why: "理由",
        lost: "ほかの条項が退けられた理由",
        near: "近い条項",
        would: "どうであれば合法か",
        readings: "どれほど確かか",
        position: "局面",
        facts: "言葉で書いた局面",
        derivation: "導出",
        repeat: "同じ答えを得るには",
        permissions: "許可",
        prohibitions: "禁止",
        obligations: "義務",
        other_clauses: "ほかの条項",
        exceptions: "例外",
        definitions: "定義",
        reading: "解釈",
        alternative: "選択肢",
        in_force: "適用中",
        digest: "規則・オプション・解釈のダイジェストは {0}。",
        command: "次の命令で同じ答えが得られる",
        seen_by: "{0}から見たところ",
        seen_by_all: "すべてを見る審判から見たところ",
        from: "{0}、第 {1} 手の前",
        settings: "設定：{0}",
    },
    clauses: &[
        ("may not ", "禁止 "),
        ("may ", "許可 "),
        ("must ", "義務 "),
        ("instead of ", "代わりの手順 "),
        ("instead ", "置き換え "),
        ("define ", "定義 "),
        ("times ", "倍 "),
        ("plus ", "加算 "),
        ("at most ", "上限 "),
        ("at least ", "下限 "),
        ("also ", "追加 "),
        ("except ", "除外 "),
        ("before ", "前に "),
        ("after ", "後に "),
        ("at ", "手順 "),
        ("bring ", "編成 "),
        ("seen ", "公開 "),
        ("action ", "行動 "),
        ("procedure ", "手順 "),
        ("choose ", "選択 "),
        ("silence", "無効化"),
        ("spare", "無効化の例外"),
        ("never", "ありえない局面"),
        ("ends", "終局"),
    ],
    quotes: ("「", "」"),
};

impl Words {
    /// The words of a language; English where there are none.
    #[must_use]
    pub fn of(lang: &str) -> &'static Words {
        match lang.split(['-', '_']).next() {
            Some("ja") => &JAPANESE,
            _ => &ENGLISH,
        }
    }

    /// A verdict.
    #[must_use]
    pub fn verdict(&self, verdict: Verdict) -> &'static str {
        let [legal, illegal, undecided] = self.verdicts;
        match verdict {
            Verdict::Legal => legal,
            Verdict::Illegal => illegal,
            Verdict::Undecided => undecided,
        }
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
        format!("{}{text}{}", self.brackets.0, self.brackets.1)
    }

    /// What a clause is called by its head and its label: `may move "forward"`.
    #[must_use]
    pub fn clause(&self, head: &str, label: &str) -> String {
        let known = self.clauses.iter().find_map(|(word, said)| Some(format!("{said}{}", head.strip_prefix(word)?)));
        let head = known.unwrap_or_else(|| head.to_owned());
        let (open, close) = self.quotes;
        match (label.is_empty(), open) {
            (true, _) => head,
            (false, "\"") => format!("{head} {open}{label}{close}"),
            (false, _) => format!("{head}{open}{label}{close}"),
        }
    }

    /// A value as the evaluator says it, in these words.
    #[must_use]
    pub fn value(&self, value: &str) -> String {
        match value {
            "none" => self.none.to_owned(),
            "yes" => self.yes.to_owned(),
            "no" => self.no.to_owned(),
            "unseen" => self.unseen.to_owned(),
            other => match other.strip_prefix("an action of ") {
                Some(whose) => fill(self.action_of, &[whose]),
                None => other.to_owned(),
            },
        }
    }

    /// What has a value, as the evaluator says it, in these words.
    #[must_use]
    pub fn what(&self, what: &str) -> String {
        match what.strip_prefix("after it: ") {
            Some(inner) => fill(self.after_it, &[inner]),
            None if what == "best" => self.best.to_owned(),
            None => what.to_owned(),
        }
    }

    /// `{0} is {1}`.
    #[must_use]
    pub fn is(&self, what: &str, value: &str) -> String {
        // The evaluator says `it` of the action itself.
        match what {
            "it" if self.tag != "en" => self.value(value),
            _ => fill(self.is, &[&self.what(what), &self.value(value)]),
        }
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
    use super::*;

    #[test]
    fn phrases_are_filled_in_their_own_order() {
        assert_eq!(fill("{1}の{0}", &["手札", "善"]), "善の手札");
        assert_eq!(fill("{0} {7} {", &["a"]), "a  {");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
    }

    #[test]
    fn clauses_are_named_in_each_language() {
        assert_eq!(Words::of("").clause("may not move", "full"), "may not move \"full\"");
        assert_eq!(Words::of("ja").clause("may not move", "満員"), "禁止 move「満員」");
        assert_eq!(Words::of("ja-JP").clause("ends", "敗北"), "終局「敗北」");
        assert_eq!(Words::of("fr").verdict(Verdict::Legal), "legal");
    }
}
