//! Memory that is free goes back to the system.

/// Lets large blocks of memory go back to the system as soon as they are free. It is for programs that serve: they live
/// long, and an event of some MiB must not leave them larger. To be called before other threads start.
///
/// After a large block was freed, glibc takes the next ones from memory that it keeps, and each of up to 16 arenas keeps
/// its own. Both numbers are fixed here, so that it does not adapt them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator's settings have no safe interface")]
pub fn return_large_blocks() {
    unsafe extern "C" {
        fn mallopt(parameter: i32, value: i32) -> i32;
    }
    const MMAP_THRESHOLD: i32 = -3;
    const ARENA_MAX: i32 = -8;
    const LARGE_BYTES: i32 = 256 << 10;
    const ARENAS: i32 = 4;
    // SAFETY: `mallopt` takes two numbers and changes settings of the allocator; a value that it refuses has no effect.
    unsafe {
        mallopt(MMAP_THRESHOLD, LARGE_BYTES);
        mallopt(ARENA_MAX, ARENAS);
    }
}

/// Other allocators decide themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_large_blocks() {}
