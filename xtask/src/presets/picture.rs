//! Time against memory, a point for each candidate, as an SVG for documents.

use std::fmt::Write as _;

use super::standing::Standing;

pub(crate) const WIDTH: f64 = 860.0;
pub(crate) const HEIGHT: f64 = 520.0;
pub(crate) const LEFT: f64 = 64.0;
pub(crate) const RIGHT: f64 = 240.0;
pub(crate) const TOP: f64 = 24.0;
pub(crate) const BOTTOM: f64 = 56.0;
/// Height of a line of text, and width of a letter at most.
const LINE: f64 = 14.0;
const LETTER: f64 = 6.6;
/// Ratios at which the axes may have marks.
const MARKS: &[f64] = &[
    0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0,
];

/// One axis: logarithmic, so that twice and half are equally far from 1.
pub(crate) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    pub(crate) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            values.fold((1.0_f64, 1.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        Self { low: low / 1.15, high: high * 1.15, from, to }
    }

    pub(crate) fn place(&self, value: f64) -> f64 {
        self.from + (value / self.low).ln() / (self.high / self.low).ln() * (self.to - self.from)
    }

    /// Marks that are within, and far enough from each other to be read.
    fn marks(&self, apart: f64) -> Vec<f64> {
        let mut marks: Vec<f64> = Vec::new();
        for &mark in MARKS.iter().filter(|&&mark| mark >= self.low && mark <= self.high) {
            if marks.last().is_none_or(|last| (self.place(mark) - self.place(*last)).abs() >= apart) {
                marks.push(mark);
            }
        }
        marks
    }
}

/// The picture, with the candidates that no other beats joined by a line. `baseline` is what the ratios are to.
pub fn picture(standings: &[Standing], baseline: &str) -> String {
    let x = Axis::new(standings.iter().map(|one| one.time.mean), LEFT, WIDTH - RIGHT);
    let y = Axis::new(standings.iter().map(|one| one.memory.mean), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"12\" \
         role=\"img\" aria-label=\"Time against memory of the candidates for presets\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    axes(&mut svg, &x, &y, baseline);

    let mut front: Vec<&Standing> = standings.iter().filter(|one| one.front).collect();
    front.sort_by(|one, other| one.time.mean.total_cmp(&other.time.mean));
    let points: Vec<String> = front
        .iter()
        .map(|one| format!("{:.1},{:.1}", x.place(one.time.mean), y.place(one.memory.mean)))
        .collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#0a7f5a\" stroke-dasharray=\"4 4\"/>",
        points.join(" ")
    );

    // Names from the top down, each beside its point, or lower where another stands already.
    let mut sorted: Vec<&Standing> = standings.iter().collect();
    sorted.sort_by(|one, other| other.memory.mean.total_cmp(&one.memory.mean));
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    for one in sorted {
        let (at_x, at_y) = (x.place(one.time.mean), y.place(one.memory.mean));
        let color = if one.front { "#0a7f5a" } else { "#5b6470" };
        let (left, right) = (at_x + 8.0, at_x + 8.0 + LETTER * one.variant.chars().count() as f64);
        let mut line = at_y + 4.0;
        while let Some(&(_, _, other)) = taken
            .iter()
            .find(|(begin, end, other)| left < *end && *begin < right && (line - other).abs() < LINE)
        {
            line = other + LINE;
        }
        taken.push((left, right, line));
        let _ = writeln!(
            svg,
            "<circle cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"4\" fill=\"{color}\"/>\
             <text x=\"{left:.1}\" y=\"{line:.1}\" fill=\"{color}\">{}</text>",
            one.variant
        );
    }
    svg + "</svg>\n"
}

/// Marks of both axes, and what they are.
pub(crate) fn axes(svg: &mut String, x: &Axis, y: &Axis, baseline: &str) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for mark in x.marks(30.0) {
        let at = x.place(mark);
        let color = if mark == 1.0 { "#9aa3ad" } else { "#e4e7eb" };
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"{color}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#3b4450\">{mark}x</text>",
            bottom + 18.0
        );
    }
    for mark in y.marks(18.0) {
        let at = y.place(mark);
        let color = if mark == 1.0 { "#9aa3ad" } else { "#e4e7eb" };
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{color}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#3b4450\">{mark}x</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#3b4450\">time beside {baseline}, less is better</text>\
         <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\" fill=\"#3b4450\">memory beside {baseline}, less is better</text>",
        f64::midpoint(LEFT, right),
        HEIGHT - 14.0,
        f64::midpoint(TOP, bottom),
    );
}

#[cfg(test)]
mod tests {
    use crate::presets::standing::Costs;

    use super::*;

    fn standing(variant: &str, time: f64, memory: f64, front: bool) -> Standing {
        let costs = |mean| Costs { mean, worst: mean, worst_at: String::new() };
        Standing {
            variant: variant.into(),
            time: costs(time),
            memory: costs(memory),
            suites: Vec::new(),
            front,
        }
    }

    #[test]
    fn every_candidate_is_a_point_within_and_no_name_lies_on_another() {
        let standings = [
            standing("glibc", 1.0, 1.0, false),
            standing("twin", 1.0, 1.0, false),
            standing("small", 4.0, 0.2, true),
            standing("fast", 0.7, 1.7, true),
        ];
        let svg = picture(&standings, "glibc");
        assert_eq!(svg.matches("<circle").count(), standings.len());
        let number = |text: &str, key: &str| -> f64 {
            let rest = &text[text.find(key).unwrap() + key.len()..];
            rest[..rest.find('"').unwrap()].parse().unwrap()
        };
        let mut places = Vec::new();
        for point in svg.lines().filter(|line| line.starts_with("<circle")) {
            let (x, y) = (number(point, "cx=\""), number(point, "cy=\""));
            assert!((LEFT..WIDTH - RIGHT).contains(&x) && (TOP..HEIGHT - BOTTOM).contains(&y), "{point}");
            let text = &point[point.find("<text").unwrap()..];
            places.push((number(text, "x=\"") as i64, number(text, "y=\"") as i64));
        }
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), standings.len(), "{svg}");
        // The faster lies to the left, the smaller below.
        assert!(svg.contains("1x</text>") && svg.contains("<polyline"));
        let line = svg.lines().find(|line| line.starts_with("<polyline")).unwrap();
        let points = &line[line.find("points=\"").unwrap() + 8..];
        let mut xy = points[..points.find('"').unwrap()].split([' ', ',']).map(|n| n.parse::<f64>().unwrap());
        let (fast_x, fast_y) = (xy.next().unwrap(), xy.next().unwrap());
        let (small_x, small_y) = (xy.next().unwrap(), xy.next().unwrap());
        assert!(fast_x < small_x && fast_y < small_y);
    }
}
