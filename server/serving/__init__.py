"""The application put together, and run."""
