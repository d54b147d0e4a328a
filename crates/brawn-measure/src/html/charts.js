// The plots: each function draws one into an SVG picture of a given width and returns the picture.

/**
 * A figure that redraws itself when its width changes. `draw(width)` returns a picture; `other`, where given, is a
 * second view, `{label, draw}`, behind a switch.
 */
function chart(caption, draw, note, other) {
  const holder = element("div", { class: "plot" });
  let [drawn, view] = [0, draw];
  holder.redraw = () => {
    const width = Math.floor(holder.clientWidth);
    if (!width || width === drawn) return;
    drawn = width;
    hideTooltip();
    holder.replaceChildren(view(width));
  };
  resizing.observe(holder);
  const button = other && element("button", { type: "button", class: "switch", "aria-pressed": "false" }, other.label);
  button?.addEventListener("click", () => {
    view = view === draw ? other.draw : draw;
    button.setAttribute("aria-pressed", String(view !== draw));
    drawn = 0;
    holder.redraw();
  });
  return element("figure", { class: "chart" },
    element("figcaption", {}, element("span", {}, caption, note && element("small", {}, note)), button), holder);
}

// A picture changes the height of what is observed, so it is drawn in the next frame.
const resizing = new ResizeObserver((entries) => {
  requestAnimationFrame(() => entries.forEach(({ target }) => target.redraw()));
});

/** An empty picture that can take the focus. */
function picture(width, height, label) {
  return shape("svg", {
    viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0,
    "aria-label": `${label}. Arrow keys move from mark to mark.`,
  });
}

function text(x, y, content, attributes = {}) {
  return shape("text", { x, y, ...attributes }, content);
}

/** Cuts a name so that it fits about `pixels`; the whole is in the tooltip. */
function shortened(name, pixels, perLetter = 6.6) {
  const most = Math.max(Math.floor(pixels / perLetter), 3);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

/** The lines of a tooltip about one cell. */
function cellLines(row, cell, where) {
  const { median, low, high, count } = cell.summary;
  const show = (value) => figure(value, row.unit, EXACT);
  const lines = [cell.variant, where, `median ${show(median)}`];
  if (count > 1) lines.push(`95 % interval ${show(low)} to ${show(high)}`);
  if (cell.ratio) {
    const { median: middle, low: from, high: to } = cell.ratio;
    lines.push(`${ratio(middle)} of ${baseline.name} (${ratio(from)} to ${ratio(to)})`);
  } else {
    lines.push("the baseline");
  }
  lines.push(`${count} ${count === 1 ? "sample" : "samples"}${cell.outliers ? `, ${cell.outliers} far outside` : ""}`);
  if (row.winner === cell.variant) lines.push("best in this row");
  return lines;
}

/** Axis titles and grid of a plot with two axes; returns the group for the marks. */
function axes(into, frame, x, y, titles) {
  const { left, right, top, bottom } = frame;
  const grid = shape("g", { class: "grid" });
  const labels = shape("g", { class: "ticks" });
  for (const tick of thinned(y.ticks, y.place, 22)) {
    const at = y.place(tick);
    grid.append(shape("line", { x1: left, x2: right, y1: at, y2: at }));
    labels.append(text(left - 8, at + 4, y.show(tick), { "text-anchor": "end" }));
  }
  for (const tick of thinned(x.ticks, x.place, x.room ?? 46)) {
    const at = x.place(tick);
    grid.append(shape("line", { x1: at, x2: at, y1: top, y2: bottom }));
    labels.append(text(at, bottom + 18, x.show(tick), { "text-anchor": "middle" }));
  }
  into.append(grid, labels,
    text(right, bottom + 36, titles.x, { class: "axis", "text-anchor": "end" }),
    text(left - 8, top - 12, titles.y, { class: "axis", "text-anchor": "start", dx: Math.min(8 - left + 4, 0) }));
}

/** Time against memory, a mark for each variant, with the front that no other variant beats in both. */
function scatter(points, label) {
  const known = points.filter((point) => point.time > 0 && point.memory > 0 && shown(point.variant));
  return (width) => {
    const height = Math.min(Math.max(width * 0.62, 260), 420);
    const frame = { left: 54, right: width - 18, top: 34, bottom: height - 44 };
    const drawing = picture(width, height, label);
    if (!known.length) return drawing;
    const around = (values, range) => ({
      ...logarithmicScale([...values, 1], range, 0.12),
      show: tickRatio,
    });
    const x = around(known.map((point) => point.memory), [frame.left, frame.right]);
    const y = around(known.map((point) => point.time), [frame.bottom, frame.top]);
    axes(drawing, frame, x, y, { x: "memory →  (× baseline)", y: "↑ time  (× baseline)" });
    const [baseX, baseY] = [x.place(1), y.place(1)];
    drawing.append(
      shape("rect", { class: "both", x: frame.left, y: baseY, width: baseX - frame.left, height: frame.bottom - baseY }),
      shape("path", { class: "one", d: `M${frame.left},${baseY}H${frame.right}M${baseX},${frame.top}V${frame.bottom}` }));

    const front = paretoFront(known);
    const onFront = new Set(front.map((point) => point.variant.name));
    // From one point of the front to the next the figures are those of neither, so the line goes in steps.
    const steps = front.map((point, index) => {
      const [px, py] = [x.place(point.memory), y.place(point.time)];
      return index ? `H${px}V${py}` : `M${px},${py}`;
    });
    drawing.append(shape("path", { class: "front", d: steps.join("") }));

    const taken = [];
    const marks = known.map((point) => {
      const [px, py] = [x.place(point.memory), y.place(point.time)];
      const node = shape("path", { class: "mark", d: markPath(point.variant.shape, px, py, 6.5), fill: point.variant.colour });
      drawing.append(node);
      return {
        x: px, y: py, node,
        lines: [point.variant.name, point.variant.title, `time ${ratio(point.time)}, memory ${ratio(point.memory)} of ${baseline.name}`,
          ...(onFront.has(point.variant.name) ? ["on the front: no other is better in both"] : [])],
      };
    });
    if (baseX - frame.left > 140 && frame.bottom - baseY > 28 && !marks.some((mark) => mark.x < frame.left + 140 && mark.y > frame.bottom - 32)) {
      drawing.append(text(frame.left + 8, frame.bottom - 9, "faster and smaller", { class: "both-label" }));
      taken.push([frame.left, frame.bottom - 24, frame.left + 140, frame.bottom]);
    }
    // Names beside the marks, where they hide nothing; the others are in the legend and the tooltip.
    known.forEach((point, index) => {
      const { x: px, y: py } = marks[index];
      const name = shortened(point.variant.name, 120);
      const long = name.length * 6.8;
      const places = [[px + 11, py + 4, "start"], [px - 11, py + 4, "end"], [px, py - 13, "middle"], [px, py + 22, "middle"]];
      for (const [tx, ty, anchor] of places) {
        const from = anchor === "start" ? tx : anchor === "end" ? tx - long : tx - long / 2;
        const box = [from, ty - 11, from + long, ty + 3];
        const hits = (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
        const inside = box[0] > frame.left && box[2] < width - 2 && box[1] > 16 && box[3] < frame.bottom;
        const free = !taken.some(hits) && !marks.some((mark, at) => at !== index && hits([mark.x - 7, mark.y - 7, mark.x + 7, mark.y + 7]));
        if (inside && free) {
          taken.push(box);
          drawing.append(text(tx, ty, name, { class: "name", "text-anchor": anchor }));
          break;
        }
      }
    });
    answer(drawing, marks, 40);
    return drawing;
  };
}

/** One row: a bar for each variant from 0, its interval, and the figure beside it. */
function bars({ row, item, label }) {
  const cells = row.cells.filter((cell) => shown(variantByName.get(cell.variant)));
  return (width) => {
    const [step, thick] = [27, 15];
    const names = Math.min(Math.max(width * 0.27, 74), 130);
    const frame = { left: names + 10, right: width - 76 };
    const drawing = picture(width, cells.length * step + 6, `${label}: ${cells.map((cell) => `${cell.variant} ${figure(cell.summary.median, row.unit)}`).join(", ")}`);
    const scale = barScale(cells.map((cell) => cell.summary.high), [frame.left, frame.right]);
    const zero = scale.place(0);
    const marks = cells.map((cell, index) => {
      const variant = variantByName.get(cell.variant);
      const { median, low, high } = cell.summary;
      const [y, end] = [index * step + step / 2 + 2, Math.max(scale.place(median), zero + 1)];
      const best = row.winner === cell.variant;
      const node = shape("g", { class: best ? "mark bar best" : "mark bar" },
        shape("rect", { class: "hit", x: 0, y: y - step / 2, width, height: step }),
        shape("path", { d: markPath(variant.shape, 7, y, 4.6), fill: variant.colour }),
        text(18, y + 4, shortened(cell.variant, names - 14), { class: "name" }),
        shape("rect", { x: zero, y: y - thick / 2, width: end - zero, height: thick, rx: 3, fill: variant.colour }),
        shape("path", {
          class: "interval",
          d: `M${scale.place(low)},${y}H${scale.place(high)}M${scale.place(low)},${y - 4}v8M${scale.place(high)},${y - 4}v8`,
        }),
        text(width, y + 4, figure(median, row.unit), { class: "value", "text-anchor": "end" }));
      drawing.append(node);
      return { x: end, y, from: 0, to: width, node, lines: cellLines(row, cell, `${item.name}, ${row.name}`) };
    });
    answer(drawing, marks, step / 2);
    return drawing;
  };
}

/** Many rows at once: costs beside the baseline on a logarithmic axis; what others published as hollow marks if `quoted`. */
function dots(entries, title, quoted) {
  return (width) => {
    const step = 26;
    const names = Math.min(Math.max(width * 0.3, 96), 230);
    const frame = { left: names + 8, right: width - 14, top: 30, bottom: entries.length * step + 34 };
    const height = frame.bottom + 44;
    const drawing = picture(width, height, `${title}: cost of every row beside ${baseline.name}`);
    const published = (row) => (quoted ? row.published : []).filter((item) => item.ratio > 0).map((item) => ({ ...item, cost: row.better === "higher" ? 1 / item.ratio : item.ratio }));
    const cellsOf = (row) => row.cells.filter((cell) => cost(row, cell) > 0 && shown(variantByName.get(cell.variant)));
    const costs = entries.flatMap(({ row }) => [...cellsOf(row).map((cell) => cost(row, cell)), ...published(row).map((item) => item.cost)]);
    const scale = logarithmicScale([...costs, 1], [frame.left, frame.right], 0.05);
    const grid = shape("g", { class: "grid" });
    const labels = shape("g", { class: "ticks" });
    for (const tick of thinned(scale.ticks, scale.place, 44)) {
      const at = scale.place(tick);
      grid.append(shape("line", { x1: at, x2: at, y1: frame.top, y2: frame.bottom }));
      labels.append(text(at, frame.bottom + 18, tickRatio(tick), { "text-anchor": "middle" }), text(at, frame.top - 10, tickRatio(tick), { "text-anchor": "middle" }));
    }
    const one = scale.place(1);
    drawing.append(grid, labels, shape("path", { class: "one", d: `M${one},${frame.top}V${frame.bottom}` }),
      text(one - 10, frame.bottom + 36, "← better", { class: "axis", "text-anchor": "end" }),
      text(one + 10, frame.bottom + 36, `worse than ${shortened(baseline.name, 120)} →`, { class: "axis" }));
    const marks = [];
    entries.forEach(({ row, item, label }, index) => {
      const y = frame.top + index * step + step / 2 + 2;
      if (index % 2) drawing.append(shape("rect", { class: "stripe", x: 0, y: y - step / 2, width, height: step }));
      drawing.append(text(0, y + 4, shortened(label, names), { class: "name" }));
      for (const figure of published(row)) {
        const at = scale.place(figure.cost);
        const node = shape("path", { class: "mark published", d: markPath("diamond", at, y, 5.5) });
        drawing.append(node);
        marks.push({ x: at, y, node, lines: [figure.label, `${item.name}, ${row.name}`, `published: ${ratio(figure.ratio)} of its glibc`, figure.source] });
      }
      for (const cell of cellsOf(row)) {
        const variant = variantByName.get(cell.variant);
        const [from, to] = costInterval(row, cell);
        const at = scale.place(cost(row, cell));
        const node = shape("g", { class: "mark" },
          shape("path", { class: "whisker", stroke: variant.colour, d: `M${scale.place(from)},${y}H${scale.place(to)}` }),
          shape("path", { d: markPath(variant.shape, at, y, 4.8), fill: variant.colour }));
        drawing.append(node);
        marks.push({ x: at, y, node, lines: cellLines(row, cell, `${item.name}, ${row.name}`) });
      }
    });
    answer(drawing, marks, 20);
    return drawing;
  };
}

/**
 * A curve for each variant over threads, bytes or connections, with the band of its interval: figures, or, `beside` the
 * baseline, costs, which show differences that a long logarithmic axis hides.
 */
function lines(curve, beside = false) {
  const lists = variants.filter(shown).map((variant) => ({
    variant,
    points: curve.points.flatMap(({ x, row, item }) => {
      const cell = row.cells.find((cell) => cell.variant === variant.name);
      if (!cell || (beside && !(cost(row, cell) > 0))) return [];
      const [low, high] = beside ? costInterval(row, cell) : [cell.summary.low, cell.summary.high];
      return [{ x, low, high, y: beside ? cost(row, cell) : cell.summary.median,
        lines: cellLines(row, cell, `${item.name}, ${row.name}, ${position(x, curve.label)}`) }];
    }),
  }));
  return (width) => lineChart(width, lists, {
    label: `${curve.title} over ${curve.label}`,
    x: { title: `${curve.label} →`, show: (tick) => position(tick, curve.label, true), room: curve.label === "bytes" ? 58 : 34 },
    y: beside
      ? { title: `cost beside ${shortened(baseline.name, 120)}, below 1× is better`, show: tickRatio, logarithmic: true }
      : { title: direction(curve.better), show: (tick) => tickFigure(tick, curve.unit), binary: curve.unit === "bytes" },
    marked: true,
  });
}

/** Resident memory while a program runs, a line for each variant. */
function timeline(item) {
  const lists = item.runs.filter((runs) => runs.timeline.length > 1 && shown(variantByName.get(runs.variant))).map((runs) => ({
    variant: variantByName.get(runs.variant),
    points: runs.timeline.map(([seconds, rss, pss]) => ({
      x: seconds, y: rss, low: rss, high: rss,
      lines: [runs.variant, `${item.name}, after ${figure(seconds, "s", 4)}`, `RSS ${figure(rss, "bytes", EXACT)}`,
        ...(pss > 0 ? [`PSS ${figure(pss, "bytes", EXACT)}`] : [])],
    })),
  }));
  return (width) => lineChart(width, lists, {
    label: `${item.name}: resident memory over time`,
    x: { title: "seconds →", show: (tick) => number(tick), linear: true },
    y: { title: "resident memory", show: (tick) => tickFigure(tick, "bytes"), linear: true, binary: true },
    marked: false,
  });
}

function lineChart(width, lists, { label, x: across, y: up, marked }) {
  const height = Math.min(Math.max(width * 0.6, 230), 360);
  const frame = { left: 66, right: width - 16, top: 34, bottom: height - 44 };
  const drawing = picture(width, height, label);
  const all = lists.flatMap((list) => list.points);
  if (!all.length) return drawing;
  const xs = all.map((point) => point.x);
  const scale = (values, range, axis) => axis.logarithmic ? logarithmicScale([...values, 1], range) : (axis.linear ? linearScale(values, range, axis.binary) : scaleFor(values, range, axis.binary));
  const x = { ...scale(xs, [frame.left + 6, frame.right - 6], across), show: across.show, room: across.room };
  const y = { ...scale(all.flatMap((point) => [point.low, point.high]), [frame.bottom, frame.top], up), show: up.show };
  if (marked) x.ticks = positionTicks(xs, x);
  axes(drawing, frame, x, y, { x: across.title, y: up.title });
  const marks = [];
  for (const { variant, points } of lists) {
    if (!points.length) continue;
    const path = (list, read) => list.map((point) => `${x.place(point.x).toFixed(2)},${y.place(read(point)).toFixed(2)}`).join("L");
    if (marked) {
      const band = `M${path(points, (point) => point.high)}L${path([...points].reverse(), (point) => point.low)}Z`;
      drawing.append(shape("path", { class: "band", d: band, fill: variant.colour }));
    }
    drawing.append(shape("path", { class: "line", d: `M${path(points, (point) => point.y)}`, stroke: variant.colour }));
    points.forEach((point, index) => {
      const [px, py] = [x.place(point.x), y.place(point.y)];
      // On a line of time only a few points carry the mark that tells the variants apart.
      const visible = marked || index === points.length - 1 || index % Math.ceil(points.length / 5) === 0;
      const node = shape("path", { class: visible ? "mark" : "mark quiet", d: markPath(variant.shape, px, py, marked ? 4.6 : 4), fill: variant.colour });
      drawing.append(node);
      marks.push({ x: px, y: py, node, lines: point.lines });
    });
  }
  answer(drawing, marks, 32);
  return drawing;
}
