//! Voices that need no network: Flite and eSpeak NG.
