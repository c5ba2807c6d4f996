//! Integration tests, one binary; every file here is listed once.

mod agreement;
mod anthropic;
mod bad_input;
mod bundle;
mod cache;
mod citations;
mod cli;
mod common;
mod compaction;
mod config;
mod config_corpus;
mod corpus_project;
mod documents;
mod edges;
mod flatten;
mod flatten_cases;
mod flatten_corpus;
mod flatten_laws;
mod flatten_random;
mod flatten_thinking;
mod hostile;
mod import;
mod laws;
mod lint;
mod list;
mod mutations;
mod once;
mod oracle_check;
mod outputs;
mod pages;
mod pictures;
mod place;
mod prefix;
mod project;
mod provider_view;
mod providers;
mod read_events;
mod reading;
mod redact;
mod registry;
mod render;
mod render_corpus;
mod render_hostile;
mod render_inputs;
mod render_laws;
mod render_markdown;
mod render_results;
mod render_seen;
mod render_tools;
mod render_turns;
mod salvage;
mod schema_files;
mod show;
mod slow;
mod split;
mod streams;
mod tell_user;
mod third_party;
mod validate;
mod ways;

#[test]
fn no_test_file_is_forgotten() {
    let listed = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).expect("tests/") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let module = format!("mod {stem};");
        let is_module = path.extension().is_some_and(|e| e == "rs") && stem != "main";
        assert!(
            !is_module || listed.contains(&module),
            "{module} is missing"
        );
    }
}
