//! A matrix and its bias.

use candle_core::quantized::QMatMul;
use candle_core::{Module, Result, Tensor};

use super::Weights;
use crate::error::LocalError;

/// A layer that multiplies and adds.
pub(crate) struct Linear {
    weight: QMatMul,
    bias: Option<Tensor>,
}

impl Linear {
    /// Loads `NAME.weight` of `(rows, columns)`, and `NAME.bias` if asked for.
    pub(crate) fn load(
        weights: &dyn Weights,
        name: &str,
        (rows, columns): (usize, usize),
        has_bias: bool,
    ) -> std::result::Result<Self, LocalError> {
        let bias = has_bias.then(|| weights.tensor(&format!("{name}.bias"), &[rows]));
        Ok(Self {
            weight: weights.matrix(&format!("{name}.weight"), (rows, columns))?,
            bias: bias.transpose()?,
        })
    }

    /// `(positions, columns)` to `(positions, rows)`.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.weight.forward(x)?;
        match &self.bias {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }
}
