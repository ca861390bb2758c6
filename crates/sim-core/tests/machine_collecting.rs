//! Collecting pages at its thresholds: short runs on either side of a limit.

mod common;

use common::*;
use innosim_core::config::FlushNeighbors;

/// Neighbours that two seconds of flushing took along, with so many pages in use.
fn neighbors(pages: u64, mode: FlushNeighbors) -> u64 {
    let mut server = TestServer::new(10_000);
    server.flushing = Flushing::PagesPerSecond(1_000.0);
    server.config.flush_neighbors = mode;
    let spec = spec(2, pages, 4, fixed(500.0), vec![touch(1, true, 50.0)], closed(1));
    let out = run(&server, &spec);
    assert!(out.series.iter().all(|s| s.pages_flushed > 300), "{:?}", out.series);
    out.series.iter().map(|s| s.neighbor_pages).sum()
}

/// From 512 pages in use on (`innodb-5.5` section 5.3), where the setting says so.
#[test]
fn neighbors_go_along_from_512_pages_in_use_on() {
    assert_eq!(neighbors(511, FlushNeighbors::Area), 0);
    let [area, contiguous] = [FlushNeighbors::Area, FlushNeighbors::Contiguous].map(|mode| neighbors(512, mode));
    assert!(area > contiguous && contiguous > 0, "{area} in the area, {contiguous} beside each other");
    assert_eq!(neighbors(1_000, FlushNeighbors::None), 0);
}
