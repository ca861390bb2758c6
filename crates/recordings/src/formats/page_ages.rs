//! Ages of pages: the histogram that `innosim page-ages` leaves, or the answer to the query on INNODB_BUFFER_PAGE.
//!
//! The query groups pages by age and names its first column `innosim_page_age_bytes`, the age up to which they are, and
//! the second `pages`.

use super::Part;
use crate::RecordingError;
use innosim_spectrum::{PageAges, PageClass};
use std::path::Path;

/// Name of the query's first column.
const AGE: &str = "innosim_page_age_bytes";

/// The query, for people. It walks over the whole buffer pool twice and holds its mutexes meanwhile, so a replica is the
/// place for it.
pub const BUFFER_PAGE_QUERY: &str = "mysql -e 'SELECT POW(2, CEILING(8 * LOG2(GREATEST(now.lsn - NEWEST_MODIFICATION, 1))) / 8) AS \
     innosim_page_age_bytes, COUNT(*) AS pages FROM information_schema.INNODB_BUFFER_PAGE, (SELECT MAX(NEWEST_MODIFICATION) \
     AS lsn FROM information_schema.INNODB_BUFFER_PAGE) AS now WHERE NEWEST_MODIFICATION > 0 GROUP BY 1 ORDER BY 1' > \
     page-ages.txt";

/// Reads ages of pages; `None` for other texts.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<Part>, RecordingError> {
    let of = |ages: PageAges| Part { page_ages: Some(ages), ..Part::default() };
    if PageAges::is_one(text) {
        let help = "make it again with `innosim page-ages DIR -o FILE`";
        let ages = PageAges::from_json(text)
            .map_err(|why| RecordingError::new(path, format!("is no histogram of page ages: {why}"), help))?;
        return Ok(Some(of(ages)));
    }
    let mut ages = PageAges::default();
    let mut lines = text.lines().skip_while(|line| !line.contains(AGE));
    if lines.next().is_none() {
        return Ok(None);
    }
    for line in lines {
        let mut fields = line.split(['|', '\t', ',']).map(str::trim).filter(|field| !field.is_empty());
        let (age, pages) = (fields.next(), fields.next());
        let age = age.and_then(|age| age.parse::<f64>().ok()).filter(|age| (0.0..1e18).contains(age));
        let pages = pages.and_then(|pages| pages.parse::<u64>().ok()).filter(|pages| *pages < 1 << 40);
        if let (Some(age), Some(pages)) = (age, pages) {
            ages.count_age(PageClass::Other, age as u64, pages);
        }
    }
    Ok((ages.pages() > 0).then(|| of(ages)))
}
