//! The `convo` command.

fn main() -> std::process::ExitCode {
    convo::cli::main()
}
