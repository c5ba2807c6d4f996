//! The `convo` command.

// The runtime puts the null device in the place of a closed stream, and what is
// written there is lost with success: whoever wants to know must look before it.
#[cfg(unix)]
#[ctor::ctor]
fn look() {
    convo::cli::standard::look();
}

fn main() -> std::process::ExitCode {
    convo::cli::main()
}
