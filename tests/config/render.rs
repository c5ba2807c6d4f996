//! Sections and instructions, byte for byte.

use super::lists::sections;
use super::{rendered, with};
use convo::config::Mode;
use serde_json::{Value, json};

#[test]
fn sections_render_byte_for_byte() {
    for (section, expected) in [
        (json!({"content": "\u{2003}a \n"}), "a"),
        (json!({"content": " a\n", "title": " T "}), "#  T \n\n a\n"),
        (json!({"content": " a\n", "tag": "x y"}), "<x y>\na\n</x y>"),
        (
            json!({"content": "a", "tag": "x", "title": "a \"b\" <&> \\"}),
            "<x title=\"a &quot;b&quot; &lt;&amp;&gt; \\\">\na\n</x>",
        ),
        (
            json!({"content": " a < b]]>c\n", "tag": "x"}),
            "<x>\n<![CDATA[\n a < b]]]]><![CDATA[>c\n\n]]>\n</x>",
        ),
        (
            json!({"content": "a&b", "tag": "", "title": ""}),
            "< title=\"\">\n<![CDATA[\na&b\n]]>\n</>",
        ),
        (
            json!({"content": "\u{1c}a\u{200b}", "tag": "x"}),
            "<x>\n\u{1c}a\u{200b}\n</x>",
        ),
    ] {
        let found = sections(&json!([section]), &[], Mode::Convo);
        assert_eq!(found, [expected], "{section}");
    }
}

#[test]
fn instructions_render_byte_for_byte() {
    let base = |one: Value| json!({"assistant": {"instructions": [one]}});
    let full = json!({"title": "Edits", "description": "Small steps.",
        "items": ["One file at a time"],
        "examples": [{"good": "a", "bad": "b", "reason": "c"}, "free text"]});
    let expected = "<instruction title=\"Edits\">\nSmall steps.\n\n- One file at a time\n\n\
        **Examples**\n\nGood: a\nBad: b\nReason: c\n\nfree text\n</instruction>";
    with(&base(full), &[], Mode::Convo, |c, _| {
        assert_eq!(rendered(c), [expected]);
    });
    let bare = json!({"description": "Do <it>.  "});
    let expected = "<instruction>\n<![CDATA[\nDo <it>.\n]]>\n</instruction>";
    with(&base(bare), &[], Mode::Convo, |c, _| {
        assert_eq!(rendered(c), [expected]);
    });
    let empty = json!({"title": "T", "items": [], "examples": []});
    let expected = "<instruction title=\"T\">\n\n</instruction>";
    with(&base(empty), &[], Mode::Convo, |c, _| {
        assert_eq!(rendered(c), [expected]);
    });
    let big = json!({"position": 4_294_967_301_i64});
    with(&base(big), &[], Mode::Convo, |c, _| {
        assert_eq!(c.instructions()[0].position(), 5);
    });
}
