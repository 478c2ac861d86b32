//! Sixty-four bytes compared at once, a bit for each in the result.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
pub(super) use portable::Portable;

/// Bytes in a block.
pub(super) const WIDTH: usize = 64;

/// By the bits of a byte: the numbers of those that are set, in order, and then zeros.
pub(super) static SET_BITS: [[u16; 8]; 256] = {
    let mut set_bits = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                set_bits[byte][found] = bit;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    set_bits
};

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

    /// Writes `first` plus the number of each set bit of `bits`, in order, and then anything.
    #[inline(always)]
    fn write_places(bits: u64, first: u32, places: &mut [u32; WIDTH]) {
        let mut place = 0;
        for from in (0..WIDTH).step_by(8) {
            let byte = (bits >> from) as u8;
            let Some(eight) = places.get_mut(place..).and_then(|rest| rest.first_chunk_mut()) else { break };
            *eight = SET_BITS[usize::from(byte)].map(|bit| first + from as u32 + u32::from(bit));
            place += byte.count_ones() as usize;
        }
    }

    /// The least of so many numbers.
    fn least(numbers: &[i32; WIDTH]) -> i32;

    /// The bytes that have all these bits.
    #[inline(always)]
    fn with(self, bits: u8) -> u64 {
        self.and(bits).equal(bits)
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

    fn places<L: Lanes>(bits: u64, first: u32) -> Vec<u32> {
        let mut places = [0; WIDTH];
        L::write_places(bits, first, &mut places);
        places[..bits.count_ones() as usize].to_vec()
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
            #[cfg(target_arch = "x86_64")]
            if Avx512::is_here() {
                prop_assert_eq!(Avx512::at_least(&numbers, least), expected);
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
            #[cfg(target_arch = "x86_64")]
            if Avx512::is_here() {
                prop_assert_eq!(Avx512::least(&numbers), expected);
            }
        }

        #[test]
        fn lanes_write_the_places_of_bits(bits in any::<u64>(), first in 0..u32::MAX - 64) {
            let expected: Vec<_> = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| first + bit).collect();
            prop_assert_eq!(places::<Portable>(bits, first), expected.clone());
            #[cfg(target_arch = "x86_64")]
            if Avx512::is_here() {
                prop_assert_eq!(places::<Avx512>(bits, first), expected);
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
            #[cfg(target_arch = "x86_64")]
            if Avx512::is_here() {
                prop_assert_eq!(masks::<Avx512>(&bytes, range), expected);
            }
        }
    }
}
