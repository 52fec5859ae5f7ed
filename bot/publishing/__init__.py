"""From the comment an issue should have to the one it has: decided, written down, then done, exactly once."""
