//! The kinora program.
fn main() {}
