"""The servers that are measured: Tenon and its peers, each a context manager with `url` and `cpu_seconds()`."""
