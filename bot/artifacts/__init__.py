"""Model artifacts of a report: opened, checked with the versions that it states, and repaired on request."""
