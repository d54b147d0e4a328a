// From figures to places, and where the ticks stand.

/** A span of figures wider than this is shown on a logarithmic axis. */
const LOGARITHMIC_FROM = 20;

/** Whether a list of figures wants a logarithmic axis. */
function wantsLogarithm(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0 && most / least > LOGARITHMIC_FROM;
}

/** A linear scale from 0; `binary` for sizes in bytes, whose round numbers are powers of two. */
function linearScale(values, [start, end], binary = false) {
  const most = Math.max(...values) || 1;
  const step = binary ? 2 ** Math.ceil(Math.log2(most / 5)) : niceStep(most / 4);
  const count = Math.max(Math.ceil(most / step - 1e-9), 1);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  const place = (value) => start + (value / (count * step)) * (end - start);
  return { place, ticks };
}

/** A linear scale without ticks, from 0 to the largest figure. */
function barScale(values, [start, end]) {
  const most = Math.max(...values) || 1;
  return { place: (value) => start + (value / most) * (end - start) };
}

/** A logarithmic scale around the figures, which are positive. */
function logarithmicScale(values, [start, end], margin = 0.04, binary = false) {
  let [least, most] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  if (most - least < 0.2) [least, most] = [least - 0.1, most + 0.1];
  const room = (most - least) * margin;
  [least, most] = [least - room, most + room];
  const place = (value) => start + ((Math.log10(value) - least) / (most - least)) * (end - start);
  return { place, ticks: binary ? binaryTicks(least, most) : logarithmicTicks(least, most) };
}

/** Ticks between two powers of ten: whole powers over a wide span, 1-2-5 over a narrow one. */
function logarithmicTicks(least, most) {
  const span = most - least;
  const every = Math.max(Math.ceil(span / 6), 1);
  const factors = span > 3 ? [1] : span > 1.6 ? [1, 3] : span > 0.7 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
  const ticks = [];
  for (let power = Math.floor(least); power <= Math.ceil(most); power += 1) {
    if (power % every !== 0 && span > 3) continue;
    ticks.push(...factors.map((factor) => factor * 10 ** power));
  }
  return ticks.filter((tick) => Math.log10(tick) >= least - 1e-9 && Math.log10(tick) <= most + 1e-9);
}

/** Powers of two between two powers of ten, at most eight of them. */
function binaryTicks(least, most) {
  const [from, to] = [least / Math.log10(2), most / Math.log10(2)];
  const every = Math.max(Math.ceil((to - from) / 8), 1);
  const ticks = [];
  for (let power = Math.ceil(from / every) * every; power <= to; power += every) ticks.push(2 ** power);
  return ticks;
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999) * power;
}

/** The scale that suits the figures. */
function scaleFor(values, range, binary) {
  return wantsLogarithm(values) ? logarithmicScale(values, range, 0.04, binary) : linearScale(values, range, binary);
}

/** Ticks that leave `room` pixels to each other, from the first. */
function thinned(ticks, place, room) {
  let last = -Infinity;
  return ticks.filter((tick) => {
    const at = place(tick);
    if (Math.abs(at - last) < room) return false;
    last = at;
    return true;
  });
}

/** Sizes and counts are powers of two more often than not: then those are the ticks. */
function positionTicks(values, scale) {
  const distinct = [...new Set(values)];
  const powers = distinct.every((value) => value > 0 && Number.isInteger(Math.log2(value)));
  return powers || distinct.length <= 6 ? distinct : scale.ticks;
}
