"""What a comment claims, read again from the comment itself."""

from __future__ import annotations

from collections.abc import Callable

from bot.comment import Comment, is_untouched, read_comment, write_comment
from bot.comment.claims import adds, claiming, claims, takes_back, words
from bot.wording import Names
from kb.model import Diagnosis, FixedIn, FixVerdict, KnownProblem, Problem, Product, Verdict
from signatures.model import Certainty

MakeKnown = Callable[..., KnownProblem]
MakeDiagnosis = Callable[..., Diagnosis]
MakeProblem = Callable[..., Problem]


def written(found: Diagnosis, products: tuple[Product, ...]) -> Comment:
    comment = write_comment(found, Names(products))
    assert comment is not None
    return claiming(comment, found.known)


def test_a_comment_says_what_it_claims_whatever_a_version_is_called(
    known: MakeKnown, diagnosis: MakeDiagnosis, products: tuple[Product, ...]
) -> None:
    odd = FixVerdict(Verdict.UPGRADE, (FixedIn("product", "foundry-local-cli", "1 --> @x,|; digest=0", None),))
    for fix in (None, odd):
        found = diagnosis(known(**({"fix": fix} if fix is not None else {})))
        comment = written(found, products)
        (claim,) = claims(comment.body).values()
        assert (claim.sure, claim.verdict, len(claim.fixed)) == (True, Verdict.UPGRADE, 2 if fix is None else 1)
        assert comment.body.partition("\n")[0].count("-->") == 1
        assert is_untouched(comment.body)
        assert read_comment(comment.body).digest == comment.digest
        assert words(comment.body) == words(comment.body.partition("-->")[2].strip())
    assert claims("not ours") == {}
    assert claims(comment.body.replace("|upgrade|", "|nonsense|")) == {}


def test_what_is_left_of_two_problems_is_nothing_new(
    known: MakeKnown, diagnosis: MakeDiagnosis, problem: MakeProblem, products: tuple[Product, ...]
) -> None:
    other = known(problem=problem(id="another-one", title="Another one", cause="A cause.", workarounds=("Wait.",)))
    both = written(diagnosis(known(), other), products)
    for left in (known(), other, other._replace(certainty=Certainty.LIKELY)):
        one = written(diagnosis(left), products)
        assert takes_back(both.body, one)
        assert not adds(both.body, one)
        assert not takes_back(one.body, both)
        assert adds(one.body, both)
    surer = written(diagnosis(other._replace(certainty=Certainty.LIKELY)), products)
    assert adds(surer.body, written(diagnosis(other), products))
