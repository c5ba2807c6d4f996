//! What others made: its licences, and the words that go with it.

use crate::common::command::run;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "\
# Third-party material

`convo` embeds syntax definitions and colour themes that the crate `two-face` ships; they
come from the projects named here, under these licences. Crates that are compiled in keep
their own licences, all of them among those that `tests/third_party.rs` lists.
`convo man --third-party` prints this page.

# Rules for secrets

The rules of `convo redact` are the configuration of
[gitleaks](https://github.com/gitleaks/gitleaks), unchanged (`src/redact/gitleaks.toml`):

````text
MIT License

Copyright (c) 2019 Zachary Rice

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the \"Software\"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
````

";

/// Licences that may be compiled into a program under MIT or Apache-2.0.
const WELCOME: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be met with welcome licences: of `OR` one is
/// enough, of `AND` all are needed. `/` is the older spelling of `OR`.
fn is_welcome(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain
        .split(" AND ")
        .all(|all| all.split(" OR ").any(|one| WELCOME.contains(&one.trim())))
}

#[test]
fn dependencies_have_licences_that_go_with_ours() {
    let out = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50, "{}", packages.len());
    let name = |package: &Value| format!("{} {}", package["name"], package["license"]);
    let unwelcome: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(is_welcome))
        .map(name)
        .collect();
    assert_eq!(unwelcome, Vec::<String>::new());
}

#[test]
fn an_expression_is_welcome_if_it_can_be_met() {
    assert!(is_welcome("MIT OR GPL-3.0") && is_welcome("GPL-3.0/MIT"));
    assert!(is_welcome("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!is_welcome("GPL-3.0") && !is_welcome("MIT AND GPL-3.0"));
}

#[test]
fn the_embedded_syntaxes_are_acknowledged() {
    let listing = two_face::acknowledgement::listing().to_md();
    let lines = listing.lines().map(str::trim_end).collect::<Vec<_>>();
    let expected = format!("{HEAD}{}\n", lines.join("\n").trim());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THIRD-PARTY.md");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        std::fs::write(&path, &expected).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("THIRD-PARTY.md");
    assert!(
        stored == expected,
        "stale: INSTA_UPDATE=always cargo test third_party"
    );
    assert_eq!(run(&["man", "--third-party"], b"").ok(0), expected);
}
