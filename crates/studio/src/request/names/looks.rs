//! The appearance of a video: caption styles and positions, transitions, format, quality, animation presets.

use super::wire_names;

wire_names! {
    /// The style of captions; both interfaces have the same set.
    CaptionStyle, default Default;
    Default = "default",
    Minimal = "minimal",
    Neon = "neon",
    Cinematic = "cinematic",
    Fancy = "fancy",
    Tiktok = "tiktok",
    Highlight = "highlight",
    Gradient = "gradient",
    Intellectual = "intellectual",
    Vida = "vida",
    Manuscripts = "manuscripts",
    Subtitle = "subtitle",
    Modern = "modern",
    Bounce = "bounce",
    Popcorn = "popcorn",
    Typewriter = "typewriter",
    Handwritten = "handwritten",
    Karaoke = "karaoke",
    Retro = "retro",
    Gaming = "gaming",
}

wire_names! {
    /// The position of captions.
    CaptionPosition, default Bottom;
    Top = "top",
    Center = "center",
    Bottom = "bottom",
}

wire_names! {
    /// The transition between scenes; `Random` picks one for each.
    Transition, default Fade;
    None = "none",
    Fade = "fade",
    Slide = "slide",
    Wipe = "wipe",
    Flip = "flip",
    ZoomIn = "zoom-in",
    ZoomOut = "zoom-out",
    SwayIn = "sway-in",
    SpinClockwise = "SpinClockwise",
    SpinCounterClockwise = "SpinCounterClockwise",
    SpinBoomerang = "SpinBoomerang",
    PendulumLeft = "PendulumLeft",
    PendulumRight = "PendulumRight",
    TrainLeft = "TrainLeft",
    TrainRight = "TrainRight",
    FallLeft = "FallLeft",
    FallRight = "FallRight",
    FallDown = "FallDown",
    RiseUp = "RiseUp",
    RiseLeft = "RiseLeft",
    RiseRight = "RiseRight",
    RiseDown = "RiseDown",
    Random = "Random",
}

wire_names! {
    /// The encoding quality. It determines size and appearance, not the price.
    Quality, default Medium;
    High = "high",
    Medium = "medium",
    Low = "low",
}

wire_names! {
    /// The shape of the picture, width to height.
    AspectRatio, default Portrait;
    Portrait = "9:16",
    Landscape = "16:9",
}

wire_names! {
    /// How much a universe's pictures move.
    AnimationPreset, default JustStoryboard;
    JustStoryboard = "just_storyboard",
    Fast = "fast",
    ProAnimation = "pro_animation",
}

wire_names! {
    /// For internal use.
    TemplateId, default None;
    None = "none",
    Service = "service",
}
