"""Run the command as a module: ``python -m poolwise``."""

from poolwise.cli.main import main

if __name__ == "__main__":
    main()
