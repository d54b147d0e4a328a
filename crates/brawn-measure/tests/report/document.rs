use std::error::Error;
use std::path::Path;

use brawn_base::Diagnostic as _;
use brawn_measure::DocumentError;
use brawn_measure::results::{Results, SCHEMA};

use crate::fixture;

fn load_text(text: &str) -> Result<Results, DocumentError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.json");
    fs_err::write(&path, text).unwrap();
    Results::load(&path)
}

#[test]
fn what_was_saved_is_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.json");
    let results = fixture::results();
    results.save(&path).unwrap();
    let again = Results::load(&path).unwrap();
    assert!(again.to_json() == results.to_json(), "figures keep every digit");
    again.save(&path).unwrap();
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1, "no staged file is left");
}

#[test]
fn another_version_names_both_and_what_to_do() {
    let newer = load_text(r#"{"schema": 99, "whatever": []}"#).unwrap_err();
    assert!(newer.to_string().ends_with(&format!("has form 99, this brawn reads form {SCHEMA}")), "{newer}");
    assert!(newer.hint().unwrap().starts_with("a newer brawn"), "{newer:?}");
    let older = load_text(r#"{"schema": 1, "title": "old"}"#).unwrap_err();
    assert!(older.hint().unwrap().starts_with("an older brawn"), "{older:?}");
}

#[test]
fn what_is_no_document_says_where_it_goes_wrong() {
    for (text, place) in [
        ("not json", "line 1 column 2"),
        ("[]", "line 1 column"),
        (r#"{"schema": 2}"#, "missing field `brawn`"),
        ("", "EOF"),
    ] {
        let error = load_text(text).unwrap_err();
        assert!(matches!(error, DocumentError::NotResults { .. }), "{error:?}");
        assert!(error.to_string().ends_with("results.json holds no results of `brawn bench`"), "{error}");
        assert!(error.source().unwrap().to_string().contains(place), "{text}: {:?}", error.source());
        assert!(error.hint().is_some());
    }
    let missing = Results::load(Path::new("/nowhere/results.json")).unwrap_err();
    assert!(missing.to_string().contains("/nowhere/results.json"), "{missing}");
}

#[test]
fn a_failed_save_leaves_the_old_file_and_names_it() {
    let folder = tempfile::tempdir().unwrap();
    // A folder stands where the file should go.
    let path = folder.path().join("results.json");
    fs_err::create_dir_all(path.join("inside")).unwrap();
    let error = fixture::results().save(&path).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert!(path.join("inside").is_dir());
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1, "no staged file is left");
}
