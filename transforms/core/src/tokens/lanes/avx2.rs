//! For processors with AVX2.

use super::{Lanes, WIDTH};
use std::arch::{
    asm,
    x86_64::{
        __m256i, _mm_cvtsi128_si32, _mm_min_epi32, _mm_shuffle_epi32, _mm256_and_si256, _mm256_castsi256_ps,
        _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi32, _mm256_extracti128_si256, _mm256_max_epu32,
        _mm256_min_epi32, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256, _mm256_set1_epi8,
        _mm256_set1_epi32, _mm256_sub_epi8,
    },
};

/// For processors with AVX2: half the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Avx2([__m256i; 2]);

#[expect(unsafe_code, reason = "the intrinsics ask for a processor that has AVX2")]
impl Avx2 {
    /// Whether the processor has AVX2, and what all that have it have besides.
    pub(crate) fn is_here() -> bool {
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
