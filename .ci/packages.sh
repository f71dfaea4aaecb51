# Sourced by ./kinora and ./check: the operating system's packages that help, and how they get here.
# Sets nothing but functions. Expects $repository (the checkout) and $target (cargo's target folder).

has_program() { command -v "$1" >/dev/null 2>&1; }

has_file() {
    for file in "$@"; do
        [ -e "$file" ] && return 0
    done
    return 1
}

has_library() { has_file /usr/lib/*/"$1"* /lib/*/"$1"* /usr/lib/"$1"* /usr/local/lib/"$1"* /usr/lib64/"$1"*; }

# nasm 2.14 or newer, which rav1e's assembly needs.
has_nasm() {
    has_program nasm || return 1
    version=$(nasm -v 2>/dev/null | sed -n 's/^NASM version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    [ -n "$version" ] || return 1
    set -- $version
    [ "$1" -gt 2 ] || { [ "$1" -eq 2 ] && [ "$2" -ge 14 ]; }
}

# What rendering wants and this machine lacks, as package names of Debian 12.
missing_for_render() {
    has_program c++ || echo g++
    has_nasm || echo nasm
    has_library libSvtAv1Enc.so || echo libsvtav1enc1
    has_library libx264.so || echo libx264-164
    has_library libvulkan.so.1 || echo libvulkan1
    has_file /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json || echo mesa-vulkan-drivers
}

# What speaking without a network wants and this machine lacks: Flite for English, eSpeak NG for other languages.
missing_for_voice() {
    { has_library libflite.so.1 && has_library libflite_cmu_us_slt.so.1; } || echo libflite1
    has_library libespeak-ng.so.1 || echo libespeak-ng1
    has_file /usr/lib/*/espeak-ng-data/phontab /usr/share/espeak-ng-data/phontab /usr/lib/espeak-ng-data/phontab /usr/local/share/espeak-ng-data/phontab \
        || echo espeak-ng-data
}

# Installs the given packages if that can be done without asking; else says once how, and goes on. Never fails.
install_packages() {
    [ $# -gt 0 ] && [ "${KINORA_NO_INSTALL:-}" != 1 ] || return 0
    has_program apt-get || { say_once "these Debian packages, or what your system calls them, would help: $*"; return 0; }
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif has_program sudo && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        say_once "this would help (and is asked for only once): sudo apt-get install $*"
        return 0
    fi
    # A machine without a network must not pay for the attempt at every run.
    tried="$target/.kinora-tried-$(echo "$*" | cksum | cut -d' ' -f1)"
    [ -z "$(find "$tried" -mmin -60 2>/dev/null)" ] || return 0
    echo "installing $* (KINORA_NO_INSTALL=1 to skip)" >&2
    mkdir -p "$target"
    : >"$tried"
    {
        $as_root timeout 120 apt-get -qq -o Acquire::Retries=1 update
        for package in "$@"; do
            apt-cache show "$package" || set -- $(echo " $* " | sed "s/ $package / /")
        done
        [ $# -eq 0 ] || $as_root env DEBIAN_FRONTEND=noninteractive timeout 900 \
            apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"
    } >"$target/.kinora-apt.log" 2>&1 </dev/null || true
    grep -h '^E:' "$target/.kinora-apt.log" | head -n 1 | sed 's/^E:/apt-get (going on without):/' >&2
}

# Says a line unless it was the last one said here.
say_once() {
    mkdir -p "$target"
    [ "$(cat "$target/.kinora-said" 2>/dev/null)" = "$1" ] && return 0
    echo "$1" >&2
    echo "$1" >"$target/.kinora-said"
}

# Puts cargo on the PATH or says what to install.
need_cargo() {
    has_program cargo || PATH="$HOME/.cargo/bin:$PATH"
    has_program cargo && return 0
    echo "kinora needs Rust 1.95 or newer: see https://rustup.rs, then run this again" >&2
    exit 1
}

# openh264 takes nasm's kernels only if it was there when openh264 was built.
refresh_after_nasm() {
    mkdir -p "$target"
    if ! has_nasm; then
        : >"$target/.kinora-without-nasm"
    elif [ -e "$target/.kinora-without-nasm" ]; then
        (cd "$repository" && cargo clean -q -p openh264-sys2 && cargo clean -q --release -p openh264-sys2) || true
        rm -f "$target/.kinora-without-nasm"
    fi
}
