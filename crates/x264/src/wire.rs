//! The protocol between kinora and this program; the other end is `src/encode/x264/wire.rs` of the engine.
//!
//! A message is a kind (one byte), the length of its body (32 bits, little-endian like all numbers) and the body:
//!
//! | from | kind | body |
//! |---|---|---|
//! | kinora | `Q` | empty: which library is loaded? |
//! | kinora | `O` | protocol, width, height, number of slots (32 bits each); then settings of x264, one `name=value` per line, the preset first |
//! | program | `H` | protocol, build of libx264 (32 bits each): the answer to `O`, and to `Q`, after which the program ends |
//! | kinora | `F` | slot (32 bits), number of the frame from 0 (64 bits), 1 for a key frame or 0 (8 bits) |
//! | program | `P` | number of the frame that is shown (64 bits), its NAL units, each after its 32-bit length; in decoding order |
//! | program | `R` | empty: the oldest frame was read, its slot is free |
//! | both | `Z` | empty: no more frames; no more packets |
//! | program | `E` | text: why it cannot continue; then it ends |
//!
//! Slot `n` of the memory is the frame (planes Y, U, V without padding) at offset `n` times the size of a frame.

use std::io::{ErrorKind, Read, Write};

/// Version of the protocol. Changes when one end could misunderstand the other.
pub(crate) const PROTOCOL: u32 = 1;

/// Maximum size in bytes of a message from kinora.
const MAX_BYTES: u32 = 4096;

/// A message from kinora.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    Query,
    Open(Opening),
    Frame {
        slot: u32,
        number: u64,
        is_key: bool,
    },
    End,
}

/// Size and settings of the video to encode.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) n_slots: u32,
    pub(crate) parameters: Vec<(String, String)>,
}

/// Maximum side of a picture, and maximum number of slots.
const MAX_SIDE: u32 = 16_384;
const MAX_SLOTS: u32 = 16;

impl Opening {
    /// Returns the size of a frame in bytes.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.width as usize * self.height as usize * 3 / 2
    }

    fn read(body: &[u8]) -> Result<Opening, String> {
        let (numbers, text) = body
            .split_at_checked(16)
            .ok_or("the first message is too short")?;
        let (numbers, _) = numbers.as_chunks::<4>();
        let number = |i: usize| numbers.get(i).map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if number(0) != PROTOCOL {
            return Err(format!(
                "kinora uses protocol {}, but this program uses {PROTOCOL}: build both together",
                number(0)
            ));
        }
        let is_side = |side: u32| (2..=MAX_SIDE).contains(&side) && side.is_multiple_of(2);
        let opening = Opening {
            width: number(1),
            height: number(2),
            n_slots: number(3),
            parameters: parameters(text)?,
        };
        if !is_side(opening.width) || !is_side(opening.height) {
            return Err(format!(
                "{}x{} is not a valid picture size",
                opening.width, opening.height
            ));
        }
        if !(1..=MAX_SLOTS).contains(&opening.n_slots) {
            return Err(format!("{} slots are not possible", opening.n_slots));
        }
        Ok(opening)
    }
}

fn parameters(text: &[u8]) -> Result<Vec<(String, String)>, String> {
    let text = std::str::from_utf8(text).map_err(|_| "the settings are not text")?;
    let line = |line: &str| {
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| format!("`{line}` is not a setting"))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    text.lines().map(line).collect()
}

/// Reads the next message; returns `None` once kinora has closed the connection.
pub(crate) fn receive(stream: &mut impl Read) -> Result<Option<Ask>, String> {
    let mut head = [0; 5];
    match stream.read_exact(&mut head) {
        Ok(()) => {}
        Err(e)
            if matches!(
                e.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset
            ) =>
        {
            return Ok(None);
        }
        Err(e) => return Err(format!("cannot read from kinora: {e}")),
    }
    let [kind, length @ ..] = head;
    let n_bytes = u32::from_le_bytes(length);
    if n_bytes > MAX_BYTES {
        return Err(format!("a message of {n_bytes} bytes is too long"));
    }
    let mut body = vec![0; n_bytes as usize];
    stream
        .read_exact(&mut body)
        .map_err(|e| format!("cannot read from kinora: {e}"))?;
    match (kind, &body[..]) {
        (b'Q', []) => Ok(Some(Ask::Query)),
        (b'O', body) => Ok(Some(Ask::Open(Opening::read(body)?))),
        (b'F', &[a, b, c, d, ref number @ .., is_key @ (0 | 1)]) => {
            let number: [u8; 8] = number
                .try_into()
                .map_err(|_| "a frame message has the wrong length")?;
            Ok(Some(Ask::Frame {
                slot: u32::from_le_bytes([a, b, c, d]),
                number: u64::from_le_bytes(number),
                is_key: is_key == 1,
            }))
        }
        (b'Z', []) => Ok(Some(Ask::End)),
        _ => Err(format!(
            "an unknown message of kind {}",
            kind.escape_ascii()
        )),
    }
}

/// Sends a message of two parts.
pub(crate) fn send(
    stream: &mut impl Write,
    kind: u8,
    start: &[u8],
    rest: &[u8],
) -> Result<(), String> {
    let length = u32::try_from(start.len() + rest.len()).map_err(|_| "a packet is too long")?;
    let mut message = Vec::with_capacity(5 + start.len() + rest.len());
    message.push(kind);
    message.extend_from_slice(&length.to_le_bytes());
    message.extend_from_slice(start);
    message.extend_from_slice(rest);
    stream
        .write_all(&message)
        .map_err(|e| format!("cannot write to kinora: {e}"))
}

/// Sends the greeting.
pub(crate) fn send_hello(stream: &mut impl Write, build: u32) -> Result<(), String> {
    send(stream, b'H', &PROTOCOL.to_le_bytes(), &build.to_le_bytes())
}
