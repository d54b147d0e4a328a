//! An N-body simulation by Barnes and Hut's method: an octree of separately allocated cells is built over the bodies in
//! every step, walked for each body, and freed. A real program whose heap matters, but not alone.
//!
//! Of floating-point functions it uses `sqrt` only, which every machine rounds alike, so the digest of the final state is
//! the same with every libc. The energy must be kept within a bound, or the program fails.

use std::ops::{Add, AddAssign, Mul, Sub};

use crate::Report;
use crate::common::{Random, fail, race};

/// Bodies of one simulation.
const BODIES: usize = 1500;
/// Length of a step; the units are such that the whole system has mass 1, radius 1 and constant of gravity 1.
const STEP: f64 = 0.002;
/// A cell that looks smaller than this from a body counts as a point.
const OPENING: f64 = 0.5;
/// Softening of close encounters.
const SOFTENING: f64 = 0.05;
/// How far the energy may drift, relatively.
const DRIFT: f64 = 0.01;

/// An operation is one body moved by one step; each thread has a system of its own.
pub fn run(threads: usize, operations: usize) -> Report {
    let steps = operations.div_ceil(threads * BODIES);
    let (digests, took) = race(threads, |index| {
        let mut bodies = system(&mut Random::new(index));
        let before = energy(&bodies);
        for _ in 0..steps {
            step(&mut bodies);
        }
        let drift = (energy(&bodies) - before) / before;
        if !(-DRIFT..DRIFT).contains(&drift) {
            fail("the simulation lost its energy");
        }
        digest(&bodies)
    });
    let checksum = digests.iter().fold(0u64, |sum, digest| sum.wrapping_mul(31).wrapping_add(*digest));
    Report { operations: threads * steps * BODIES, checksum, took }
}

#[derive(Clone, Copy, Default)]
struct Vector {
    x: f64,
    y: f64,
    z: f64,
}

impl Vector {
    fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl AddAssign for Vector {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

struct Body {
    place: Vector,
    velocity: Vector,
    mass: f64,
}

/// What fills a cube of space.
enum Cell {
    Body { place: Vector, mass: f64 },
    Cells { children: [Option<Box<Cell>>; 8], moment: Vector, mass: f64 },
}

/// Bodies in a ball, with small random velocities.
fn system(random: &mut Random) -> Vec<Body> {
    let mut vector = move |radius: f64| loop {
        let mut side = || (random.below(1 << 40) as f64 / (1u64 << 39) as f64 - 1.0) * radius;
        let found = Vector { x: side(), y: side(), z: side() };
        if found.dot(found) <= radius * radius {
            return found;
        }
    };
    let mass = 1.0 / BODIES as f64;
    (0..BODIES).map(|_| Body { place: vector(1.0), velocity: vector(0.6), mass }).collect()
}

/// Half a kick, a drift, and the other half: the order that keeps the energy.
fn step(bodies: &mut [Body]) {
    kick(bodies);
    for body in &mut *bodies {
        body.place += body.velocity * STEP;
    }
    kick(bodies);
}

fn kick(bodies: &mut [Body]) {
    let size = 2.0
        * bodies.iter().flat_map(|body| [body.place.x, body.place.y, body.place.z]).fold(1.0, f64::max_abs);
    let mut root = None;
    for body in &*bodies {
        insert(&mut root, Vector::default(), size, body.place, body.mass);
    }
    let root = root.expect("there are bodies");
    for body in bodies {
        body.velocity += pull(&root, size, body.place) * (STEP / 2.0);
    }
}

trait MaxAbs {
    fn max_abs(self, other: f64) -> f64;
}

impl MaxAbs for f64 {
    fn max_abs(self, other: f64) -> f64 {
        if other.abs() > self { other.abs() } else { self }
    }
}

/// Puts a body into the cell around `centre`, whose edge is `size` long.
fn insert(cell: &mut Option<Box<Cell>>, centre: Vector, size: f64, place: Vector, mass: f64) {
    match cell.as_deref_mut() {
        None => *cell = Some(Box::new(Cell::Body { place, mass })),
        Some(Cell::Cells { children, moment, mass: sum }) => {
            *moment += place * mass;
            *sum += mass;
            let (child, centre) = octant(centre, size, place);
            insert(&mut children[child], centre, size / 2.0, place, mass);
        }
        Some(&mut Cell::Body { place: other, mass: other_mass }) => {
            // Two bodies at nearly one place would split cells for ever; none of ours get so near.
            if size < 1e-9 {
                fail("two bodies met");
            }
            *cell = Some(Box::new(Cell::Cells {
                children: Default::default(),
                moment: Vector::default(),
                mass: 0.0,
            }));
            insert(cell, centre, size, other, other_mass);
            insert(cell, centre, size, place, mass);
        }
    }
}

/// Which eighth of the cube a place lies in, and that one's centre.
fn octant(centre: Vector, size: f64, place: Vector) -> (usize, Vector) {
    let quarter = size / 4.0;
    let side = |high: bool| if high { quarter } else { -quarter };
    let (x, y, z) = (place.x >= centre.x, place.y >= centre.y, place.z >= centre.z);
    let index = usize::from(x) | usize::from(y) << 1 | usize::from(z) << 2;
    (index, centre + Vector { x: side(x), y: side(y), z: side(z) })
}

/// Acceleration at a place.
fn pull(cell: &Cell, size: f64, place: Vector) -> Vector {
    let towards = |centre: Vector, mass: f64| {
        let way = centre - place;
        let distance = (way.dot(way) + SOFTENING * SOFTENING).sqrt();
        way * (mass / (distance * distance * distance))
    };
    match cell {
        Cell::Body { place, mass } => towards(*place, *mass),
        Cell::Cells { children, moment, mass } => {
            let centre = *moment * (1.0 / mass);
            let way = centre - place;
            if size * size < OPENING * OPENING * way.dot(way) {
                return towards(centre, *mass);
            }
            let parts = children.iter().flatten().map(|child| pull(child, size / 2.0, place));
            parts.fold(Vector::default(), Add::add)
        }
    }
}

/// Kinetic and potential energy, exactly: each pair once.
fn energy(bodies: &[Body]) -> f64 {
    let mut sum = 0.0;
    for (index, body) in bodies.iter().enumerate() {
        sum += body.mass * body.velocity.dot(body.velocity) / 2.0;
        for other in &bodies[..index] {
            let way = body.place - other.place;
            sum -= body.mass * other.mass / (way.dot(way) + SOFTENING * SOFTENING).sqrt();
        }
    }
    sum
}

/// Places to the millionth, so that it reads as an answer and not as noise in the last bit.
fn digest(bodies: &[Body]) -> u64 {
    let sides = bodies.iter().flat_map(|body| [body.place.x, body.place.y, body.place.z]);
    sides.fold(0u64, |sum, side| sum.wrapping_mul(31).wrapping_add((side * 1e6) as i64 as u64))
}
