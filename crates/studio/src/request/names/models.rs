//! Models of pictures and clips, and their style names.

use super::wire_names;

wire_names! {
    /// A model of pictures (`imageConfig.model`).
    ImageModel, default FluxSchnell;
    FluxSchnell = "flux_schnell",
    Imagen4Fast = "imagen4_fast",
    FluxPro = "flux_pro",
    FluxProUltra = "flux_pro_ultra",
    Recraft = "recraft",
    FluxLora = "flux_lora",
    Sdxl = "sdxl",
    SdxlLora = "sdxl_lora",
    BytedanceSeedreamV3 = "bytedance_seedream_v3",
    Sd35Large = "sd35_large",
    Sd35Medium = "sd35_medium",
    Sd35LargeTurbo = "sd35_large_turbo",
    LeonardoFluxPrecision = "leonardo_flux_precision",
    LeonardoPhoenixQuality = "leonardo_phoenix_quality",
    ReveV1 = "reve-v1",
    LeonardoPhoenixUltra = "leonardo_phoenix_ultra",
    HidreamFast = "hidream_fast",
    HidreamDev = "hidream_dev",
    HidreamFull = "hidream_full",
    Midjourney = "midjourney",
    GptImage1 = "gpt_image_1",
    Imagen4Preview = "imagen4_preview",
}

wire_names! {
    /// A style of the model `recraft`.
    RecraftStyle;
    Any = "any",
    RealisticImage = "realistic_image",
    DigitalIllustration = "digital_illustration",
    RealisticImageBAndW = "realistic_image/b_and_w",
    RealisticImageHardFlash = "realistic_image/hard_flash",
    RealisticImageHdr = "realistic_image/hdr",
    RealisticImageNaturalLight = "realistic_image/natural_light",
    RealisticImageStudioPortrait = "realistic_image/studio_portrait",
    RealisticImageEnterprise = "realistic_image/enterprise",
    RealisticImageMotionBlur = "realistic_image/motion_blur",
    DigitalIllustrationPixelArt = "digital_illustration/pixel_art",
    DigitalIllustrationHandDrawn = "digital_illustration/hand_drawn",
    DigitalIllustrationGrain = "digital_illustration/grain",
    DigitalIllustrationInfantileSketch = "digital_illustration/infantile_sketch",
    DigitalIllustrationFlatArtPoster = "digital_illustration/2d_art_poster",
    DigitalIllustrationHandmade3d = "digital_illustration/handmade_3d",
    DigitalIllustrationHandDrawnOutline = "digital_illustration/hand_drawn_outline",
    DigitalIllustrationEngravingColor = "digital_illustration/engraving_color",
    DigitalIllustrationFlatArtPoster2 = "digital_illustration/2d_art_poster_2",
}

wire_names! {
    /// A style file for the models `flux_lora` and `sdxl_lora`.
    LoraSlug;
    GhibskyComicBook = "ghibsky-comic-book",
    ColourSketches = "colour-sketches",
    SketchPaint = "sketch-paint",
    NinetiesAnime = "90s-anime",
    NoughtiesCrimeThrillers = "2000s-crime-thrillers",
    XnoSymbolFlux = "xno-symbol-flux",
}

wire_names! {
    /// A style of the Leonardo models.
    LeonardoStyle, default None;
    None = "NONE",
    ThreeDRender = "THREE_D_RENDER",
    Acrylic = "ACRYLIC",
    AnimeGeneral = "ANIME_GENERAL",
    Bokeh = "BOKEH",
    Cinematic = "CINEMATIC",
    CinematicConcept = "CINEMATIC_CONCEPT",
    Creative = "CREATIVE",
    Dynamic = "DYNAMIC",
    Fashion = "FASHION",
    GameConcept = "GAME_CONCEPT",
    GraphicDesign3d = "GRAPHIC_DESIGN_3D",
    GraphicDesignPopArt = "GRAPHIC_DESIGN_POP_ART",
    GraphicDesignVector = "GRAPHIC_DESIGN_VECTOR",
    Hdr = "HDR",
    Illustration = "ILLUSTRATION",
    Macro = "MACRO",
    Minimalist = "MINIMALIST",
    Moody = "MOODY",
    Portrait = "PORTRAIT",
    PortraitCinematic = "PORTRAIT_CINEMATIC",
    ProBwPhotography = "PRO_BW_PHOTOGRAPHY",
    ProColorPhotography = "PRO_COLOR_PHOTOGRAPHY",
    ProFilmPhotography = "PRO_FILM_PHOTOGRAPHY",
    PortraitFashion = "PORTRAIT_FASHION",
    RayTraced = "RAY_TRACED",
    SketchBw = "SKETCH_BW",
    SketchColor = "SKETCH_COLOR",
    StockPhoto = "STOCK_PHOTO",
    Vibrant = "VIBRANT",
    Watercolor = "WATERCOLOR",
}

wire_names! {
    /// A model of clips (`videoConfig.model`).
    VideoModel, default LumaRay2;
    LtxVideo13bDistilled = "ltx_video_13b_distilled",
    LtxVideo = "ltx_video",
    Seedance480p5s = "seedance_480p_5s",
    StableVideo = "stable_video",
    Motion = "motion",
    Seedance480p10s = "seedance_480p_10s",
    Seedance720p5s = "seedance_720p_5s",
    KlingV16Std5s = "kling_v1_6_std_5s",
    KlingV21Std5s = "kling_v2_1_std_5s",
    LtxVideo13bDev = "ltx_video_13b_dev",
    Seedance720p10s = "seedance_720p_10s",
    Skyreels = "skyreels",
    Vidu = "vidu",
    KlingV16Std10s = "kling_v1_6_std_10s",
    KlingV21Std10s = "kling_v2_1_std_10s",
    KlingV21Pro5s = "kling_v2_1_pro_5s",
    LumaRay2 = "luma_ray2",
    KlingPro5s = "kling_pro_5s",
    Minimax = "minimax",
    WanI2v = "wan_i2v",
    Motion2 = "motion_2",
    KlingV21Pro10s = "kling_v2_1_pro_10s",
    WanPro = "wan_pro",
    LumaRay2Hd = "luma_ray2_hd",
    KlingPro10s = "kling_pro_10s",
    KlingV21Master5s = "kling_v2_1_master_5s",
    KlingV2Master5s = "kling_v2_master_5s",
    KlingV21Master10s = "kling_v2_1_master_10s",
    Veo2 = "veo2",
    KlingV2Master10s = "kling_v2_master_10s",
}
