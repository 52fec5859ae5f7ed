"""What holds for every test: none touches the store of the person who runs it, and none fails for a slow machine."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

os.environ["TRIAGE_DATABASE_URL"] = ""
settings.register_profile("triage", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("triage")
