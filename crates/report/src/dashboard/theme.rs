//! Sizes and colours. The colours of data are those of Okabe and Ito, some darkened for thin lines on white.

use super::canvas::Ink;
use innosim_core::metrics::Regime;

/// Width of the picture, px.
pub(super) const WIDTH: f64 = 1600.0;
/// Left edge of the plots, px.
pub(super) const LEFT: f64 = 104.0;
/// Room for labels at the right of the plots, px.
pub(super) const RIGHT: f64 = 178.0;
/// Margin of header and footer, px.
pub(super) const MARGIN: f64 = 40.0;
/// Height of the header, px.
pub(super) const HEADER_HEIGHT: f64 = 110.0;
/// Height of a panel's title row, px.
pub(super) const TITLE_HEIGHT: f64 = 30.0;
/// Between a panel and the title row of the next, px.
pub(super) const GAP: f64 = 12.0;
/// Height of the time axis under the last panel, px.
pub(super) const AXIS_HEIGHT: f64 = 46.0;
/// Height of the footer, px.
pub(super) const FOOTER_HEIGHT: f64 = 132.0;
/// Size of small text: ticks, labels; px.
pub(super) const SMALL: f64 = 13.5;

/// Background.
pub(super) const PAPER: Ink = Ink::rgb(255, 255, 255);
/// Titles and numbers.
pub(super) const TEXT: Ink = Ink::rgb(23, 32, 42);
/// Units, ticks, remarks.
pub(super) const MUTED: Ink = Ink::rgb(98, 110, 123);
/// Grid.
pub(super) const GRID: Ink = Ink::rgb(228, 232, 236);
/// Base lines and rules.
pub(super) const RULE: Ink = Ink::rgb(170, 178, 186);

/// Throughput, age, adaptive flushing.
pub(super) const BLUE: Ink = Ink::rgb(0, 114, 178);
/// Idle flushing.
pub(super) const SKY: Ink = Ink::rgb(86, 180, 233);
/// Sync flushing and its limit.
pub(super) const VERMILION: Ink = Ink::rgb(213, 94, 0);
/// LRU flushing.
pub(super) const YELLOW: Ink = Ink::rgb(240, 196, 66);
/// The async limit.
pub(super) const ORANGE: Ink = Ink::rgb(214, 142, 0);
/// Dirty pages.
pub(super) const GREEN: Ink = Ink::rgb(0, 138, 101);
/// Latency, single-page flushing.
pub(super) const PURPLE: Ink = Ink::rgb(163, 72, 130);
/// Neighbours, the device.
pub(super) const SLATE: Ink = Ink::rgb(84, 99, 117);
/// The eighth of several runs.
pub(super) const OLIVE: Ink = Ink::rgb(122, 122, 0);
/// The ninth of several runs.
pub(super) const INDIGO: Ink = Ink::rgb(74, 58, 170);

/// Colour of a regime's name.
pub(super) fn regime_ink(regime: Regime) -> Ink {
    match regime {
        Regime::Idle => MUTED,
        Regime::Steady => GREEN,
        Regime::Rippled => BLUE,
        Regime::Waves => VERMILION,
        Regime::Overloaded => ORANGE,
    }
}
