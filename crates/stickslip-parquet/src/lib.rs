//! Tables in Parquet, column by column, from files that may be damaged.
//!
//! The crate `parquet` reads them. It trusts what a file says of itself: it makes room for as many words as a header names, counts
//! through lists as long as a header says, and panics where parts of a file contradict each other. So headers are looked through
//! before ([`Table::open`], [`Table::column`]), and a panic is caught where that crate is called and is an error of the file.

mod bits;
mod contents;
mod guard;
mod page;
mod table;
mod texts;
mod thrift;
mod values;
mod zstd;

pub use bits::Source;
pub use guard::{Damaged, is_reading};
pub use table::Table;
pub use values::{Column, Time};
