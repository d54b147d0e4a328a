//! A fleet of which nothing is measured.

/// Its file.
pub const FILE: &str = r#"{
    "schema": 1, "brawn": "0.1.0", "blocks": [], "lost": [],
    "plan": {
        "id": "f", "created": "2026-11-25T20:00:00Z", "program": "p", "goal": "time", "reference": "now",
        "candidates": [{ "name": "now", "image_path": "/now", "digest": "0" }],
        "pools": [{ "name": "small", "blocks": 3 }], "seed": 1
    }
}"#;
