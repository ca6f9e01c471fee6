"""How a command runs as a program: where its results go, and how it ends."""
