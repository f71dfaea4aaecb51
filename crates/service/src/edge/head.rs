//! Looks at the bytes of request heads for two lengths of one body, which is how requests are smuggled past proxies.
//!
//! hyper takes `Transfer-Encoding` where both are there and drops the other; a proxy in front may see it the other way round. RFC 9112, section 6.3,
//! lets a server refuse, and this one does.

/// Longest header name that matters here.
const MAX_NAME: usize = 20;

/// A reader of heads, byte by byte.
#[derive(Debug, Default)]
pub(super) struct HeadReader {
    /// The beginning of the line, in lower case.
    name: Vec<u8>,
    is_in_value: bool,
    n_lengths: u8,
    n_encodings: u8,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The head goes on.
    More,
    /// A body may follow, whose bytes are not to be read as a head.
    Body,
    /// The head tells the length of its body twice.
    TwoLengths,
}

impl HeadReader {
    /// Reads on; heads without a body are followed by the next.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Found {
        for &byte in bytes {
            if byte == b'\n' {
                if let Some(found) = self.line_ended() {
                    return found;
                }
            } else if byte == b':' && !self.is_in_value {
                self.is_in_value = true;
                self.count();
            } else if !self.is_in_value && byte != b'\r' && self.name.len() < MAX_NAME {
                self.name.push(byte.to_ascii_lowercase());
            }
        }
        Found::More
    }

    fn count(&mut self) {
        match self.name.as_slice() {
            b"content-length" => self.n_lengths = self.n_lengths.saturating_add(1),
            b"transfer-encoding" => self.n_encodings = self.n_encodings.saturating_add(1),
            _ => {}
        }
    }

    fn line_ended(&mut self) -> Option<Found> {
        let is_empty = self.name.is_empty() && !self.is_in_value;
        self.name.clear();
        self.is_in_value = false;
        if !is_empty {
            return None;
        }
        let found = match (self.n_lengths, self.n_encodings) {
            (0, 0) => None,
            (0, 1) | (1, 0) => Some(Found::Body),
            _ => Some(Found::TwoLengths),
        };
        *self = HeadReader::default();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_with_two_lengths_are_found_however_they_are_cut() {
        let head = |fields: &str| format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        let cases = [
            ("", Found::More),
            ("Content-Length: 5\r\n", Found::Body),
            ("transfer-encoding: chunked\r\n", Found::Body),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                Found::TwoLengths,
            ),
            (
                "Transfer-Encoding: chunked\nContent-Length: 5\n",
                Found::TwoLengths,
            ),
            (
                "Content-Length: 5\r\nContent-Length: 5\r\n",
                Found::TwoLengths,
            ),
            (
                "X: Content-Length: 5\r\nContent-Lengthy: 5\r\n",
                Found::More,
            ),
        ];
        for (fields, expected) in cases {
            let text = head(fields);
            for step in [1, 7, text.len()] {
                let mut reader = HeadReader::default();
                let found = text.as_bytes().chunks(step).map(|part| reader.read(part));
                assert_eq!(found.last(), Some(expected), "{fields:?} by {step}");
            }
        }
    }

    #[test]
    fn the_head_after_one_without_a_body_is_read_too() {
        let text = "GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(
            HeadReader::default().read(text.as_bytes()),
            Found::TwoLengths
        );
    }
}
