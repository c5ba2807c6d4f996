//! `convo redact`: nothing but secrets changes, every kind is found wherever it stands.

use crate::common::command::{convo, feed, run, run_in};
use crate::common::corpus::{cases, report};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Characters that look drawn at random; `seed` makes another row of them.
fn random(alphabet: &str, length: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = String::new();
    for _ in 0..length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let index = usize::try_from(state >> 33).expect("31 bits") % letters.len();
        out.push(letters[index]);
    }
    out
}

const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A text with a secret of each of twenty kinds: rule, text, secret. Put together here,
/// so that no scanner of repositories takes them for leaks.
fn planted(seed: u64) -> Vec<(&'static str, String, String)> {
    let r = |alphabet: &str, length| random(alphabet, length, seed);
    let whole = |rule, secret: String| (rule, format!("use {secret} here"), secret);
    let named = |rule, name: &str, secret: String| {
        (rule, format!("{name} = \"{secret}\""), secret)
    };
    vec![
        whole("aws-access-token", format!("AKIA{}", r(BASE32, 16))),
        whole("github-pat", format!("ghp_{}", r(ALNUM, 36))),
        whole("github-oauth", format!("gho_{}", r(ALNUM, 36))),
        whole(
            "github-fine-grained-pat",
            format!("github_pat_{}", r(ALNUM, 82)),
        ),
        whole("gitlab-pat", format!("glpat-{}", r(ALNUM, 20))),
        whole(
            "slack-bot-token",
            format!(
                "xoxb-{}-{}-{}",
                r("123456789", 12),
                r("123456789", 12),
                r(ALNUM, 24)
            ),
        ),
        whole("stripe-access-token", format!("sk_live_{}", r(ALNUM, 24))),
        whole(
            "anthropic-api-key",
            format!("sk-ant-api03-{}AA", r(ALNUM, 93)),
        ),
        whole(
            "openai-api-key",
            format!("sk-{}T3BlbkFJ{}", r(ALNUM, 20), r(ALNUM, 20)),
        ),
        whole("gcp-api-key", format!("AIza{}", r(ALNUM, 35))),
        whole("npm-access-token", format!("npm_{}", r(LOWER, 36))),
        whole(
            "pypi-upload-token",
            format!("pypi-AgEIcHlwaS5vcmc{}", r(ALNUM, 70)),
        ),
        whole("sendgrid-api-token", format!("SG.{}", r(LOWER, 66))),
        whole("twilio-api-key", format!("SK{}", r(HEX, 32))),
        whole(
            "huggingface-access-token",
            format!("hf_{}", r("abcdefghijklmnopqrstuvwxyz", 34)),
        ),
        whole("digitalocean-pat", format!("dop_v1_{}", r(HEX, 64))),
        whole("shopify-access-token", format!("shpat_{}", r(HEX, 32))),
        whole("linear-api-key", format!("lin_api_{}", r(LOWER, 40))),
        whole(
            "age-secret-key",
            format!(
                "AGE-SECRET-KEY-1{}",
                r("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)
            ),
        ),
        named("generic-api-key", "backend_token", r(LOWER, 40)),
    ]
}

/// Masks `text`; what was told, one object a hit.
fn redact(text: &str, args: &[&str]) -> (String, Vec<Value>) {
    let args = [&["redact", "--message-format", "json"], args].concat();
    let ran = run(&args, text.as_bytes());
    assert!(ran.status <= 1, "{}", ran.shown());
    let told = ran
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let hits = told
        .filter(|told: &Value| told["code"] != "secrets")
        .collect();
    (ran.stdout, hits)
}

#[test]
fn two_of_each_kind_are_found_wherever_they_stand() {
    for seed in [7, 4711] {
        for (rule, text, secret) in planted(seed) {
            let arguments = json!({"command": text}).to_string();
            let input = json!([
                {"type": "chat_request", "content": text},
                {"type": "tool_call_request", "arguments": arguments},
                {"type": "tool_call_response", "content": STANDARD.encode(&text)},
                {"type": "tool_call_response", "content": format!("data: {} end", STANDARD.encode(format!("{text}\n")))},
            ]);
            let (out, hits) = redact(&input.to_string(), &[]);
            let mask = format!("[redacted:{rule}]");
            let masked = text.replace(&secret, &mask);
            let expected = json!([
                {"type": "chat_request", "content": masked},
                {"type": "tool_call_request", "arguments": json!({"command": masked}).to_string()},
                {"type": "tool_call_response", "content": STANDARD.encode(&masked)},
                {"type": "tool_call_response", "content": format!("data: {} end", STANDARD.encode(format!("{masked}\n")))},
            ]);
            assert_eq!(out, expected.to_string(), "{rule}: {text}");
            assert_eq!(hits.len(), 4, "{rule}: {hits:?}");
            assert_eq!(hits[3]["path"], "/3/content");
            assert!(hits.iter().all(|hit| !hit.to_string().contains(&secret)));
        }
    }
}

#[test]
fn nothing_else_changes() {
    let secret = format!("ghp_{}", random(ALNUM, 36, 3));
    let odd = "\u{feff}[ {\"a\" :\t1.0e+5,\r\n \"b\":\"\\u00e9\\/ TOKEN \\ud83d\\ude00 \\ud800\",\"b\":null , \"TOKEN\": [true]} ]\n\n{\"broken\": \"TOKEN\n{\"x\": tru, \"y\": 'TOKEN-in-the-open'}\n\u{2028}\"\\\"TOKEN\\\"\"";
    let (out, hits) = redact(&odd.replace("TOKEN", &secret), &[]);
    assert_eq!(out, odd.replace("TOKEN", "[redacted:github-pat]"));
    assert_eq!(hits.len(), 5, "{hits:?}");
    let places: Vec<_> = hits.iter().map(|hit| hit["path"].clone()).collect();
    assert_eq!(places[0], "/0/b");
    assert_eq!(places[1], "/0", "the name is the secret");
}

#[test]
fn a_value_is_known_by_its_name() {
    let value = random(LOWER, 40, 9);
    let text = json!({"api_key": value, "note": value, "encoded_secret": STANDARD.encode(&value)}).to_string();
    let (out, hits) = redact(&text, &[]);
    let mask = "[redacted:generic-api-key]";
    let out: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(out["api_key"], mask);
    assert_eq!(out["note"], value);
    assert!(
        !out.to_string().contains(&STANDARD.encode(&value)),
        "{out} {hits:?}"
    );
}

#[test]
fn check_finds_and_fails() {
    let home = tempfile::tempdir().expect("a directory");
    let secret = format!("ghp_{}", random(ALNUM, 36, 5));
    let bad = json!([{"type": "chat_request", "content": secret}]).to_string();
    std::fs::create_dir(home.path().join("in")).expect("a directory");
    std::fs::write(home.path().join("in/bad.json"), &bad).expect("a file");
    std::fs::write(home.path().join("in/good.json"), "[]").expect("a file");
    let ran = run_in(home.path(), &["redact", "--check", "in"], b"");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("in/bad.json"), "{}", ran.stderr);
    assert!(ran.stderr.contains("/0/content"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(&secret));
    assert_eq!(run(&["redact", "--check"], b"[]").status, 0);
    let ran = run_in(home.path(), &["redact", "in"], b"");
    assert_eq!(ran.status, 2, "{}", ran.shown());
    let allowed = run_in(
        home.path(),
        &["redact", "--check", "--allow", "^ghp_", "in"],
        b"",
    );
    assert_eq!(allowed.status, 0, "{}", allowed.shown());
    let rules = "[[rules]]\nid = \"ticket\"\nregex = '''T-[0-9]{6}'''\n";
    std::fs::write(home.path().join("rules.toml"), rules).expect("a file");
    let ran = run_in(
        home.path(),
        &["redact", "--rules", "rules.toml"],
        b"[\"see T-123456\"]",
    );
    assert_eq!(ran.stdout, "[\"see [redacted:ticket]\"]", "{}", ran.shown());
    let ran = run_in(home.path(), &["redact", "--rules", "none.toml"], b"[]");
    assert_eq!(ran.status, 2);
}

#[test]
fn the_same_bytes_at_any_number_of_jobs() {
    let mut text = String::new();
    for seed in 0..60 {
        for (_, planted, _) in planted(seed + 1) {
            text += &json!({"type": "chat_request", "content": planted, "n": seed})
                .to_string();
            text.push('\n');
        }
    }
    let one = run(&["redact"], text.as_bytes());
    let four = run(&["redact", "-j", "4"], text.as_bytes());
    assert_eq!(one.shown(), four.shown());
}

#[test]
fn import_and_render_mask_first() {
    let secret = format!("ghp_{}", random(ALNUM, 36, 11));
    let stream = json!([{"type": "chat_request", "content": format!("Use {secret}.")}])
        .to_string();
    for format in ["text", "markdown", "json"] {
        let ran = run(
            &["render", "--redact", "--format", format],
            stream.as_bytes(),
        );
        assert_eq!(ran.status, 0, "{}", ran.shown());
        assert!(
            ran.stdout.contains("redacted:github-pat"),
            "{}",
            ran.shown()
        );
        assert!(!ran.shown().contains(&secret));
        assert!(
            ran.stderr.contains("1 secret masked: github-pat 1"),
            "{}",
            ran.stderr
        );
    }
    let body =
        json!({"model": "gpt-4o", "messages": [{"role": "user", "content": secret}]})
            .to_string();
    let ran = run(&["import", "--redact"], body.as_bytes());
    assert!(
        ran.stdout.contains("redacted:github-pat"),
        "{}",
        ran.shown()
    );
    assert!(!ran.shown().contains(&secret));
    let ran = run(&["render", "--allow", "x"], stream.as_bytes());
    assert_eq!(ran.status, 2, "{}", ran.shown());
}

/// A redacted stream still validates, projects, flattens; hits are few.
#[test]
fn the_corpus_stays_what_it_is() {
    let mut count = 0;
    let mut hits = 0;
    for path in cases("conversations") {
        let bytes = std::fs::read(path.join("events.json")).expect("a file");
        let ran = feed(convo().args(["redact"]), &bytes);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        hits += ran.stderr.matches("[redacted]").count();
        let clean = ran.stdout.as_bytes();
        assert!(
            ran.stderr.contains("no secret found") == (clean == bytes),
            "{}",
            path.display()
        );
        for command in [
            &["validate", "-q"][..],
            &["project", "-q"],
            &[
                "flatten",
                "-q",
                "--provider",
                "anthropic",
                "--model",
                "claude-opus-5",
            ],
        ] {
            let before = feed(convo().args(command), &bytes);
            let after = feed(convo().args(command), clean);
            assert_eq!(
                before.status,
                after.status,
                "{} {command:?}: {}",
                path.display(),
                after.stderr
            );
        }
        count += 1;
    }
    println!("{hits} hits");
    report("the_corpus_stays_what_it_is", count);
}
