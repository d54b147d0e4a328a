//! Numbers whose time is libm's: orbits, random values of three distributions, a transform, and a layer of neurons.

use std::f64::consts::TAU;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

/// Places on orbits at random moments, by Newton's steps through Kepler's equation.
fn orbits(random: &mut Random) -> f64 {
    let place = |_| {
        let (shape, mean) = (random.next() * 0.9, random.next() * TAU);
        let mut angle = mean + shape * mean.sin();
        for _ in 0..4 {
            angle -= (angle - shape * angle.sin() - mean) / (1.0 - shape * angle.cos());
        }
        ((1.0 + shape).sqrt() * (angle / 2.0).tan()).atan2((1.0 - shape).sqrt()).cos()
    };
    (0..200_000).map(place).sum()
}

/// Means of values that are log-normal, of Weibull's distribution, and of Cauchy's pressed into a bound.
fn values(random: &mut Random) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for _ in 0..500_000 {
        let normal = (-2.0 * random.next().ln()).sqrt() * (TAU * random.next()).cos();
        sums[0] += (0.25 * normal).exp();
        sums[1] += (-random.next().ln()).powf(1.0 / 1.7);
        sums[2] += (3.1 * (random.next() - 0.5)).tan().atan();
    }
    sums.map(|sum| sum / 500_000.0)
}

/// The energy of a signal's spectrum, each root of unity asked of the library, over the signal's own: 1.
fn transform(random: &mut Random) -> f64 {
    let signal: Vec<(f64, f64)> = (0..1 << 16).map(|_| (random.next() - 0.5, 0.0)).collect();
    let energy = |values: &[(f64, f64)]| values.iter().map(|(re, im)| re.hypot(*im).powi(2)).sum::<f64>();
    energy(&fourier(&signal)) / energy(&signal) / signal.len() as f64
}

fn fourier(signal: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if signal.len() == 1 {
        return signal.to_vec();
    }
    let half = |first: usize| fourier(&signal.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let turned = |k: usize| {
        let (sin, cos) = (-TAU * k as f64 / signal.len() as f64).sin_cos();
        (odd[k].0 * cos - odd[k].1 * sin, odd[k].0 * sin + odd[k].1 * cos)
    };
    let low = (0..even.len()).map(|k| (even[k].0 + turned(k).0, even[k].1 + turned(k).1));
    let high = (0..even.len()).map(|k| (even[k].0 - turned(k).0, even[k].1 - turned(k).1));
    low.chain(high).collect()
}

/// The loss of a softmax over activations in single precision.
fn layer(random: &mut Random) -> f64 {
    let mut loss = 0.0;
    for _ in 0..20_000 {
        let mut outputs = [0f32; 32];
        for output in &mut outputs {
            let input = random.next() as f32 * 8.0 - 4.0;
            *output = input.tanh() + (1.0 + input.exp()).ln();
        }
        let sum: f32 = outputs.iter().map(|output| output.exp()).sum();
        loss -= f64::from((outputs[0].exp() / sum).ln());
    }
    loss / 20_000.0
}

fn main() {
    let mut random = Random(1);
    println!("orbits {:.6e}", orbits(&mut random));
    println!("values {:.9?}", values(&mut random));
    println!("transform {:.9}", transform(&mut random));
    println!("layer {:.4}", layer(&mut random));
}
