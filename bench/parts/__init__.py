"""What is measured: a module a comparison."""
