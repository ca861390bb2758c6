//! Page headers of data directories that are made here: good ones, and all kinds of broken ones.

// Helpers may fail the test as tests may.
#![allow(clippy::unwrap_used)]

use innosim_recordings::pages::{ReadPages, SpaceKind, read_pages};
use innosim_spectrum::PageClass;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const INDEX: u16 = 17_855;
const UNDO: u16 = 2;
const FIRST: u16 = 8;

/// The header of a page, in a page of `bytes`.
fn page(bytes: usize, number: u32, lsn: u64, kind: u16, space: u32) -> Vec<u8> {
    let mut page = vec![0; bytes];
    page[0..4].copy_from_slice(&0xdead_beef_u32.to_be_bytes());
    page[4..8].copy_from_slice(&number.to_be_bytes());
    page[16..24].copy_from_slice(&lsn.to_be_bytes());
    page[24..26].copy_from_slice(&kind.to_be_bytes());
    page[34..38].copy_from_slice(&space.to_be_bytes());
    page
}

/// A tablespace whose pages after the first have these numbers.
fn tablespace(bytes: usize, flags: u32, space: u32, kind: u16, lsns: &[u64]) -> Vec<u8> {
    let mut first = page(bytes, 0, 500, FIRST, space);
    first[38..42].copy_from_slice(&space.to_be_bytes());
    first[54..58].copy_from_slice(&flags.to_be_bytes());
    let mut file = first;
    for (i, lsn) in lsns.iter().enumerate() {
        // A page without any modification was never written.
        let one = if *lsn == 0 { vec![0; bytes] } else { page(bytes, i as u32 + 1, *lsn, kind, space) };
        file.extend(one);
    }
    file
}

/// A redo log of MySQL up to 8.0.29 whose last checkpoint is at `lsn`.
fn redo(lsn: u64) -> Vec<u8> {
    let mut log = vec![0; 4096];
    log[520..528].copy_from_slice(&(lsn - 10).to_be_bytes());
    log[1544..1552].copy_from_slice(&lsn.to_be_bytes());
    log
}

fn data_directory() -> TempDir {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("shop")).unwrap();
    fs::write(at("ibdata1"), tablespace(16_384, 0, 0, UNDO, &[9_000, 9_900])).unwrap();
    fs::write(at("shop/orders.ibd"), tablespace(16_384, 0x21, 5, INDEX, &[1_000, 5_000, 9_999, 0, 0])).unwrap();
    fs::write(at("shop/packed.ibd"), tablespace(8_192, 0x29, 6, INDEX, &[2_000, 9_000])).unwrap();
    fs::write(at("shop/secret.ibd"), tablespace(16_384, 0x2021, 7, 15, &[3_000])).unwrap();
    fs::write(at("ib_logfile0"), redo(10_000)).unwrap();
    fs::write(at("ibtmp1"), tablespace(16_384, 0, 8, INDEX, &[9_999_999])).unwrap();
    fs::write(at("shop/orders.frm"), b"not a tablespace").unwrap();
    dir
}

fn read(path: &Path) -> Result<innosim_recordings::pages::Pages, String> {
    read_pages(path, ReadPages::default()).map_err(|error| error.to_string())
}

#[test]
fn a_data_directory_is_counted_by_age_and_kind() {
    let dir = data_directory();
    let pages = read(dir.path()).unwrap();
    assert_eq!((pages.ages.lsn, pages.ages.lsn_is_known), (10_000, true), "{}", pages.lsn_from);
    assert!(pages.lsn_from.contains("ib_logfile0"), "{}", pages.lsn_from);
    assert_eq!(pages.ages.unused, 2);
    assert_eq!([PageClass::Index, PageClass::Undo].map(|class| pages.ages.pages_of(class)), [5, 2]);
    let kind = |name: &str| pages.files.iter().find(|file| file.path.ends_with(name)).unwrap().kind;
    assert_eq!(kind("orders.ibd"), Some(SpaceKind::Plain));
    assert_eq!(kind("packed.ibd"), Some(SpaceKind::CompressedRows));
    assert_eq!(kind("secret.ibd"), Some(SpaceKind::Encrypted));
    assert_eq!(pages.ages.pages_of_size.get(&8192), Some(&3));
    let younger = |than: u64| {
        let ages = pages.ages.younger();
        ages.iter().take_while(|(age, _)| *age <= than).last().map_or(0, |(_, pages)| *pages)
    };
    assert_eq!([younger(200), younger(2_000)], [2, 4], "9999 and 9900, then two at 9000");
    assert!(pages.remarks.is_empty(), "{:?}", pages.remarks);
}

#[test]
fn a_killed_server_and_a_backup() {
    let dir = data_directory();
    fs::write(dir.path().join("ib_logfile0"), redo(4_000)).unwrap();
    let killed = read(dir.path()).unwrap();
    assert_eq!((killed.ages.lsn, killed.ages.lsn_is_known), (9_999, false));
    assert!(killed.remarks[0].contains("5999 bytes of redo behind"), "{:?}", killed.remarks);
    fs::write(
        dir.path().join("xtrabackup_checkpoints"),
        "backup_type = full-backuped\nto_lsn = 11\nlast_lsn = 12345\n",
    )
    .unwrap();
    let backup = read(dir.path()).unwrap();
    assert_eq!((backup.ages.lsn, backup.lsn_from.as_str()), (12_345, "xtrabackup_checkpoints"));
    let told = read_pages(dir.path(), ReadPages { lsn: Some(20_000), running: false }).unwrap();
    assert_eq!((told.ages.lsn, told.lsn_from.as_str()), (20_000, "as given"));
}

#[test]
fn redo_logs_of_later_versions_tell_too() {
    let dir = data_directory();
    fs::remove_file(dir.path().join("ib_logfile0")).unwrap();
    assert!(!read(dir.path()).unwrap().ages.lsn_is_known);
    fs::create_dir(dir.path().join("#innodb_redo")).unwrap();
    fs::write(dir.path().join("#innodb_redo/#ib_redo7"), redo(13_000)).unwrap();
    assert_eq!(read(dir.path()).unwrap().ages.lsn, 13_000);
    let mut mariadb = vec![0; 12_288];
    mariadb[..4].copy_from_slice(b"Phys");
    mariadb[4096..4104].copy_from_slice(&14_000_u64.to_be_bytes());
    fs::write(dir.path().join("ib_logfile0"), mariadb).unwrap();
    assert_eq!(read(dir.path()).unwrap().ages.lsn, 14_000);
}

#[test]
fn the_system_tablespace_goes_over_several_files() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("ibdata1"), tablespace(16_384, 0, 0, UNDO, &[100, 200])).unwrap();
    let second: Vec<u8> = [page(16_384, 3, 300, INDEX, 0), page(16_384, 4, 400, INDEX, 0)].concat();
    fs::write(dir.path().join("ibdata2"), second).unwrap();
    let pages = read(dir.path()).unwrap();
    assert_eq!((pages.ages.pages(), pages.ages.pages_of(PageClass::Index)), (5, 2), "{:?}", pages.files);
}

#[test]
fn copies_in_the_doublewrite_buffer_are_no_pages() {
    let dir = data_directory();
    let mut system = tablespace(16_384, 0, 0, UNDO, &[100; 130]);
    for number in 64..128 {
        system[number * 16_384..][..16_384].copy_from_slice(&page(16_384, 3, 9_000, INDEX, 5));
    }
    fs::write(dir.path().join("ibdata1"), system).unwrap();
    let pages = read(dir.path()).unwrap();
    assert_eq!(pages.ages.left_out.get("copies in the doublewrite buffer"), Some(&64));
    assert!(pages.files.iter().all(|file| file.remark.is_none()), "{:?}", pages.files);
}

#[test]
fn what_is_broken_is_said_and_left_out() {
    let dir = data_directory();
    let at = |name: &str| dir.path().join("shop").join(name);
    let whole = tablespace(16_384, 0x21, 9, INDEX, &[7_000, 8_000]);
    fs::write(at("cut.ibd"), &whole[..whole.len() - 100]).unwrap();
    fs::write(at("empty.ibd"), b"").unwrap();
    fs::write(at("zeros.ibd"), vec![0; 65_536]).unwrap();
    fs::write(at("noise.ibd"), (0..50_000_u32).map(|i| ((i * 7919) >> 3) as u8).collect::<Vec<u8>>()).unwrap();
    fs::write(at("odd.ibd"), tablespace(16_384, 0x3c1, 10, INDEX, &[1])).unwrap();
    let mut moved = tablespace(16_384, 0x21, 11, INDEX, &[7_000, 8_000]);
    moved[16_384 + 7] = 77;
    fs::write(at("moved.ibd"), moved).unwrap();
    let mut later = tablespace(16_384, 0x21, 12, INDEX, &[7_000]);
    later[16_384 + 16] = 0xff;
    fs::write(at("later.ibd"), later).unwrap();
    let pages = read(dir.path()).unwrap();
    let remark = |name: &str| {
        let file = pages.files.iter().find(|file| file.path.ends_with(name)).unwrap();
        file.remark.clone().unwrap_or_default()
    };
    let remarks = ["cut.ibd", "empty.ibd", "zeros.ibd", "noise.ibd", "odd.ibd", "moved.ibd"].map(remark).join("\n");
    insta::assert_snapshot!(remarks, @r"
    shop/cut.ibd: cut off within a page, 16284 bytes are left out
    shop/empty.ibd: is too short to be a tablespace
    shop/zeros.ibd: begins with zeros: it was made and never written, or is not whole
    shop/noise.ibd: does not begin with a tablespace's first page (its type is 52650)
    shop/odd.ibd: has flags 0x3c1, of which no page size follows
    shop/moved.ibd: 1 pages that say they are others are left out
    ");
    assert_eq!(pages.ages.left_out.values().sum::<u64>(), 2, "{:?}", pages.ages.left_out);
    assert_eq!(pages.ages.lsn, 10_000, "no impossible number counts");
}

#[test]
fn folders_without_pages_are_refused() {
    let dir = TempDir::new().unwrap();
    let error = read(dir.path()).unwrap_err();
    assert!(error.contains("no data file of InnoDB") && error.contains("@@datadir"), "{error}");
    fs::write(dir.path().join("orders.ibd.qp"), b"x").unwrap();
    assert!(read(dir.path()).unwrap_err().contains("unpack it first"));
    fs::write(dir.path().join("t.ibd"), b"x").unwrap();
    assert!(read(dir.path()).unwrap_err().contains("no page could be read: t.ibd: is too short"));
    assert!(read(&dir.path().join("t.ibd")).unwrap_err().contains("is a file"));
    assert!(read(&dir.path().join("nowhere")).unwrap_err().contains("can't be read"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let dir = data_directory();
    std::os::unix::fs::symlink(dir.path(), dir.path().join("loop")).unwrap();
    std::os::unix::fs::symlink(dir.path().join("shop/orders.ibd"), dir.path().join("shop/same.ibd")).unwrap();
    std::os::unix::fs::symlink("/nowhere", dir.path().join("shop/gone.ibd")).unwrap();
    let pages = read(dir.path()).unwrap();
    assert_eq!(pages.ages.pages(), read(data_directory().path()).unwrap().ages.pages());
    assert!(pages.remarks[0].contains("3 left out"), "{:?}", pages.remarks);
    // The folder itself may be one.
    let outside = TempDir::new().unwrap();
    std::os::unix::fs::symlink(dir.path(), outside.path().join("data")).unwrap();
    assert!(read(&outside.path().join("data")).is_ok());
}

/// Changes of a file: a byte, a cut, a piece moved.
fn mutated(mut file: Vec<u8>, changes: &[(u8, usize, u8)]) -> Vec<u8> {
    for &(what, at, value) in changes {
        // The headers are where a reader can stumble.
        let at = if what % 2 == 0 { at % 128 + at / 128 % 4 * 16_384 } else { at } % file.len().max(1);
        match what % 5 {
            0 | 1 if at < file.len() => file[at] = value,
            2 => file.truncate(at),
            3 => drop(file.splice(at..at, vec![value; usize::from(value)])),
            _ => drop(file.drain(at..(at + usize::from(value) * 100).min(file.len()))),
        }
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever a file holds, its pages are counted or left out, and nothing else happens.
    #[test]
    fn no_file_makes_the_reader_fail(
        changes in proptest::collection::vec((any::<u8>(), 0_usize..70_000, any::<u8>()), 1..8),
        flags in prop_oneof![Just(0x21_u32), Just(0x15), Just(0x29), any::<u32>()],
    ) {
        let dir = TempDir::new().unwrap();
        let file = tablespace(16_384, flags, 5, INDEX, &[1_000, 2_000, 0]);
        let file = mutated(file, &changes);
        fs::write(dir.path().join("t.ibd"), &file).unwrap();
        fs::write(dir.path().join("ibdata1"), mutated(tablespace(16_384, 0, 0, UNDO, &[10]), &changes[..1])).unwrap();
        fs::write(dir.path().join("ib_logfile0"), mutated(redo(3_000), &changes)).unwrap();
        match read(dir.path()) {
            Ok(pages) => {
                let counted = pages.ages.pages() + pages.ages.unused + pages.ages.left_out.values().sum::<u64>();
                prop_assert_eq!(counted, pages.files.iter().map(|file| file.pages).sum::<u64>());
                let again = innosim_spectrum::PageAges::from_json(&pages.ages.to_json());
                prop_assert_eq!(again.unwrap(), pages.ages);
            }
            Err(why) => prop_assert!(why.contains("= help:"), "{}", why),
        }
    }
}
