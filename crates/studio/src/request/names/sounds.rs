//! Names for sound and script: music tracks, kinds of own audio, styles of scripts.

use super::wire_names;

wire_names! {
    /// A track of the music library; the empty name leaves the choice to the director.
    MusicSlug, default Unset;
    Unset = "",
    TempleOfTreasures = "temple_of_treasures",
    GentleAmbientLoop = "gentle_ambient_loop",
    SereneAmbience = "serene_ambience",
    SoothingAmbience = "soothing_ambience",
    SoothingAmbientBackdrop = "soothing_ambient_backdrop",
    TranquilAmbience = "tranquil_ambience",
    CozyAmbience = "cozy_ambience",
    Dreamscape = "dreamscape",
    BelongingResonance = "belonging_resonance",
    VividMemories = "vivid_memories",
    CinematicIntro = "cinematic_intro",
    CinematicTeaser = "cinematic_teaser",
    DramaticCinematicScore = "dramatic_cinematic_score",
    ThrillerCinemaTrailer = "thriller_cinema_trailer",
    FracturedPaintings = "fractured_paintings",
    PromiseOfTomorrow = "promise_of_tomorrow",
    SpookyOrchestralTheme = "spooky_orchestral_theme",
    LightUpbeatMelody = "light_upbeat_melody",
    PuzzleTime = "puzzle_time",
    StompingDrumsRhythm = "stomping_drums_rhythm",
    StompsAndClapsRhythmTrack = "stomps_and_claps_rhythm_track",
    NewsTheme = "news_theme",
    NewsReportTheme = "news_report_theme",
    AdventurousIntro = "adventurous_intro",
    BurlesqueSweetheart = "burlesque_sweetheart",
    HighwayNocturneNationalSweetheart = "highway_nocturne_national_sweetheart",
    HapticSensation = "haptic_sensation",
    HeartStringsPalace = "heart_strings_palace",
    SadaTrio = "sada_trio",
    MozartPianoConcertoNo23 = "mozart_piano_concerto_no23",
    WindOnOurSide = "wind_on_our_side",
    ShadowsInTheSun = "shadows_in_the_sun",
    NativeDreamscape = "native_dreamscape",
    HollyWoodsLegend = "holly_woods_legend",
    SkyKingTheme = "sky_king_theme",
    CloudGentleAmbience = "cloud_gentle_ambience",
    MajesticRequiem = "majestic_requiem",
    ContemplativeAmbientIntro = "contemplative_ambient_intro",
    QuirkySlackerTheme = "quirky_slacker_theme",
}

wire_names! {
    /// The kind of an uploaded audio file.
    AudioKind, default Voiceover;
    Voiceover = "voiceover",
    Song = "song",
}

wire_names! {
    /// The tone and voice of a written script.
    ScriptStyle, default Default;
    Default = "default",
    NoStyle = "no_style",
    EngagingConversational = "engaging_conversational",
    DixitBiography = "dixit_biography",
    KindBiography = "kind_biography",
    HeroJourney = "hero_journey",
    EmotionalStory = "emotional_story",
    DramaticReveal = "dramatic_reveal",
    HeartwarmingStories = "heartwarming_stories",
    EducationalHistory = "educational_history",
    NewsBrief = "news_brief",
}
