"""The tables and figures of BEAR-Bench, one module each."""
