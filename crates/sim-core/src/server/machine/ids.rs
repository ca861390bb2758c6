//! Ids of clients, flush threads, batches, passes and rounds: a type each, which indexes the lists of what it names.

use std::ops::{Index, IndexMut};

macro_rules! ids {
    ($($doc:literal $name:ident)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(in crate::server) struct $name(pub(in crate::server) u32);

        impl $name {
            /// Its place in a list of all.
            #[inline]
            pub(in crate::server) fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of what is at this place.
            pub(in crate::server) fn at(index: usize) -> Self {
                $name(index as u32)
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;

            #[inline]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            #[inline]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }
    )*};
}

ids! {
    "A client." ClientId
    "A thread that flushes." ThreadId
    "A batch of page writes." BatchId
    "A request to flush that is carried out." PassId
    "A round of data-file syncs." RoundId
}
