//! Reading raw JSON values and writing JSON bytes.
//!
//! The lowest room of the crate. [`scan`] finds out where a value ends and
//! whether it is well formed, in one pass and without recursion; [`Raw`] then
//! walks a checked value without copying; [`mod@write`] puts strings and compacted
//! values into a `Vec<u8>`; [`mod@pointer`] turns a byte position into the JSON
//! Pointer that leads to it. Nothing here knows what a conversation is.

pub mod cursor;
pub mod pointer;
pub mod raw;
pub mod scan;
mod text;
mod token;
pub mod write;

pub use cursor::Cursor;
pub use raw::{Elements, Kind, Members, Raw};
pub use scan::{Progress, Scanner, SyntaxError};
pub use text::Text;
