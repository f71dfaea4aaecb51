//! A cache bounded in bytes that forgets what was used longest ago.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Values by key, at most so many bytes.
#[derive(Debug)]
pub(super) struct Lru<K, V> {
    entries: HashMap<K, Entry<V>>,
    n_bytes: usize,
    max_bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<V>,
    n_bytes: usize,
    used: u64,
}

impl<K: Eq + Hash + Clone, V> Lru<K, V> {
    /// An empty cache of at most `max_bytes`.
    pub fn new(max_bytes: usize) -> Lru<K, V> {
        Lru {
            entries: HashMap::new(),
            n_bytes: 0,
            max_bytes,
            clock: 0,
        }
    }

    /// The value of a key, if it is still here.
    pub fn get(&mut self, key: &K) -> Option<Arc<V>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        Some(entry.value.clone())
    }

    /// Keeps a value of `n_bytes`, dropping the longest unused ones to make room. A value larger than the whole cache is not kept.
    pub fn insert(&mut self, key: K, value: V, n_bytes: usize) -> Arc<V> {
        let value = Arc::new(value);
        if n_bytes > self.max_bytes {
            return value;
        }
        self.clock += 1;
        let entry = Entry {
            value: value.clone(),
            n_bytes,
            used: self.clock,
        };
        self.n_bytes += n_bytes;
        if let Some(old) = self.entries.insert(key, entry) {
            self.n_bytes -= old.n_bytes;
        }
        while self.n_bytes > self.max_bytes {
            let oldest = self.entries.iter().min_by_key(|(_, e)| e.used);
            let key = oldest.expect("bytes are held by entries").0.clone();
            let gone = self.entries.remove(&key).expect("the key was just found");
            self.n_bytes -= gone.n_bytes;
        }
        value
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
        cache.insert(2, "huge", 101);
        assert!(cache.get(&2).is_none() && cache.get(&1).is_some());
    }
}
