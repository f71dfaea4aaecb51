//! Chooses a voice for an unknown id: always the same for the same id, and usually different for different ids.

/// The interface's default voice.
pub(super) const DEFAULT_VOICE_ID: &str = "zWDA589rUKXuLnPRDtAG";

/// What a voice sounds like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sex {
    Woman,
    Man,
}

/// Returns the index in `choices` for an unknown id; 0, the default voice, for the interface's default id. A cast ([`crate::scene::cast_voice`]) gets fitting
/// voices, different ones as long as there are enough.
pub(super) fn choice(id: &str, choices: &[Sex]) -> usize {
    if id.is_empty() || id == DEFAULT_VOICE_ID || choices.len() < 2 {
        return 0;
    }
    if let Some((n, sex)) = cast_member(id) {
        let fits = |i: &usize| sex.is_none_or(|sex| choices[*i] == sex);
        let others: Vec<usize> = (1..choices.len()).filter(fits).collect();
        return match others.len() {
            0 => 1 + n % (choices.len() - 1),
            len => others[n % len],
        };
    }
    // FNV-1a, 64 bits, and the finalizer of SplitMix64: the same in every process and version, unlike the standard library's hasher.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) % choices.len() as u64) as usize
}

/// Returns the cast member that an id means, and the sex of a fitting voice.
fn cast_member(id: &str) -> Option<(usize, Option<Sex>)> {
    let (n, sex) = crate::scene::cast_member(id)?;
    let sex = match sex {
        "woman" => Some(Sex::Woman),
        "man" => Some(Sex::Man),
        _ => None,
    };
    Some((n, sex))
}

/// Returns the note about an unknown id; `None` for one that was not chosen by the user.
pub(super) fn note(id: &str, instead: &str) -> Option<String> {
    if id.is_empty() || id == DEFAULT_VOICE_ID || cast_member(id).is_some() {
        return None;
    }
    let shown: String = id.chars().filter(|c| !c.is_control()).take(60).collect();
    Some(format!(
        "voice `{shown}` is not available here; using `{instead}`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_choose_stably_and_use_every_choice() {
        let eleven = [Sex::Woman; 11];
        assert_eq!(choice(DEFAULT_VOICE_ID, &eleven), 0);
        assert_eq!(choice("", &eleven), 0);
        let chosen: Vec<usize> = (0..200)
            .map(|i| choice(&format!("voice{i}"), &eleven))
            .collect();
        assert!((0..11).all(|c| chosen.iter().filter(|x| **x == c).count() > 5));
        assert_eq!(choice("21m00Tcm4TlvDq8ikWAM", &eleven), 3);
    }

    #[test]
    fn a_cast_differs_and_fits() {
        use Sex::{Man, Woman};
        let choices = [Woman, Woman, Man, Woman, Man];
        let of = |n: usize, told: &str| choice(&crate::scene::cast_voice(n, "X", told), &choices);
        assert_eq!([of(0, "an old woman"), of(1, "a fisherman")], [1, 4]);
        assert_eq!(
            [of(0, "a robot"), of(1, "a fox"), of(2, "a ghost")],
            [1, 2, 3]
        );
        assert_eq!(
            of(0, "her brother, a king"),
            2,
            "what stands last is what it is"
        );
    }
}
