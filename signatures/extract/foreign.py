"""Whether a sentence names a version that is not the writer's own: somebody else's, one of a document or a plan, one
that is asked about, recommended, required, or where the failure does not happen.

Only versions are judged by this; a system or a provider in such a sentence is judged by `negation`.
"""

from __future__ import annotations

from signatures.linear import linear

_OWN = (
    r"(?i)\b(?:i|we)(?:'m| am|'re| are|'ve| have)?\s+(?:\w+\s+){0,3}?(?:use|using|run|running|have|on|tested|tried"
    r"|installed|updated"
    r"|upgraded|see|get|got|hit|reproduced?|confirm|encounter\w*|experience|facing|work with)\b|\b(?:my|our|mine)\b"
    r"|\busing\b"
    r"|\brunning\b"
)
_PERSON = (
    r"(?i)\b(?:colleagues?|co-?workers?|friends?|team ?mates?|(?:an)?other (?:users?|people|persons?|machine"
    r"|reporters?|guy)|somebody"
    r"|someone|people|he|she|they|the (?:original )?reporter|maintainers?|others|everyone|customers?)\b[^;]{0,60}$"
)
_AND_I = r"(?i)\b(?:and|like|as do) (?:i|we|me|myself)\b"
_ISSUE = r"(?:#[1-9]\d{0,5}(?:[^;\w]|$)|/(?:issues|pull|discussions)/\d+)[^;]{0,80}$"
_HIT_ISSUE = (
    r"(?i)\b(?:i|we)\s+(?:\w+\s+){0,2}?(?:hit|see|have|get|got|ran into|encounter\w*|reproduced?|face"
    r"|experience)\b[^;#]{0,30}#?[^;]{0,10}#\d+"
)
# one's own work goes on in another thread: "follow-up from owner/repo#515: LiteRT 0.17.0-5"
_OWN_THREAD = (
    r"(?i)\b(?:follow[- ]?ups?|continu\w+|carr(?:ied|ying) (?:on|over)|moved|split(?: off)?|results?|evidence|runs?"
    r"|logs?|downstream|qualification)\b[^;#]{0,40}\b(?:from|of|for|in|to)\s[^;#\s]{0,60}#\d+"
)
_DOCUMENT = (
    r"(?i)\b(?:change ?logs?|release notes?|docs|documentation|read ?me|guide|tutorial|blog(?: post)?|article"
    r"|announcement|roadmap"
    r"|manual|spec(?:ification)?|website|download page|wiki|milestone|example in|instructions?)\b[^;]{0,60}$"
)
_PLAN = (
    r"(?i)(?:\b(?:will|going to|plan(?:s|ning|ned)? (?:to|on)|want to|intend to|about to|hope\w*|wait(?:ing|s)?"
    r"|would|should|might|let me"
    r"|looking forward|someone should|ought to|consider\w*|thinking (?:of|about))|\b(?:i|we|it|that|you|they)'(?:ll"
    r"|d))\b"
    r"|\b(?:can|could|may)\s+(?:\w+\s+)?(?:try|install|use|upgrade|update|test|switch|move|go|get|download)\b"
)
_NO_PLAN = (
    r"(?i)\b(?:would like to report|want to report|would say|should (?:be|say|mention) (?:on|using|noted)|(?:should"
    r"|would) have (?:said|mentioned))\b"
)
_ADVICE = (
    r"(?i)(?:\byou(?:r|'re| are)?\s+(?:\w+\s+){0,2}?(?:suggest|said|mention|recommend|wrote|asked|told|releas|ship"
    r"|publish|say|link|point"
    r"|need|should|can|could|must|have to|may|might|require)\w*\b[^;]{0,60}$|\b(?:work-?around|recommend\w*"
    r"|suggest\w*|advis\w*|propos\w*|please (?:try|install|use|upgrade"
    r"|update|switch|test)|pin(?:ning)?|(?:the )?(?:fix|solution|answer|remedy) (?:is|was))\b[^;]{0,60}$"
    r"|^\W*(?:just |simply |then |first |and |or )?(?:try|upgrade|update|downgrade|switch|revert|go back)\s[^;]{0,50}$)"
)
_NO_ERROR = (
    r"(?i)\b(?:no|without|never|not|n't|zero)\s+(?:\w+\s+){0,3}?(?:errors?|problems?|issues?|crash\w*|fail\w*"
    r"|warnings?|difficult\w*|such)\b"
    r"[^;,]{0,40}$|\bbetween\s[^;,]{0,60}$|\b(?:last (?:good|working|known good)|good|known[- ]good)\s*(?:version"
    r"|one|release|build)?[\s:=(]*"
    r"(?:is|was|were)?[\s:=(\"'\x60*]*$"
)
_OFFERED = (
    r"(?i)(?:\b(?:updates?|upgrades?|versions?|releases?)\b[^;]{0,40}\bavailable|\bavailable(?: versions?"
    r"| updates?)?\s*:|\bupgradable"
    r"|\boutdated|\bis out\b|\blatest (?:version |release |available )?is)\b?[^;]{0,40}$"
)
_LATER = (
    r"(?i)^[\s\"'\x60*_)]{0,4}(?:\.?x\b|(?:or|and|&|/)\s+(?:later|newer|above|higher|up|greater|earlier"
    r"|older|below|lower|after|before"
    r"|upwards?)\b|onwards?\b|upwards?\b|at least\b)"
)
_GOOD_BEHIND = (
    r"(?i)^[\s\"'\x60*_]{0,4}[:=(\[–—-]{0,3}\s{0,2}(?:is |was |are |were |still )?(?:the )?(?:ok(?:ay)?\b|fine\b"
    r"|good\b|works?\b|worked\b|working\b|pass(?:es|ed)?\b"
    r"|✅|✔|👍|no (?:such )?(?:error|problem|issue|crash)|unaffected|not affected|last (?:good|working|known)|(?:runs?"
    r"|ran|loads?|loaded)\b(?: \w+){0,2}? "
    r"(?:fine|ok|well|without|correctly))"
)
_BEHIND = (
    r"(?i)\b(?:without (?:any )?(?:problems?|issues?|errors?|crash\w*|trouble)|(?:is|was|are"
    r"|were) no (?:such )?(?:\w+ )?(?:problems?|issues?|errors?|crash\w*)|(?:has|had|have|gives?|gave"
    r"|shows?) no (?:such )?(?:problems?|issues?|errors?)"
    r"|does(?:n't| not) (?:have|show|fail|crash|happen|reproduce)|did(?:n't| not) (?:have|show|fail|crash|happen"
    r"|reproduce)"
    r"|(?:fixes|fixed|solves|solved|resolves|resolved|helps|helped|avoids|repairs)\b(?: (?:it|this|that|the|my"
    r"|for)\b|\s*$|[.,!])"
    r"|(?:contains?|has|includes?|brings|ships|carries|with) (?:the|a|this|that) (?:fix|patch|change)|is (?:out"
    r"|available|needed|required|recommended|expected"
    r"|supported|planned|released|due|coming|the minimum)\b|says\b|states\b|mentions\b|requires?\b|tomorrow\b"
    r"|next week\b|as a work-?around|made it work"
    r"|does the trick|would (?:help|fix|solve|work)|should (?:help|fix|solve|work)|available\b)"
)
_NOT_BEHIND = r"(?i)(?:\bnot|n't|\bnever|\bnor|\bneither|\bnothing|\bno)\s+(?:\w+\s+){0,2}$"
_ASKS = (
    r"(?i)^\W*(?:should|would|will|can|could|is|are|does|do|did|has|have|was|were|which|what|when|where|who"
    r"|any ?(?:one|body)|may|must)\b"
)


def said_of_another(behind: str) -> bool:
    """ "0.10.0 (worked in 0.9.0)" praises the other one."""
    return (
        linear(r"(?i)^\s+(?:\w+\s+)?(?:in|with|on|until|before|up to)\s+(?:\w+\s+){0,3}v?\d").match(behind) is not None
    )


# "pip list of the other env: onnxruntime 1.26.0" is not the one that fails
_ELSEWHERE = (
    r"(?i)\b(?:other|another|different|second) (?:\w+ )?(?:env(?:ironment)?s?|venvs?|machines?|computers?|laptops?|pc"
    r"|containers?|projects?|installations?|setups?)\b[^;]{0,60}$"
)


def elsewhere(before: str) -> bool:
    """Whether the words in front of a version speak of another environment than the failing one."""
    return linear(_ELSEWHERE).search(before) is not None


def foreign(before: str, after: str, *, asked: bool) -> bool:
    """Whether the words around a version, within its sentence, make it another's. `asked`: it is a question."""
    good = linear(_GOOD_BEHIND).match(after)
    if (
        linear(_LATER).match(after)
        or linear(r"^[\"'\x60*_)]{0,4}\+(?:\W|$)").match(after)
        or (good and not said_of_another(after[good.end() :]))
    ):
        return True
    own = linear(_OWN).search(before) is not None
    if asked and (not own or linear(_ASKS).match(before)):
        return True
    if linear(_PERSON).search(before) and linear(_AND_I).search(before) is None:
        return True
    ours = (_HIT_ISSUE, _OWN_THREAD)
    if linear(_ISSUE).search(before) and not own and not any(linear(p).search(before) for p in ours):
        return True
    if linear(_DOCUMENT).search(before) or (elsewhere(before) and not own):
        return True
    if linear(_PLAN).search(before) and linear(_NO_PLAN).search(before) is None:
        return True
    if any(linear(p).search(before) for p in (_ADVICE, _NO_ERROR, _OFFERED)):
        return True
    behind = linear(_BEHIND).search(after)
    if behind is None:
        return False
    near = after[: behind.start()]
    return linear(r"(?i)[,;]\s*(?:but|and|i|we|which|the)\b|\s[-–—]\s").search(near) is None and not linear(
        _NOT_BEHIND
    ).search(near)
