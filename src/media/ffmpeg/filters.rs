//! The child's filter chain: whole pictures, SDR, 8 bits, each with its time.

use super::describe::{Hdr, Look};
use crate::media::clip::{ColorRange, Subsampling};

/// Prints `frame:N pts:MICROSECONDS` for each picture among the child's messages; `child::stamp_of` reads it.
const STAMPS: &str =
    "settb=AVTB,metadata=mode=add:key=kinora:value=1,metadata=mode=print:file='pipe\\:2':direct=1";

/// SDR white in cd/m2 (ITU-R BT.2408), and the brightest light that is still distinguished, relative to white: 1000 cd/m2.
const WHITE: u32 = 203;
const PEAK: f64 = 1000.0 / WHITE as f64;

/// Builds the argument of `-vf`. Pictures before `from` (microseconds) are dropped before any processing.
pub(super) fn chain(look: &Look, from: Option<i64>, has_zscale: bool) -> String {
    let mut filters = Vec::new();
    if let Some(from) = from {
        filters.push(format!("select='gte(t,{:.6})'", from as f64 / 1e6));
    }
    if look.is_interlaced {
        filters.push("bwdif=mode=send_frame:deint=interlaced".to_owned());
    }
    let range = match look.color.range {
        ColorRange::Limited => "tv",
        ColorRange::Full => "pc",
    };
    match look.hdr {
        Some(hdr) => filters.push(tones(hdr, has_zscale)),
        None if look.is_rgb => {}
        // Some versions convert by guessed values if nothing is specified.
        None => filters.push(format!("setparams=range={range}")),
    }
    let (width, height) = look.size;
    let colors = match look.is_rgb || look.hdr.is_some() {
        true => "out_color_matrix=bt709:out_range=tv".to_owned(),
        false => format!("in_range={range}:out_range={range}"),
    };
    filters.push(format!(
        "scale={width}:{height}:flags=bicubic+accurate_rnd+full_chroma_int:{colors}"
    ));
    filters.push(format!("format={}", format(look.subsampling)));
    filters.push(STAMPS.to_owned());
    filters.join(",")
}

/// Returns the output's pixel format.
pub(super) fn format(subsampling: Subsampling) -> &'static str {
    match subsampling {
        Subsampling::Yuv444 => "yuv444p",
        Subsampling::Yuv422 => "yuv422p",
        Subsampling::Gray | Subsampling::Yuv420 => "yuv420p",
    }
}

/// Converts BT.2020 with PQ or HLG to BT.709. With `zscale`: in linear light, the largest of R, G and B is compressed towards 1 (Moebius from 0.3 on).
/// Without: HLG is shown as SDR, as its design allows, and each of PQ's R, G and B is mapped by a curve; then the primaries are converted.
fn tones(hdr: Hdr, has_zscale: bool) -> String {
    let transfer = match hdr {
        Hdr::Pq => "smpte2084",
        Hdr::Hlg => "arib-std-b67",
    };
    let told = format!(
        "setparams=range=tv:color_primaries=bt2020:color_trc={transfer}:colorspace=bt2020nc"
    );
    if has_zscale {
        return format!(
            "{told},zscale=t=linear:npl={WHITE},format=gbrpf32le,zscale=p=bt709,\
             tonemap=mobius:desat=0:peak={PEAK:.3},zscale=t=bt709:m=bt709:p=bt709:r=tv"
        );
    }
    let bent = match hdr {
        Hdr::Hlg => String::new(),
        Hdr::Pq => format!(",{}", pq_curve()),
    };
    format!(
        "{told}{bent},scale=in_color_matrix=bt2020:out_color_matrix=bt2020:out_range=tv,format=yuv420p10le,\
         setparams=range=tv:color_primaries=bt2020:color_trc=bt2020-10:colorspace=bt2020nc,\
         colorspace=all=bt709:iall=bt2020:itrc=bt2020-10:format=yuv420p"
    )
}

/// Maps PQ (SMPTE ST 2084) to gamma 2.2 for each of R, G and B: light relative to white, `x (1 + x / peak^2) / (1 + x)` (Reinhard), which maps white to 0.52.
fn pq_curve() -> String {
    let (m1, m2) = (2610.0 / 16384.0, 2523.0 / 4096.0 * 128.0);
    let (c1, c2, c3) = (
        3424.0 / 4096.0,
        2413.0 / 4096.0 * 32.0,
        2392.0 / 4096.0 * 32.0,
    );
    let root = format!("pow(val/maxval,{:.9})", 1.0 / m2);
    let light = format!(
        "pow(max({root}-{c1:.7},0)/({c2:.7}-{c3:.7}*{root}),{:.9})*{:.4}",
        1.0 / m1,
        10_000.0 / f64::from(WHITE)
    );
    let peak = PEAK * PEAK;
    let curve = format!(
        "st(0,{light});maxval*pow(min(ld(0)*(1+ld(0)/{peak:.4})/(1+ld(0)),1),{:.6})",
        1.0 / 2.2
    );
    format!(
        "scale=in_color_matrix=bt2020:in_range=tv:flags=accurate_rnd+full_chroma_int,format=gbrp10le,lutrgb=r='{curve}':g='{curve}':b='{curve}'"
    )
}
