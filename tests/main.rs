//! Integration tests, one binary; every file here is listed once.

mod agreement;
mod common;
mod oracle_check;
mod schema_files;
mod slow;
