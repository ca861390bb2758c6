//! Texts of people's files: read whole, UTF-8 or UTF-16 (as PowerShell writes what a program prints), a byte order mark at the start
//! ignored.

use crate::diagnostic::Problem;
use std::io::Read;
use std::path::Path;

/// Largest file that is read: far above any scenario, option file or fio output, far below memory.
const MAX_BYTES: u64 = 256 << 20;

/// The text of a file, or what is wrong with it; `wanted` says what should be there.
pub(crate) fn read_text(path: &Path, wanted: &str) -> Result<String, Problem> {
    let label = path.display();
    let unreadable = |error| Problem::new(format!("{label}: can't be read: {error}")).help(wanted);
    let meta = std::fs::metadata(path).map_err(unreadable)?;
    if meta.is_dir() {
        return Err(Problem::new(format!("{label}: is a folder, not a file")).help(wanted));
    }
    // Not by the length that is stated: a pipe states none, and a device has no end.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem::new(format!("{label}: is longer than {} MiB", MAX_BYTES >> 20)).help(wanted));
    }
    if is_utf16(&bytes) {
        return Ok(from_utf16(&bytes));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        Problem::new(format!("{label}:{line}: not UTF-8 (byte {good})")).help("save the file as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// The name of a file without its folder and extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Whether a text is UTF-16, by its byte order mark.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])
}

/// A text of UTF-16 behind its byte order mark.
pub fn from_utf16(bytes: &[u8]) -> String {
    let little = bytes.starts_with(&[0xff, 0xfe]);
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units: Vec<u16> = bytes.get(2..).unwrap_or_default().chunks_exact(2).map(unit).collect();
    String::from_utf16_lossy(&units)
}
