"""Reading without the native library: slower, and with the same results to the last bit."""
