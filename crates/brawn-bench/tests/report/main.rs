//! Everything that is made from a document of results: files, tables, comparisons and the page.

mod compare;
mod document;
mod export;
mod fixture;
