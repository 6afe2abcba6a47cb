"""The measurements: one module per comparison."""
