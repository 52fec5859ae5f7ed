"""What a caller hands over, as an issue: a text, a log, a saved thread, or an issue as GitHub gives it."""
