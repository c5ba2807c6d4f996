//! The standard streams as they were when the process began, and what is left to
//! say when memory runs out.
//!
//! A stream that was closed (`convo ... >&-`) takes no writes here, so that results
//! are never lost with a good status. The runtime would give it the null device.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);
static STDERR_CLOSED: AtomicBool = AtomicBool::new(false);

/// Notes which streams are closed. Of use only before the runtime starts.
#[cfg(unix)]
pub fn look() {
    use std::os::fd::AsFd as _;
    // Duplicating is the one question that safe code can put to a descriptor.
    let closed = |there: io::Result<_>| there.is_err();
    let stdout = closed(io::stdout().as_fd().try_clone_to_owned());
    let stderr = closed(io::stderr().as_fd().try_clone_to_owned());
    STDOUT_CLOSED.store(stdout, Ordering::Relaxed);
    STDERR_CLOSED.store(stderr, Ordering::Relaxed);
}

/// Ends with status 2, not with a signal, when the allocator gives up; it has said
/// how much it was asked for by then.
pub fn memory_may_run_out() {
    #[cfg(unix)]
    {
        let always = std::sync::Arc::new(AtomicBool::new(true));
        let abort = signal_hook::consts::SIGABRT;
        // Without it the process still ends, with the status of the signal.
        let _ = signal_hook::flag::register_conditional_shutdown(abort, 2, always);
    }
}

/// A standard stream; a closed one takes nothing.
#[derive(Debug)]
pub struct Standard<W> {
    stream: W,
    closed: bool,
}

/// Standard output.
pub fn stdout() -> Standard<io::Stdout> {
    Standard {
        stream: io::stdout(),
        closed: STDOUT_CLOSED.load(Ordering::Relaxed),
    }
}

/// Standard error.
pub fn stderr() -> Standard<io::Stderr> {
    Standard {
        stream: io::stderr(),
        closed: STDERR_CLOSED.load(Ordering::Relaxed),
    }
}

impl<W: Write> Write for Standard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.closed {
            true => Err(io::Error::other("the stream is closed")),
            false => self.stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
