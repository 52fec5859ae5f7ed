"""The words that tell whose a version is, and how it went with it, in the languages that reports come in.

Only words are held here; `own_versions` reads sentences by them. Each kind is one pattern. They are tried in the order
of KINDS, and what one took is blank for the next, so that "did not crash" is no crash and "does not load" no success.
"""

from __future__ import annotations

_NOT = r"(?:(?:\w+n'?t|cannot|not|never|no longer|neither|nor|hardly|none|nothing)\b)"
_TO = r"(?:\s[\w'-]+){0,2}?\s"
_TROUBLE = (
    r"(?:errors?|problems?|issues?|crash\w*|fail\w*|bugs?|exceptions?|warnings?|affected|broken|reproduc\w*|happen\w*"
    r"|occur\w*|hit|troubles?|regress\w*|difficult\w*|complain\w*)\b"
)
_RUNS = (
    r"(?:work\w*|load\w*|runs?|running|start\w*|launch\w*|open\w*|initiali[sz]\w*|infer|respond\w*|answer\w*"
    r"|generat\w*|complet\w*|finish\w*|produc\w*|chat|creat\w*|compil\w*|build|download\w*|find|found|help\w*|fix\w*"
    r"|solve\w*|resolve\w*|ok(?:ay)?|fine|good|right|correct\w*|recogni[sz]\w*|detect\w*|regist\w*|available"
    r"|support\w*|enough|possible|implemented|able(?: to (?:be )?\w+)?|change[ds]?|print\w*|return\w*|output"
    r"|stable|usable|do)\b"
)

HARMLESS = (
    r"(?i)\b(?:do(?:es)? ?n[o']?t|did ?n[o']?t|can(?:no|')t|not)\s(?:really )?(?:know|understand|see|tell|get"
    r"|figure out|sure|clear) (?:why|what|how|where|which)\b|\bno (?:idea|clue) (?:why|what|how|where)\b"
    r"|\b(?:not only|as well|as (?:before|above|follows)|working (?:directory|set|dir|folder|tree)|no matter"
    r"|of course"
    r"|out of the box|(?:other|further|additional|more) (?:info\w*|details?|context)|nothing (?:else|special))\b"
    r"|\bif (?:it|that) (?:helps|matters)\b|\bissue (?:template|form|tracker)s?\b|\bdon'?t worry\b"
    r"|\bright (?:now|after|away|before)\b|\bnext to\b|\bwell[,-]|\brun(?:s|ning)? well\b|\bgood (?:morning|day)\b"
)
# past these words a complaint follows, whatever they deny
COMPLAINT = (
    r"(?i)\b(?:\w+n'?t|cannot|not)" + _TO + r"(?:past|rid of|around|beyond)\b|\b(?:can ?not|can'?t|could ?n'?t"
    r"|unable to|not able to|impossible to)\s(?:\w+\s)?(?:use|make|get|do|run|load|start|open|chat)\b"
    r"|\bno (?:\w+ )?(?:output|response|answer|reply|text|result|luck|effect|change|difference|help|avail)\b"
    r"|\bwithout (?:success|luck|effect|any output)\b|\bnot (?:the|a) (?:same|solution|fix)\b"
)
NO_TROUBLE = (
    r"(?i)(?:\b(?:no|zero|free of|without|cannot|unable to|fail(?:s|ed)? to)|"
    + _NOT
    + r")(?:\s[\w'-]+){0,3}?\s"
    + _TROUBLE
    + r"|\b(?:kein\w*|ohne|nicht|nie)(?:\s[\wäöüß]+){0,3}?\s(?:fehler\w*|problem\w*|abst(?:u|ü)rz\w*|absturz"
    r"|betroffen"
    r"|auf(?:getreten)?|ab(?:gest(?:ü|u)rzt)?)\b|\b(?:tritt|st(?:ü|u)rzt|kommt)\b[^,.;]{0,40}\bnicht\b"
    r"|\b(?:sans|aucune?|pas d[e']|jamais d[e'])\s?(?:\w+\s){0,2}?(?:erreurs?|probl(?:è|e)mes?|souci|plantages?)\b"
    r"|\bn'(?:est|a|avait|était)\s(?:pas|jamais)\s(?:\w+\s)?(?:touch|affect|concern|plant|échou)\w*"
    r"|\bne plant\w+ pas\b"
    r"|\b(?:sin|ning(?:ú|u)n\w*|no (?:da|hay|tiene|sale|ten(?:í|i)a|daba))\s(?:\w+\s){0,2}?(?:error(?:es)?|problemas?"
    r"|fallos?)\b|\bno (?:est(?:á|a) afectad\w+|falla(?:ba)?|se cuelga)\b"
    r"|(?:没有?|沒有?|无|未|不|並未|并未)(?:再|会|會|有|任何|这个|這個|该|此|出现|出現|受|发生|發生|遇到|过|過)*"
    r"(?:问题|問題|错误|錯誤|报错|報錯|出错|出錯|异常|異常|崩溃|崩潰|影响|影響|复现|失败)"
    r"|(?:エラー|問題|クラッシュ|不具合|症状|現象|発生|再現)(?:は|が|も|を|に)?(?:全く|特に)?(?:な[しいくか]"
    r"|ありません|出ま?せ?ん?ない?"
    r"|出ません|出ない|起き(?:ない|ません)|し(?:ない|ません|なかった)|発生し(?:ない|ません|なかった))"
    r"|影響(?:を受け|は)(?:ない|ません|なし)"
)
NOT_RUN = (
    r"(?i)\b(?:i|we)(?:'ve| have| had|'m| am| are| was| were| do| did|'d)?\s?(?:not|n'?t|never|no longer|nor"
    r"|neither)\b(?:\s[\w'-]+){0,2}?\s(?:runn?(?:ing)?|ran|us(?:e|ed|ing)|tr(?:y|ied|ying)|test(?:ed)?|installed?"
    r"|have|had|own|load(?:ed)?|start(?:ed)?|check(?:ed)?|seen?|got|on|with|updated?|upgraded?|switch(?:ed)?|talk\w*"
    r"|speak\w*|mean)\b|\b(?:do|did|have|am|are|was)n'?t\s(?:\w+\s){0,1}?(?:use|run|running|tried|try|tested"
    r"|installed?"
    r"|have|had|on|own|using|updated?)\b|\bnot\s(?:yet )?(?:tried|tested|installed|checked|used|using|present|mine)\b"
    r"|\bnever\s(?:tried|tested|installed|used|had|ran|saw|seen)\b|\b(?:i|we)\s(?:refuse|avoid|skip\w*|decline\w*)\b"
)
FAILS_TO = (
    r"(?i)(?:\b(?:will|would|could|does|did|do|is|are|was|has|have|can)\s)?(?:" + _NOT + r"|\b(?:unable|fail\w*"
    r"|refus\w+|impossible) to\b|\bstop(?:s|ped)?\b)(?:\s[\w'-]+){0,2}?\s"
    + _RUNS
    + r"|\b(?:funktioniert\w*|l(?:ä|ae)uft|lief|geht|ging|startet|l(?:ä|ae)dt|klappt"
    r"|kann)\b(?:\s[\wäöüß.-]+){0,5}?\snicht\b"
    r"|\bnicht\s(?:\w+\s)?(?:funktion\w*|lauff\w*|geladen|gestartet|laden|starten|mehr)\b"
    r"|\bn[e'](?:\s?\w+){0,2}?\s?(?:marche|fonctionn|d(?:é|e)marre|charge|lance|arrive)\w*\s(?:\w+\s)?(?:pas"
    r"|plus|jamais)"
    r"|\bno (?:me |se |lo )?(?:funciona|carga|arranca|inicia|responde|abre|puedo|puede)\w*"
    r"|不能|无法|無法|没法|不工作|不起作用|跑不起来|用不了|打不开|起不来|加载不|動(?:か|き|作し)(?:ない|ません|なく)"
    r"|起動(?:し|でき)(?:ない|ません)|読み込(?:め|み)(?:ない|ません)|使え(?:ない|ません)|でき(?:ない|ません)"
)
FAILS = (
    r"(?i)\b(?:fail\w*|crash\w*|errors?|broken?|breaks|broke|throw[sn]?|threw|rais(?:es|ed)|hang(?:s|ing)?|hung"
    r"|fr(?:o|ee)z\w+|exceptions?|abort\w*|segfault\w*|segmentation fault|panic\w*|assert\w*|stuck|garbage|gibberish"
    r"|nonsense|wrong|incorrect\w*|invalid|empty|zeros|nan|slow\w*|leak\w*|unexpected\w*|mismatch\w*|missing"
    r"|unsupported|dies|died|killed|time[ds]? ?out|stop(?:s|ped)?|bugs?|buggy|issues?|problems?|still|reproduc\w+"
    r"|repro|happen\w*|occur\w*|affect(?:s|ed)|persist\w*|regress\w*|refus\w+|reject\w*|complain\w*|not_implemented"
    r"|no_suchfile|unusable|corrupt\w*|bad|aborts|trouble\w*|loses|lost|removed|got th(?:is|e)|gets? th(?:is|e)"
    r"|sees? th(?:is|e)|get:|prints|printed|both fail|same (?:thing|result|behaviou?r|here|error|issue|problem|crash"
    r"|message|one|for)|the same|also there|did nothing|unable to|fehler\w*|schl(?:ä|ae|a)gt|fehlgeschlagen"
    r"|st(?:ü|u)rzt|abst(?:ü|u)rz\w*|absturz|abgest(?:ü|u)rzt|kaputt|bricht|h(?:ä|ae)ngt|tritt|erreurs?|plante\w*"
    r"|échou\w+|echou\w+|bogues?|fall(?:a|o|ó|an|os)|errores|cuelga|cierra|rompe)\b"
    r"|[❌✗✘🔴🚫💥]|错误|錯誤|报错|報錯|崩溃|崩潰|失败|失敗|出错|出錯|异常|異常|卡住|卡死|问题|問題|エラー"
    r"|クラッシュ|落ち|不具合|発生"
)
WELL = (
    r"(?i)\b(?:works?|worked|working|fine|ok(?:ay)?|good|great|healthy|pass(?:es|ed|ing)?|succe(?:ss\w*|ed\w*)"
    r"|correct(?:ly)?|unaffected|stable|clean(?:ly)?|flawless\w*|perfect\w*|properly|normal(?:ly)?|happy|solved"
    r"|solves"
    r"|resolved|resolves|fixed|fixes|fix|gone|vanish\w*|disappear\w*|ran (?:it|fine|well|the|this|that|my)|runs (?:it"
    r"|fine|well|the|this|that|my)|loads?|loaded|loads (?:it|fine)|complete[sd]?|as expected|green|helped|helps"
    r"|last (?:good|known|one|working|that)|did the trick|right answers?|true|yes|funktionier\w*|l(?:ä|ae)uft"
    r"|lief|ging"
    r"|geht|klappt\w*|in ordnung|behoben|gel(?:ö|oe)st|gut|marche|marchait|march(?:é|e)|fonctionn\w+|bon(?:ne)?"
    r"|r(?:é|e)solu\w*|corrig(?:é|e)\w*|funciona\w*|funcion(?:ó|o)|bien|correct[oa]|resuelt[oa])\b"
    r"|[✅✔👍🟢☑🆗💚]|:white_check_mark:|:\+1:|正常|没问题|可以|能用|能跑|可用|好的|好用|成功|没事|解决|修复"
    r"|動(?:く|き|い[たて]|作)|使え|大丈夫|解決|直[りっ]|うまく"
)
# it may be so, and it counts where a failure follows: "if I use 1.2 it crashes", "I think 1.2 is broken"
PERHAPS = (
    r"(?i)\b(?:if|i (?:think|believe|guess|suppose|suspect|assume)|maybe|perhaps|probably|possibly|presumably"
    r"|apparently"
    r"|seems?|likely|had|was on|were on|was using|not sure|unsure|wenn|falls|vielleicht|vermutlich|wohl|glaube|denke"
    r"|si|peut-(?:ê|e)tre|je (?:crois|pense)|quiz(?:á|a)s?|tal vez|creo)\b|如果|假如|可能|也许|大概|好像|もし"
    r"|かも|たぶん|おそらく"
)
PLANNED = (
    r"(?i)\b(?:would|could|might|may|should|shall|ought|will|(?:am|is|are|'m|'re) going to|gonna|plan(?:s|ned"
    r"|ning)?|want(?:s|ed)?|wish\w*"
    r"|hop(?:e|es|ing)|need to|have to|please|consider\w*|tomorrow|later|soon|until|till|unless|whether|wait\w*"
    r"|let me|(?:can|could) (?:you|someone|i|we)|instead of|rather than|w(?:ü|ue)rde|k(?:ö|oe)nnte|sollte|werde|bitte"
    r"|m(?:ö|oe)chte|pourrait|devrait|voudrais|vais|podr(?:í|i)a|deber(?:í|i)a|voy a|quiero)\b|'(?:ll|d)\b"
    r"|打算|准备|将|应该|希望|请|想|つもり|予定|と思|なら|ください|べき|試し"
)
OTHERS = (
    r"(?i)\b(?:(?:colleagues?|co-?workers?|friends?|team ?mates?|boss|brother|neighbou?r|customers?"
    r"|clients?) and i\b)"
)
ANOTHERS = (
    r"(?i)^\W*(?:see|cf)\b|\b(?:colleagues?|co-?workers?|friends?|team ?mates?|customers?|clients?|some(?:one"
    r"|body)|people|others|everyone"
    r"|users|maintainers?|reporter|discord|reddit|forums?|stack ?overflow|docs?|documentation|read ?me|change ?logs?"
    r"|release notes?|guides?|tutorials?|blogs?|articles?|websites?|wiki|faq|roadmap|milestone|templates?|placeholder"
    r"|(?:issues?|bugs?|tickets?|threads?|discussions?|posts?) (?:about|for|regarding|against)|open (?:issues?|bugs?)"
    r"|same (?:\w+ )?as|similar (?:\w+ )?to"
    r"|identical to|(?:looks?|sounds?|seems?|feels?|just) like|like (?:in|with|on|the)|unlike|reminds?|known from"
    r"|(?:described|mentioned|documented|listed|reported|filed|tracked|discussed|seen|stated) (?:in|for|by"
    r"|against|at)"
    r"|(?:heard|read|saw|noticed|told|said|claims?|claimed|says) (?:that|about|of|of the|it)|previous(?:ly)?|formerly"
    r"|earlier|used to|(?:an? |the )?old(?:er)?|ago|last (?:week|month|year)|(?:un|de)install\w*|removed?|delet\w+"
    r"|dropped|abandon\w*|left|replac\w+|migrated|moved away|got rid|(?:switch|mov|chang|com|upgrad|updat)\w* from"
    r"|outdated|(?:an)?other|different|second|elsewhere|not installed|baseline|control|reference|compar\w+|versus|vs"
    r"|than|both"
    r" of them|his|her|their|kolleg\w*|freund\w*|jemand\w*|andere[nrsm]?|leute|vorlage"
    r"|fr(?:ü|ue)her|vorher|bisher|zuvor|coll(?:è|e)gue\w*|quelqu'un|autres?|mod(?:è|e)le d"
    r"|auparavant|avant|compa(?:ñ|n)ero\w*|alguien|otr[oa]s?|plantilla|antes|anterior)\b"
    r"|同事|朋友|别人|有人|其他人|他们|模板|以前|之前|曾经|卸载|同僚|友人|他の人|誰か|テンプレート|以前|前の"
    r"|別の|アンインストール"
)
EXAMPLES = (
    r"(?i)\b(?:for (?:example|instance)|(?:an? )?examples?\s?(?:[:：=,]|is|are|of)|e\. ?g|eg|i\. ?e|such as"
    r"|something like|placeholder|beispiel\w*|z\. ?b|bsp|exemple|par ex"
    r"|p\. ?ej|ejemplo)(?:\W|$)|^\W*(?:before|previously|earlier|formerly|originally|initially|at first|fr(?:ü"
    r"|ue)her|zuvor|vorher"
    r"|avant|auparavant|antes)\s?,|例如|比如|举例|示例|例[:：]|例えば|たとえば"
)
EXCEPTED = (
    r"(?i)\b(?:(?:nothing|not \w+|little) to do with|(?:any|every)thing but|(?:all|none|nothing|no \w+) (?:but"
    r"|except))\b"
)
# what is offered, demanded or newest; it counts where the writer says that he has it
OFFERED = (
    r"(?i)\b(?:latest|newest|available|offer\w*|list(?:s|ed)|show(?:s|n)|advertis\w*|recommend\w*|suggest\w*"
    r"|requir\w*"
    r"|needs?|needed|minimum|min|at least|expect\w*|support\w*|target\w*|desired|wanted|upcoming|next|released"
    r"|announc\w*"
    r"|publish\w*|ships?|shipped|mention\w*|says|said|states|claims|contains?|includes?|introduc\w*|wait"
    r"|candidate|proposed"
    r"|alternativ\w*|updat\w*|upgrad\w*|downgrad\w*|last|first|since|before|after|up to|he|she|they"
    r"|neueste\w*|aktuellste\w*|ben(?:ö|oe)tigt|erwartet\w*|mindestens|verf(?:ü|ue)gbar|derni(?:è|e)re?"
    r"|requise?|attendue?"
    r"|disponible|nouvelle|(?:ú|u)ltim[oa]|requerid[oa]|esperad[oa]|m(?:í|i)nim[oa])\b"
    r"|最新|最低|需要|要求|推荐|期望|预期|可用|必要|推奨|最低|期待"
)
MINE = (
    r"(?i)\b(?:i|we)(?:'m|'ve|'re| am| are| have| was| were)?(?:\s(?:also|now|still|currently|just|already|only"
    r"|always"
    r"|recently|then|even|both|first|have|been|am|finally|today|freshly)){0,3}\s(?:us(?:e|ed|ing)|r[ua]n(?:ning)?|on"
    r"|have|install(?:ed)?|updat(?:ed|ing)|upgrad(?:ed|ing)|downgraded|test(?:ed|ing)?|tr(?:y|ied|ying)|work(?:ing)?"
    r"(?: with| on)?|got|get|see|hit|buil[td]|compiled|download(?:ed)?|switched|moved|went|reinstalled|fac(?:e|ing)"
    r"|experienc\w+|encounter\w*|observ\w+|reproduced?|confirm(?:ed)?|start(?:ed)?|load(?:ed)?|call(?:ed)?|meant"
    r"|face)\b|\b(?:using|running|installed|installing|mine|(?:my|our)\s(?:own |current )?(?:version|cli|sdk"
    r"|install\w*|set-?up|env\w*|systems?|machine|pc"
    r"|laptop|computer|phone|device|build|app\w*|code|config\w*|project|program|service|server|box|desktop"
    r"|tablet|notebook"
    r"|workstation|runtime|package|team|script|product|report|log|side))\b|\b(?:i"
    r"|we)\s(?:[\w']+\s){1,4}?and\s(?:use|run"
    r"|have|installed|tried|tested)\b|\binstall (?:the )?\x00|\b(?:pip3?|npm|conda|"
    r"uv|dotnet|winget|brew|cargo|nuget|yarn|pnpm)\b[^,.;]{0,30}\b(?:install|add|i)\b"
    r"|\b(?:pip3? (?:list|show|freeze)|conda list|npm (?:ls|list)|dotnet list|brew list)\b|\b(?:tested|tried|seen"
    r"|built"
    r"|checked|confirmed|observed|verified|found) (?:on|with|in|under|against|also|it)\b|\bcurrent(?:ly)?\b"
    r"|\b(?:foundry (?:-v|--version)|--version|it'?s|it is|it was|this is|version is|that'?s|i meant|sorry"
    r"|es ist|c'est|es la|son las)\b"
    r"|\bich\s(?:nutze|verwende|benutze|habe|bin|teste|nehme)\w*|\b(?:nutze|verwende|benutze|habe|teste|nutzen"
    r"|verwenden)"
    r"(?:\s(?:ich|wir))?\b|\bbei (?:mir|uns)\b|\binstalliert\b|\bmein\w* \w+|\bj'(?:utilise|ai)\b|\bje (?:suis"
    r"|teste)\b"
    r"|\bnous (?:utilisons|avons)\b|\bchez (?:moi|nous)\b|\binstall(?:é|e)e?\b|\b(?:uso|utilizo|tengo|usamos|tenemos"
    r"|estoy|usando|instal(?:é|ado)|mi \w+)\b|我(?:们)?(?:正在|目前|现在)?(?:用|使用|在用|的|安装|装)|使用|用的"
    r"|版本|安装了|当前|本机|环境|系统|软件|配置"
    r"|使って|利用|環境|バージョン|インストールし|入れて|です|でした"
)
NO = (
    r"(?i)(?:" + _NOT + r"|\bno\b|\bwithout\b|\bkein\w*\b|\bnicht\b|\bnie\b|\bniemals\b|\bohne\b|\bpas\b|\bjamais\b"
    r"|\bsans\b|\baucune?\b|\bnunca\b|\bsin\b|\bjam(?:á|a)s\b)|没有?|沒有?|不|未|无|ない|ません|なし|なかった"
)

# Portuguese, Italian, Russian, Korean; RE2's \b knows ASCII letters only
_BEGIN = r"(?:^|[^\p{L}])"
FURTHER_NO_TROUBLE = (
    r"(?i)\bnão (?:acontec\w+|ocorr\w+|d(?:á|ava) erro|falhava)|\bsem (?:erros?|problemas?)\b|\bnenhum (?:erro"
    r"|problema)\b"
    r"|\bsenza (?:errori|problemi)\b|\bnessun (?:errore|problema)\b|\bnon (?:succed\w+|dava errore|falliva)\b"
    r"|без (?:ошибок|проблем)|(?:ошибк\p{L}{1,3}|проблем\p{L}?) нет|нет (?:ошибк|проблем)"
    r"|(?:오류|문제|에러)(?:가|는|이|도)? ?(?:없|안 ?나)"
)
FURTHER_FAILS_TO = (
    r"(?i)\bnão (?:funciona|carrega|abre|roda|inicia|consigo)\w*|\bnon (?:funziona|carica|parte|si apre|riesco)\w*"
    r"|не (?:работа|запуска|загружа|откры|могу)\p{L}*|안 ?(?:됩|돼|되|열|돌)|작동하지|되지 않|할 수 없"
)
FURTHER_PLANNED = (
    r"(?i)\b(?:vou|pretendo|devo|deveria|vai sair|dovrei|conviene|(?:is|are) (?:supposed|said|rumou?red|meant) to)\b|"
    + _BEGIN
    + r"(?:буд(?:ет|у)|планиру\p{L}+|стоит ли|собираюсь|жду)|예정|할까|려고|하면"
)
FURTHER_ANOTHERS = (
    r"(?i)\b(?:colegas?|amig[oa]s?|algu(?:é|e)m|outr[oa]s?|anterior(?:es)?|antig[oa]|collega|colleghi|amic[oi]"
    r"|qualcuno"
    r"|altr[oiae]|precedente|vecchi[oa])(?:$|[^\p{L}])|\b(?:my|his|her|our|their|an?|the|another)\s(?:brother"
    r"|sister|father"
    r"|mother|wife|husband|son|daughter|cousin|room ?mate|flat ?mate|manager|intern|student|partner"
    r"|professor)(?:['’]s)?\b|"
    + _BEGIN
    + r"(?:коллег\p{L}*|друг(?:а|у|ие|их|ой)?|кто-то|раньше|прежн\p{L}+|предыдущ\p{L}+)"
    r"|동료|친구|누군가|다른 사람|이전|예전|전에"
)
FURTHER_MINE = (
    r"(?i)\b(?:usando|utilizando|instalei|instalad[oa]|estou|sto usando|utilizzo|installat[oa]|ma version"
    r"|(?:loading|opening"
    r"|inference) (?:in|with|under))\b|"
    + _BEGIN
    + r"(?:использу\p{L}+|установлен\p{L}*|у меня|запускаю|после обновления (?:до|на))|사용|쓰고|설치|버전|환경"
)
FURTHER_FAILS = (
    r"(?i)\b(?:erros?|falha\w*|trava\w*|errore|errori|fallisce|si blocca)\b|ошибк\p{L}*|пада\p{L}+|вылета\p{L}+"
    r"|오류|에러|실패|충돌|튕"
)
FURTHER_WELL = (
    r"(?i)\b(?:funcionava\w*|rod(?:a|ava) (?:normal|bem)|funziona\w*|andava|va bene)\b|работал\p{L}*|работает"
    r"|нормально"
    r"|잘 (?:됐|되|돌|작동)|정상"
)
# "no Windows" is Portuguese for "on Windows", and an old machine tells nothing of a version
FURTHER_HARMLESS = (
    r"(?i)\bno (?:windows|linux|mac\w*|android|ubuntu|celular|computador|notebook|navegador|meu)\b"
    r"|\ban? (?:very |rather |quite )?old(?:er)? (?:\w+ )?(?:gpu|card|pc|laptop|phone|machine|computer|cpu|tablet"
    r"|notebook"
    r"|desktop|device)\b"
)

# name of the kind, its words
KINDS = (
    ("", HARMLESS),
    ("", FURTHER_HARMLESS),
    ("", OTHERS),
    ("well", FURTHER_NO_TROUBLE),
    ("fails", FURTHER_FAILS_TO),
    ("another", FURTHER_ANOTHERS),
    ("planned", FURTHER_PLANNED),
    ("mine", FURTHER_MINE),
    ("example", EXCEPTED),
    ("fails", COMPLAINT),
    ("well", NO_TROUBLE),
    ("not", NOT_RUN),
    ("fails", FAILS_TO),
    ("example", EXAMPLES),
    ("another", ANOTHERS),
    ("planned", PLANNED),
    ("mine", MINE),
    ("perhaps", PERHAPS),
    ("fails", FAILS),
    ("fails", FURTHER_FAILS),
    ("well", WELL),
    ("well", FURTHER_WELL),
    ("not", NO),
    ("offered", OFFERED),
)

# Words of a line that names what is there and tells nothing: no verb but "is".
PLAIN = """
    pip npm nuget pypi conda winget apt brew homebrew source store docker image wheels
    a affected also amd64 an and android app application arch arm64 at backend bit both branch browser build
    built by chip chrome cli client commit component config configuration core cpu cuda dev device directml
    driver edge engine ep env environment execution exact firefox for framework from gpu github.com hardware
    here host https host in info information installation installed ios is kernel laptop lib library linux local
    machine macos main mine mobile model module my native newest nightly node npu number of on or os our package
    packages pc phone microsoft platform plus preview product program provider python qualcomm release releases
    rocm runtime same sdk server setup software stable system tag tested the this to too tool toolkit under used
    using v ver version versions via vulkan web webgpu wheel win windows with x64 x86 x86_64 am auf bei der die
    das ein en et im la le los mit ohne plattform sur system un und une unter versión y avec con gerät umgebung
    environnement entorno logiciel systeme système sistema
"""
