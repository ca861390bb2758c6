//! All tests of the program from outside the crate, as one program: linking one is faster than linking many.

mod advise;
mod circles;
mod claims;
mod collect;
mod common;
mod compare;
mod explain;
mod house;
mod lists;
mod live;
mod mariadb_lru;
mod museum;
mod new_rule;
mod pages;
mod public_inputs;
mod published_stall;
mod recommend;
mod replay;
mod reproduce;
mod rules;
mod run;
mod simulated;
mod stories;
mod sweep;
mod validate;
mod what_people_have;
