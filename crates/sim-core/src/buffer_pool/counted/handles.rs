//! Handles of counted pages: 32 bits that name a bin and an instance; the others are a number that tells pages in flight
//! apart.
//!
//! Simplification: where in its instance a page lies follows from that number, so each time it is another extent.

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

    /// What the finalizer of MurmurHash3 makes of these.
    #[test]
    fn places_are_those_of_the_published_function() {
        assert_eq!([0, 1, u32::MAX].map(place_of), [0, 0x514e_28b7, 0x81f1_6f39]);
    }
}
