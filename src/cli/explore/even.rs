//! The value of an option at which a seat has an even share, found by bisection.

/// On which side of the even share a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The seat surely has less.
    Less,
    /// It surely has more.
    More,
    /// Neither is sure.
    Open,
}

/// What a search comes to. The share is taken to only rise, or only fall, with the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is even between two values next to each other.
    Between(i32, i32),
    /// At this value it is not decided on which side of the even share it lies.
    Open(i32),
    /// At both ends of the range it is on the same side.
    Nowhere(Side),
    /// The search was cut off, or the games could not be played.
    CutOff,
}

/// The most values that a search in a range looks at.
pub fn most(from: i32, to: i32) -> usize {
    let width = (i64::from(to) - i64::from(from)).unsigned_abs();
    // Both ends, and one for each time that the range is halved.
    2 + (u64::BITS - width.saturating_sub(1).leading_zeros()) as usize
}

/// Searches a range; `side` says on which side a value lies, or `None` if the search ends.
pub fn search<E>(from: i32, to: i32, mut side: impl FnMut(i32) -> Result<Option<Side>, E>) -> Result<Found, E> {
    let (mut low, mut high) = (from, to);
    let Some(at_low) = side(low)? else { return Ok(Found::CutOff) };
    if at_low == Side::Open {
        return Ok(Found::Open(low));
    }
    let at_high = if low == high { Some(at_low) } else { side(high)? };
    match at_high {
        None => return Ok(Found::CutOff),
        Some(Side::Open) => return Ok(Found::Open(high)),
        Some(same) if same == at_low => return Ok(Found::Nowhere(same)),
        Some(_) => {}
    }
    while i64::from(high) - i64::from(low) > 1 {
        let middle = i32::midpoint(low, high);
        match side(middle)? {
            None => return Ok(Found::CutOff),
            Some(Side::Open) => return Ok(Found::Open(middle)),
            Some(same) if same == at_low => low = middle,
            Some(_) => high = middle,
        }
    }
    Ok(Found::Between(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(from: i32, to: i32, side: impl Fn(i32) -> Side) -> (Found, usize) {
        let mut looks = 0;
        let found = search(from, to, |value| {
            looks += 1;
            Ok::<_, ()>(Some(side(value)))
        });
        assert!(looks <= most(from, to), "{looks} looks in {from}..{to}");
        (found.unwrap(), looks)
    }

    #[test]
    fn a_search_ends_where_the_side_changes() {
        let rises = |at: i32| move |value: i32| if value < at { Side::Less } else { Side::More };
        for (from, to) in [(0, 1), (0, 2), (5, 9), (-3, 100), (0, 1023), (0, 1024), (i32::MIN, i32::MAX)] {
            for at in [from + 1, from / 2 + to / 2 + 1, to] {
                if (from + 1..=to).contains(&at) {
                    assert_eq!(found(from, to, rises(at)).0, Found::Between(at - 1, at));
                    let falls = |value: i32| if value < at { Side::More } else { Side::Less };
                    assert_eq!(found(from, to, falls).0, Found::Between(at - 1, at));
                }
            }
        }
    }

    #[test]
    fn what_is_not_decided_ends_it() {
        assert_eq!(found(0, 8, |_| Side::Open), (Found::Open(0), 1));
        let middle = |value: i32| match value {
            ..4 => Side::Less,
            4 => Side::Open,
            _ => Side::More,
        };
        assert_eq!(found(0, 8, middle), (Found::Open(4), 3));
        assert_eq!(found(0, 8, |_| Side::More), (Found::Nowhere(Side::More), 2));
        assert_eq!(found(3, 3, |_| Side::Less), (Found::Nowhere(Side::Less), 1));
        assert_eq!(search(0, 8, |_| Ok::<_, ()>(None)), Ok(Found::CutOff));
    }
}
