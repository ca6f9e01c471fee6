"""What is no test here: the driver runs with the shim loaded, and not without it."""

collect_ignore = ["driver.py"]
