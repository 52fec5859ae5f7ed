"""A line that names no failure and is all that a report says: what it is, what may print it, and what to look for.

It is for whoever looks the line up. It claims nothing, so that it stands in no comment.
"""

from __future__ import annotations

from kb.model import PUBLIC, Diagnosis, Knowledge, LoneLine, Quote
from signatures.alone import lone_line
from signatures.loader import Catalogue
from signatures.model import Certainty


def with_lone_line(diagnosis: Diagnosis, catalogue: Catalogue, knowledge: Knowledge) -> Diagnosis:
    """The diagnosis with what is known of the report's one line, where nothing better than possible was found, and
    with its question where there is no other."""
    if any(k.certainty is not Certainty.POSSIBLE for k in diagnosis.known):
        return diagnosis
    found = lone_line(diagnosis.report, catalogue)
    if found is None:
        return diagnosis
    known, words, span = found
    problems = tuple(
        p.id
        for p in knowledge.problems
        if p.status in PUBLIC and p.withdrawn is None and any(s.signature in known.of for s in p.symptoms)
    )
    return diagnosis._replace(
        lone=LoneLine(Quote(words, span), known.envelope, known.why, problems),
        questions=diagnosis.questions or (known.ask,),
    )
