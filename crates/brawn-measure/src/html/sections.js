// The parts of the page, from the top to the end.

/** Rows that a group shows as bars before it asks. */
const BARS_AT_ONCE = 9;
/** Warnings that a suite shows unfolded. */
const NOTICES_AT_ONCE = 2;

/** What the page is about, and on what it was measured. */
function heading() {
  const { machine } = results;
  const facts = [
    ["Processor", [machine.processor || "unknown", `${machine.architecture}, ${machine.cores} cores`]],
    ["Memory", [figure(machine.memory_bytes, "bytes"), `huge pages: ${machine.huge_pages || "unknown"}`]],
    ["System", [machine.system || "unknown", `Linux ${machine.kernel}`]],
    ["Measured", [results.date, `brawn ${results.brawn}, seed ${results.seed}`]],
    ["Noise", noiseFact()],
  ];
  return element("header", { class: "top" },
    element("div", { class: "bar-top" },
      element("p", { class: "brand" }, results.finding ? results.command.split(" ", 2).join(" ") : "brawn bench"),
      themeButton()),
    element("h1", {}, results.finding ? plain(results.finding.headline) : headline()),
    element("p", { class: "exceptions" }, results.finding ? plain(results.finding.words) : exceptions()),
    element("p", { class: "command" }, element("code", {}, results.command), copyButton(results.command, "copy the command")),
    element("dl", { class: "facts" }, facts.map(([name, [value, more]]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value), element("dd", { class: "more" }, more)))),
    results.complete ? null : notice("The run was interrupted: what is here holds, something else is missing."));
}

/** Text without the backquotes around names. */
function plain(text) {
  return text.replaceAll("`", "");
}

function noiseFact() {
  if (!results.noise) return ["not tested", `load ${number(results.machine.load)}`];
  const percent = number(results.noise.resolution * 100, 2);
  return [`below ${percent} %`, `same program twice: ${ratio(results.noise.ratio.median)}`];
}

/** The variant that the headline is about: best in time among those that do not cost memory, or simply best. */
function champion() {
  const points = overallMeans().filter(({ variant, time }) => variant !== baseline && time > 0);
  if (!points.length) return null;
  const frugal = points.filter(({ memory }) => memory === undefined || memory <= 1.05);
  return (frugal.length ? frugal : points).reduce((a, b) => (b.time < a.time ? b : a));
}

/** The finding in one sentence. */
function headline() {
  const best = champion();
  if (!best) return `${results.suites.length} suites, measured on ${results.date}`;
  const time = best.time < 0.995 ? `${number(1 / best.time)} times as fast as` : best.time > 1.005 ? `${number(best.time)} times as slow as` : "as fast as";
  const memory = best.memory === undefined ? ""
    : best.memory <= 1.05 ? `, in ${number(best.memory * 100, 2)} % of its memory` : `, in ${number(best.memory, 2)} times its memory`;
  return `${best.variant.name} is ${time} ${baseline.name}${memory}`;
}

/** Where the headline does not hold: a mean over suites hides those that went the other way. */
function exceptions() {
  const best = champion();
  if (!best) return "";
  const worse = (kind) => results.means
    .filter((mean) => mean.kind === kind && mean.ratios[best.variant.name] > 1.05)
    .map((mean) => `${mean.suite} (${ratio(mean.ratios[best.variant.name])})`);
  const said = [["slower in", worse("time")], ["larger in", worse("memory")]]
    .filter(([, suites]) => suites.length)
    .map(([word, suites]) => `${word} ${suites.join(", ")}`);
  const all = "A mean over the suites, each counted once";
  return said.length ? `${all}. Not everywhere: ${said.join("; ")}.` : `${all}; no suite goes the other way by more than 5 %.`;
}

function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = element("button", { type: "button", class: "theme" });
  const label = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${dark() ? "light" : "dark"} colours`);
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    label();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
  return button;
}

function notice(text, hint) {
  return element("p", { class: "notice" }, element("span", { class: "sign", "aria-hidden": "true" }, "!"), element("span", {}, prose(text), hint && element("em", {}, " ", prose(hint))));
}

/** More than a few warnings fold into one line. */
function folded(notices) {
  if (notices.length <= NOTICES_AT_ONCE) return notices;
  return element("details", { class: "folded" }, element("summary", {}, `${notices.length} warnings about the measurement`), notices);
}

/** A card for each variant: its two means, how many rows it won, and a switch that takes it out of the plots. */
function variantCards(points, toggle) {
  const won = wins();
  return element("div", { class: "cards" }, points.map(({ variant, time, memory }) => {
    const card = element("button", { type: "button", class: "card", "aria-pressed": String(shown(variant)), title: `${variant.name}: show or hide in the plots` },
      element("span", { class: "who" }, swatch(variant), element("b", {}, variant.name)),
      element("span", { class: "title" }, variant.title),
      element("span", { class: "means" }, meanOf("time", time), meanOf("memory", memory)),
      element("span", { class: "won" }, `${variant === baseline ? "baseline, " : ""}best in ${won.get(variant.name) ?? 0} rows`));
    card.addEventListener("click", () => {
      toggle(variant);
      card.setAttribute("aria-pressed", String(shown(variant)));
    });
    return card;
  }));
}

function meanOf(name, value) {
  return element("span", { class: "mean" },
    element("span", { class: "number" }, value === undefined ? "–" : ratio(value)), element("small", {}, name));
}

/** Geometric means of each suite, tinted: blue is cheaper than the baseline, orange dearer. */
function meansTable() {
  const suites = results.suites.filter((suite) => suiteMeans(suite).length);
  if (!suites.length) return null;
  const body = suites.flatMap((suite) => ["time", "memory"].map((kind) => {
    const means = suiteMeans(suite);
    if (means.every((point) => point[kind] === undefined)) return null;
    const best = Math.min(...means.map((point) => point[kind] ?? Infinity));
    return element("tr", {},
      element("th", { scope: "row" }, element("a", { href: `#suite-${suite.name}` }, suite.name), element("small", {}, kind)),
      variants.map((variant) => {
        const value = means.find((point) => point.variant === variant)?.[kind];
        if (value === undefined) return element("td", {}, "");
        return element("td", { class: value === best ? "winner" : null, style: tint(value) }, ratio(value));
      }));
  }));
  return scrolling("Geometric means by suite", element("table", { class: "figures means-table" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "suite"), variants.map(variantHead))),
    element("tbody", {}, body)));
}

function variantHead(variant) {
  return element("th", { scope: "col", title: variant.title }, element("span", { class: "who" }, swatch(variant), element("span", { class: "label" }, variant.name)));
}

/** A background between blue for a small cost and orange for a large one; none for the same. */
function tint(value) {
  const strength = Math.min(Math.abs(Math.log2(value)) / 3, 1) * 34;
  if (!(strength > 0.5)) return null;
  return `background: color-mix(in srgb, var(--${value < 1 ? "good" : "bad"}) ${strength.toFixed(0)}%, transparent)`;
}

/** A table wider than the page scrolls inside; the frame takes the focus, so that the keyboard can scroll it. */
function scrolling(label, table) {
  return element("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": label }, table);
}

/** Case and row, as far as both are needed to tell rows apart. */
function rowLabel(suite, item, row) {
  if (suite.cases.length === 1 || row.name.includes(item.name)) return row.name;
  return `${item.name}, ${row.name}`;
}

/** The looks of the variants that the suite ran. */
function legend(entries) {
  const ran = variants.filter((variant) => shown(variant) && entries.some(({ row }) => row.cells.some((cell) => cell.variant === variant.name)));
  return element("p", { class: "legend" }, ran.map((variant) => element("span", { class: "who", title: variant.title }, swatch(variant), element("span", { class: "label" }, variant.name))));
}

/** One suite: what it is, its plots, its table. `fits` says which rows the search leaves. */
function suiteSection(suite, fits) {
  const entries = suite.cases.flatMap((item) => item.rows.map((row) => ({ suite, item, row, label: rowLabel(suite, item, row) }))).filter(fits);
  const cases = suite.cases.filter((item) => entries.some((entry) => entry.item === item));
  const head = [
    element("h2", {}, suite.title, element("code", {}, suite.name)),
    element("p", { class: "about" }, prose(suite.about)),
    suite.skipped ? notice(`Skipped: ${suite.skipped.reason}.`, suite.skipped.hint) : null,
    suite.notes.map((note) => notice(note)),
    folded(cases.flatMap((item) => item.warnings.map((warning) => notice(`${item.name}: ${warning}`)))),
  ];
  if (suite.skipped || !entries.length) return element("section", { id: `suite-${suite.name}`, class: "suite" }, head);
  const means = suiteMeans(suite);
  const both = means.filter((point) => point.time > 0 && point.memory > 0);
  const drawn = curves(entries);
  const onCurve = new Set(drawn.flatMap((curve) => curve.points.map((point) => point.row)));
  const rest = entries.filter(({ row }) => !onCurve.has(row));
  const timed = cases.filter((item) => item.runs.filter((runs) => runs.timeline.length > 1).length);
  const quoted = entries.filter(({ row }) => row.published.some((item) => item.ratio > 0));
  const grouped = groups(rest);
  const [singles, several] = [grouped.filter((group) => group.rows.length === 1), grouped.filter((group) => group.rows.length > 1)];
  return element("section", { id: `suite-${suite.name}`, class: "suite" }, head, legend(entries),
    element("div", { class: "charts" },
      both.length > 1 ? chart("Time against memory", scatter(both, `${suite.title}: time against memory`), "geometric means of the suite") : null,
      drawn.map((curve) => chart(curve.title, lines(curve), `over ${curve.label}`, { label: `× ${shortened(baseline.name, 60)}`, draw: lines(curve, true) })),
      timed.map((item) => chart(`Memory over time: ${item.name}`, timeline(item), "RSS of one run"))),
    quoted.length ? element("div", { class: "wide" }, chart("Measured and published", dots(quoted, suite.title, true),
      "hollow diamonds: what others published, beside their glibc")) : null,
    singles.length ? element("div", { class: "group" }, element("h3", {}, "Figures"), element("div", { class: "charts bars" },
      singles.map(({ title, better, rows }) => chart(title, bars(rows[0]), direction(better))))) : null,
    several.map(barGroup),
    rowTable(suite, cases, entries));
}

/** Bars for each row of a group. */
function barGroup(group) {
  const [first, later] = [group.rows.slice(0, BARS_AT_ONCE), group.rows.slice(BARS_AT_ONCE)];
  const panels = element("div", { class: "charts bars" }, first.map((entry) => chart(entry.label, bars(entry))));
  const more = later.length ? element("button", { type: "button", class: "more-bars" }, `Show ${later.length} more`) : null;
  more?.addEventListener("click", () => {
    panels.append(...later.map((entry) => chart(entry.label, bars(entry))));
    more.remove();
  });
  // Bars tell a few rows; many are compared at a glance only in one plot.
  const together = later.length ? chart(`Every row beside ${baseline.name}`, dots(group.rows, group.title, false)) : null;
  return element("div", { class: "group" }, element("h3", {}, group.title, element("small", {}, direction(group.better))), together, panels, more);
}

/** Every figure, the winner of each row, what others published, and the command that measures a case again. */
function rowTable(suite, cases, entries) {
  const quoted = entries.some(({ row }) => row.published.length);
  const ran = variants.filter((variant) => entries.some(({ row }) => row.cells.some((cell) => cell.variant === variant.name)));
  const head = element("tr", {}, element("th", { scope: "col" }, "case"), element("th", { scope: "col" }, "figure"), ran.map(variantHead),
    quoted ? element("th", { scope: "col" }, "published") : null);
  const bodies = cases.map((item) => {
    const rows = entries.filter((entry) => entry.item === item).map((entry) => entry.row);
    return element("tbody", {}, rows.map((row, index) => element("tr", {},
      index ? null : element("th", { scope: "rowgroup", rowspan: rows.length, class: "case" },
        element("span", { class: "label" }, item.name), copyButton(item.command, `copy the command of ${item.name}`)),
      element("th", { scope: "row" }, element("span", { class: "label" }, row.name)),
      ran.map((variant) => figureCell(row, row.cells.find((cell) => cell.variant === variant.name))),
      quoted ? element("td", { class: "quoted" }, row.published.map(quotation)) : null)));
  });
  return element("details", { class: "table", open: entries.length <= 24 },
    element("summary", {}, `Table: ${entries.length} ${entries.length === 1 ? "figure" : "figures"}`, element("small", {}, "best in bold, commands to repeat")),
    scrolling(`Figures of ${suite.title}`, element("table", { class: "figures" }, element("thead", {}, head), bodies)));
}

function figureCell(row, cell) {
  if (!cell) return element("td", {}, "");
  const best = row.winner === cell.variant;
  const value = cost(row, cell);
  return element("td", { class: best ? "winner" : null, style: cell.ratio ? tint(value) : null, title: cellLines(row, cell, row.name).join("\n") },
    figure(cell.summary.median, row.unit), best ? element("span", { class: "best" }, "best") : null,
    element("small", {}, cell.ratio ? ratio(cell.ratio.median) : "baseline"));
}

function quotation(item) {
  const shown = item.ratio > 0 ? ratio(item.ratio) : number(item.value);
  const link = /^https?:/.test(item.source);
  const label = link ? element("a", { href: item.source, rel: "noreferrer" }, item.label) : element("span", { title: item.source }, item.label);
  return element("span", { class: "quote" }, element("b", {}, shown), " ", label);
}

function ending() {
  const versions = Object.entries(results.versions);
  const { settings } = results;
  return element("footer", {},
    versions.length ? element("p", {}, element("b", {}, "Versions "), versions.map(([name, version]) => `${name} ${version}`).join(", ")) : null,
    element("p", {}, element("b", {}, "How it was measured "),
      `Every variant ran in every block, in random order; at least ${settings.min_blocks} blocks and at most ${settings.max_blocks}, until the interval of each ratio was within ${number(settings.precision * 100, 2)} % or ${number(settings.budget_seconds)} s were spent on a case. Figures are medians, ratios are taken within blocks, intervals are 95 % bootstrap intervals. Means are geometric, and below 1 is better, for rates as for times.`,
      settings.cores.length ? ` Cores: ${settings.cores.join(", ")}.` : "", settings.quota ? ` Quota: ${settings.quota} cores.` : ""),
    element("p", {}, "This file needs no other: all figures are inside it."));
}
