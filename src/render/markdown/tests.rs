//! Rules of markdown to terminal text.
