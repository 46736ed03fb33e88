//! The store against real files: what is recorded is read again, whatever happens in between.

mod damage;
mod desk;
mod killed;
mod metrics;
mod pages;
mod recording;
mod retention;
