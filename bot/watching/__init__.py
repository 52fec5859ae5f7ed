"""Watching repositories: what is new is recorded, answers are computed anew, and edits are proposed, never made.

One process; each repository is asked on its own, so that one that fails or hangs holds up no other.
"""
