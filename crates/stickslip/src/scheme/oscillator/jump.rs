//! Jumps of a support's velocity.

/// Whether a support's velocity that goes from `before` to `after` (m/s) at once jumps: whoever prescribes a continuous
/// one in pieces gives it with rounding errors.
pub(crate) fn is_jump(before: f64, after: f64) -> bool {
    (after - before).abs() > 1e-12 * before.abs().max(after.abs())
}
