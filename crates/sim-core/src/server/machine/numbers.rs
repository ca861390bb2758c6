//! Numbers of clients, flush threads, batches and rounds, each of a type of its own.

macro_rules! number {
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
        }
    )*};
}

number! {
    "A client." ClientId
    "A thread that flushes." ThreadId
    "A batch of page writes." BatchId
    "A round of data-file syncs." RoundId
}
