//! Frames that tell their number by their color, as `fixtures/make.sh` draws them.

use kinora::media::clip::{ClipFrame, Plane};

fn mean(plane: &Plane) -> f64 {
    let sum: u64 = plane.data.iter().map(|code| u64::from(*code)).sum();
    sum as f64 / plane.data.len() as f64
}

/// The number whose color is nearest, which must be near.
pub fn number_of(frame: &ClipFrame) -> usize {
    let [y, u, v] = [0, 1, 2].map(|i| match frame.planes[i].data.is_empty() {
        false => mean(&frame.planes[i]),
        true => f64::NAN,
    });
    let off = |n: usize| {
        let codes = [
            30 + 20 * (n % 10),
            40 + 18 * (n / 10),
            40 + 18 * (n * 7 % 10),
        ];
        let offs = [y, u, v]
            .into_iter()
            .zip(codes)
            .map(|(got, code)| got - code as f64);
        offs.filter(|off| !off.is_nan())
            .fold(0.0, |worst: f64, off| worst.max(off.abs()))
    };
    let (worst, n) = (0..100)
        .map(|n| (off(n), n))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .unwrap();
    assert!(worst < 6.0, "no number has the codes {y:.1} {u:.1} {v:.1}");
    n
}
