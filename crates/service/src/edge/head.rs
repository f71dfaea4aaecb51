//! Scans request heads for two lengths of one body, a way to smuggle requests past proxies.
//!
//! If both are present, hyper uses `Transfer-Encoding` and drops `Content-Length`; a proxy in front may do the opposite. RFC 9112, section 6.3, lets a server
//! refuse, and this one does.

/// Longest relevant header name.
const MAX_NAME: usize = 20;

/// Reads requests byte by byte: heads, and bodies only to find their end.
#[derive(Debug, Default)]
pub(super) struct HeadReader {
    /// The beginning of the line, in lower case.
    name: Vec<u8>,
    is_in_value: bool,
    n_lengths: u8,
    n_encodings: u8,
    /// The value of `Content-Length`; the largest number if it is invalid.
    length: u64,
    /// Remaining bytes of the body; the largest number if only hyper can find the end.
    body_left: u64,
}

impl HeadReader {
    /// Reads on. Returns the offset in these bytes where a head with two body lengths begins or continues.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        let mut head_at = 0;
        while at < bytes.len() {
            if self.body_left > 0 {
                let n = self.body_left.min((bytes.len() - at) as u64);
                self.body_left = self.body_left.saturating_sub(n);
                at += n as usize;
                head_at = at;
                continue;
            }
            match bytes[at] {
                b'\n' if self.is_line_empty() => {
                    if self.head_ended() {
                        return Some(head_at);
                    }
                    head_at = at + 1;
                }
                b'\n' => {
                    self.name.clear();
                    self.is_in_value = false;
                }
                byte => self.byte(byte),
            }
            at += 1;
        }
        None
    }

    fn byte(&mut self, byte: u8) {
        if self.is_in_value {
            self.value(byte);
        } else if byte == b':' {
            self.is_in_value = true;
            self.count();
        } else if byte != b'\r' && self.name.len() < MAX_NAME {
            self.name.push(byte.to_ascii_lowercase());
        }
    }

    fn count(&mut self) {
        match self.name.as_slice() {
            b"content-length" => self.n_lengths = self.n_lengths.saturating_add(1),
            b"transfer-encoding" => self.n_encodings = self.n_encodings.saturating_add(1),
            _ => {}
        }
    }

    fn value(&mut self, byte: u8) {
        if self.name != b"content-length" || matches!(byte, b' ' | b'\t' | b'\r') {
            return;
        }
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
        let length = digit.and_then(|digit| self.length.checked_mul(10)?.checked_add(digit));
        self.length = length.unwrap_or(u64::MAX);
    }

    fn is_line_empty(&self) -> bool {
        self.name.is_empty() && !self.is_in_value
    }

    /// Whether the head that ends here has two lengths.
    fn head_ended(&mut self) -> bool {
        let (body_left, has_two) = match (self.n_lengths, self.n_encodings) {
            (0, 0) => (0, false),
            (1, 0) => (self.length, false),
            // Nothing is read from this connection after a chunked body.
            (0, 1) => (u64::MAX, false),
            _ => (0, true),
        };
        *self = HeadReader {
            body_left,
            ..HeadReader::default()
        };
        has_two
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMUGGLER: &str =
        "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";

    /// Whether anything is found in a text read `step` bytes at a time.
    fn is_found(text: &str, step: usize) -> bool {
        let mut reader = HeadReader::default();
        let mut parts = text.as_bytes().chunks(step);
        parts.any(|part| reader.read(part).is_some())
    }

    #[test]
    fn heads_with_two_lengths_are_found_however_they_are_cut() {
        let head = |fields: &str| format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        let cases = [
            ("", false),
            ("Content-Length: 5\r\n", false),
            ("transfer-encoding: chunked\r\n", false),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", true),
            ("Transfer-Encoding: chunked\nContent-Length: 5\n", true),
            ("Content-Length: 5\r\nContent-Length: 5\r\n", true),
            ("X: Content-Length: 5\r\nContent-Lengthy: 5\r\n", false),
        ];
        for (fields, expected) in cases {
            let text = head(fields);
            for step in [1, 7, text.len()] {
                assert_eq!(is_found(&text, step), expected, "{fields:?} by {step}");
            }
        }
    }

    #[test]
    fn the_head_behind_a_request_is_read_too() {
        let before = [
            "GET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length:\t5 \r\n\r\n\n\r\n\n:",
        ];
        for before in before {
            let text = format!("{before}{SMUGGLER}");
            for step in [1, 7, text.len()] {
                assert!(is_found(&text, step), "{before:?} by {step}");
            }
            let mut reader = HeadReader::default();
            assert_eq!(reader.read(text.as_bytes()), Some(before.len()));
        }
    }

    #[test]
    fn bodies_are_no_heads() {
        for length in [
            SMUGGLER.len().to_string(),
            "99".to_owned() + &"9".repeat(30),
        ] {
            let text = format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{SMUGGLER}");
            for step in [1, 7, text.len()] {
                assert!(!is_found(&text, step), "{length} by {step}");
            }
        }
    }
}
