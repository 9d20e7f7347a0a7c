//! How the parts of the grammar are joined to each other.

use crate::syntax::written::{Node, Rule};

/// How a part of a sentence is joined to what is before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// Without a space.
    Tight,
    /// By a space.
    Space,
    /// By a space or, where the line gets too long, in the next line.
    Soft,
    /// By a space, or in the next line if the author wrote it there or the line gets too long.
    Seam,
    /// A block in braces, on the line of what is before it.
    Block,
}

/// How a part of a node is joined to the part before it.
pub(super) fn joint(node: &Node, before: Option<&Node>, part: &Node) -> Joint {
    use Rule as R;
    let Some(before) = before else {
        return if is_seam(part.rule) { Joint::Seam } else { Joint::Space };
    };
    match (node.rule, part.rule) {
        (_, R::comma | R::rparen | R::rbracket | R::question | R::colon | R::dotdot | R::dot | R::lbracket) => {
            Joint::Tight
        }
        (_, R::index_decl | R::args) => Joint::Tight,
        (R::range_ty | R::set | R::grid_call, _) => Joint::Tight,
        (R::entry, R::params) => Joint::Space,
        (_, R::params) => Joint::Tight,
        (R::bring, R::lparen) => Joint::Tight,
        _ if matches!(before.rule, R::lparen | R::lbracket | R::dotdot | R::dot) => Joint::Tight,
        _ if before.rule == R::comma => Joint::Soft,
        (R::chain, R::minus) | (R::arrow_chain, R::arrow) | (R::bag_value, R::plus) => Joint::Soft,
        (R::if_expr, R::kw_then | R::kw_else) => Joint::Soft,
        (R::conj, R::compare) => Joint::Soft,
        (R::label, R::translation) => Joint::Soft,
        (R::manners, R::label) => Joint::Seam,
        (R::reach_expr, R::reach_by) => Joint::Tight,
        (_, R::kw_for | R::cost_part | R::within_part) => Joint::Soft,
        (_, R::label) if is_expression(before.rule) => Joint::Seam,
        (_, R::eq) if !is_expression(node.rule) && node.rule != R::let_stmt => Joint::Seam,
        (_, part) if is_seam(part) => Joint::Seam,
        _ => Joint::Space,
    }
}

/// Parts before which a sentence is broken first.
pub(super) fn is_seam(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::cites
            | R::modifier
            | R::action_part
            | R::asks_part
            | R::step_part
            | R::choose_part
            | R::said
            | R::where_part
            | R::log_part
            | R::when_mod
            | R::style
            | R::excludes
            | R::so_that
            | R::prefer
            | R::shows
            | R::shows_with
            | R::tells
            | R::costs_part
            | R::unread
            | R::columns
            | R::called
            | R::chosen_by
    )
}

pub(super) fn is_expression(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::expr
            | R::set
            | R::sum
            | R::term
            | R::conj
            | R::compare
            | R::is_tail
            | R::in_tail
            | R::postfix
            | R::bounds
            | R::counted
            | R::call
            | R::name
            | R::paren
            | R::braces
            | R::if_expr
            | R::match_expr
            | R::legal_action
            | R::quant
            | R::count_expr
            | R::sum_expr
            | R::best_expr
            | R::top_expr
            | R::the_expr
            | R::back_expr
            | R::reach_expr
            | R::grid_call
            | R::grid_args
            | R::index_access
            | R::field_access
            | R::logic_op
            | R::arith_op
    )
}

/// Parts whose parts are parts of the expression around them.
pub(super) fn is_open(rule: Rule) -> bool {
    use Rule as R;
    matches!(
        rule,
        R::binder
            | R::compr_body
            | R::list_body
            | R::where_part
            | R::steps
            | R::cost_part
            | R::within_part
            | R::reach_by
            | R::side_by
    )
}

/// Parts that the grammar allows no white space in.
pub(super) fn is_whole(rule: Rule) -> bool {
    use Rule as R;
    matches!(rule, R::field_chain | R::seen_path | R::field_path | R::step_path | R::path | R::hook_path)
}

/// Whether an expression is one of that rule and nothing else.
pub(super) fn is_only(node: &Node, rule: Rule) -> bool {
    match node.parts.as_slice() {
        [only] => is_only(only, rule),
        _ => node.rule == rule,
    }
}

/// Whether a block follows the expressions of a part.
pub(super) fn has_block_after(node: &Node) -> bool {
    matches!(node.rule, Rule::when_stmt | Rule::else_when | Rule::while_stmt | Rule::repeat_stmt | Rule::match_stmt)
}

/// Whether a sentence has a block.
pub(super) fn has_block(node: &Node) -> bool {
    if is_expression(node.rule) {
        return false;
    }
    node.rule == Rule::lbrace || node.parts.iter().any(has_block)
}
