"""The command, one file per subcommand: parse, call the public API, print."""
