//! A stored conversation as terminal text.
pub mod clean;
pub mod highlight;
pub mod lines;
pub mod link;
pub mod markdown;
pub mod surface;
pub mod text;
pub mod theme;
pub mod width;
pub mod wrap;
