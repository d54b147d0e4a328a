//! Everything that is made from a document of results: files, tables, comparisons and the page.

mod browser;
mod compare;
mod document;
mod export;
mod fixture;
mod page;
