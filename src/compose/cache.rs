//! An LRU cache bounded in bytes that never evicts what the current frame uses.

use std::collections::HashMap;
use std::hash::Hash;

/// Upper limit for the values of one frame, as a multiple of `max_bytes`.
const HARD_LIMIT: usize = 16;

/// Values by key: unused ones are evicted beyond `max_bytes`; the total never exceeds [`HARD_LIMIT`] times that.
#[derive(Debug)]
pub(super) struct Lru<K, V> {
    entries: HashMap<K, Entry<V>>,
    n_bytes: usize,
    max_bytes: usize,
    clock: u64,
    /// The clock when the current frame began.
    frame_start: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    n_bytes: usize,
    used: u64,
}

impl<K: Eq + Hash + Clone, V: Clone> Lru<K, V> {
    /// Creates an empty cache that keeps up to `max_bytes` of values not in use.
    pub fn new(max_bytes: usize) -> Lru<K, V> {
        Lru {
            entries: HashMap::new(),
            n_bytes: 0,
            max_bytes,
            clock: 0,
            frame_start: 0,
        }
    }

    /// Starts a frame: values used only by earlier frames may now be evicted.
    pub fn begin_frame(&mut self) {
        self.frame_start = self.clock;
    }

    /// Returns the value of a key, if it is still cached.
    pub fn get(&mut self, key: &K) -> Option<V> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        Some(entry.value.clone())
    }

    /// Stores a value of `n_bytes`, evicting the least recently used ones to make room. If it does not fit, it is not stored.
    pub fn insert(&mut self, key: K, value: V, n_bytes: usize) {
        self.make_room(n_bytes);
        if self.n_bytes + n_bytes > self.max_bytes * HARD_LIMIT {
            return;
        }
        self.clock += 1;
        let entry = Entry {
            value,
            n_bytes,
            used: self.clock,
        };
        self.n_bytes += n_bytes;
        if let Some(old) = self.entries.insert(key, entry) {
            self.n_bytes -= old.n_bytes;
        }
    }

    /// Evicts values not used by the current frame until `n_bytes` more fit.
    fn make_room(&mut self, n_bytes: usize) {
        while self.n_bytes + n_bytes > self.max_bytes {
            let unused = self
                .entries
                .iter()
                .filter(|(_, e)| e.used <= self.frame_start);
            let Some(key) = unused
                .min_by_key(|(_, e)| e.used)
                .map(|(key, _)| key.clone())
            else {
                return;
            };
            if let Some(gone) = self.entries.remove(&key) {
                self.n_bytes -= gone.n_bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_goes_first() {
        let mut cache = Lru::new(100);
        cache.insert(1, "a", 40);
        cache.insert(2, "b", 40);
        assert!(cache.get(&1).is_some());
        cache.begin_frame();
        cache.insert(3, "c", 40);
        assert!(cache.get(&2).is_none());
        assert!(cache.get(&1).is_some() && cache.get(&3).is_some());
    }

    #[test]
    fn replacing_and_oversize_keep_the_count() {
        let mut cache = Lru::new(100);
        for _ in 0..9 {
            cache.insert(1, "a", 90);
        }
        assert_eq!(cache.n_bytes, 90);
        cache.insert(2, "huge", 1600);
        assert!(cache.get(&2).is_none() && cache.get(&1).is_some());
    }

    #[test]
    fn what_the_frame_shows_stays() {
        let mut cache = Lru::new(100);
        cache.insert(1, "a", 90);
        cache.insert(2, "b", 90);
        assert!(cache.get(&1).is_some() && cache.get(&2).is_some());
        cache.begin_frame();
        assert!(cache.get(&2).is_some());
        cache.insert(3, "c", 500);
        assert!(cache.get(&1).is_none() && cache.get(&2).is_some());
        cache.begin_frame();
        cache.insert(4, "d", 10);
        assert_eq!(cache.n_bytes, 100);
    }
}
