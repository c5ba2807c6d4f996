//! Whether a tool is on, and who may change that (`docs/formats.md#tool-enablement`).

use super::warn::{Path, Warnings};
use crate::json::{Kind, Raw};

/// Who may switch a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Everybody.
    Any,
    /// Nobody.
    Never,
    /// Whoever names the tool.
    IfNamed,
    /// Whoever names the tool or its group.
    IfNamedOrGroup,
}

/// The two sub-fields of `enable`, each possibly without an opinion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Enable {
    /// Whether the tool is on.
    pub state: Option<bool>,
    /// Who may switch it.
    pub toggle: Option<Toggle>,
}

impl Enable {
    /// Reads any stored spelling.
    pub(crate) fn read(value: Raw<'_>, path: &Path<'_>, w: &mut Warnings) -> Self {
        let short = |state, toggle| Self {
            state: Some(state),
            toggle: Some(toggle),
        };
        let text = value.as_str();
        match (value.kind(), text.as_deref()) {
            (Kind::Null, _) => Self::default(),
            (Kind::Bool, _) => short(value.as_bool() == Some(true), Toggle::Any),
            (_, Some("on" | "true")) => short(true, Toggle::Any),
            (_, Some("off" | "false")) => short(false, Toggle::Any),
            (_, Some("explicit")) => short(false, Toggle::IfNamed),
            (_, Some("always")) => short(true, Toggle::Never),
            (Kind::Object, _) => {
                let mut read = Self::default();
                if let Some(state) = value.get("state").filter(|v| !v.is_null()) {
                    read.state = state.as_bool();
                    if read.state.is_none() {
                        w.absent(&Path::Name(path, "state"), state, "a boolean");
                    }
                }
                let toggle = value.get("allow_toggle").filter(|v| !v.is_null());
                if let Some(toggle) = toggle {
                    read.toggle = match toggle.as_str().as_deref() {
                        Some("any") => Some(Toggle::Any),
                        Some("never") => Some(Toggle::Never),
                        Some("if_named") => Some(Toggle::IfNamed),
                        Some("if_named_or_group") => Some(Toggle::IfNamedOrGroup),
                        _ => None,
                    };
                    if read.toggle.is_none() {
                        let expected =
                            "`any`, `never`, `if_named` or `if_named_or_group`";
                        w.absent(&Path::Name(path, "allow_toggle"), toggle, expected);
                    }
                }
                read
            }
            _ => {
                let expected = "a boolean, `explicit`, `always` or an object";
                w.absent(path, value, expected);
                Self::default()
            }
        }
    }

    /// Takes what `next` has an opinion on.
    pub(crate) fn merge(&mut self, next: Self) {
        self.state = next.state.or(self.state);
        self.toggle = next.toggle.or(self.toggle);
    }
}
