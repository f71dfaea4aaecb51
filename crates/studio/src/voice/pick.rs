//! A voice for an id that no provider here knows: always the same for the same id, and another for most others.

/// The voice that the interface names when a request names none.
pub(super) const DEFAULT_VOICE_ID: &str = "zWDA589rUKXuLnPRDtAG";

/// One of `n` choices for an unknown id; 0, the default, for the interface's own default.
pub(super) fn choice(id: &str, n: usize) -> usize {
    if id.is_empty() || id == DEFAULT_VOICE_ID || n < 2 {
        return 0;
    }
    // FNV-1a, 64 bits, and the finalizer of SplitMix64: the same in every process and version, unlike the standard library's hasher.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) % n as u64) as usize
}

/// What is said of an unknown id.
pub(super) fn note(id: &str, instead: &str) -> String {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(60).collect();
    format!("voice `{shown}` is not known here; `{instead}` speaks instead")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_choose_stably_and_use_every_choice() {
        assert_eq!(choice(DEFAULT_VOICE_ID, 11), 0);
        assert_eq!(choice("", 11), 0);
        let chosen: Vec<usize> = (0..200).map(|i| choice(&format!("voice{i}"), 11)).collect();
        assert!((0..11).all(|c| chosen.iter().filter(|x| **x == c).count() > 5));
        assert_eq!(choice("21m00Tcm4TlvDq8ikWAM", 11), 3);
    }
}
