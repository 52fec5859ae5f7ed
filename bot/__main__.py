"""`python -m bot` is `triage`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from bot.cli import main

        code = main()
    except KeyboardInterrupt:  # before main could see it
        code = 130
    sys.exit(code)
