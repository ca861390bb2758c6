//! Which buffer pool instance a page lives in; extents of 64 pages stay together (`innodb-5.5` to `innodb-5.7`, section
//! 0).

/// `buf_pool_get`: a 64-bit sum, modulo `instances`.
pub fn buf_pool_get(space_id: u32, page_no: u32, instances: u32) -> u32 {
    let space = u64::from(space_id);
    let sum = (space << 20) + space + u64::from(page_no >> 6);
    (sum % u64::from(instances)) as u32
}
