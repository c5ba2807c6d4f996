//! Progress of long work on a terminal (`docs/commands.md`).
//!
//! Bytes read of bytes known, conversations done, failures. Only when standard
//! error is a terminal, standard output is not, and the work takes long enough
//! to be wondered about; never on standard output.

use super::StreamArgs;
use super::filter::Tally;
use super::message::Messages;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Nothing is shown before this much time has gone by.
const PATIENCE: Duration = Duration::from_millis(700);

/// The state of the bar, if there is to be one.
pub struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    drawn: bool,
    before: u64,
    last: u64,
}

impl Progress {
    /// Progress over all inputs of `args`.
    pub fn new(messages: &mut Messages, args: &StreamArgs) -> Self {
        let wanted = std::io::stderr().is_terminal()
            && !std::io::stdout().is_terminal()
            && !messages.is_quiet();
        let bar = wanted.then(|| {
            let sizes = args.paths().into_iter().map(|path| {
                std::fs::metadata(&path)
                    .ok()
                    .filter(std::fs::Metadata::is_file)
            });
            let known: Option<u64> = sizes.map(|data| data.map(|d| d.len())).sum();
            let bar =
                ProgressBar::with_draw_target(known, ProgressDrawTarget::hidden());
            let template = match known {
                Some(_) => "{bytes} of {total_bytes} {wide_bar} {eta}  {msg}",
                None => "{bytes} {spinner}  {msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        messages.bar.clone_from(&bar);
        Self {
            bar,
            started: Instant::now(),
            drawn: false,
            before: 0,
            last: 0,
        }
    }

    /// Says that `position` bytes of the current input are done.
    pub fn at(&mut self, position: u64, tally: &Tally) {
        let Some(bar) = &self.bar else { return };
        if position < self.last {
            self.before += self.last;
        }
        self.last = position;
        if !self.drawn && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.drawn = true;
        }
        bar.set_position(self.before + position);
        let refused = match tally.refused {
            0 => String::new(),
            count => format!(", {count} refused"),
        };
        bar.set_message(format!("{} conversations{refused}", tally.seen));
    }

    /// Takes the bar away.
    pub fn finish(&mut self, messages: &mut Messages) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        messages.bar = None;
    }
}
