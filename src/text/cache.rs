//! Bounded caches of masks, in two generations: entries in use survive, the rest is dropped.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Values by key. The old generation is dropped whenever the young one is full.
pub(super) struct Generations<K, V> {
    young: HashMap<K, Arc<V>>,
    old: HashMap<K, Arc<V>>,
    young_bytes: usize,
    max_bytes: usize,
}

impl<K: Eq + Hash + Clone, V> Generations<K, V> {
    /// Creates a cache that holds up to twice `max_bytes`.
    pub(super) fn new(max_bytes: usize) -> Generations<K, V> {
        Generations {
            young: HashMap::new(),
            old: HashMap::new(),
            young_bytes: 0,
            max_bytes,
        }
    }

    /// Returns the value if it is still cached. `bytes` returns its size.
    pub(super) fn get(&mut self, key: &K, bytes: impl Fn(&V) -> usize) -> Option<Arc<V>> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let value = self.old.remove(key)?;
        self.put(key.clone(), value.clone(), bytes(&value));
        Some(value)
    }

    /// Stores a value of `bytes`; values larger than one generation are not stored.
    pub(super) fn put(&mut self, key: K, value: Arc<V>, bytes: usize) {
        if bytes > self.max_bytes {
            return;
        }
        if self.young_bytes + bytes > self.max_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_size_is_bounded() {
        let mut cache = Generations::new(100);
        for i in 0..1000_u32 {
            cache.put(i, Arc::new(i), 10);
            assert!(cache.get(&0, |_| 10).is_some(), "used at {i}");
            assert!(cache.young.len() + cache.old.len() <= 20);
        }
        assert!(cache.get(&500, |_| 10).is_none());
        cache.put(5000, Arc::new(1), 101);
        assert!(cache.get(&5000, |_| 101).is_none());
    }
}
