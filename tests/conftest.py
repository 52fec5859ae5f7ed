"""What holds for every test: none touches the store of the person who runs it."""

from __future__ import annotations

import os

os.environ["TRIAGE_DATABASE_URL"] = ""
