"""The subcommands of `poolwise study`."""
