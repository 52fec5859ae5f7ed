"""The kinds of sentences that quote a failure which is not the writer's own, as a table of the words that open them.

Only words are held here; `asides` reads sentences by them.
"""

from __future__ import annotations

from signatures.values import NamedTuple

# "&#46;" is a character and "#01" a stack frame
_ISSUE = r"(?:[\w.-]+/[\w.-]+)?#[1-9]\d{0,5}(?:[^;\w]|$)|https?://\S+/(?:issues|pull|discussions)/\d+"
_PERSON = (
    r"(?:(?:(?:my |a |our |another |some ?|other |one (?:of (?:my|our) )?)?(?:colleagues?|co-?workers?|friends?"
    r"|team ?mates?)"
    r"|(?:another|other|a|some|one|different) (?:users?|persons?|customers?|reporters?|developers?)"
    r"|the (?:original )?reporter|people"
    r"|some(?:one|body)(?: else)?|others)(?: (?:of mine|of ours|on \w+|in [\w#]+))?|he|she|they)"
)
PERSON_HAS = (
    r"(?i)\b" + _PERSON + r"\s+(?:(?:\w+\s+){0,2}?|(?:with|on|using|who|still|keep|keeps)\s+(?:[\w.-]+\s+){0,4}?)"
    r"(?:posting|complaining|showing|got|gets|get|has|had|sees|saw|reported|reports|hits?|posted|mention(?:s|ed)"
    r"|ran into|runs into|told me|pasted)\b"
)

# What stands below came after all, whatever was solved or expected before: "I fixed the path and now get this:"
THEN = (
    r"(?i)\b(?:but|however|yet|and|now|then|next|still)\b[^.!?:]{0,40}\b(?:get|got|see|saw|came|comes?|errors?|fail\w*"
    r"|crash\w*|prints?|throws?|says?|shows?|this|it is)\b[^.!?:\d]{0,30}[:：]?\W*$"
    r"|(?:^|[,;.–—-])\W*(?:but |and |yet )?(?:yet|but|however|now|today)\s*[:：]\W*$"
    r"|(?:现在|但是?|今は?|今度は|지금은?|이제)[^。.]{0,20}[:：]\W*$"
)

# What the writer had before; "before it crashes I get ..." is not that
FORMERLY = (
    r"(?i)(?:^\W*|[.,;(!]\s*)(?:(?:before|prior to) (?:that|this|then|(?:the |my )?(?:fix|update|upgrade"
    r"|change)|updating"
    r"|upgrading|(?:i|we) (?:updated|upgraded|switched|changed))|previously|formerly|until (?:last|then"
    r"|recently|yesterday)\b"
    r"|avant(?: cela| ça| ce la)?|auparavant|vorher|davor|zuvor|früher|antes)\b,?[^.!?,;]{0,80}?\b(?:had|got"
    r"|was getting"
    r"|were getting|getting|saw|printed|showed|gave|failed with|threw|(?:j'|on )?avai[st]|affichait|hatte|kam"
    r"|bekam|erschien"
    r"|sah|stand|tenía|salía)\b(?:[\s\w.-]{0,40}[:：])?"
    r"|\bthe (?:old|previous|former|earlier) (?:one|version|release|build)\b[^.;!?]{0,30}?\b(?:printed|gave"
    r"|showed|had|failed with"
    r"|threw|said)\b"
)


class Kind(NamedTuple):
    """One kind: the words that open it and how far they reach. What stands under such a sentence is dismissed, too."""

    hints: str  # one of these words is in every sentence that it opens; spares compiling the rest
    opens: str
    reach: str  # after: from these words to the end of their clause; whole: the sentence
    despite_first: bool = False  # also where the writer says in the sentence what he gets
    despite_same: bool = True
    announces: bool = False  # it leads to what stands under it only where it announces that: with a colon, "as follows"


KINDS = (
    # over by now
    Kind(
        "before prior previous former until avant auparavant vorher davor zuvor früher antes old earlier",
        FORMERLY,
        "after",
        despite_first=True,
        despite_same=False,
    ),
    Kind(
        "(was (previously (formerly (before (old",
        r"(?i)\((?:was|previously|formerly|before|old|used to be)\b:?\s",
        "after",
        despite_first=True,
    ),
    Kind(
        "any longer more since now never nicht plus",
        r"(?i)[,;(–—-]\s*(?:but |and |though )?(?:not any ?more|no longer(?: though| now)?|not now|no more"
        r"|(?:not|never) since(?: then)?|not today"
        r"|nicht mehr|plus maintenant)[\s.!)]*$",
        "whole",
        despite_first=True,
    ),
    # what a release changed
    Kind(
        "changelog log notes new",
        r"(?i)\b(?:change ?log|release notes?|what's new)\b[^!?\n]{0,60}?(?:[:：]|\bsays?\b|\blists?\b"
        r"|\bmentions?\b)\s{0,2}"
        r"(?:[\"'\x60“]|-|\w*fix\w*\b)",
        "whole",
        despite_first=True,
    ),
    # not in the log
    Kind(
        "contain include show mention print list have",
        r"(?i)\b(?:logs?|output|trace|console)\b[^.!?:\n]{0,20}?\b(?:does(?:n't| not)|do(?:n't| not)|did(?:n't| not))"
        r" (?:contain|include|show|mention|print|list|have)\s+(?:the \w+ |a |any )?[\"'\x60“]",
        "after",
        despite_first=True,
    ),
    Kind(
        "find",
        r"(?i)\b(?:i|we) (?:can't|cannot|can not|couldn't|could not|don't|didn't"
        r"|did not) find (?:the (?:message|error|line|text|words) )?"
        r"[\"'\x60“]",
        "after",
        despite_first=True,
    ),
    Kind(
        "users newcomers",
        r"(?i)(?:^\W*|\b(?:and|that|so|where|then)\s+)(?:new )?(?:users|newcomers|beginners) "
        r"(?:\w+ )?(?:get|see|hit|face|run into|receive)\b",
        "after",
    ),
    # somebody else's issue
    Kind(
        "# /",
        r"(?i)\b(?:unlike|similar(?: issues?| errors?| problems?)?(?: to| as in)?|see(?: also)?|cf\.?"
        r"|related(?: issues?)?"
        r"(?: to)?|compare|reported in"
        r"|(?:known|copied|taken|quoted|pasted|text|error|log|message|output) from|like in|as in)"
        r"[:\s][^.;!?\n]{0,40}?(?:" + _ISSUE + r")",
        "after",
        despite_same=False,
    ),
    Kind(
        "# /",
        r"(?i)\b(?:in|at|on|of)\s+(?:issue\s+|the issue\s+)?(?:"
        + _ISSUE
        + r")[^.;!?\n]{0,40}?\b(?:had|has|got|gets|sees|saw"
        r"|reported|reports|posted|posts|shows?|showed|describe[sd]?|wrote|quotes?|it (?:says|prints|was|is)"
        r"|there (?:is|was)"
        r"|they (?:get|got|see)|the (?:error|log|output|message))\b",
        "after",
        despite_same=False,
    ),
    Kind(
        "# /",
        # not the "#10 0x7f..." and "#10 pc 0000..." of a stack
        r"^(?:[ \t>]*(?:[-*•·◦▪●+]|\d{1,3}[.)])[ \t]+)?\[?(?:(?:[\w.-]+/[\w.-]+)?#[1-9]\d{1,5}(?:[)\]:,.]|\s+[^\s0p]"
        r"|\s+p[^c]|$)"
        r"|https?://\S+/(?:issues|pull|discussions)/\d+)",
        "whole",
        despite_same=False,
    ),
    Kind(
        "# /",
        r"#[1-9]\d{0,5}\s?(?:\(|[-–—:]?\s?[\"'\x60])|/(?:issues|pull|discussions)/\d+\s?\(",
        "after",
        despite_same=False,
    ),
    Kind(
        "colleague worker friend mate user person customer reporter developer people some other he she they",
        PERSON_HAS,
        "after",
        despite_same=False,
    ),
    # hypothetical, expected, wished for
    Kind(
        "if when case should anyone user",
        r"(?i)^\W*(?:if|when|whenever|in case|should|anyone who|users? who)\s+(?:you|users?|one|someone|anyone"
        r"|people|they|somebody)?"
        r"\s*(?:\w+\s+){0,2}?(?:see|sees|get|gets|encounter|hit|hits|receive|run into|experience|face|find)\b",
        "whole",
    ),
    Kind(
        "would could might may should",
        r"(?i)\b(?:would|could|might|may)\s+(?:\w+\s+)?(?:cause|lead|give|print|fail|result|produce|trigger|throw"
        r"|raise|show|yield"
        r"|report|end)\b|\bshould\s+(?:\w+\s+)?(?:fail|throw|print|raise|report|give|show|list|say|return|produce"
        r"|mention"
        r"|document|explain|catch|detect|reject|warn|result)\b",
        "after",
        announces=True,
    ),
    Kind(
        "expect desired",
        r"(?i)\b(?:expected|desired) (?:output|error|message|result|text|behaviou?r|log)\b"
        r"|\bi (?:would )?expect(?:ed)?\b"
        r"|\bis expected to\b",
        "after",
        despite_first=True,
        announces=True,
    ),
    Kind(
        "feature enhancement proposal suggestion documentation docs rfc wish",
        r"(?i)^\W*(?:feature request|enhancement|proposal|feature|suggestion|documentation|docs|rfc"
        r"|wish(?:list)?)\s*[:\]–—-]",
        "whole",
        despite_first=True,
    ),
    Kind(
        "better clearer friendlier nicer helpful readable useful improv reword translate",
        r"(?i)\b(?:better|clearer|friendlier|nicer|more (?:helpful|readable|useful)|improved?|improving|reword"
        r"|translate)\s+(?:the\s+)?"
        r"(?:error\s+)?(?:message|text|wording|error)\b",
        "after",
    ),
    # a change that repairs it
    Kind(
        "fix prevent avoid resolve address close handle suppress remove around stop",
        r"(?i)\b(?:this|the|my|our)\s+(?:pr|pull request|change|patch|commit|mr|branch"
        r"|fix)\b[^.;!?]{0,60}?\b(?:fix(?:es|ed)?"
        r"|prevents?|avoids?|resolves?|address(?:es)?|closes?|handles?|suppress(?:es)?|removes?|works around|stops?)\b"
        r"|^\W*(?:fix(?:es|ed)\b|fix for\b|closes\b|resolve[sd]\b|prevents?\b|avoids?\b)"
        r"|\b(?:renaming|changing|removing|adding|this|it|which)\s+(?:prevents?|avoids?|fixes|resolves|suppresses)\b",
        "after",
    ),
    Kind(
        "solved fixed resolved rid around overcame past silenced",
        r"(?i)\b(?:i|we)(?:'ve| have)?\s+(?:\w+\s+)?(?:solved|fixed|resolved|got rid of|worked around|overcame"
        r"|got past|silenced)\b",
        "after",
    ),
    # looked for, not had
    Kind(
        "search googl look grep scan",
        r"(?i)\b(?:search(?:ed|ing)?|googled?|look(?:ed|ing)?|grep(?:ped|ping)?"
        r"|scanned)\s+(?:\w+\s+){0,4}?for\s+(?:the \w+ )?"
        r"[\"'\x60(]",
        "after",
    ),
    Kind(
        "confuse mistaken",
        r"(?i)(?:\bnot|n't)\s+(?:to\s+)?(?:be\s+)?confuse[ds]?\b|\bnot to be mistaken for\b",
        "after",
        despite_first=True,
    ),
    Kind(
        "different changed",
        r"(?i)\bdifferent\s+(?:\w+\s+){1,2}(?:than|from|to)\b|\bchanged from\b",
        "after",
        despite_first=True,
    ),
    Kind(
        "reproduc",
        r"(?i)(?:\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to|failed to)\s+reproduce"
        r"|\bnot reproducible)"
        r"\s*[:\"'\x60A-Z]",
        "after",
    ),
    Kind(
        "reproduc",
        r"(?i)\b(?:cannot|can't|can not|could not|couldn't|unable to|not able to)\s+reproduce\s+(?:the "
        r"|an? )?(?:error|issue|crash"
        r"|problem|failure|bug)\b",
        "after",
    ),
)
