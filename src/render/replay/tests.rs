//! Rules of channels, turns and tools on small streams.
