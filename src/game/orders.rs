//! Whether it makes a difference in which order things happen that nothing ranks.

use std::mem;

/// The maximum number of things of which every order is tried; of more only one order and its reverse.
const MAX_IN_EVERY_ORDER: usize = 6;

/// What follows when one of the things has happened.
pub(crate) enum After<P> {
    /// The others are next.
    On(P),
    /// The others do not happen any more.
    Over(P),
    /// Somebody has to decide first.
    Interrupted,
}

/// What follows when all have happened.
pub(crate) enum Orders<P> {
    /// This, whatever the order.
    Same(P),
    /// It depends on the order.
    Differ,
    /// In some order somebody has to decide before all have happened.
    Interrupted,
}

/// Lets `n` things happen in every order. `happen` says what follows from one of them, by its number.
///
/// # Errors
/// Those of `happen`.
pub(crate) fn in_every_order<P: PartialEq + Clone, E>(
    n: usize,
    start: P,
    mut happen: impl FnMut(&P, usize) -> Result<After<P>, E>,
) -> Result<Orders<P>, E> {
    let mut ends: Vec<P> = Vec::new();
    if n > MAX_IN_EVERY_ORDER {
        let (forwards, backwards): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).rev().collect());
        for order in [forwards, backwards] {
            let mut now = start.clone();
            for i in order {
                match happen(&now, i)? {
                    After::On(next) => now = next,
                    After::Over(end) => {
                        now = end;
                        break;
                    }
                    After::Interrupted => return Ok(Orders::Interrupted),
                }
            }
            add(&mut ends, now);
        }
        return Ok(only(ends));
    }
    // For each set of things that have happened, what may follow from them.
    let mut reached: Vec<Vec<P>> = vec![Vec::new(); 1 << n];
    if let Some(first) = reached.first_mut() {
        first.push(start);
    }
    for done in 0..reached.len() {
        let here = reached.get_mut(done).map(mem::take).unwrap_or_default();
        if done + 1 == reached.len() {
            here.into_iter().for_each(|end| add(&mut ends, end));
            break;
        }
        for now in &here {
            for i in (0..n).filter(|i| done >> i & 1 == 0) {
                match happen(now, i)? {
                    After::On(next) => {
                        if let Some(all) = reached.get_mut(done | 1 << i) {
                            add(all, next);
                        }
                    }
                    After::Over(end) => add(&mut ends, end),
                    After::Interrupted => return Ok(Orders::Interrupted),
                }
            }
        }
    }
    Ok(only(ends))
}

fn add<P: PartialEq>(all: &mut Vec<P>, one: P) {
    if !all.contains(&one) {
        all.push(one);
    }
}

fn only<P>(mut ends: Vec<P>) -> Orders<P> {
    match (ends.pop(), ends.is_empty()) {
        (Some(end), true) => Orders::Same(end),
        _ => Orders::Differ,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Happened = Result<Orders<i32>, ()>;

    fn told(found: Happened) -> Option<i32> {
        match found {
            Ok(Orders::Same(end)) => Some(end),
            _ => None,
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_order() {
        for n in [0, 1, 3, 6, 9] {
            let add = |now: &i32, i: usize| Ok::<_, ()>(After::On(now + i as i32));
            assert_eq!(told(in_every_order(n, 0, add)), Some((0..n as i32).sum()));
        }
    }

    #[test]
    fn one_order_among_many_is_found() {
        // Only 1, 2, 0, 3 gives anything else.
        let happen = |now: &i32, i: usize| Ok::<_, ()>(After::On(now * 4 + i as i32));
        let mut special = 0;
        let odd = |now: &i32, i: usize| {
            special = if [1, 2, 0, 3].iter().fold(0, |n, i| n * 4 + i) == now * 4 + i as i32 { 1 } else { special };
            happen(now, i)
        };
        assert!(told(in_every_order(4, 0, odd)).is_none());
        assert_eq!(special, 1);
    }

    #[test]
    fn what_takes_the_others_away_is_an_end() {
        let happen = |now: &i32, i: usize| Ok::<_, ()>(if i == 0 { After::Over(7) } else { After::On(*now) });
        assert_eq!(told(in_every_order(3, 1, happen)), Some(7));
        let asks = |now: &i32, i: usize| Ok::<_, ()>(if i == 2 { After::Interrupted } else { After::On(*now) });
        assert!(matches!(in_every_order(3, 1, asks), Ok(Orders::Interrupted)));
    }
}
