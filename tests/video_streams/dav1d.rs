//! AV1 packets to frames by the libdav1d of this machine, through a door of the tests' own: what the encoders write is judged without the engine's reader.

use std::ffi::{c_int, c_uint, c_void};

use kinora::frame::{Frame, Packet};
use kinora::units::Size;
use libloading::{Library, Symbol};

const FILES: [&str; 3] = ["libdav1d.so.7", "libdav1d.so.6", "libdav1d.so.5"];

/// Larger than any structure of the library, and aligned.
type Room = [u64; 64];

/// BT.709 for primaries, transfer and matrix, as ITU-T H.273 numbers them.
const BT709: [u32; 3] = [1, 1, 1];

struct Decoder {
    library: Library,
    context: *mut c_void,
    /// Where `color_range` lies in a sequence header, and whether it is one byte.
    range_at: usize,
}

impl Decoder {
    fn open() -> Decoder {
        // SAFETY: the library's initializers only set up their own globals.
        let library = FILES
            .iter()
            .find_map(|file| unsafe { Library::new(file) }.ok())
            .expect("libdav1d is installed: apt-get install libdav1d6 (Debian 12), libdav1d7");
        // SAFETY: the signatures are those of `dav1d.h`; settings take 96 bytes, and threads are their first two numbers.
        unsafe {
            let is_new = library
                .get::<unsafe extern "C" fn() -> c_uint>(b"dav1d_version_api\0")
                .is_ok();
            let mut settings: Room = [0; 64];
            let defaults: Symbol<unsafe extern "C" fn(*mut Room)> =
                library.get(b"dav1d_default_settings\0").unwrap();
            defaults(&mut settings);
            settings[0] = 1 | 1 << 32;
            let mut context = std::ptr::null_mut();
            let open: Symbol<unsafe extern "C" fn(*mut *mut c_void, *const Room) -> c_int> =
                library.get(b"dav1d_open\0").unwrap();
            assert_eq!(open(&mut context, &settings), 0);
            Decoder {
                context,
                range_at: if is_new { 33 } else { 36 },
                library,
            }
        }
    }

    /// Sends a packet, which the library must take whole.
    fn send(&self, packet: &[u8]) {
        let mut data: Room = [0; 64];
        // SAFETY: the signatures are those of `data.h` and `dav1d.h`; the library makes room for as many bytes.
        unsafe {
            let create: Symbol<unsafe extern "C" fn(*mut Room, usize) -> *mut u8> =
                self.library.get(b"dav1d_data_create\0").unwrap();
            let room = create(&mut data, packet.len());
            std::ptr::copy_nonoverlapping(packet.as_ptr(), room, packet.len());
            let send: Symbol<unsafe extern "C" fn(*mut c_void, *mut Room) -> c_int> =
                self.library.get(b"dav1d_send_data\0").unwrap();
            assert_eq!(send(self.context, &mut data), 0);
        }
    }

    /// The next picture, 8 bits and BT.709.
    fn picture(&self, size: Size) -> Option<Frame> {
        let mut picture: Room = [0; 64];
        // SAFETY: the signatures are those of `dav1d.h` and `picture.h`; words of the structure lie where those of 0.9 to 1.5 lie.
        unsafe {
            let get: Symbol<unsafe extern "C" fn(*mut c_void, *mut Room) -> c_int> =
                self.library.get(b"dav1d_get_picture\0").unwrap();
            if get(self.context, &mut picture) != 0 {
                return None;
            }
            let header = picture[0] as *const u8;
            let number = |at: usize| header.add(at).cast::<u32>().read();
            assert_eq!([16, 20, 24].map(number), BT709);
            assert_eq!(header.add(self.range_at).read(), 0, "limited range");
            let shape = [56, 60, 64, 68].map(|at| (picture[at / 8] >> (at % 8 * 8)) as u32);
            assert_eq!(shape, [size.width, size.height, 1, 8]);
            let mut frame = Frame::black(size);
            for (i, target) in frame.planes_mut().into_iter().enumerate() {
                let width = size.width as usize >> usize::from(i > 0);
                let (from, stride) = (picture[2 + i] as *const u8, picture[5 + i.min(1)] as usize);
                for (y, row) in target.chunks_mut(width).enumerate() {
                    row.copy_from_slice(std::slice::from_raw_parts(from.add(y * stride), width));
                }
            }
            let unref: Symbol<unsafe extern "C" fn(*mut Room)> =
                self.library.get(b"dav1d_picture_unref\0").unwrap();
            unref(&mut picture);
            Some(frame)
        }
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // SAFETY: the context is open and closed once.
        unsafe {
            let close: Symbol<unsafe extern "C" fn(*mut *mut c_void)> =
                self.library.get(b"dav1d_close\0").unwrap();
            close(&mut self.context);
        }
    }
}

pub fn decode_av1(packets: &[Packet], size: Size) -> Vec<Frame> {
    let decoder = Decoder::open();
    let mut frames: Vec<Frame> = Vec::new();
    for packet in packets {
        decoder.send(&packet.data);
        while let Some(mut frame) = decoder.picture(size) {
            frame.index = frames.len() as u64;
            frames.push(frame);
        }
    }
    frames
}
