"""What repositories show, read with the `git` program from mirrors and local clones.

Observations for `kb.graph` come out of here. Nothing of a repository is ever executed: not its hooks, not its
configuration, not its attributes.
"""
