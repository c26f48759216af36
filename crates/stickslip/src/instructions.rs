//! Picking vector instructions at run time. The only unsafe code of this crate, and why.
//!
//! `#[target_feature]` functions are unsafe to call because a processor without the feature would
//! fault. [`dispatch`] calls one only after the processor itself has said that it has it.
#![allow(unsafe_code)]

/// An instruction set that the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Instructions {
    /// What the target has without asking (SSE2 on x86-64).
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Instructions {
    /// The widest this machine has.
    pub fn best() -> Self {
        [Self::Avx512, Self::Avx2].into_iter().find(|i| i.available()).unwrap_or(Self::Portable)
    }

    /// Whether this machine has them.
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Portable => true,
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }
}

/// Work that vectors can do. Its `run` is `#[inline(always)]`, and so is what it calls, so that all
/// is compiled with the features of the place it is called from.
pub(crate) trait Kernel {
    /// Does the work.
    fn run(self);
}

/// Runs `kernel`, compiled for `on` if this machine has it.
pub(crate) fn dispatch(on: Instructions, kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    match on {
        // SAFETY: the processor has just been asked whether it has AVX-512F.
        Instructions::Avx512 if on.available() => unsafe { avx512(kernel) },
        // SAFETY: the processor has just been asked whether it has AVX2.
        Instructions::Avx2 if on.available() => unsafe { avx2(kernel) },
        _ => kernel.run(),
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = on;
        kernel.run();
    }
}

/// The same with vectors of 256 bits at the most, for kernels of so much code that a third version is not worth its room.
pub(crate) fn dispatch_narrow(on: Instructions, kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if on != Instructions::Portable && Instructions::Avx2.available() {
        // SAFETY: the processor has just been asked whether it has AVX2.
        return unsafe { avx2(kernel) };
    }
    let _ = on;
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(kernel: impl Kernel) {
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(kernel: impl Kernel) {
    kernel.run();
}
