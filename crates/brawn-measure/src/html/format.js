// Figures as people read them: three significant digits and the unit that suits.

/** Significant digits of a figure on an axis or in a table, and of one in a tooltip. */
const SHORT = 3;
const EXACT = 5;

/** `digits` significant digits, never in exponent form; without zeros at the end unless `fixed`. */
function number(value, digits = SHORT, fixed = false) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  // Rounding may add a digit: 9.996 has two before the point once it is 10.0.
  const whole = Math.floor(Math.log10(Number(Math.abs(value).toPrecision(digits)))) + 1;
  const places = Math.min(Math.max(digits - Math.max(whole, fixed ? 1 : whole), 0), 12);
  return formatter(fixed ? places : 0, places).format(value);
}

/** Formatters are slow to make, and a page shows ten thousands of figures. */
const formatters = new Map();

function formatter(least, most) {
  const key = least * 100 + most;
  if (!formatters.has(key)) {
    formatters.set(key, new Intl.NumberFormat("en-US", { minimumFractionDigits: least, maximumFractionDigits: most }));
  }
  return formatters.get(key);
}

/** Steps of a unit, from the largest: each a size and its name. */
const STEPS = {
  s: [[1, " s"], [1e-3, " ms"], [1e-6, " µs"], [0, " ns"]],
  ns: [[1e9, " s"], [1e6, " ms"], [1e3, " µs"], [0, " ns"]],
  bytes: [[2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"], [0, " B"]],
  "/s": [[1e9, " G/s"], [1e6, " M/s"], [1e3, " k/s"], [0, "/s"]],
  "MB/s": [[1e3, " GB/s"], [0, " MB/s"]],
};

/** Where the step named 0 begins: one of the smallest unit. */
const SMALLEST = { s: 1e-9 };

/** A figure with its unit. */
function figure(value, unit, digits = SHORT, fixed = true) {
  const steps = STEPS[unit];
  if (!steps) return number(value, digits, fixed && !Number.isInteger(value)) + (unit && unit !== "count" ? ` ${unit}` : "");
  const [size, name] = steps.find(([step]) => Math.abs(value) >= step);
  return number(value / (size || SMALLEST[unit] || 1), digits, fixed && !(name === " B")) + name;
}

/** The same at a tick, which is round. */
function tickFigure(value, unit) {
  return figure(value, unit, SHORT, false);
}

/** A ratio: `0.93×`; far below 1 with as many digits as it needs to be told from 0. */
function ratio(value) {
  return `${value < 0.1 ? number(value, 2) : number(value, SHORT, true)}×`;
}

/** The same at a tick. */
function tickRatio(value) {
  return `${number(value)}×`;
}

/** A position on a curve: `4 KiB`, `16 threads`. */
function position(value, label, short) {
  if (label === "bytes") return tickFigure(value, "bytes");
  return short ? number(value) : `${number(value)} ${label ?? ""}`.trim();
}

/** What to read a figure by: `ns per call` is lower, `requests/s` is higher. */
function direction(better) {
  return better === "higher" ? "higher is better" : "lower is better";
}
