//! A stored conversation as terminal text.
pub mod clean;
pub mod surface;
pub mod text;
pub mod theme;
pub mod width;
pub mod wrap;
