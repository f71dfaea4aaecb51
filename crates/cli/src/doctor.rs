//! `kinora doctor`: the capabilities of this machine, and the commands that add missing ones.

use std::path::{Path, PathBuf};

use kinora::compose::{Backend, Compositor};
use kinora::text::Fonts;
use kinora::units::Size;
use kinora_studio::voice::{Espeak, Flite};
use serde_json::{Value, json};

use crate::console;
use crate::failure::Done;
use crate::packages::{ESPEAK, FLITE, SVT_AV1};

/// Show the capabilities of this machine: graphics, encoders, fonts, voices, cores
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the findings as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

/// A capability that is present or missing.
struct Finding {
    part: &'static str,
    name: String,
    there: bool,
    detail: String,
    /// The command that adds it.
    remedy: Option<String>,
}

pub(crate) fn run(args: &Args) -> Done {
    let mut findings = vec![cores(), assembly(), graphics()];
    findings.extend(encoders());
    findings.push(av1_decoder());
    findings.push(heic_decoder());
    findings.push(opus());
    findings.extend(fonts());
    findings.extend(voices());
    findings.push(ffmpeg());
    if args.json {
        let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
        console::json_line(
            &json!({ "event": "result", "version": env!("CARGO_PKG_VERSION"), "findings": findings }),
        );
    } else {
        console::print(&format!("kinora {}", env!("CARGO_PKG_VERSION")));
        for finding in &findings {
            console::print(&finding.to_string());
        }
    }
    Ok(())
}

impl Finding {
    fn there(part: &'static str, name: impl Into<String>, detail: impl Into<String>) -> Finding {
        Finding {
            part,
            name: name.into(),
            there: true,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn missing(
        part: &'static str,
        name: impl Into<String>,
        detail: impl Into<String>,
        remedy: &str,
    ) -> Finding {
        let remedy = Some(remedy.to_owned());
        Finding {
            part,
            name: name.into(),
            there: false,
            detail: detail.into(),
            remedy,
        }
    }

    fn to_json(&self) -> Value {
        json!({ "part": self.part, "name": self.name, "there": self.there, "detail": self.detail, "remedy": self.remedy })
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.there { "✓" } else { "·" };
        write!(
            f,
            "  {mark} {:9} {:14} {}",
            self.part, self.name, self.detail
        )?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n      add it: {remedy}"),
            None => Ok(()),
        }
    }
}

fn cores() -> Finding {
    let n = std::thread::available_parallelism().map_or(1, usize::from);
    Finding::there("machine", format!("{n} cores"), cpu_model())
}

/// Returns the processor's name as reported by the kernel.
pub(crate) fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find(|line| line.starts_with("model name"));
    model.and_then(|line| line.split_once(": ")).map_or_else(
        || std::env::consts::ARCH.to_owned(),
        |(_, name)| name.to_owned(),
    )
}

fn assembly() -> Finding {
    if cfg!(feature = "asm") {
        Finding::there(
            "build",
            "assembly",
            "rav1e was built with its assembly kernels",
        )
    } else {
        let remedy = "apt-get install nasm, then build again (./kinora does both)";
        Finding::missing(
            "build",
            "assembly",
            "rav1e was built without nasm: it runs at a third of its speed",
            remedy,
        )
    }
}

/// Checks the offline voices.
fn voices() -> [Finding; 2] {
    let (flite, espeak) = (Flite::new(), Espeak::new());
    [
        (
            "Flite",
            flite.check(),
            flite.voices().len(),
            format!("apt-get install {}", FLITE.name()),
        ),
        (
            "eSpeak NG",
            espeak.check(),
            espeak.voices().len(),
            format!("apt-get install {} espeak-ng-data, and start kinora as ./kinora, which builds kinora-espeak", ESPEAK.name()),
        ),
    ]
    .map(|(name, check, n, remedy)| match check {
        Ok(()) => Finding::there("voice", name, format!("{n} voices")),
        Err(failure) => Finding::missing("voice", name, failure.message, &remedy),
    })
}

/// Checks for ffmpeg, which reads clips and sounds that kinora cannot.
fn ffmpeg() -> Finding {
    let ffmpeg = kinora::media::Ffmpeg::on_path();
    let adds = "reads HEVC, ProRes, DNxHD, MPEG-2, AVI, MPEG-TS, HDR, interlaced and 10-bit clips, WMA, AC-3, AMR ...";
    match ffmpeg.version() {
        Ok(version) => {
            let hdr = match ffmpeg.maps_tones() {
                true => "",
                false => "; built without zscale: HDR is mapped by simple curves",
            };
            Finding::there("media", "ffmpeg", format!("{version}; {adds}{hdr}"))
        }
        Err(why) => Finding::missing(
            "media",
            "ffmpeg",
            format!("{why}; with ffprobe it {adds}"),
            "apt-get install ffmpeg",
        ),
    }
}

fn graphics() -> Finding {
    let fonts = Fonts::default();
    let Some(size) = Size::new(64, 64) else {
        return Finding::there("graphics", "cpu", "");
    };
    let auto = Compositor::new(Backend::Auto, size, &fonts);
    match (auto, Compositor::new(Backend::Gpu, size, &fonts)) {
        (Ok(Compositor::Gpu(gpu)), _) => Finding::there("graphics", "gpu", gpu.name()),
        (_, Ok(software)) => {
            let detail = format!("none; in software with --backend gpu: {}", software.name());
            Finding {
                there: false,
                ..Finding::there("graphics", "gpu", detail)
            }
        }
        (_, Err(e)) => {
            let remedy = "apt-get install libvulkan1 mesa-vulkan-drivers (AMD, Intel; NVIDIA: its own driver)";
            Finding::missing(
                "graphics",
                "gpu",
                format!("none, frames are composed on the CPU ({e})"),
                remedy,
            )
        }
    }
}

fn encoders() -> Vec<Finding> {
    kinora::encode::available()
        .into_iter()
        .map(|encoder| match encoder.version {
            Ok(version) => Finding::there("encoder", encoder.name, version),
            Err(why) => {
                let remedy = match encoder.name {
                    "x264" => "apt-get install libx264-164, and start kinora as ./kinora, which builds kinora-x264".to_owned(),
                    _ => format!("apt-get install {}", SVT_AV1.name()),
                };
                Finding::missing("encoder", encoder.name, why, &remedy)
            }
        })
        .collect()
}

/// Checks for the decoder of AV1 clips and AVIF pictures.
fn av1_decoder() -> Finding {
    match kinora::media::av1_decoder() {
        Ok(version) => Finding::there("decoder", "dav1d", version),
        Err(why) => {
            let remedy = "apt-get install libdav1d7, on Debian 12 libdav1d6";
            Finding::missing("decoder", "dav1d", why, remedy)
        }
    }
}

/// Checks for the decoder of HEIC pictures.
fn heic_decoder() -> Finding {
    match kinora::media::heic_decoder() {
        Ok(version) => Finding::there("decoder", "libheif", version),
        Err(why) => {
            let remedy =
                "apt-get install libheif1 libde265-0, on Debian 13 also libheif-plugin-libde265";
            Finding::missing("decoder", "libheif", why, remedy)
        }
    }
}

/// Checks for libopus; Opus is read and written without it, too.
fn opus() -> Finding {
    match kinora::encode::opus_library() {
        Ok(version) => Finding::there("encoder", "Opus", version),
        Err(why) => Finding::missing(
            "encoder",
            "Opus",
            format!("the built-in one is used, which is slower ({why})"),
            "apt-get install libopus0",
        ),
    }
}

/// Scripts missing from the bundled fonts: their names, font files that show that one is installed, and the package.
const SCRIPTS: &[(&str, &[&str], &str)] = &[
    (
        "Bengali...",
        &["NotoSansBengali", "NotoSansTamil", "NotoSansEthiopic"],
        "fonts-noto-core",
    ),
    (
        "CJK",
        &[
            "NotoSansCJK",
            "NotoSansJP",
            "NotoSansSC",
            "wqy-",
            "DroidSansFallback",
        ],
        "fonts-noto-cjk",
    ),
    (
        "emoji",
        &["NotoColorEmoji", "Twemoji"],
        "fonts-noto-color-emoji",
    ),
];

fn fonts() -> Vec<Finding> {
    let mut files = Vec::new();
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share/fonts"));
    for folder in ["/usr/share/fonts", "/usr/local/share/fonts"]
        .map(PathBuf::from)
        .into_iter()
        .chain(home)
    {
        list_files(&folder, 6, &mut files);
    }
    let mut findings = vec![Finding::there(
        "fonts",
        "Latin...",
        "bundled: Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai",
    )];
    findings.extend(SCRIPTS.iter().map(|(script, prefixes, package)| {
        let found = files
            .iter()
            .find(|file| prefixes.iter().any(|prefix| file.starts_with(prefix)));
        match found {
            Some(file) => Finding::there("fonts", *script, file.clone()),
            None => Finding::missing(
                "fonts",
                *script,
                "none installed",
                &format!("apt-get install {package}"),
            ),
        }
    }));
    findings
}

/// Adds the names of the files below `folder`, in a stable order, at most `depth` folders deep.
fn list_files(folder: &Path, depth: u32, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => list_files(&entry.path(), depth - 1, names),
            Ok(kind) if !kind.is_dir() => {
                names.push(entry.file_name().to_string_lossy().into_owned())
            }
            _ => {}
        }
    }
}
