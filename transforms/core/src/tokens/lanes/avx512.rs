//! For processors with AVX-512.

use super::{Avx2, Lanes, WIDTH};
use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm256_cmpge_epu32_mask, _mm256_set1_epi32, _mm512_add_epi32, _mm512_and_si512,
    _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_cvtepu8_epi32, _mm512_maskz_compress_epi8, _mm512_min_epi32,
    _mm512_movepi8_mask, _mm512_or_si512, _mm512_reduce_min_epi32, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_sub_epi8,
};

/// For processors with AVX-512 as of 2019: a block is one register, and comparing it gives the mask.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

#[expect(unsafe_code, reason = "the intrinsics ask for a processor that has AVX-512")]
impl Avx512 {
    /// Whether the processor has AVX-512, with what came with it by 2019.
    pub(crate) fn is_here() -> bool {
        Avx2::is_here()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    #[inline(always)]
    fn all(byte: u8) -> __m512i {
        // SAFETY: lanes of this kind are used only after `is_here`; so in all that follows.
        unsafe { _mm512_set1_epi8(byte.cast_signed()) }
    }
}

/// The number of each byte.
const NUMBERS: [u8; WIDTH] = {
    let (mut numbers, mut number) = ([0; WIDTH], 0);
    while number < WIDTH {
        numbers[number] = number as u8;
        number += 1;
    }
    numbers
};

#[expect(unsafe_code, reason = "the intrinsics ask for a processor that has AVX-512")]
impl Lanes for Avx512 {
    #[inline(always)]
    fn load(bytes: &[u8; WIDTH]) -> Avx512 {
        // SAFETY: both are 64 bytes, of which any are valid.
        Avx512(unsafe { std::mem::transmute::<[u8; WIDTH], __m512i>(*bytes) })
    }

    #[inline(always)]
    fn and(self, bits: u8) -> Avx512 {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_and_si512(self.0, Avx512::all(bits)) })
    }

    #[inline(always)]
    fn or(self, bits: u8) -> Avx512 {
        // SAFETY: as above.
        Avx512(unsafe { _mm512_or_si512(self.0, Avx512::all(bits)) })
    }

    #[inline(always)]
    fn equal(self, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, Avx512::all(byte)) }
    }

    #[inline(always)]
    fn within(self, first: u8, last: u8) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_cmple_epu8_mask(_mm512_sub_epi8(self.0, Avx512::all(first)), Avx512::all(last - first)) }
    }

    #[inline(always)]
    fn foreign(self) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn at_least(numbers: &[u32; 8], least: u32) -> u8 {
        // SAFETY: as above; both are 32 bytes, of which any are valid.
        unsafe {
            let numbers = std::mem::transmute::<[u32; 8], __m256i>(*numbers);
            _mm256_cmpge_epu32_mask(numbers, _mm256_set1_epi32(least.cast_signed()))
        }
    }

    #[inline(always)]
    fn write_places(bits: u64, first: u32, places: &mut [u32; WIDTH]) {
        // SAFETY: as above; what is turned into each other has the same size, and any bytes are valid.
        unsafe {
            let numbers = std::mem::transmute::<[u8; WIDTH], __m512i>(NUMBERS);
            // In a register and then stored: compressing into memory is slow on AMD's processors.
            let set = _mm512_maskz_compress_epi8(bits, numbers);
            let [a, b, c, d] = std::mem::transmute::<__m512i, [__m128i; 4]>(set);
            let first = _mm512_set1_epi32(first.cast_signed());
            *places = std::mem::transmute::<[__m512i; 4], [u32; WIDTH]>([
                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(a)),
                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(b)),
                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(c)),
                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(d)),
            ]);
        }
    }

    #[inline(always)]
    fn least(numbers: &[i32; WIDTH]) -> i32 {
        // SAFETY: as above; both are 256 bytes, of which any are valid.
        unsafe {
            let [a, b, c, d] = std::mem::transmute::<[i32; WIDTH], [__m512i; 4]>(*numbers);
            _mm512_reduce_min_epi32(_mm512_min_epi32(_mm512_min_epi32(a, b), _mm512_min_epi32(c, d)))
        }
    }
}
