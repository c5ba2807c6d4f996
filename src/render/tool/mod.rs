//! Tools on the terminal (`docs/render.md#tools`).
//!
//! [`style`] reads how a tool is shown, [`limits`] decides per audience what
//! becomes of each block of its result, [`call`] writes a call and [`result`] a
//! block. Which unit stands where is for `replay` to say.

pub mod call;
pub mod limits;
pub mod result;
pub mod style;

pub use limits::{DEFAULT_LINES, Fate, Limit, Limits};
pub use style::{ShowParameters, ShowReasoning, ToolStyle, display, style_faults};
