//! Gaussian blur: halve, filter rows and columns, enlarge.

use multiversion::multiversion;
use rayon::prelude::*;

use super::lanes::{fused, madd};
use super::sheet::{Px, Sheet};
use crate::compose::sampling::{BlurPlan, tap_index};
use crate::scene::draw::Edge;
use crate::units::within;

/// Blurs a sheet. Pixels outside it follow `edge`; a transparent margin must already be part of the sheet.
pub(super) fn blur(sheet: Sheet, plan: &BlurPlan, edge: Edge) -> Sheet {
    let size = [sheet.width, sheet.height];
    blur_part((sheet, 0), plan, edge, ([0; 2], size))
}

/// Returns the part of the blurred full-size image that starts at px `at` and has `size` px. The sheet may already be halved `n_halved` times.
pub(super) fn blur_part(
    (mut small, n_halved): (Sheet, u32),
    plan: &BlurPlan,
    edge: Edge,
    (at, size): ([usize; 2], [usize; 2]),
) -> Sheet {
    for _ in n_halved..plan.n_halvings {
        small = small.half();
    }
    let small = filter_columns(&filter_rows(small, plan, edge), plan, edge);
    if plan.n_halvings == 0 {
        small.part(at, size)
    } else {
        enlarge(&small, (at, size), plan.n_halvings)
    }
}

fn filter_rows(mut sheet: Sheet, plan: &BlurPlan, edge: Edge) -> Sheet {
    let (width, radius) = (sheet.width, plan.radius as usize);
    sheet.px.par_chunks_mut(width).for_each_init(
        || vec![[0.0; 4]; width + 2 * radius],
        |padded: &mut Vec<Px>, row| {
            for (i, px) in padded.iter_mut().enumerate() {
                let from = tap_index(i as i32 - radius as i32, width as i32, edge);
                *px = row[from as usize];
            }
            row.fill([0.0; 4]);
            for (k, &weight) in plan.weights.iter().enumerate() {
                add_scaled(
                    row.as_flattened_mut(),
                    padded[k..k + width].as_flattened(),
                    weight,
                );
            }
        },
    );
    sheet
}

fn filter_columns(sheet: &Sheet, plan: &BlurPlan, edge: Edge) -> Sheet {
    let mut out = Sheet::filled(sheet.width, sheet.height, [0.0; 4]);
    let rows = out.px.par_chunks_mut(sheet.width).enumerate();
    rows.for_each(|(y, row)| {
        for (k, &weight) in plan.weights.iter().enumerate() {
            let from = y as i32 + k as i32 - plan.radius as i32;
            let from = tap_index(from, sheet.height as i32, edge) as usize;
            add_scaled(
                row.as_flattened_mut(),
                sheet.row(from).as_flattened(),
                weight,
            );
        }
    });
    out
}

/// Enlarges bilinearly, pixel centers aligned: column `x` lies at `(x + 0.5)/2^n - 0.5` of the small sheet.
fn enlarge(
    small: &Sheet,
    (at, [width, height]): ([usize; 2], [usize; 2]),
    n_halvings: u32,
) -> Sheet {
    let shrink = 0.5f32.powi(n_halvings as i32);
    let place = |i: usize, n: usize| {
        let at = (i as f32 + 0.5) * shrink - 0.5;
        let low = at.floor();
        let inside = |i: f32| within(i, 0.0, n.saturating_sub(1) as f32) as usize;
        (inside(low), inside(low + 1.0), at - low)
    };
    let columns: Vec<_> = (at[0]..at[0] + width)
        .map(|x| place(x, small.width))
        .collect();
    let mut out = Sheet::filled(width, height, [0.0; 4]);
    out.px.par_chunks_mut(width).enumerate().for_each_init(
        || vec![[0.0; 4]; small.width],
        |mixed: &mut Vec<Px>, (y, row)| {
            let (top, bottom, f) = place(at[1] + y, small.height);
            mixed.fill([0.0; 4]);
            add_scaled(
                mixed.as_flattened_mut(),
                small.row(top).as_flattened(),
                1.0 - f,
            );
            add_scaled(
                mixed.as_flattened_mut(),
                small.row(bottom).as_flattened(),
                f,
            );
            for (px, &(l, r, f)) in row.iter_mut().zip(&columns) {
                let (l, r) = (mixed[l], mixed[r]);
                *px = std::array::from_fn(|c| l[c] + (r[c] - l[c]) * f);
            }
        },
    );
    out
}

#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_scaled(to: &mut [f32], from: &[f32], weight: f32) {
    fused!(add_scaled_in(to, from, weight))
}

#[inline(always)]
fn add_scaled_in<const FMA: bool>(to: &mut [f32], from: &[f32], weight: f32) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = madd::<FMA>(from, weight, *to);
    }
}
