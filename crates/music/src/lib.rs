//! Background music from data: named tracks composed as descriptions and synthesized when first asked for.
