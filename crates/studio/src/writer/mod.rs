//! The offline writer: a prompt becomes a narrated script from narrative grammars and word lists.
