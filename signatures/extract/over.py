"""Sentences about a failure shown elsewhere: that it is over, that it is still there, or that it is not the writer's.

Read in the languages that reports come in: English, German, French, Spanish, Chinese, Japanese. One sentence at a
time; what it speaks of is decided by the caller.
"""

from __future__ import annotations

from signatures.linear import linear

MAX_READ = 2000  # characters of a sentence

_THING = r"(?:the |this |that |my )?(?:\w+ )?(?:errors?|exception|issue|problem|crash(?:es)?|failure|bug|message)"
_ENDED = (
    r"(?:gone|fixed|resolved|solved|history|vanished|disappeared|went away|goes away"
    r"|no longer (?:happen|occur|appear|show|fail|crash|reproduc|present|there)\w*)"
)
_LINK = (
    r"(?:'s|\s(?:is|are|was|were|has|have|had|got|seems?(?: to be)?|appears? to be))?(?:\s(?:now|all|been|since"
    r"|already|indeed|finally|completely|also)){0,3}"
)
# It says of what stands above that this is gone.
_GONE = (
    r"(?i)\b(?:(?:it|that|this|all|everything)"
    + _LINK
    + r"|"
    + _THING
    + r"\b[^.!?;]{0,40}?"
    + _LINK
    + r")\s"
    + _ENDED
    + r"\b"
)
_SOLVED = (
    r"(?i)(?:^\W*|\b(?:thanks|thank you|mind|ok|okay|now|and)[,!.: ]+)(?:problem |issue |now |already |was )?"
    r"(?:fixed|solved|resolved)(?:\W*$|\W{1,3}(?:in|by|with|since|after|it|for me|now|thanks?|via|on)\b"
    r"|[,:;.–—-]\s*(?:i|we)\b)"
    r"|(?:\d|\b(?:updat(?:e|ing)|upgrad(?:e|ing)|release|version|build|that|this|which"
    r"|it))[\x60*\"')]{0,3}\s+(?:has |have |really )?"
    r"(?:fixed|solved|resolved|fixes|solves|resolves)\s+(?:it|this|that|the (?:issue|problem|error|crash|failure)|my"
    r"|everything|for me)\b"
    r"|\b(?:all (?:is )?(?:good|fine|well) (?:now|again|since)|confirmed (?:as )?(?:fixed|solved|resolved))\b"
    r"|\b(?:can't|cannot|can not|could not|couldn't) (?:reproduce|see) (?:it|this|that|the \w+) (?:any ?more"
    r"|any longer)\b"
    r"|^\W*(?:thanks?[,! ]+)?that (?:did it|did the trick|helped|worked|was it)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:now )?(?:solved|fixed|resolved) (?:it|this|that|the (?:issue|problem|error))\b"
    r"|\bno longer (?:happens?|occurs?|reproduc\w+|an issue|a problem|appears?|fails?|crashes)\b|\bcan be closed\b"
)
_WORKS = (
    r"(?i)(?:^\W*|\b(?:it|everything|all|that|this|and|now|which|me|thanks)[,!:]?\s+)(?:now |all )?"
    r"(?:works?|worked|working|runs|loads|is (?:fine|good|ok|okay)) (?:\w+ ){0,2}?(?:now|again|since"
    r"|after (?:the |an? )?"
    r"(?:updat|upgrad|reinstall)\w*|(?:with|on|in|using|under) (?:the (?:new|latest|newest)\b"
    r"|(?:[\w.-]+ ){0,3}?v?\d+\.\d))"
    r"|\bnow (?:it |everything |all )?(?:works|runs|loads)\b"
    r"|(?:^|\s)v?\d+(?:\.\d+)+[\x60*\"')]{0,3} (?:works|is fine|runs fine|is good|is ok|does not have (?:it|this))\b"
)
_OTHERWHERE = (
    r"(?i)\b(?:older|previous|earlier|downgrad\w*|revert\w*|rolled|roll(?:ing)? back|went back|going back|regression"
    r"|work-?arounds?|cpu|instead|other|another|only|fails?|failing|without the)\b"
)
_GERMAN = (
    r"(?i)\b(?:ist|sind|war)\s(?:[^.!?,;]{0,60}\s)?(?:weg|behoben|gel(?:ö|oe)st|verschwunden|alles gut|erledigt)\b"
    r"|\bist (?:jetzt |nun )?(?:alles|wieder) (?:gut|ok)\b|\b(?:funktioniert|l(?:ä|ae)uft|geht) (?:es|alles"
    r"|jetzt|nun|wieder)\b"
    r"|\b(?:es|alles) (?:funktioniert|l(?:ä|ae)uft|geht) (?:jetzt|nun|wieder|seit)\b|\b(?:hat|haben) sich erledigt\b"
    r"|(?:\d|^|:)\W*(?:behoben|gel(?:ö|oe)st|erledigt)\b|\btritt (?:[^!?]{0,40} )?nicht (?:mehr|l(?:ä|ae)nger)\b"
)
_FRENCH = (
    r"(?i)\b(?:r(?:é|e)solue?s?|corrig(?:é|e)e?s?|r(?:é|e)gl(?:é|e)e?s?)(?:\s+(?:avec|par|depuis|en|dans|merci"
    r"|maintenant)|\W*$|,)"
    r"|\btout (?:marche|fonctionne|va bien)\b|\b(?:ça|cela|elle|il) (?:re)?(?:marche|fonctionne) (?:maintenant"
    r"|depuis|à nouveau)"
    r"|\b(?:a|ont) disparu\b|\bn'appara(?:î|i)t plus\b|\bne se produit plus\b|\bplus d'erreur\b"
)
_SPANISH = (
    r"(?i)\b(?:resuelto|solucionado|arreglado)(?:\s+(?:con|en|por|desde|gracias)|\W*$|,)|\bya funciona\b"
    r"|\bya no (?:ocurre|aparece|pasa|sale|falla)\b|\btodo funciona\b|\bdesapareci(?:ó|o)\b"
)
_EASTERN = (
    r"[解]决(?:了|啦)|已(?:经|經)?(?:被)?(?:解决|解決|修复|修復)|解決了|修(?:复|復|好)了|(?:问题|錯誤|错误|报错|問題)(?:已经|已經|都|就)?(?:没了|没有了|消失了|不见了|沒了)"
    r"|就好了|正常了|不再(?:出现|報錯|报错|发生|出現)|解決(?:しました|した|済み|できました)|直(?:りました|った)|治りました|出なくなり|解消(?:しました|した)|没有?再(?:出现|发生"
    r"|报错)|沒有再出現"
    r"|なくなりました|消えました|動くようになりました"
)
_STAYS = (
    r"(?i)\b(?:still|came back|comes back|is back|returned|persists?|remains?|not (?:\w+ )?(?:fixed|solved"
    r"|resolved|gone"
    r"|work\w*)|never (?:\w+ )?(?:fix|work|solv|went)\w*|unsolved|unresolved)\b|n't (?:\w+ )?(?:fix\w*|solve\w*"
    r"|resolve\w*|gone|work\w*|help\w*)\b"
    r"|\bimmer noch\b|\bweiterhin\b|\bnicht (?:behoben|gel(?:ö|oe)st|weg)\b|\bnoch nicht\b|\btrotzdem\b"
    r"|\btoujours\b|\bencore\b"
    r"|\b(?:pas|non) (?:r(?:é|e)solu|corrig|r(?:é|e)gl)|\btodav(?:í|i)a\b|\bsigue\b|\bno (?:est(?:á|a)|se ha"
    r"|funciona)\b"
    r"|还是|還是|仍|依然|依旧|没有?解决|未解决|沒有?解決|未解決|怎么|如何|无法|不能|まだ|相変わらず|ません(?:。|$)|ていない|でしょうか"
)
_EASTERN_STAYS = (
    r"还是|還是|仍|依然|依旧|没有?解决|未解决|沒有?解決|未解決|怎么|如何|无法|不能|まだ|相変わらず|ません(?:。|$)|ていない|でしょうか|如果|希望|もし"
    r"|一样|相同|同样|同じ|同様"
)
_SAME = (
    r"(?i)\b(?:same|identical|no (?:change|luck|difference)|also (?:fails?|happens?|crash\w*|there|in|on|with)"
    r"|(?:happens?|fails?|crash\w*|get it) (?:\w+ ){0,2}?(?:too|again|as well)|as before|(?:did|does)(?:n't"
    r"| not) (?:help|change|fix|solve))\b"
    r"|\b(?:der|den|die|das) ?(?:gleiche|selbe)|\bgleicher?\b|\bmême\b|\bmismo\b|一样|相同|同样|同じ|同様"
)
_UNSURE = (
    r"(?i)\b(?:if|unless|until|once|hope\w*|wish|should|will|would|could|might|must|wait\w*|please|needs?|want"
    r"|expect\w*|thought|supposed|claim\w*|marked|whether|wenn|falls|hoffe\w*|si|j'esp(?:è|e)re|quand|如果|希望"
    r"|もし)\b|如果|希望|もし"
)
_OPEN = r"(?:[?？]|吗[。.]?|ですか[。.]?)[\s\"'\x60*_)]*$"
_NAY = r"(?:(?:no|nope|nah|well|hm+|but|sorry|hi|hello|thanks?|actually|however)\b[\s,.!:–—-]*)*"
_IT = (
    r"(?:(?:that|this|the|such an?|these|those|any such)(?: same| exact| kind of)? (?:one|errors?|message|issue"
    r"|problem|exception"
    r"|output|line|crash|failure|text)|that|this(?: one)?|any of (?:that|this|these)|such (?:a thing|an error))"
)
# "I don't see it on CPU" compares; "I don't get what this means" complains
_ALONE = (
    r"(?:\s+(?:here|myself|at all|either|anywhere|so far|though|any ?more|personally"
    r"|(?:in|on|at) (?:my|our) (?:own )?(?:logs?|output|side|end|case|machine|setup)))*\s*(?:[.,;:!(–—]|$)"
)
_DENIED = (
    r"(?i)^\W*" + _NAY + r"\W*(?:(?:i|we)(?:'m|'re|'ve| am| are| have)?\s+(?:personally |really |also )?"
    r"(?:do(?:n't| not)|did(?:n't| not)|have(?:n't| not)|not|never|cannot|can't)\s+(?:\w+\s+)?|not\s+)"
    r"(?:have|see|seen|get|getting|seeing|having|hit|got|find)\s+(?:" + _IT + _ALONE + r"|it (?:here|myself|at all)\b"
    r"|it\s*[,.;(])"
    r"|\bnot (?:the|an?) (?:\w+ )?(?:error|one|problem|issue|message|failure|crash) (?:that )?(?:i|we) (?:have"
    r"|see|get|got|had)\b"
    r"|^\W*" + _NAY + r"\W*(?:that|this|it)(?:'s| is) not (?:what (?:i|we) (?:have|see|get|got)"
    r"|(?:the error|what happens) (?:here|for me)|mine"
    r"|my (?:error|problem|issue|log|failure))\b|^\W*" + _NAY + r"\W*not (?:mine|my (?:error|problem|issue|case))\b"
    r"|\bnothing like (?:that|this|it)\b|\bnone of (?:that|this) (?:here|in my|for me)\b"
    r"|\b(?:das|(?:diesen?|den|so einen) fehler|so ?(?:et)?was) (?:habe|sehe|bekomme|kriege) ich (?:hier "
    r"|selbst |gar |bei mir )?nicht\s*(?:[.,;!]|$)"
    r"|\bbei (?:mir|uns) (?:tritt|kommt|erscheint|gibt es) (?:das|dieser|der|diesen|den"
    r"|es)(?: fehler)?(?: \w+)? ?nicht\b"
    r"|\bich (?:habe|sehe|bekomme) (?:das|diesen fehler) (?:hier |selbst )?nicht\s*(?:[.,;!]|$)"
    r"|\bje n'ai pas (?:cette erreur|ce (?:problème|message)|ça)\b|\bje ne (?:vois|reçois) pas (?:cette erreur"
    r"|ce message|ça)\b|\bpas chez moi\b"
    r"|\bno (?:tengo|veo|me sale) (?:ese|este|esa|esta) (?:error|problema|mensaje)\b"
    r"|我(?:这边|这里|這邊)?(?:并|並)?(?:没有|没|沒有)(?:遇到|出现|看到|出現)?(?:过)?(?:这个|该|此|这种|這個)?(?:错误|报错|问题|錯誤)"
    r"|没有(?:出现)?(?:这个|该|此)(?:错误|报错|问题)"
    r"|この?(?:エラー|問題|メッセージ)は?(?:は)?(?:出ません|出ていません|発生しません|発生していません|起きません|ありません|出ない)"
)
_BELONGS = r"(?i)\b(?:i|we|me|my|mine|our|us|ich|mir|mich|mein\w*|wir|uns|je|j'ai|moi|mon|nous|yo|mi)\b|我|私|僕|俺"
_NAMED = (
    r"(?:^|[\s(\[*_])@[A-Za-z][\w-]{0,38}(?:[^\w/@.:-]|[:：]\W*$|$)|(?:^|[\s(\[*_/\w])#[1-9]\d{1,5}\b"
    r"|https?://\S+/(?:issues|pull|discussions)/\d+"
)
_QUOTED = (
    r"(?i)^\W*(?:quot(?:e|ing|ed)|cit(?:e|ing|ed)|copied|pasted|zitat|citation|citation de"
    r"|引用)\b[^.!?\n]{0,80}[:：]?\W*$"
)
_FAILS_SO = r"(?i)\b(?:fail\w*|crash\w*|happens|hits?|affected|broken|dies|hangs|duplicate|reproduc\w+)\b"
_ANNOUNCES = r"[:：][ \t*_\x60]*$"


def may_end_or_deny(text: str) -> bool:
    """Whether a text in another language than English can hold such a sentence: cheap, and never wrong with a no."""
    return linear(_FOREIGN).search(text) is not None


def is_over(sentence: str, *, works: bool = False) -> bool:
    """Whether the sentence tells that a failure is gone. `works`: also where it only says that all works, which in the
    report itself compares ("works with 1.22"), and later on ends it."""
    text = sentence[:MAX_READ]
    if linear(_OPEN).search(text) or linear(_STAYS).search(text):
        return False
    if linear(_EASTERN).search(text):
        return linear(_SAME).search(text) is None
    found = next((m for p in _ENDINGS if (m := linear(p).search(text))), None)
    if found is None and works and linear(_OTHERWHERE).search(text) is None:
        found = linear(_WORKS).search(text)
    return found is not None and linear(_UNSURE).search(text[: found.end()]) is None


_FOREIGN = (
    r"(?i)[\x{3040}-\x{30ff}\x{4e00}-\x{9fff}]|\b(?:nicht|avant|auparavant|vorher|davor|zuvor|antes|plus"
    r"|previously|release notes?|change ?log"
    r"|what's new|until|before|prior|old|since|was)\b|früher|n'ai|pas"
)
_ENDINGS = (_GONE, _SOLVED, _GERMAN, _FRENCH, _SPANISH)


def is_gone(sentence: str) -> bool:
    """Whether the sentence says of a thing named before it that this is gone."""
    text = sentence[:MAX_READ]
    if linear(_OPEN).search(text) or linear(_STAYS).search(text):
        return False
    found = linear(_GONE).search(text) or linear(_EASTERN).search(text)
    return found is not None and linear(_UNSURE).search(text[: found.end()]) is None


def is_over_itself(sentence: str) -> bool:
    """Whether a Chinese or Japanese sentence, which may hold several clauses, tells of what is over by its end."""
    text = sentence[:MAX_READ]
    open_ = linear(_OPEN).search(text) or linear(_EASTERN_STAYS).search(text)
    return linear(_EASTERN).search(text) is not None and not open_


def stays(sentence: str) -> bool:
    """Whether the sentence says that a failure is there as before."""
    text = sentence[:MAX_READ]
    return linear(_OPEN).search(text) is None and any(linear(p).search(text) for p in (_STAYS, _SAME))


def is_denied(sentence: str) -> bool:
    """Whether the writer says of what stands above that he does not get it."""
    return linear(_DENIED).search(sentence[:MAX_READ]) is not None


def is_attributed(lead: str) -> bool:
    """Whether a line that leads to output or a quote says that it is another person's or another issue's.

    Whatever the language: it names a person or an issue, ends with a colon and does not speak of the writer.
    """
    text = lead[-MAX_READ:]
    if linear(_BELONGS).search(text) or linear(_FAILS_SO).search(text):
        return False
    named = linear(_NAMED).search(text) is not None and linear(_ANNOUNCES).search(text) is not None
    return named or linear(_QUOTED).search(text) is not None
