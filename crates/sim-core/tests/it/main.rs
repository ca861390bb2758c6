//! All tests of the machine from outside the crate, as one program: linking one is faster than linking many.

mod common;
#[path = "../crashes/mod.rs"]
mod crashes;
mod kernel_device;
mod kernel_queues;
mod kernel_streams;
mod layers;
mod machine_change_buffer;
mod machine_collecting;
mod machine_determinism;
mod machine_file_system;
mod machine_flushing;
mod machine_free_pages;
mod machine_legacy;
mod machine_log_threads;
mod machine_lru_mutex;
mod machine_one_pass;
mod machine_purge;
mod machine_queues;
mod machine_redo;
mod machine_syncs;
