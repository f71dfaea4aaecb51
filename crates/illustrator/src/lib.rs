//! Pictures painted by procedure from the words of a scene, in layers, deterministic by seed.
