//! Speech by libespeak-ng: a request as JSON on stdin, a WAV file and the times of its words out.

fn main() {}
