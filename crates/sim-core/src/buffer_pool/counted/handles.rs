//! Handles of counted pages: 32 bits that name a bin and an instance; the others are a number that tells pages in flight
//! apart, and says in which of the files of its bin the page lies.
//!
//! Simplification: where in that file and its instance a page lies follows from the whole handle, so each time it is another
//! extent.

/// Bit of all handles of counted pages.
const COUNTED: u32 = 1 << 31;
/// Bits of a handle below that of the bin: the instance, then a number.
const INSTANCE_BITS: u32 = 6;
const SERIAL_BITS: u32 = 14;
const SERIAL_MASK: u32 = (1 << SERIAL_BITS) - 1;
const BIN_SHIFT: u32 = SERIAL_BITS + INSTANCE_BITS;
/// Most instances, as a handle has room for.
pub(crate) const MOST_INSTANCES: u32 = 1 << INSTANCE_BITS;

/// Whether a page handle stands for a counted page.
#[inline]
pub(crate) fn is_counted(page: u32) -> bool {
    page & COUNTED != 0
}

/// The bin of a counted page.
#[inline]
pub(crate) fn bin_of(page: u32) -> u16 {
    ((page & !COUNTED) >> BIN_SHIFT) as u16
}

/// The instance of a counted page.
#[inline]
pub(in crate::buffer_pool) fn instance_of(page: u32) -> usize {
    (page >> SERIAL_BITS & (MOST_INSTANCES - 1)) as usize
}

/// Where a counted page lies in its instance: 32 bits that are as good as random, each handle's own (the finalizer of
/// MurmurHash3, public domain).
#[inline]
pub(in crate::buffer_pool) fn place_of(page: u32) -> u32 {
    let mut place = page ^ page >> 16;
    place = place.wrapping_mul(0x85eb_ca6b);
    place ^= place >> 13;
    place = place.wrapping_mul(0xc2b2_ae35);
    place ^ place >> 16
}

/// Which of the `files` of its bin a counted page lies in.
#[inline]
pub(in crate::buffer_pool) fn file_of(page: u32, files: usize) -> usize {
    (page & SERIAL_MASK) as usize % files.max(1)
}

/// The number of a page in one of `files`: another for each `serial`, as long as there are any.
#[inline]
pub(super) fn number(serial: u32, file: usize, files: usize) -> u32 {
    let files = files.clamp(1, 1 << SERIAL_BITS) as u32;
    let rounds = (1 << SERIAL_BITS) / files;
    serial % rounds * files + file as u32 % files
}

/// A file of so many for each serial number, as good as random.
#[inline]
pub(super) fn any_file(serial: u32, files: usize) -> usize {
    place_of(serial) as usize % files.max(1)
}

/// The handle of a page of a bin in an instance.
#[inline]
pub(in crate::buffer_pool) fn handle(bin: u16, instance: usize, serial: u32) -> u32 {
    COUNTED | u32::from(bin) << BIN_SHIFT | (instance as u32) << SERIAL_BITS | (serial & SERIAL_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 11 bits of bin, 6 of instance, 14 of number, of which later ones begin anew.
    #[test]
    fn a_handle_is_what_it_was_made_of() {
        for (bin, instance, serial) in [(0, 0, 0), (1, 2, 3), (2_047, 63, 16_383), (2_047, 0, 16_384), (0, 63, 1 << 20)]
        {
            let page = handle(bin, instance, serial);
            assert_eq!((is_counted(page), bin_of(page), instance_of(page)), (true, bin, instance));
            assert_eq!(page & 16_383, serial % 16_384);
        }
        assert_eq!([0, 1, (1 << 31) - 1].map(is_counted), [false; 3]);
    }

    /// Numbers of a file are its own, and as many as there is room for come before one is used again.
    #[test]
    fn a_number_says_which_file_it_is() {
        for (files, rounds) in [(1, 16_384), (3, 5_461), (10, 1_638), (16_384, 1)] {
            for file in [0, files / 2, files - 1] {
                let numbers: Vec<u32> = (0..rounds).map(|serial| number(serial, file, files)).collect();
                assert!(numbers.iter().all(|&number| number < 16_384 && file_of(handle(5, 7, number), files) == file));
                assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{files} files");
                assert_eq!(number(rounds, file, files), numbers[0]);
            }
        }
        assert_eq!((number(3, 0, 0), file_of(handle(0, 0, 9), 0)), (3, 0), "pages of no file");
        assert!(number(3, 19_999, 20_000) < 16_384, "more files than numbers");
    }

    #[test]
    fn any_file_is_one_as_often_as_another() {
        let mut met = [0; 10];
        (0..10_000).for_each(|serial| met[any_file(serial, 10)] += 1);
        assert!(met.iter().all(|times| (900..1_100).contains(times)), "{met:?}");
    }

    /// What the finalizer of MurmurHash3 makes of these.
    #[test]
    fn places_are_those_of_the_published_function() {
        assert_eq!([0, 1, u32::MAX].map(place_of), [0, 0x514e_28b7, 0x81f1_6f39]);
    }
}
