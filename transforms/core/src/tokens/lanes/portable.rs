//! For every processor.

use super::{Lanes, WIDTH};
use wide::{i32x8, u8x16, u32x8};

/// For every processor: SSE2, NEON or plain code.
#[derive(Clone, Copy)]
pub(crate) struct Portable([u8x16; 4]);

impl Portable {
    #[inline(always)]
    fn mask(self, f: impl Fn(u8x16) -> u8x16) -> u64 {
        let [a, b, c, d] = self.0.map(|lane| u64::from(f(lane).to_bitmask()));
        a | b << 16 | c << 32 | d << 48
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Portable {
        let (lanes, _) = bytes.as_chunks();
        Portable(std::array::from_fn(|lane| u8x16::new(lanes[lane])))
    }

    #[inline(always)]
    fn and(self, bits: u8) -> Portable {
        Portable(self.0.map(|lane| lane & u8x16::splat(bits)))
    }

    #[inline(always)]
    fn or(self, bits: u8) -> Portable {
        Portable(self.0.map(|lane| lane | u8x16::splat(bits)))
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        self.mask(|lane| lane.simd_eq(u8x16::splat(byte)))
    }

    #[inline(always)]
    fn within(self, first: u8, last: u8) -> u64 {
        self.mask(|lane| {
            let offset = lane - u8x16::splat(first);
            offset.min(u8x16::splat(last - first)).simd_eq(offset)
        })
    }

    #[inline(always)]
    fn foreign(self) -> u64 {
        self.mask(|lane| lane)
    }

    #[inline(always)]
    fn at_least(numbers: &[u32; 8], least: u32) -> u8 {
        let numbers = u32x8::new(*numbers);
        numbers.max(u32x8::splat(least)).simd_eq(numbers).to_bitmask() as u8
    }

    #[inline(always)]
    fn least(numbers: &[i32; WIDTH]) -> i32 {
        let lanes = numbers.as_chunks().0.iter().map(|&lanes| i32x8::new(lanes));
        lanes.fold(i32x8::splat(i32::MAX), i32x8::min).to_array().into_iter().fold(i32::MAX, i32::min)
    }
}
