// The document that the page carries, and what the page derives from it.

const results = JSON.parse(document.getElementById("data").textContent);

/** The numbers of a cell stand in the document without their names. */
function named(numbers) {
  if (!numbers) return null;
  const [median, low, high, count] = numbers;
  return { median, low, high, count };
}

for (const cell of results.suites.flatMap((suite) => suite.cases).flatMap((one) => one.rows).flatMap((row) => row.cells)) {
  cell.summary = named(cell.summary);
  cell.ratio = named(cell.ratio);
}

/** Marks that differ in form, so that colour is never the only difference. */
const SHAPES = ["circle", "square", "triangle", "diamond", "wedge", "plus", "star"];
/** Colours in style.css; their number and that of the shapes share no factor, so pairs repeat late. */
const COLOURS = 8;

/** The variants, the baseline first, each with its look. */
const variants = results.variants.map((variant, index) => ({
  ...variant,
  index,
  colour: `var(--series-${index % COLOURS})`,
  shape: SHAPES[index % SHAPES.length],
}));
const variantByName = new Map(variants.map((variant) => [variant.name, variant]));
const baseline = variants[0];

/** What a cell costs beside the baseline: below 1 is better, for rates as for times. */
function cost(row, cell) {
  const value = cell.ratio ? cell.ratio.median : 1;
  return row.better === "higher" ? 1 / value : value;
}

/** The same for both ends of the interval, the smaller first. */
function costInterval(row, cell) {
  if (!cell.ratio) return [1, 1];
  const { low, high } = cell.ratio;
  return row.better === "higher" ? [1 / high, 1 / low] : [low, high];
}

/** Ratios of a variant to the baseline in one suite: `{time, memory}`, each undefined where there is none. */
function suiteMeans(suite) {
  const means = results.means.filter((mean) => mean.suite === suite.name);
  return variants
    .map((variant) => {
      const of = (kind) => means.find((mean) => mean.kind === kind)?.ratios[variant.name];
      return { variant, time: of("time"), memory: of("memory") };
    })
    .filter((point) => point.time !== undefined || point.memory !== undefined);
}

/**
 * Geometric means over suites, each suite counted once: over those that every variant ran, because a mean over other
 * suites would say something else.
 */
function overallMeans() {
  const mean = (kind, variant) => {
    const means = results.means.filter((mean) => mean.kind === kind);
    const ran = Math.max(0, ...means.map((mean) => Object.keys(mean.ratios).length));
    const shared = means.filter((mean) => Object.keys(mean.ratios).length === ran);
    const ratios = shared.map((mean) => mean.ratios[variant.name]);
    if (!ratios.length || ratios.includes(undefined)) return undefined;
    return Math.exp(ratios.reduce((sum, value) => sum + Math.log(value), 0) / ratios.length);
  };
  return variants.map((variant) => ({
    variant,
    time: mean("time", variant),
    memory: mean("memory", variant),
  }));
}

/** The points that no other beats in both time and memory, from fast to small. */
function paretoFront(points) {
  const sorted = [...points].sort((a, b) => a.time - b.time || a.memory - b.memory);
  const front = [];
  for (const point of sorted) {
    if (!front.length || point.memory < front[front.length - 1].memory) front.push(point);
  }
  return front;
}

/** How many rows each variant won. */
function wins() {
  const count = new Map();
  for (const suite of results.suites) {
    for (const row of suite.cases.flatMap((item) => item.rows)) {
      if (row.winner) count.set(row.winner, (count.get(row.winner) ?? 0) + 1);
    }
  }
  return count;
}

/** Rows that form curves: a list of `{title, unit, better, kind, label, points: [{x, row, case}]}`. */
function curves(entries) {
  const found = new Map();
  for (const entry of entries) {
    const { row } = entry;
    if (row.series === null || row.x === null) continue;
    const key = JSON.stringify([row.series, row.unit, row.x_label]);
    if (!found.has(key)) {
      const { unit, better, kind } = row;
      found.set(key, { title: row.series, unit, better, kind, label: row.x_label, points: [] });
    }
    found.get(key).points.push({ ...entry, x: row.x });
  }
  // Two points are no curve.
  const long = [...found.values()].filter((curve) => curve.points.length > 2);
  for (const curve of long) curve.points.sort((a, b) => a.x - b.x);
  return long;
}

/**
 * The other rows, in groups that share an axis title: rows of one name over the cases (`time` of each program), or, where
 * a name occurs once, rows of one unit (`memcpy 36`, `memcpy 132`).
 */
function groups(entries) {
  const names = new Map();
  for (const { row } of entries) names.set(row.name, (names.get(row.name) ?? 0) + 1);
  const found = new Map();
  for (const entry of entries) {
    const { row, item } = entry;
    const repeated = names.get(row.name) > 1;
    const key = JSON.stringify([repeated ? row.name : "", row.kind, row.unit, row.better]);
    if (!found.has(key)) {
      const { unit, better, kind } = row;
      found.set(key, { title: repeated ? row.name : null, unit, better, kind, rows: [] });
    }
    found.get(key).rows.push({ ...entry, label: repeated ? item.name : row.name });
  }
  for (const group of found.values()) {
    if (group.title === null) {
      const titles = { time: group.better === "higher" ? "rates" : "times", memory: "memory", other: "other figures" };
      group.title = group.rows.length === 1 ? group.rows[0].label : titles[group.kind];
    }
  }
  return [...found.values()];
}

