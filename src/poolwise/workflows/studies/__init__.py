"""Studies of collections that lie in files, by the questions of ``poolwise study --help``."""
