"""Writing rules: a first draft from a report, edits of the reviewed files, and how a rule has done."""
