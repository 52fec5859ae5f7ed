"""Words around a quoted message that say whether the writer gets it, in the languages that reports come in.

`Q` stands for the quoted message. RE2's \\b knows ASCII letters only, so words of other scripts go without it.
"""

from __future__ import annotations

Q = "\ue000"
_NEAR = r"[^,;:.!?，；。！？" + Q + r"]"
_GAP = _NEAR + r"{0,40}"

_ENGLISH = (
    r"\b(?:is|are|was|were) no (?:longer|more)\s+(?:an? |the |any )?(?:\w+ )?" + Q,
    r"\b(?:there(?:'s| is| are| was)|i (?:have|see|get)|we (?:have|see|get)) no (?:error |message |such )?" + Q,
    Q + _GAP + r"\b(?:does|do|did|is|are|was|were|has|have)(?:n't| not| never)\s+(?:been\s+)?"
    r"(?:appear|occur|happen|show|shown|printed|seen|come up|there)\w*\b",
    Q + _GAP + r"\b(?:no longer|any ?more|never)\b",
    r"^\W*(?:solved|resolved|fixed|closing|closed)\b\s*[:.,–—-]",
    Q + _GAP + r",?\s*(?:(?:now |since |meanwhile )?(?:solved|resolved|fixed|gone))\s+(?:by|after|with|since|in|for)\b",
    Q + r"[^?!]{0,80}\b(?:was|were)\b[^?!]{0,60}[;,]\s*(?:but |and )?(?:on|with|in|since|now|after)\b[^?!;]{0,40}"
    r"\b(?:fine|works?|ok|okay|gone|good)\b",
    Q + r"\s+would\b",
    r"\bneither\s+" + Q + r"|\bused to (?:get|see|print|throw|raise|report|show|give|fail|say)\b" + _GAP + Q,
    r"\baccording to\b[^.!?:;]{0,40}" + Q,
    r"\b(?:blog|article|tutorial|docs?|documentation|readme|faq|manual|guide|wiki|maintainers?|forum|book)\b"
    + _GAP
    + r"\b(?:says?|said|states?|mentions?|claims?|explains?|lists?|describes?|writes?|wrote)\s+(?:[^\s,;:.!?]+\s+){0,2}"
    + Q,
    r"\b(?:logs?|output|console|screen) of (?:my|our|an?|another|some) \w+" + _GAP + Q,
    Q + r"[^?!]{0,80}[;,.]\s*(?:but |and |then )?(?:v?\d[\w.]*|version \S+|updating|upgrading|that|this|reinstalling)\b"
    r"[^?!;]{0,30}?\b(?:fixed|solved|resolved) (?:it|this|that)\b",
    r"\btests?\b" + _GAP + r"\b(?:asserts?|expects?|checks?|verif(?:y|ies)|covers?|looks? for|wants?)\b" + _GAP + Q,
    Q + r"[^?!]{0,80}\btests? (?:all )?(?:pass(?:es|ed)?|(?:is|are|stay) green|succeeds?)\b",
)
_DUTCH = (
    Q + r"\s*(?:meer )?niet\b",
    r"\b(?:geen|niet)\s+(?:meer )?(?:de )?(?:fout\w*|melding)?\s*" + Q,
)
_GERMAN = (
    r"\b(?:nicht|kein\w*|nie|niemals)\s+(?:mehr\s+)?(?:den |die |das |der |diesen? )?(?:\w*(?:fehler|meldung|warnung"
    r"|ausnahme)\w*\s+)?(?:mehr\s+)?" + Q,
    Q + _GAP + r"\b(?:bekomm|erhalt|erh(?:ä|ae)lt|krieg|seh|sieht|hab|hat|hatt|tritt|trat|erschein|komm|kam|gibt|gab"
    r"|zeig|tauch|steht)\w*" + _GAP + r"\b(?:nicht|kein\w*|nie|niemals)\b",
    r"\b(?:bekomm|erhalt|krieg|seh|hab|hatt|tritt|trat|erschein|gibt)\w*\s+(?:ich |wir |hier |jetzt )*(?:nicht|nie"
    r"|kein\w*)\s+(?:mehr\s+)?" + _NEAR + r"{0,20}" + Q,
    r"(?:^|[^\p{L}])(?:gel(?:ö|oe)st|behoben|erledigt|verschwunden)(?:$|[^\p{L}])|" + Q + _GAP + r"\bweg\b",
)
_FRENCH = (
    r"\b(?:n'ai|n'avons|n'y a|ne (?:re(?:ç|c)ois|vois|rencontre|voyons))\s*(?:pas|plus|jamais)\s+(?:(?:l'|d'|la |le "
    r"|de |cette |ce |les |du )?(?:erreurs?|messages?|exceptions?|avertissements?)\s*)?" + Q,
    Q
    + _GAP
    + r"\b(?:n'appara|n'est|ne s'affiche|ne se produit|ne survient|ne revient)\w*"
    + _GAP
    + r"\b(?:pas|plus)\b",
    r"(?:^|[^\p{L}])(?:r(?:é|e)solu|corrig(?:é|e)|disparu)e?s?(?:$|[^\p{L}])",
)
_SPANISH = (
    r"\bno\s+(?:me |se |nos )?(?:sale|salen|aparece|aparecen|da|tengo|tenemos|veo|recibo|obtengo|ocurre|hay|muestra)\b"
    + _GAP
    + Q,
    Q + _GAP + r"\b(?:no|nunca)\s+(?:me |se |nos )?(?:sale|aparece|ocurre|sucede|pasa|muestra)\b",
    r"\b(?:resuelto|solucionado|arreglado|desapareci(?:ó|o)|corregido)(?:$|[^\p{L}])",
    r"\b(?:ya|he) (?:lo )?(?:resolv(?:í|i)|solucion(?:é|e)|arregl(?:é|e))(?:$|[^\p{L}])",
)
_PORTUGUESE = (
    r"\bnão\s+(?:me )?(?:recebo|recebi|vejo|vi|tenho|aparece|ocorre|h(?:á|a)|obtenho|acontece|sai)(?:$|[^\p{L}])"
    + _GAP
    + Q,
    Q + _GAP + r"\bnão\s+(?:mais\s+)?(?:aparece|ocorre|acontece|sai)\b",
    r"\b(?:resolvid[oa]|corrigid[oa]|sumiu|desapareceu)\b",
)
_ITALIAN = (
    r"\bnon\s+(?:ricevo|vedo|ottengo|appare|compare|mi d(?:à|a)|esce|si verifica|c'(?:è|e))(?:$|[^\p{L}])" + _GAP + Q,
    r"\bnon (?:ho|abbiamo) (?:pi(?:ù|u) )?(?:(?:l'|il |un )?(?:errore|messaggio)\s*)?" + Q,
    Q + _GAP + r"\bnon\s+(?:appare|compare|si verifica|esce)\b",
    r"\b(?:risolt[oa]|scompars[oa]|sparit[oa])\b",
)
_SEEN = r"(?:遇到|出现|出現|看到|收到|碰到|见到|見到|发生|發生|显示|顯示|打印|报|報)"
_CHINESE = (
    r"(?:没有?|沒有?|并未|未曾?|不会|不會|不再|从未|從未)(?:再次?)?" + _SEEN + r"(?:过|過)?" + _NEAR + r"{0,12}" + Q,
    r"(?:没有|沒有)\s*" + Q,
    Q + _NEAR + r"{0,12}(?:没有?|沒有?|并未|不会|不會|不再)(?:再次?)?" + _SEEN,
    Q + r"[^。！？?!]{0,40}(?:解决|解決|修复|修復|修好|消失)(?:了|啦|$|[，,。])",
)
_NOUN = r"(?:という|との)?(?:エラー|メッセージ|警告|例外|表示|ログ)?(?:は|も|が)?(?:もう|全く|一切)?"
_JAPANESE = (
    Q
    + r"\s*"
    + _NOUN
    + r"(?:出ません|出ていません|出ない|出なくなり|発生しません|発生していません|発生しない|起きません|起きない"
    r"|起きていません|ありません|表示されません|表示されない|見られません|見えません|消えました|なくなりました)",
    Q + r"[^。！？?!]{0,30}(?:解決しました|解決した|解決済み|解消しました|直りました)",
)
_KOREAN = (
    Q + r"\s*(?:이?라는\s*)?(?:오류|에러|메시지|경고|예외)?(?:은|는|이|가|도|를|을)?\s*(?:더 ?이상 |전혀 |이제 ){0,2}"
    r"(?:발생하지|나타나지|나오지|뜨지|보이지|생기지|없습|없어|없었|안 ?나|안 ?떠)",
    Q + r"[^.!?]{0,40}(?:해결(?:되었|됐|했|됨|된)|사라졌|고쳐졌|고쳤)",
)
_RUSSIAN = (
    Q
    + _GAP
    + r"(?:^|[^\p{L}])(?:нет|больше не|не (?:появля|возника|вижу|получа|наблюда|вывод|встреча|воспроизвод|было))",
    r"(?:^|[^\p{L}])(?:нет|не (?:вижу|получа|возника|появля|наблюда|встреча))\p{L}*\s" + _GAP + Q,
    r"(?:^|[^\p{L}])(?:реш(?:е|ё)н|исправлен|исчез|исчезл|пропал|устран(?:е|ё)н)[аоы]?(?:$|[^\p{L}])",
    r"(?:^|[^\p{L}])(?:решил|исправил|устранил)[аи]?(?:$|[^\p{L}])",
)
_UKRAINIAN = (
    Q + _GAP + r"(?:^|[^\p{L}])(?:немає|нема|більше не|не (?:з.явля|виника|бачу|отриму|спостеріга))",
    r"(?:^|[^\p{L}])(?:немає|нема|не (?:бачу|отриму|виника|з.явля))\p{L}*\s" + _GAP + Q,
    r"(?:^|[^\p{L}])(?:вирішен|виправлен|зник|зникл|усунен)(?:[аои]|ий)?(?:$|[^\p{L}])",
)
_POLISH = (
    r"\bnie\s+(?:mam|ma|widz|dostaj|otrzymuj|pojawia|wyst)\p{L}*\s" + _GAP + Q,
    Q + _GAP + r"\bnie\s+(?:pojawia|wyst|ma)\p{L}*",
    r"(?:^|[^\p{L}])(?:rozwi(?:ą|a)zan|naprawion|znikn(?:ął|ęł))[aoye]?(?:$|[^\p{L}])",
)
_TURKISH = (
    Q + r"\s*(?:hatas|mesaj|uyar)?\p{L}*\s*(?:artık |hiç )?(?:almıyor|görmüyor|çıkmıyor|oluşmuyor|gelmiyor|vermiyor|yok"
    r"|almadı|görünmüyor)\p{L}*",
    r"(?:^|[^\p{L}])(?:çözüldü|çözdüm|düzeldi|giderildi|kayboldu)(?:$|[^\p{L}])",
)
_VIETNAMESE = (
    r"(?:không|chưa|chẳng)\s+(?:còn\s+)?(?:gặp|thấy|có|bị|nhận|xuất hiện)" + _GAP + Q,
    Q + _GAP + r"không\s+(?:còn\s+)?(?:xuất hiện|xảy ra|hiện)",
    r"đã\s+(?:được\s+)?(?:giải quyết|sửa|khắc phục|hết)",
)
# "Formerly m, but now all works", the words of one language each.
_FORMERLY = tuple(
    rf"(?:^|[^\p{{L}}])(?:{then})[^.!?。！？]{{0,40}}{Q}[^.!?。！？]{{0,60}}(?:{now})[^.!?。！？]{{0,30}}(?:{good})"
    for then, now, good in (
        ("之前|以前|原来|原先|曾经?|過去", "现在|如今|現在|已经?|后来", "好了|正常|可以|没问题|能用|沒問題"),
        ("以前|前は|前に|昔|かつて", "今は|現在は?|いまは|もう", "動き|動いて|動く|問題な|正常|出ません|大丈夫"),
        ("예전|이전|전에", "지금|이제|현재", "됩니다|됨|작동|정상|괜찮|문제없"),
        ("раньше|прежде|ранее|до этого", "теперь|сейчас|уже", "работает|нормально|в порядке|нет"),
        ("раніше|колись|до цього", "тепер|зараз|вже", "працює|добре|гаразд|немає"),
        ("dawniej|wcześniej|przedtem|kiedyś|poprzednio", "teraz|już|obecnie", "działa|jest dobrze|nie ma"),
        ("eskiden|önceden|daha önce", "şimdi|artık", "çalış|düzel|sorun yok|yok"),
        ("trước đây|trước kia|hồi trước|lúc trước", "bây giờ|giờ|hiện", "chạy|được|bình thường|ổn"),
    )
)
# The writer does not get the message, or no more, or only supposes it.
DENIALS = tuple(
    "(?i)" + "|".join(group)
    for group in (
        _ENGLISH,
        _GERMAN,
        _DUTCH,
        _FRENCH,
        _SPANISH,
        _PORTUGUESE,
        _ITALIAN,
        _CHINESE,
        _JAPANESE,
        _KOREAN,
        _RUSSIAN,
        _UKRAINIAN,
        _POLISH,
        _TURKISH,
        _VIETNAMESE,
        _FORMERLY,
    )
)

# One of these is in a sentence that says of a failure that it is over.
SOLVED = (
    r"(?i)\b(?:gel(?:ö|oe)st|behoben|erledigt|r(?:é|e)solu|corrig(?:é|e)|disparu|resuelto|resolv(?:í|i)"
    r"|solucion(?:ado|(?:é|e))"
    r"|arregl(?:ado|(?:é|e))|corregido|resolvid[oa]|resolvi|corrigid[oa]|corrigi|risolt[oa]|risolv"
    r"|sistemat[oa])(?:$|[^\p{L}])"
    r"|解决|解決|修复|修復|直り|解消|해결|고쳤|고쳐졌|реш(?:е|ё)н|решил|исправ|устран"
)

# A question denies nothing ("Is m fixed?"), except one about what would be.
SUPPOSES = (
    r"(?i)^\W*(?:why|how come|is it)\b[^?]*(?:\b(?:not|never|no longer)|n't)\s+(?:i |we )?(?:get|see|print|show|throw"
    r"|raise|report)\b[^?]*"
    + Q
    + r"|^\W*(?:(?:and|but|so|what|when|where|if\b[^?]{0,80},)\s+)?(?:would|will)\b[^?]*"
    + Q
    + r"|^\W*(?:could|might|can) (?:the|an?|it|this|that)\b[^?]{0,60}\b(?:print|throw|raise|emit|return|show|log"
    r"|report)\b[^?]*" + Q
)
ASKS = r"(?:[?？]|吗[。.]?|ですか[。.]?)[\s\"'\x60*_)]*$"

# What a program should print, and whether it can ever print it.
WISHES = (
    r"(?i)\b(?:should|could|would|might|please) (?:\w+ ){0,2}?(?:print|say|show|emit|throw|give|raise|return|report"
    r"|mention)\b[^.!?]{0,60}" + Q + r"|^\W*(?:does|do|can|will) (?:the|an?|it|this|that|your)\b[^.!?]{0,40}"
    r"\bever\b[^.!?]{0,40}" + Q
)

# It is there after all, or never went.
STAYS = (
    r"(?i)\b(?:still|again|came back|comes back|is back|returned|persists?|not (?:\w+ )?(?:fixed|solved|resolved|gone)"
    r"|unsolved|unresolved|not only)\b|n't (?:\w+ )?(?:fix|solve|resolve|gone)\w*"
    r"|\b(?:immer noch|weiterhin|trotzdem|nicht (?:behoben|gel(?:ö|oe)st|verschwunden|weg|nur)|noch nicht|wieder)\b"
    r"|\b(?:toujours|encore|pas (?:r(?:é|e)solu|corrig|disparu|seulement))|\b(?:todav(?:í|i)a|sigue|a(?:ú|u)n|idea"
    r"|no (?:se )?(?:ha |est(?:á|a) )?(?:sido )?(?:resuelto|solucionado|arreglado|corregido|sólo|solo))(?:$|[^\p{L}])"
    r"|\b(?:ainda|continua|não (?:foi )?(?:resolvid|corrigid|só)|ancora|non (?:è (?:stato )?)?risolt|non solo)"
    r"|(?:没有?|沒有?|未|无法|無法|不能|怎么|如何|怎麼)(?:能|被)?(?:解决|解決|修复|修復)|还是|仍然|依然|仍|还有|還是|不仅"
    r"|解決し(?:ません|ていません|ない)|解決できま?せ?ん?|まだ|解決(?:方法|策)|해결되지|여전히|아직"
    r"|(?:^|[^\p{L}])(?:не (?:реш|исправ|исчез|пропал|устран|виріш|виправ|зник|только|тільки)|вс(?:е|ё) ещ(?:е|ё)"
    r"|до сих пор|досі|снова|nie (?:jest )?(?:rozwi|napraw|znik|tylko)|nadal|wci(?:ą|a)(?:ż|z)|hâlâ|hala|çözülmedi"
    r"|vẫn|không chỉ)"
)

# The writer tells that it comes: a message quoted without any such word is only named.
AFFIRMS = (
    r"(?i)\b(?:get(?:s|ting)?|got|see(?:s|ing|n)?|saw|hits?|hitting|receiv\w+|fac(?:e|ed|ing)|encounter\w*|fail\w*"
    r"|errors?|exceptions?|crash\w*|throw\w*|threw|rais(?:e|es|ed|ing)|print\w*|show\w*|say(?:s|ing)?|said|logs?|logged"
    r"|report\w*|giv(?:e|es|en|ing)|gave|return\w*|complain\w*|warn\w*|abort\w*|die[sd]?|ends?|ended|happen\w*|occur\w*"
    r"|appear\w*|messages?|output\w*|due to|because|cannot|can't|unable|broken|refus\w*|reject\w*|panic\w*|stop\w*"
    r"|hang\w*|result\w*|becomes?|caus\w+|trigger\w*|stuck|issue|problem|bug|display\w*|emit\w*|raises"
    r"|(?:does|do|did|is|was)(?:n't| not) (?:work|load|run|start)\w*|always|same|again|constantly|every|each|fix(?:es)?"
    r"|not (?:\w+ )?(?:fixed|solved|resolved)|help|comes? up|came up|j'ai|hilft"
    r"|solve|work-?around|solution|nothing works|no longer (?:work|load|run|start)\w*)\b"
    r"|\b\w*(?:fehler|meldung|ausnahme|absturz)\w*|\b(?:bekomm|erhalt|erh(?:ä|ae)lt|krieg|erschein|kommt|st(?:ü|u)rz"
    r"|bricht|scheiter|steht|zeigt|meldet)\w*"
    r"|\b(?:erreurs?|exception|plante|affiche|obtiens|re(?:ç|c)ois|(?:é|e)choue|message)"
    r"|\b(?:excepci(?:ó|o)n|mensaje|falla|sale|aparece|obtengo|recibo|exce(?:ç|c)(?:ã|a)o|erros?|mensagem|falha|recebo"
    r"|errore|messaggio|fallisce|ricevo|ottengo|appare|foutmelding|fout|krijg\w*)"
    r"|[:：]\s*" + Q + r"|报错|報錯|错误|錯誤|提示|异常|失败|失敗|出现|出現|遇到|显示|顯示|报|崩溃|解决|解決"
    r"|エラー|出ます|出る|出て|出ました|表示|発生|例外|落ち"
    r"|오류|에러|메시지|예외|실패|발생|해결|나옵|뜹|나타"
    r"|(?:ошибк|исключени|сообщени|падает|вылета|получа|выда(?:е|ё)т|помилк|отриму|виника|вида(?:є|е)"
    r"|b(?:ł|l)(?:ą|a)d|wyj(?:ą|a)tek|komunikat|dostaj|otrzymuj|hata|uyar(?:ı|i)|istisna|mesaj|al(?:ı|i)yor|lỗi|báo|gặp)"
)
# Words that name a message without telling that it comes: a list of examples, a question about one.
EXAMPLES = (
    r"(?i)^\W*(?:e\.?g\b|for example\b|for instance\b|such as\b|z\. ?b\.|par exemple|por ejemplo|例如|例えば)|"
    + Q
    + r"\s*as an? (?:\w+ )?examples?\b"
)
