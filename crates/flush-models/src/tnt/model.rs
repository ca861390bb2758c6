//! TNT, as the registry lists it.

use super::{Tnt, at_start};
use crate::model::Model;
use crate::mysql56::model::MYSQL_56;
use crate::replay::Publishing;
use crate::settings::{ModelId, Product, SettingsError, Version};

#[allow(non_upper_case_globals)]
impl ModelId {
    /// TNT, as of 2013.
    pub const Tnt: ModelId = ModelId::new("tnt", Product::Tnt, Version::series(0, 0));
}

/// TNT.
pub(crate) const TNT: Model = Model {
    id: ModelId::Tnt,
    title: "TNT",
    about: "Not an InnoDB: NetEase's engine of 2013. Records are changed in a multi-version buffer in memory; purge merges \
            them into a page store from time to time, and a checkpoint writes its pages at a pace of its own. Much of \
            it is assumed: see docs/fidelity.md.",
    stands_for: &[],
    read: "names, defaults and loops of the published source",
    assumed: "much: see docs/fidelity.md",
    takes_rule: false,
    build: |settings, rule| match rule {
        None => Ok(Box::new(Tnt::build(settings)?)),
        Some(_) => Err(SettingsError::no_rule(settings.model)),
    },
    at_start: at_start::run,
    purge: None,
    groups_binary_log: false,
    replay: None,
    publishing: Publishing::AT_ONCE,
    ..MYSQL_56
};
