//! Which buffer pool instance a page lives in. Extents of 64 pages stay together (spec 8.0.21 and 8.0.30, section 0).

/// Before 8.0.30: a 32-bit sum that wraps.
pub fn buf_pool_get_8021(space_id: u32, page_no: u32, instances: u32) -> u32 {
    let sum = (space_id << 20).wrapping_add(space_id).wrapping_add(page_no >> 6);
    sum % instances
}

/// From 8.0.30: a 64-bit sum, mixed with a constant.
pub fn buf_pool_get_8030(space_id: u32, page_no: u32, instances: u32) -> u32 {
    let space = u64::from(space_id);
    let fold = ((space << 20) + space + u64::from(page_no >> 6)) ^ 1_653_893_711;
    (fold % u64::from(instances)) as u32
}
