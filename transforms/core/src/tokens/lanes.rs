//! Sixty-four bytes compared at once, a bit for each in the result.

use wide::{i32x8, u8x16, u32x8};

#[cfg(target_arch = "x86_64")]
use std::arch::{
    asm,
    x86_64::{
        __m256i, _mm_cvtsi128_si32, _mm_min_epi32, _mm_shuffle_epi32, _mm256_and_si256, _mm256_castsi256_ps,
        _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi32, _mm256_extracti128_si256, _mm256_max_epu32,
        _mm256_min_epi32, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256, _mm256_set1_epi8,
        _mm256_set1_epi32, _mm256_sub_epi8,
    },
};

/// Bytes in a block.
pub(super) const WIDTH: usize = 64;

/// A block of bytes as the processor compares them.
pub(super) trait Lanes: Copy {
    fn load(bytes: &[u8; WIDTH]) -> Self;

    /// Each byte with these bits of it alone.
    fn and(self, bits: u8) -> Self;

    /// Each byte with these bits added.
    fn or(self, bits: u8) -> Self;

    /// The bytes that are `byte`.
    fn equal(self, byte: u8) -> u64;

    /// The bytes from `first` to `last`.
    fn within(self, first: u8, last: u8) -> u64;

    /// The bytes that are no ASCII.
    fn foreign(self) -> u64;

    /// A bit for each of eight numbers that is at least `least`.
    fn at_least(numbers: &[u32; 8], least: u32) -> u8;

    /// The least of so many numbers.
    fn least(numbers: &[i32; WIDTH]) -> i32;

    /// The bytes that have all these bits.
    #[inline(always)]
    fn with(self, bits: u8) -> u64 {
        self.and(bits).equal(bits)
    }
}

/// For every processor: SSE2, NEON or plain code.
#[derive(Clone, Copy)]
pub(super) struct Portable([u8x16; 4]);

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

/// For processors with AVX2: half the instructions.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Avx2([__m256i; 2]);

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the intrinsics ask for a processor that has AVX2")]
impl Avx2 {
    /// Whether the processor has AVX2, and what all that have it have besides.
    pub(super) fn is_here() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    #[inline(always)]
    fn all(byte: u8) -> __m256i {
        // SAFETY: lanes of this kind are used only after `is_here`; so in all that follows.
        unsafe { _mm256_set1_epi8(byte.cast_signed()) }
    }

    #[inline(always)]
    fn top_bits(low: __m256i, high: __m256i) -> u64 {
        // SAFETY: as above.
        let [low, high] = unsafe { [_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)] };
        let mut bits = u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32;
        // Or LLVM would compute with vectors of single bits, which it takes 200 instructions to put together.
        // SAFETY: it is no instruction at all.
        unsafe { asm!("/* {0} */", inout(reg) bits, options(pure, nomem, nostack, preserves_flags)) };
        bits
    }
}

// No closure and no `map` here: what they call would not be compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the intrinsics ask for a processor that has AVX2")]
impl Lanes for Avx2 {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Avx2 {
        // SAFETY: both are 64 bytes, of which any are valid.
        Avx2(unsafe { std::mem::transmute::<[u8; WIDTH], [__m256i; 2]>(*bytes) })
    }

    #[inline(always)]
    fn and(self, bits: u8) -> Avx2 {
        let (Avx2([low, high]), bits) = (self, Avx2::all(bits));
        // SAFETY: as above.
        Avx2(unsafe { [_mm256_and_si256(low, bits), _mm256_and_si256(high, bits)] })
    }

    #[inline(always)]
    fn or(self, bits: u8) -> Avx2 {
        let (Avx2([low, high]), bits) = (self, Avx2::all(bits));
        // SAFETY: as above.
        Avx2(unsafe { [_mm256_or_si256(low, bits), _mm256_or_si256(high, bits)] })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        let (Avx2([low, high]), byte) = (self, Avx2::all(byte));
        // SAFETY: as above.
        unsafe { Avx2::top_bits(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)) }
    }

    #[inline(always)]
    fn within(self, first: u8, last: u8) -> u64 {
        let (Avx2([low, high]), first, span) = (self, Avx2::all(first), Avx2::all(last - first));
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm256_sub_epi8(low, first), _mm256_sub_epi8(high, first));
            let (least_low, least_high) = (_mm256_min_epu8(low, span), _mm256_min_epu8(high, span));
            Avx2::top_bits(_mm256_cmpeq_epi8(low, least_low), _mm256_cmpeq_epi8(high, least_high))
        }
    }

    #[inline(always)]
    fn foreign(self) -> u64 {
        let Avx2([low, high]) = self;
        Avx2::top_bits(low, high)
    }

    #[inline(always)]
    fn at_least(numbers: &[u32; 8], least: u32) -> u8 {
        // SAFETY: as above; both are 32 bytes, of which any are valid.
        unsafe {
            let numbers = std::mem::transmute::<[u32; 8], __m256i>(*numbers);
            let larger = _mm256_max_epu32(numbers, _mm256_set1_epi32(least.cast_signed()));
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(larger, numbers))) as u8
        }
    }

    #[inline(always)]
    fn least(numbers: &[i32; WIDTH]) -> i32 {
        // SAFETY: as above; both are 256 bytes, of which any are valid.
        unsafe {
            let [mut least, others @ ..] = std::mem::transmute::<[i32; WIDTH], [__m256i; 8]>(*numbers);
            for other in others {
                least = _mm256_min_epi32(least, other);
            }
            let least = _mm_min_epi32(_mm256_castsi256_si128(least), _mm256_extracti128_si256::<1>(least));
            let least = _mm_min_epi32(least, _mm_shuffle_epi32::<0b_11_10_11_10>(least));
            _mm_cvtsi128_si32(_mm_min_epi32(least, _mm_shuffle_epi32::<0b_01_01_01_01>(least)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masks<L: Lanes>(bytes: &[u8; WIDTH], [first, last]: [u8; 2]) -> [u64; 5] {
        let lanes = L::load(bytes);
        [
            lanes.equal(first),
            lanes.within(first, last),
            lanes.foreign(),
            lanes.and(first).equal(last),
            lanes.or(first).equal(last),
        ]
    }

    proptest! {
        #[test]
        fn lanes_tell_which_numbers_are_at_least_so_much(numbers in any::<[u32; 8]>(), place in 0_usize..8, more in 0_u32..2) {
            let least = numbers[place].saturating_add(more);
            let expected = (0..8).filter(|&i| numbers[i] >= least).fold(0, |bits, i| bits | 1 << i);
            prop_assert_eq!(Portable::at_least(&numbers, least), expected);
            #[cfg(target_arch = "x86_64")]
            if Avx2::is_here() {
                prop_assert_eq!(Avx2::at_least(&numbers, least), expected);
            }
        }

        #[test]
        fn lanes_tell_the_least(numbers in any::<[i32; WIDTH]>()) {
            let expected = numbers.into_iter().min().unwrap();
            prop_assert_eq!(Portable::least(&numbers), expected);
            #[cfg(target_arch = "x86_64")]
            if Avx2::is_here() {
                prop_assert_eq!(Avx2::least(&numbers), expected);
            }
        }

        #[test]
        fn lanes_tell_what_bytes_tell(bytes in any::<[u8; 64]>(), [one, other] in any::<[u8; 2]>()) {
            let range = [one.min(other), one.max(other)];
            let [first, last] = range;
            let mask = |f: &dyn Fn(u8) -> bool| bytes.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(f(byte)));
            let expected = [
                mask(&|byte| byte == first),
                mask(&|byte| (first..=last).contains(&byte)),
                mask(&|byte| !byte.is_ascii()),
                mask(&|byte| byte & first == last),
                mask(&|byte| byte | first == last),
            ];
            prop_assert_eq!(masks::<Portable>(&bytes, range), expected);
            #[cfg(target_arch = "x86_64")]
            if Avx2::is_here() {
                prop_assert_eq!(masks::<Avx2>(&bytes, range), expected);
            }
        }
    }
}
