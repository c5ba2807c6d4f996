//! In-process speed of `flatten` over the corpus: `cargo bench --bench flatten`.
//!
//! Input bytes per second, from a checked value to the last body, and with the
//! check of the JSON before it: of each conversation for Anthropic, of all of them
//! for each provider. Best of many rounds; reported, never asserted.

use convo::body::Provider;
use convo::json::Raw;
use convo::model::Table;
use convo::provider::{Options, flatten};
use convo::stream::{Container, Conversation};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A model of each provider.
const MODELS: [(Provider, &str); 7] = [
    (Provider::Anthropic, "claude-opus-4-8"),
    (Provider::OpenAi, "gpt-5-mini"),
    (Provider::Google, "gemini-3-flash-preview"),
    (Provider::OpenRouter, "anthropic/claude-opus-5"),
    (Provider::Ollama, "qwen3.5:9b"),
    (Provider::LlamaCpp, "qwen3.5:9b"),
    (Provider::Cerebras, "gpt-oss-120b"),
];

fn main() {
    let named = std::env::var_os("CONVO_CORPUS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(folders) = std::fs::read_dir(named.unwrap_or(beside).join("conversations"))
    else {
        println!("corpus absent: nothing to measure");
        return;
    };
    let mut folders: Vec<_> = folders.map(|f| f.expect("an entry").path()).collect();
    folders.sort();
    let bundles: Vec<Vec<u8>> = folders.iter().map(|folder| bundle(folder)).collect();
    let table = Table::built_in();
    let options = Options {
        provider: Some(Provider::Anthropic),
        model: Some("claude-opus-4-8"),
        ..Options::new(&table)
    };
    let total: usize = bundles.iter().map(Vec::len).sum();
    println!("{} conversations, {total} bytes", bundles.len());
    for bytes in &bundles {
        let checked = best(|| run(bytes, &options, false));
        let scanned = best(|| run(bytes, &options, true));
        report(bytes.len(), checked, scanned);
    }
    for (provider, model) in MODELS {
        let options = Options {
            provider: Some(provider),
            model: Some(model),
            ..options
        };
        let all = |scan| bundles.iter().for_each(|bytes| run(bytes, &options, scan));
        print!("{:>10} ", provider.name());
        report(total, best(|| all(false)), best(|| all(true)));
    }
}

fn report(bytes: usize, checked: f64, scanned: f64) {
    let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
    println!(
        "{bytes:>9} bytes: {:>7.0} MB/s checked, {:>7.0} MB/s with the check",
        rate(checked),
        rate(scanned)
    );
}

fn bundle(folder: &Path) -> Vec<u8> {
    let events = std::fs::read(folder.join("events.json")).expect("events");
    let Ok(base) = std::fs::read(folder.join("base_config.json")) else {
        return events;
    };
    let parts = [
        &b"{\"base_config\":"[..],
        &base,
        b",\"events\":",
        &events,
        b"}",
    ];
    parts.concat()
}

fn run(bytes: &[u8], options: &Options<'_>, scan: bool) {
    let raw = match scan {
        true => Raw::parse(bytes).expect("JSON"),
        false => Raw::checked(bytes.trim_ascii()),
    };
    let Ok(Container::Conversation(conversation)) = Conversation::read(raw) else {
        panic!("no conversation");
    };
    let (mut out, mut told) = (Vec::new(), Vec::new());
    flatten(&mut out, &conversation, options, &mut told).expect("a body");
    black_box(out.len());
}

fn best(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}
