// Puts the page together, and follows the search, the choice of suites and of variants.

const hidden = new Set();

/** Whether the plots show this variant. */
function shown(variant) {
  return !hidden.has(variant.name);
}

const state = { query: "", suite: null };
const overview = element("section", { class: "overview" });
const suites = element("div", { class: "suites" });

/** Whether the search leaves this row: every word occurs in its names. */
function fits({ suite, item, row }) {
  const name = `${suite.name} ${suite.title} ${item.name} ${row.name}`.toLowerCase();
  return state.query.toLowerCase().split(/\s+/).every((word) => name.includes(word));
}

function drawOverview() {
  const points = overallMeans();
  const both = points.filter((point) => point.time > 0 && point.memory > 0);
  overview.replaceChildren(
    element("h2", {}, "At a glance"),
    element("p", { class: "about" }, `Geometric means over all suites, beside ${baseline?.name ?? "the baseline"}: below 1× is better. Choose a card to hide its variant in the plots.`),
    variantCards(points, (variant) => {
      if (!hidden.delete(variant.name)) hidden.add(variant.name);
      drawPlots(both);
      drawSuites();
    }),
    element("div", { class: "side" }, element("div", { id: "overview-plot" }), meansTable() ?? ""));
  drawPlots(both);
}

function drawPlots(points) {
  const place = overview.querySelector("#overview-plot");
  place.replaceChildren(points.length > 1 ? chart("Time against memory, all suites", scatter(points, "Time against memory over all suites"), "stepped line: no other variant is better in both") : "");
}

function drawSuites() {
  hideTooltip();
  const chosen = results.suites.filter((suite) => !state.suite || suite.name === state.suite);
  const sections = chosen
    .filter((suite) => !state.query || suite.cases.some((item) => item.rows.some((row) => fits({ suite, item, row }))))
    .map((suite) => suiteSection(suite, fits));
  suites.replaceChildren(...(sections.length ? sections : [element("p", { class: "nothing" }, `Nothing is named “${state.query}”.`)]));
}

/** The search and a button for each suite. */
function finder() {
  const chips = element("div", { class: "chips", role: "group", "aria-label": "Suites" });
  const choose = (name) => {
    state.suite = name;
    for (const chip of chips.children) chip.setAttribute("aria-pressed", String(chip.value === (name ?? "")));
    drawSuites();
  };
  const chip = (name, label, skipped) => element("button", {
    type: "button", value: name ?? "", class: skipped ? "chip skipped" : "chip", "aria-pressed": String(name === state.suite), onclick: () => choose(name),
  }, label, skipped ? element("small", {}, "skipped") : null);
  chips.append(chip(null, "all"), ...results.suites.map((suite) => chip(suite.name, suite.name, suite.skipped)));
  let waiting;
  const search = element("input", { type: "search", placeholder: "Find a case or a figure", "aria-label": "Find a case or a figure", autocomplete: "off" });
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.query = search.value.trim();
      drawSuites();
    }, 120);
  });
  // A link to a suite must find it, whatever was chosen before.
  addEventListener("hashchange", () => {
    const name = decodeURIComponent(location.hash).replace("#suite-", "");
    if (state.suite && state.suite !== name && results.suites.some((suite) => suite.name === name)) {
      choose(null);
      document.getElementById(`suite-${name}`)?.scrollIntoView();
    }
  });
  return element("nav", { class: "finder", "aria-label": "Suites and search" }, search, chips);
}

addEventListener("scroll", hideTooltip, { passive: true });
document.getElementById("page").append(heading(), overview, finder(), suites, ending());
drawOverview();
drawSuites();
