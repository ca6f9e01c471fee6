"""Topics scored some at a time: files larger than memory, batches for many machines."""
