# Sourced by ./kinora and ./check: the packages of the operating system that help, and how they get here.
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

# What rendering wants and this machine lacks. `stem@name` is a library whose package is called otherwise in each release: `name` in Debian 12, the stem and another
# number elsewhere. `name?` is a package that not every release has or needs.
missing_for_render() {
    { has_program c++ && has_program cc; } || echo g++
    # Assembly for x86 only.
    case $(uname -m) in x86_64 | amd64 | i?86) has_nasm || echo nasm ;; esac
    has_library libSvtAv1Enc.so. || echo libsvtav1enc@libsvtav1enc1
    has_library libdav1d.so. || echo libdav1d@libdav1d6
    has_library libopus.so.0 || echo libopus@libopus0
    has_library libx264.so. || echo libx264-@libx264-164
    has_library libheif.so.1 || echo libheif@libheif1
    has_library libde265.so.0 || echo libde265-@libde265-0
    # libheif has its decoders in packages of their own since 1.17.
    if has_library libheif.so.1 && ! has_file /usr/lib/*/libheif/plugins; then :; else
        has_library libheif/plugins/libheif-libde265 || echo libheif-plugin-libde265?
    fi
    # A graphics card alone is worth a driver: `auto` never takes one that works in software.
    if has_file /dev/dri/renderD*; then missing_for_gpu; fi
}

# The loader and a driver of Vulkan: ./check composes on one in software.
missing_for_gpu() {
    has_library libvulkan.so.1 || echo libvulkan@libvulkan1
    has_file /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json || echo mesa-vulkan-drivers
}

# What speaking without a network wants and this machine lacks: Flite for English, eSpeak NG for other languages.
missing_for_voice() {
    { has_library libflite.so.1 && has_library libflite_cmu_us_slt.so.1; } || echo libflite@libflite1
    has_library libespeak-ng.so.1 || echo libespeak-ng@libespeak-ng1
    has_file /usr/lib/*/espeak-ng-data/phontab /usr/share/espeak-ng-data/phontab /usr/lib/espeak-ng-data/phontab /usr/local/share/espeak-ng-data/phontab \
        || echo espeak-ng-data
}

# What is lost without a package.
cost_of() {
    case $1 in
        g++) echo "nothing can be built" ;;
        nasm) echo "AV1 by rav1e takes three times as long, and H.264 by openh264 takes longer" ;;
        libsvtav1enc*) echo "AV1 is encoded by rav1e, which takes 7 times as long" ;;
        libdav1d*) echo "AV1 clips and AVIF pictures cannot be shown" ;;
        libopus*) echo "Opus sound goes through the built-in codec, which is slower" ;;
        libx264*) echo "H.264 is encoded by openh264, which makes larger files" ;;
        libheif* | libde265*) echo "HEIC photographs cannot be shown" ;;
        libvulkan* | mesa-vulkan-drivers) echo "frames are composed on the CPU" ;;
        libflite*) echo "English is spoken by eSpeak NG" ;;
        libespeak-ng* | espeak-ng-data) echo "only English can be spoken" ;;
        *) echo "some tests are skipped" ;;
    esac
}

# The package of this machine's lists for a wish: the newest of a family. Says nothing where there is none.
package_for() {
    case $1 in
        *@*) ;;
        *)
            if apt-cache show "${1%\?}" >/dev/null 2>&1; then echo "${1%\?}"; fi
            return 0
            ;;
    esac
    for listed in $(apt-cache pkgnames "${1%@*}" 2>/dev/null | grep -E "^${1%@*}[0-9]+[a-z0-9]*\$" | sort -rV); do
        # Names stay in the lists when the package is gone.
        if apt-cache show "$listed" >/dev/null 2>&1; then
            echo "$listed"
            return 0
        fi
    done
}

# The packages for wishes, as far as the lists have them, else as Debian 12 calls them.
names_of() {
    for wish in "$@"; do
        name=$(has_program apt-cache && package_for "$wish") || true
        case $name$wish in
            *\?) [ -z "$name" ] || echo "$name" ;;
            *) echo "${name:-${wish#*@}}" ;;
        esac
    done
}

# Installs what the given wishes stand for if that can be done without asking; else says once how, and goes on. Never fails.
install_packages() {
    [ $# -gt 0 ] && [ "${KINORA_NO_INSTALL:-}" != 1 ] || return 0
    has_program apt-get || { say_once "these Debian packages, or the equivalent ones of your system, would help: $(names_of "$@" | xargs)"; return 0; }
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif has_program sudo && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    else
        say_once "this would help (shown only once): sudo apt-get install $(names_of "$@" | xargs)"
        return 0
    fi
    # A machine without a network must not pay for the attempt at every run.
    tried="$target/.kinora-tried-$(echo "$*" | cksum | cut -d' ' -f1)"
    [ -z "$(find "$tried" -mmin -60 2>/dev/null)" ] || return 0
    mkdir -p "$target"
    : >"$tried"
    : >"$target/.kinora-apt.log"
    why="this system has no such package"
    by_apt timeout 120 apt-get -qq -o Acquire::Retries=1 -o APT::Update::Error-Mode=any update || why="apt-get update failed; is the network available?"
    found=
    for wish in "$@"; do
        name=$(package_for "$wish")
        case $name$wish in
            *\?) [ -z "$name" ] || found="$found $name" ;;
            "$wish") without "${wish#*@}" "$why" ;;
            *) found="$found $name" ;;
        esac
    done
    [ -n "$found" ] || return 0
    echo "installing$found (KINORA_NO_INSTALL=1 to skip)" >&2
    # shellcheck disable=SC2086
    apt_install $found && return 0
    # One that cannot be installed must not cost the others.
    for name in $found; do
        apt_install "$name" || without "$name" "$(grep -h '^E:' "$target/.kinora-apt.log" | tail -n 1 | sed 's/^E: *//')"
    done
}

# Runs a command of apt with its words in a log.
by_apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive "$@" >>"$target/.kinora-apt.log" 2>&1 </dev/null
}

apt_install() {
    by_apt timeout 900 apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@"
}

# Says what is lost without a package, and why it is not there.
without() {
    echo "continuing without $1 ($2): $(cost_of "$1")" >&2
}

# Ends here where there is no compiler, since cargo would say so much later and less plainly. What was built before still runs.
need_compiler() {
    has_program c++ && has_program cc && return 0
    [ ! -x "$target/first/kinora" ] || return 0
    echo "kinora cannot be built without a C and C++ compiler; on Debian and Ubuntu: sudo apt-get install g++, then run this again" >&2
    exit 1
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
        (cd "$repository" && cargo clean -q -p openh264-sys2 && cargo clean -q --profile first -p openh264-sys2) || true
        rm -f "$target/.kinora-without-nasm"
    fi
}
