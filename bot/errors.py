"""What the command line refuses: one sentence for a person, and nothing else.

It is raised for what the caller can mend (an argument, a file, a broken record), never for a fault of this program.
"""

from __future__ import annotations


class InputError(Exception):
    """Bad input. Its text says what is wrong, where, and what to do."""
