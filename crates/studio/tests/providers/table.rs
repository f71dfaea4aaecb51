//! The table of models holds every name of the interface, and every way through it ends at a model that can be asked.

use kinora_studio::providers::models::{ModelTable, State};

const IMAGE_MODELS: &str = "flux_schnell, imagen4_fast, flux_pro, flux_pro_ultra, recraft, flux_lora, sdxl, sdxl_lora, bytedance_seedream_v3, sd35_large, sd35_medium, sd35_large_turbo, leonardo_flux_precision, leonardo_phoenix_quality, reve-v1, leonardo_phoenix_ultra, hidream_fast, hidream_dev, hidream_full, midjourney, gpt_image_1, imagen4_preview";
const VIDEO_MODELS: &str = "ltx_video_13b_distilled, ltx_video, seedance_480p_5s, stable_video, motion, seedance_480p_10s, seedance_720p_5s, kling_v1_6_std_5s, kling_v2_1_std_5s, ltx_video_13b_dev, seedance_720p_10s, skyreels, vidu, kling_v1_6_std_10s, kling_v2_1_std_10s, kling_v2_1_pro_5s, luma_ray2, kling_pro_5s, minimax, wan_i2v, motion_2, kling_v2_1_pro_10s, wan_pro, luma_ray2_hd, kling_pro_10s, kling_v2_1_master_5s, kling_v2_master_5s, kling_v2_1_master_10s, veo2, kling_v2_master_10s";
const RECRAFT: &str = "any, realistic_image, digital_illustration, realistic_image/b_and_w, realistic_image/hard_flash, realistic_image/hdr, realistic_image/natural_light, realistic_image/studio_portrait, realistic_image/enterprise, realistic_image/motion_blur, digital_illustration/pixel_art, digital_illustration/hand_drawn, digital_illustration/grain, digital_illustration/infantile_sketch, digital_illustration/2d_art_poster, digital_illustration/handmade_3d, digital_illustration/hand_drawn_outline, digital_illustration/engraving_color, digital_illustration/2d_art_poster_2";
const LEONARDO: &str = "NONE, THREE_D_RENDER, ACRYLIC, ANIME_GENERAL, BOKEH, CINEMATIC, CINEMATIC_CONCEPT, CREATIVE, DYNAMIC, FASHION, GAME_CONCEPT, GRAPHIC_DESIGN_3D, GRAPHIC_DESIGN_POP_ART, GRAPHIC_DESIGN_VECTOR, HDR, ILLUSTRATION, MACRO, MINIMALIST, MOODY, PORTRAIT, PORTRAIT_CINEMATIC, PRO_BW_PHOTOGRAPHY, PRO_COLOR_PHOTOGRAPHY, PRO_FILM_PHOTOGRAPHY, PORTRAIT_FASHION, RAY_TRACED, SKETCH_BW, SKETCH_COLOR, STOCK_PHOTO, VIBRANT, WATERCOLOR";
const LORAS: &str = "ghibsky-comic-book, colour-sketches, sketch-paint, 90s-anime, 2000s-crime-thrillers, xno-symbol-flux";

fn names(list: &str) -> Vec<&str> {
    list.split(", ").collect()
}

#[test]
fn every_name_of_the_interface_has_its_row() {
    let table = ModelTable::builtin();
    let (images, videos) = (names(IMAGE_MODELS), names(VIDEO_MODELS));
    assert_eq!((images.len(), videos.len()), (22, 30));
    for name in images {
        assert!(table.picture.iter().any(|row| row.name == name), "{name}");
        let (row, notes) = table.live_picture(name).unwrap();
        assert_eq!(row.state, State::Live);
        assert_eq!(
            notes.is_empty(),
            row.name == name,
            "{name}: a substitute is named"
        );
    }
    for name in videos {
        assert!(table.clip.iter().any(|row| row.name == name), "{name}");
        let (row, notes) = table.live_clip(name).unwrap();
        assert_eq!(row.state, State::Live);
        assert_eq!(
            notes.is_empty(),
            row.name == name,
            "{name}: a substitute is named"
        );
    }
    assert_eq!(table.styles["recraft"], names(RECRAFT));
    assert_eq!(table.styles["leonardo"], names(LEONARDO));
    let loras: Vec<&str> = table.lora.iter().map(|lora| lora.slug.as_str()).collect();
    assert_eq!(loras, names(LORAS));
    assert_eq!(table.voice_for("elevenlabs", "").0, "zWDA589rUKXuLnPRDtAG");
    assert_eq!(table.voice_for("elevenlabs", "ownVoice").0, "ownVoice");
    assert_eq!(
        table.voice_for("elevenlabs", "alloy").0,
        "zWDA589rUKXuLnPRDtAG"
    );
    assert_eq!(table.voice_for("openai", "nova"), ("nova", Vec::new()));
}

#[test]
fn no_way_through_the_table_leads_nowhere() {
    assert_eq!(ModelTable::builtin().problems(), Vec::<String>::new());
    let (row, notes) = {
        let table = ModelTable::builtin();
        let (row, notes) = table.live_picture("dreamer_9").unwrap();
        (row.name.clone(), notes)
    };
    assert_eq!(row, "flux_schnell");
    assert_eq!(
        notes,
        ["the model dreamer_9 is not in the table of models; using flux_schnell instead"]
    );
}

#[test]
fn operators_lay_their_rows_over_it() {
    let over = "[[picture]]\nname = \"midjourney\"\nvendor = \"fal\"\nendpoint = \"someone/midjourney\"\nsize = { aspect = [\"9:16\"] }\n\
                [[openai_size]]\nprefix = \"gpt-image-3\"\nsize = { pixels = 4096 }\n[[lora]]\nslug = \"mine\"\nwords = \"w\"\n";
    let table = ModelTable::builtin().overridden(over).unwrap();
    let (row, notes) = table.live_picture("midjourney").unwrap();
    assert_eq!(
        (row.endpoint.as_str(), notes.len()),
        ("someone/midjourney", 0)
    );
    assert_eq!(table.picture.len(), ModelTable::builtin().picture.len());
    assert_ne!(
        table.openai_sizing("gpt-image-3-mini"),
        table.openai_sizing("gpt-image-1")
    );
    assert_eq!(table.lora.len(), 7);

    let wrong = [
        ("[[picture]]\nname = \"a\"\nfallbak = \"sdxl\"\n", "fallbak"),
        (
            "[[picture]]\nname = \"a\"\n",
            "a: is live but has no vendor or no endpoint",
        ),
        (
            "[[picture]]\nname = \"a\"\nstate = \"absent\"\n",
            "a: is not available and has no fallback",
        ),
        (
            "[[picture]]\nname = \"a\"\nstate = \"absent\"\nfallback = \"b\"\n",
            "a: its fallback b is not in the table",
        ),
        (
            "[[clip]]\nname = \"a\"\nstate = \"absent\"\nfallback = \"b\"\n[[clip]]\nname = \"b\"\nstate = \"retired\"\nfallback = \"a\"\n",
            "a: its fallbacks form a loop",
        ),
        ("[[picture]]\nname = 7\n", "line 2"),
    ];
    for (text, wanted) in wrong {
        let problems = ModelTable::builtin().overridden(text).unwrap_err();
        assert!(
            problems.join("\n").contains(wanted),
            "{wanted}: {problems:?}"
        );
    }
}
