"""Answers for programs: this program's own JSON, described by bot/schemas, and OSV, OpenVEX and SARIF."""
