//! The page, opened in a browser: it loads, it draws every figure, it answers, and it fits a phone.

use brawn_measure::results::{Finding, Results};
use serde_json::Value;

use crate::browser::{self, Browser};
use crate::fixture;

/// A page of these results, open in a browser; none where there is no browser.
struct Page {
    browser: Browser,
    _folder: tempfile::TempDir,
}

impl Page {
    fn open(results: &Results, width: u32, height: u32, dark: bool) -> Option<Self> {
        let program = browser::find()?;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        fs_err::write(&path, brawn_measure::html::page(results)).unwrap();
        let browser = Browser::open(&program, &path, width, height, dark);
        Some(Self { browser, _folder: folder })
    }

    fn count(&mut self, selector: &str) -> usize {
        let count = self.browser.evaluate(&format!("document.querySelectorAll(`{selector}`).length"));
        usize::try_from(count.as_u64().unwrap()).unwrap()
    }

    fn text(&mut self, selector: &str) -> String {
        let text = self.browser.evaluate(&format!("document.querySelector(`{selector}`).textContent"));
        text.as_str().unwrap_or_else(|| panic!("no text in {selector}")).to_owned()
    }

    fn do_and_settle(&mut self, expression: &str) {
        self.browser.evaluate(expression);
        self.browser.settle();
    }

    /// The middle of an element, scrolled into view.
    fn place(&mut self, selector: &str) -> (f64, f64) {
        let place = self.browser.evaluate(&format!(
            "(() => {{ document.documentElement.style.scrollBehavior = 'auto'; const node = document.querySelector(`{selector}`);
             node.scrollIntoView({{ block: 'center' }}); const box = node.getBoundingClientRect();
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        ));
        self.browser.settle();
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// The lines of the tooltip; none when it is hidden.
    fn tooltip(&mut self) -> Option<Vec<String>> {
        let lines = self.browser.evaluate(
            "document.getElementById('tooltip').hidden ? null \
             : [...document.getElementById('tooltip').children].map((line) => line.textContent)",
        );
        serde_json::from_value(lines).unwrap()
    }
}

#[test]
fn the_page_needs_no_other_file_and_no_name_can_break_out_of_its_data() {
    let page = brawn_measure::html::page(&fixture::results());
    let (before, rest) = page.split_once("id=\"data\">").unwrap();
    let (data, after) = rest.split_once("</script>").unwrap();
    let value: Value = serde_json::from_str(data).unwrap();
    assert_eq!(value["variants"][4]["name"], fixture::ODD);
    assert!(!data.contains('<'));
    for part in [before, after] {
        for outside in ["http:", "src=", "@import", "url(", "<link rel=\"style"] {
            let found = part.replace("http://www.w3.org/2000/svg", "").contains(outside);
            assert!(!found, "the page refers to another file: {outside}");
        }
    }
    let scripts = after.len() + before.len();
    assert!(scripts < 100_000, "styles and scripts have {scripts} bytes");
}

#[test]
fn every_figure_is_drawn_without_an_error() {
    let results = fixture::results();
    let Some(mut page) = Page::open(&results, 1280, 900, false) else { return };
    assert_eq!(page.browser.errors(), [""; 0]);
    assert_eq!(page.count("section.suite"), results.suites.len());
    assert_eq!(page.count(".card"), results.variants.len());

    // Curves: a mark for each cell. Bars: one for each cell of the rows on no curve, once all are shown.
    page.do_and_settle("document.querySelectorAll('.more-bars').forEach((button) => button.click())");
    let cells = |suite: &str, on_curve: bool| -> usize {
        let rows = results.rows().filter(|(of, _, row)| of.name == suite && row.series.is_some() == on_curve);
        rows.map(|(_, _, row)| row.cells.len()).sum()
    };
    for suite in results.suites.iter().filter(|suite| suite.skipped.is_none()) {
        let name = &suite.name;
        assert_eq!(page.count(&format!("#suite-{name} g.bar")), cells(name, false), "bars of {name}");
        assert_eq!(page.count(&format!("#suite-{name} g.bar .interval")), cells(name, false));
        assert_eq!(page.count(&format!("#suite-{name} .band")), 5 * curves(name), "bands of {name}");
        let figures = cells(name, false) + cells(name, true);
        let rows = page.count(&format!("#suite-{name} table.figures tbody td:not(.quoted)"));
        assert_eq!(rows, figures, "table of {name}");
        let winners = results.rows().filter(|(of, _, row)| of.name == *name && row.winner.is_some()).count();
        assert_eq!(page.count(&format!("#suite-{name} table.figures .winner")), winners);
        assert_eq!(page.count(&format!("#suite-{name} th.case .copy")), suite.cases.len());
    }
    let marks = page.count("#suite-threads .chart:nth-child(2) path.mark");
    assert_eq!(marks, 6 * 5, "six numbers of threads, five variants");
    let timelines = page.count("#suite-footprint .chart path.mark.quiet");
    assert!(timelines > 0, "memory over time is drawn");
    let published: usize = results.rows().map(|(_, _, row)| row.published.len()).sum();
    assert_eq!(page.count("path.published"), published);
    assert_eq!(page.count(".front"), 1 + 5, "the front of all suites, and of those with both figures");

    let seed = page
        .browser
        .evaluate("document.querySelector('.facts').textContent.includes('seed 18446744073709551557')");
    assert_eq!(seed, true, "a seed keeps all of its 64 bits");
    // What was skipped says why and what helps; names are text, whatever they hold.
    let skipped = page.text("#suite-nginx .notice");
    assert!(skipped.contains("there is no wrk on this machine. apt-get install wrk"), "{skipped}");
    assert_eq!(page.count("img, main b > b"), 0);
    let missing = page.browser.evaluate(
        "[...document.querySelectorAll('svg [d], svg [x], svg [cx]')].filter((node) => /NaN|Infinity|undefined/.test(node.outerHTML)).length",
    );
    assert_eq!(missing, 0, "every place is a number");
    assert_eq!(page.browser.errors(), [""; 0]);
}

/// Series of the fixture's suites.
fn curves(suite: &str) -> usize {
    match suite {
        "threads" | "footprint" => 2,
        "strings" => 4,
        _ => 0,
    }
}

#[test]
fn marks_answer_to_mouse_finger_and_keys_with_the_exact_figure() {
    let results = fixture::results();
    let Some(mut page) = Page::open(&results, 1280, 900, false) else { return };
    let row = &results.suites[4].cases[0].rows[0];
    let cell = &row.cells[1];
    assert_eq!((row.unit.as_str(), cell.variant.as_str()), ("s", "stock"));
    let expected = format!("median {:.2} µs", cell.summary.median * 1e6);

    let bar = "#suite-startup .charts.bars .chart:first-child g.bar:nth-of-type(2)";
    let (x, y) = page.place(bar);
    assert_eq!(page.tooltip(), None);
    page.browser.hover(x, y);
    let lines = page.tooltip().expect("the tooltip shows");
    assert_eq!(lines[0], "stock");
    assert_eq!(lines[1], "empty program, time");
    assert_eq!(lines[2], expected);
    assert!(lines[3].starts_with("95 % interval "), "{lines:?}");
    assert!(lines[4].starts_with(&format!("{:.2}× of glibc (", cell.ratio.unwrap().median)), "{lines:?}");
    assert!(lines.contains(&"12 samples, 1 far outside".to_owned()), "{lines:?}");
    let inside = page.browser.evaluate(
        "(() => { const box = document.getElementById('tooltip').getBoundingClientRect(); \
         return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight; })()",
    );
    assert_eq!(inside, true);
    page.browser.hover(2.0, 2.0);
    assert_eq!(page.tooltip(), None, "it goes with the mouse");

    // A finger on a mark of a curve, a little beside it.
    let (x, y) = page.place("#suite-threads .chart:nth-child(2) path.mark");
    page.browser.touch(x + 6.0, y - 3.0);
    let lines = page.tooltip().expect("the tooltip shows");
    assert!(lines[1].starts_with("threads=1, operations, 1 threads"), "{lines:?}");

    // The keyboard goes from bar to bar.
    page.do_and_settle("document.querySelector('#suite-startup .charts.bars svg').focus()");
    page.browser.press("ArrowRight");
    assert_eq!(page.tooltip().expect("the first bar answers")[0], "glibc");
    page.browser.press("ArrowRight");
    assert_eq!(page.tooltip().unwrap()[..3], ["stock".to_owned(), "empty program, time".into(), expected]);
    page.browser.press("Escape");
    assert_eq!(page.tooltip(), None);
    assert_eq!(page.browser.errors(), [""; 0]);
}

#[test]
fn search_suites_variants_and_views_change_what_is_shown() {
    let Some(mut page) = Page::open(&fixture::results(), 1280, 900, false) else { return };
    page.do_and_settle("document.querySelector('.chip[value=strings]').click()");
    assert_eq!(page.count("section.suite"), 1);
    page.do_and_settle("document.querySelector('.chip[value=\"\"]').click()");
    let search = |text: &str| {
        format!(
            "(async () => {{ const input = document.querySelector('input[type=search]'); input.value = {text:?};
             input.dispatchEvent(new Event('input')); await new Promise((done) => setTimeout(done, 200)); }})()"
        )
    };
    page.do_and_settle(&search("memory thread"));
    assert_eq!(page.count("section.suite"), 2, "threads and footprint");
    page.do_and_settle(&search("<img src=x>"));
    assert_eq!(page.count("section.suite"), 1);
    assert_eq!(page.count("section.suite table.figures tbody"), 1);
    page.do_and_settle(&search("no such thing"));
    assert_eq!(page.text(".suites"), "Nothing is named “no such thing”.");
    page.do_and_settle(&search(""));

    let before = page.count("#suite-startup g.bar");
    page.do_and_settle("document.querySelectorAll('.card')[1].click()");
    assert_eq!(page.count("#suite-startup g.bar"), before / 5 * 4, "one of five variants is hidden");

    let before = page.text("#suite-strings .chart svg");
    page.do_and_settle("document.querySelector('#suite-strings .switch').click()");
    let beside = page.text("#suite-strings .chart svg");
    assert!(before != beside && beside.contains("below 1× is better"), "{beside}");
    assert_eq!(page.browser.errors(), [""; 0]);
}

#[test]
fn the_page_fits_a_phone() {
    let Some(mut page) = Page::open(&fixture::results(), 390, 844, false) else { return };
    let overflowing = "[document.documentElement.scrollWidth - document.documentElement.clientWidth, ...[...document.querySelectorAll('main *, .notice *')] \
         .filter((node) => !node.closest('.scroll, .chips, svg') && node.getBoundingClientRect().right > innerWidth + 0.5) \
         .map((node) => node.outerHTML.slice(0, 120))]";
    for (width, height) in [(390, 844), (320, 640), (844, 390)] {
        page.browser.resize(width, height);
        page.browser.settle();
        assert_eq!(page.browser.evaluate(overflowing), serde_json::json!([0]), "at {width} pixels");
        let outside = page.browser.evaluate(
            "[...document.querySelectorAll('.plot svg')].filter((plot) => plot.getBoundingClientRect().width > plot.parentNode.clientWidth + 0.5).length",
        );
        assert_eq!(outside, 0, "plots follow the width");
    }
    // A table that is wider scrolls inside of its frame.
    let scrolls = page.browser.evaluate(
        "[...document.querySelectorAll('.scroll')].some((frame) => frame.scrollWidth > frame.clientWidth)",
    );
    assert_eq!(scrolls, true);
    assert_eq!(page.browser.errors(), [""; 0]);
}

#[test]
fn dark_colours_follow_the_system_and_the_button() {
    let results = fixture::results();
    let colours = "['body', '.card', '.mark path'].map((name) => { const style = getComputedStyle(document.querySelector(name)); \
         return [style.backgroundColor, style.color, style.fill]; })";
    let Some(mut light) = Page::open(&results, 800, 600, false) else { return };
    let Some(mut dark) = Page::open(&results, 800, 600, true) else { return };
    // Colours fade into each other, which the test does not wait for.
    let still = "document.head.append(Object.assign(document.createElement('style'), { textContent: '* { transition: none !important }' }))";
    light.do_and_settle(still);
    dark.do_and_settle(still);
    let (in_light, in_dark) = (light.browser.evaluate(colours), dark.browser.evaluate(colours));
    for part in 0..3 {
        assert_ne!(in_light[part], in_dark[part], "part {part}");
    }
    light.do_and_settle("document.querySelector('.theme').click()");
    assert_eq!(light.browser.evaluate(colours), in_dark);
    dark.do_and_settle("document.querySelector('.theme').click()");
    assert_eq!(dark.browser.evaluate(colours), in_light);

    // Text can be read in both: contrast of at least 4.5 to 1 (WCAG 2 AA) for text and 3 to 1 for marks.
    for page in [&mut light, &mut dark] {
        let contrasts = page.browser.evaluate(CONTRASTS);
        for (name, contrast) in contrasts.as_object().unwrap() {
            let least = if name.starts_with("--series") { 3.0 } else { 4.5 };
            assert!(contrast.as_f64().unwrap() >= least, "{name}: {contrast}");
        }
    }
}

/// Contrast of each colour to the ground of a card.
const CONTRASTS: &str = "(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    const luminance = (name) => {
        probe.style.color = `var(${name})`;
        const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const ground = luminance('--card');
    const names = ['--ink', '--soft', '--accent', ...Array.from({ length: 8 }, (_, index) => `--series-${index}`)];
    return Object.fromEntries(names.map((name) => {
        const [low, high] = [luminance(name), ground].sort((a, b) => a - b);
        return [name, (high + 0.05) / (low + 0.05)];
    }));
})()";

#[test]
fn the_smallest_documents_are_pages_too() {
    let mut results = fixture::results();
    results.suites.retain(|suite| suite.name == "nginx");
    results.noise = None;
    results.complete = false;
    for variants in [5, 1, 0] {
        results.variants.truncate(variants);
        let Some(mut page) = Page::open(&results, 800, 600, false) else { return };
        assert_eq!(page.browser.errors(), [""; 0], "{variants} variants");
        assert_eq!(page.count("section.suite"), 1);
        assert!(page.text("header .notice").contains("The run was interrupted"));
    }
}

#[test]
fn a_finding_is_the_headline() {
    let mut results = fixture::results();
    results.command = "brawn tune -- input".into();
    let words = "It takes less, with <fewer> page faults.".to_owned();
    results.finding = Some(Finding { headline: "take `brawn` instead of `stock`".into(), words });
    let Some(mut page) = Page::open(&results, 1200, 900, false) else { return };
    assert_eq!(page.text("h1"), "take brawn instead of stock");
    assert_eq!(page.text(".exceptions"), "It takes less, with <fewer> page faults.");
    assert_eq!(
        (page.text(".brand"), page.text("title")),
        ("brawn tune".into(), format!("brawn tune, {}", results.date))
    );
}

#[test]
fn commands_are_copied_by_a_click_with_and_without_a_clipboard() {
    let results = fixture::results();
    let Some(mut page) = Page::open(&results, 1200, 900, false) else { return };
    let clipboard = "{ writeText: async (text) => { window.copied = text; } }";
    page.do_and_settle(&format!(
        "Object.defineProperty(navigator, 'clipboard', {{ configurable: true, value: {clipboard} }}); \
         document.querySelector('.command .copy').click(); true"
    ));
    assert_eq!(page.browser.evaluate("window.copied"), results.command.as_str());
    assert_eq!(page.text(".command .copy"), "copied");
    // Without one, the text is selected for the browser's own command.
    let copy = "() => { window.selected = document.activeElement.value; return window.allowed; }";
    page.do_and_settle(&format!(
        "Object.defineProperty(navigator, 'clipboard', {{ value: undefined }}); window.allowed = false; \
         document.execCommand = {copy}; document.querySelector('.command .copy').click(); true"
    ));
    assert_eq!(page.browser.evaluate("window.selected"), results.command.as_str());
    assert_eq!(page.text(".command .copy"), "not allowed");
    page.do_and_settle("window.allowed = true; document.querySelector('.command .copy').click(); true");
    assert_eq!(page.text(".command .copy"), "copied");
    assert_eq!(page.count("textarea"), 0, "nothing is left behind");
}
