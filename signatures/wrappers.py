"""What stands around a message and says nothing: what programs put before and below it, marks, and short sentences
that name no subject of their own.

Frames, loggers and types of exceptions hold names that anybody chose. They say nothing unless they name a program
that is none of this catalogue's.
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.linear import any_of, linear

GAP = "\x00"  # where a message stood

_TIME = r"(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z| ?[+-]\d\d:?\d\d)?"
_LEVEL = (
    r"(?:(?i:trace|debug|verbose|info|information|notice|warn|warning|err|error|crit|critical|fatal|severe)|[TDIWEFV])"
)
_LOUD = r"(?:TRACE|DEBUG|VERBOSE|INFO|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE)"
_NAME = r"[\w.$/@<>#~-]{1,80}"
_BETWEEN = r"(?:[ \t]*(?:\[[^\]\n\x00]{0,60}\]|\([^)\n\x00]{0,60}\)|\d+\b|-{1,3}|[|:]))*[ \t]*"
_UNIT = rf"(?:{_NAME}[ \t]*(?:\[\d+\]|\([ \d]+\))?[ \t]*(?:[:|]|-[ \t]|[ \t]\x00)[ \t]*)"

_FRAMES = (  # with names that the writer of a program chose
    r'(?m)^[ \t]*File "[^"\n\x00]{1,300}", line \d+(?:, in [^\n\x00]{0,200})?'
    r"(?:\n(?:[ \t]{4,}[^\n\x00]{0,300})(?:\n[ \t]*[~^][~^ ]*$)?)?",  # Python
    r"(?m)^[ \t]*at [^\n\x00]{0,300}(?:\([^\n\x00]{0,300}\)|:\d+)[^\n\x00]{0,300}$",  # Java, JavaScript, .NET, Rust
    r"(?m)^[ \t]*at (?:async )?[\w.$<>]{1,200}[ \t]*$",
    r"(?m)^[ \t]*#\d{1,3}[ \t]+[\w.<> $]{1,200}\((?:package|file|dart):[^\n\x00]{1,300}\)$",  # Dart
    r"(?m)^[ \t]*\d{1,3}:[ \t]+(?:0x[0-9a-f]+ - )?[\w:<>{}$ ]{1,200}$",  # Rust
    r"(?m)^\d{1,3}[ \t]+[\w.+-]{1,80}[ \t]+0x[0-9a-f]{4,16} [^\n\x00]{1,300}$",  # Swift, Objective-C
    r"(?m)^[\w./*(){}-]{1,200}\([^)\n\x00]{0,200}\)\n\t[^\n\x00]{1,300}:\d+(?: \+0x[0-9a-f]+)?$",  # Go
    r"(?m)^(?:file://|/|[A-Za-z]:\\)[^\n\x00]{1,300}\.[cm]?[jt]s:\d+\n[^\n\x00]{0,300}\n[ \t]*\^+[ \t]*$",  # Node.js
    r"thread '[^'\n\x00]{1,80}' (?:\(\d+\) )?panicked at [^\n\x00]{1,300}?:\d+:\d+:?",
    r":? file [\w/. -]{1,200}\.swift, line \d+",
    r"(?:[\w$]+(?:\.|::)){1,12}\w*(?:Error|Exception|Failure|error|exception)\b",
)
_LINES = (  # as they stand
    r"(?im)^[ \t]*-[ \t]*while (?:validating|finishing|calling|encoding|initializing|parsing)\b[^\n\x00]*$",  # Dawn's
    r"Error raised at top level:",  # Swift
    r"called `Result::unwrap\(\)` on an `Err` value:",
    r"(?m)^note: run with [^\n\x00]{1,120}$",
    r"(?m)^goroutine \d+ \[[^\]\n\x00]{1,60}\]:$",
    r"(?m)^exit status \d+$",
    r"(?m)^Node\.js v[\d.]+$",
    r"(?m)^[ \t]*--- End of [^\n\x00]{1,120}$",
    r"(?m)^[ \t>]*(?:`{3,}|~{3,})[\w+#-]{0,20}[ \t]*$",
    r"</?(?:pre|code|details|summary|p|br|b|strong|kbd|samp|blockquote|div|span|table|tr|td|th|tbody|thead)\b[^>\n\x00]{0,80}>",
)
_PREFIXES = (  # with names of loggers, hosts, containers, commands
    rf"(?m)^[ \t>]*(?:{_UNIT})?[\[(<]?{_TIME}[\])>]?{_BETWEEN}(?:[\[(<]?\b{_LEVEL}\b[\])>:]?{_BETWEEN})?{_UNIT}?"
    rf"(?:[\[(<]?\b{_LEVEL}\b[\])>:]?{_BETWEEN})?",
    rf"(?m)^[ \t>]*{_BETWEEN}(?:[\[(<]{_LEVEL}[\])>]:?|\b{_LOUD}[ \t]){_BETWEEN}{_UNIT}?",
    rf"(?m)^[ \t>-]*{_NAME} - {_LOUD} -",
    rf"(?m)^[ \t>]*[A-Z]{{4,8}}:{_NAME}:",  # Python's own
    r"(?m)^(?:fail|crit|warn|info|dbug|trce): [\w.+`]{1,120}\[\d+\][ \t]*$",  # .NET
    rf"(?m)^[ \t>]*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]+\d+ {_TIME} {_NAME} "
    r"[^\s:\[\]\x00]{1,80}(?:\[\d+\])?:",
    r"(?m)^[ \t>]*[VDIWEF]/[\w.-]{1,80}[ ]*(?:\([ \d]+\))?:",  # logcat
    rf"(?m)^[ \t>]*\d\d-\d\d {_TIME}[ ]+\d+[ ]+\d+ [VDIWEF] [\w./$-]{{1,80}}[ ]*:",
    rf"(?m)^[ \t>]*\[?pod/[\w./-]{{1,120}}\]?(?: [\w-]{{1,60}}(?: {_TIME}))?(?: {_TIME})?",  # kubectl
    r"(?m)^[ \t>]*[a-z][\w.-]{0,80}[-_]\d+[ ]+\|",  # docker compose
    r"(?m)^[ \t>]*(?:\[ERROR:)?flutter(?:/[\w./]{1,120}\(\d+\)\])?:?",
    r"(?m)^[ \t>]*(?:\$|%|>|[\w.-]{1,40}@[\w.-]{1,40}:[^$#\n\x00]{0,80}[$#]|(?:PS )?[A-Z]:\\[^>\n\x00]{0,120}>) ?"
    r"(?:python[\d.]*|py|node|npm|npx|deno|bun|dotnet|cargo|go|java|flutter|dart|uv|\./)[^\n\x00]{0,200}$",
    r'"?\b(?i:logger|name|service|caller|thread|hostname|host|source|module|app|component|function|file)"?'
    r'[ ]?[:=][ ]?(?:"[^"\n\x00]{0,120}"|[^\s",}\x00]{1,80})',
)
_KEYS = (
    r'\\?"(?i:level|severity|lvl|msg|message|error|err|time'
    r'|ts|timestamp|pid|tid|stack|exception|type|code|status|event)\\?"[ ]?:'
    r"|\b(?:level|lvl|msg|message|time|ts|err|error|pid)="
)
_POSITION = (
    r"(?i)[\w./\\:-]*\.(?:cc|cpp|cxx|c|h|hpp|mm|rs|py|cs|java|kt|swift|dart|m?js|ts|go)(?::\d+|\(\d+\)){0,2}"
    r"|\(\w+\+(?:0x)?[0-9a-f]+\)"  # of a frame
)
_WORD = r"(?:^|[^\pL\pN_])_?(\pL[\pL\pN_]+)"
_WRAPPED = (
    r"(?i)(?:\w*(?:error|exception|failure|warning|abort)s?|err|warn|info|debug|verbose|fatal|critical|panic(?:ked)?"
    r"|error_code|error_message|uncaught|unhandled|in|promise|std|what|status|code|message|failed|runtime"
    r"|terminate|called|after|throwing|an|instance|of|internal|unknown|aborted|invalid_\w+|not_found|to|java|lang"
    r"|libprotobuf|libc|[ewif]\d{4}|traceback|most|recent|call|last|caused|by|more|stack|backtrace|trace|core|dumped"
    r"|thread|main|raised|at|top|thrown|asynchronous|suspension|nil|null|none|undefined|object|recovered)"
)
# Words of sentences that say only that something fails: none names a thing, apart from the model and the run.
_SENTENCE = """
the this that these those it its is was are be been am do does did has have had having get gets got getting gives
give gave given see sees saw seeing seen show shows showing shown say says said saying print prints printed returns
return returned throws throw threw report reports reported receive received receiving hit hits hitting run runs
running ran start starts starting started try tries tried trying load loads loading loaded call calling use using
used work works working fail fails failing crash crashes crashed crashing stop stops stopped happen happens happened
happening occur occurs occurred encounter encountered face facing keep keeps mean means know fix solve resolve help
explain describe reproduce produce log logs logged logging output console terminal line lines full following below
above here there my me we you your our when while then before during on with for from into and or but so not no yes
as if how why any all some same again always still just only every time each now today immediately please hi hello
hey thanks thank everyone anyone idea ideas question issue issues problem bug bugs behavior behaviour expected
actual current relevant additional context information details detail summary description steps step response result
results text title cannot can could should would will one first new model models inference session code script field
value column key item content cell shell bash powershell txt json plaintext it's i'm i've doesn don didn isn
"""
_SAID = frozenset(_SENTENCE.split())
_ELSEWHERE = (  # names and words of other programs, as parts of names; a short one only as a whole part
    "game", "mesh", "scene", "unity", "unreal", "godot", "bevy", "blender", "minecraft", "il2cpp", "vkcube", "dxvk",
    "wine", "yuzu", "emulator", "three", "babylon", "cesium", "mapbox", "phaser", "pixi", "nginx", "apache", "envoy",
    "istio", "keycloak", "postgres", "mysql", "redis", "mongo", "kafka", "elastic", "terraform", "tensorflow", "keras",
    "torch", "jax", "caffe", "paddle", "mxnet", "numba", "cupy", "ffmpeg", "hashcat", "qemu", "rsync", "wordpress",
    "pytest", "gimp", "vlc", "obs", "electron", "allauth", "sprite",
)  # fmt: skip
_SHORT = 4
_PART = r"[A-Z]?[a-z]+|[A-Z]+"


def says_nothing(text: str) -> bool:
    """Whether a text says nothing beside the messages that stood where it has GAP."""
    for pattern in (*_PREFIXES, *_FRAMES):
        rest = _without(text, pattern)
        if rest is None:
            return False
        text = rest
    for pattern in (*_LINES, _KEYS, _POSITION):
        text = " ".join(_between(text, pattern))
    words = (found.group(1) for found in linear(_WORD).finditer(text))
    return all(word.casefold().rstrip("_") in _SAID or linear(_WRAPPED).fullmatch(word) for word in words)


def _between(text: str, pattern: str) -> Iterator[str]:
    done = 0
    for found in linear(pattern).finditer(text):
        yield text[done : found.start()]
        done = found.end()
    yield text[done:]


def _without(text: str, pattern: str) -> str | None:
    """The text without what the pattern finds; None where one of these names another program."""
    if any(_is_elsewhere(found.group()) for found in linear(pattern).finditer(text)):
        return None
    return " ".join(_between(text, pattern))


def _is_elsewhere(name: str) -> bool:
    lower = name.casefold()
    long = any_of(tuple(w for w in _ELSEWHERE if len(w) > _SHORT)).search(lower)
    parts = {part.group().casefold() for part in linear(_PART).finditer(name)}
    return long is not None or any(w in parts for w in _ELSEWHERE if len(w) <= _SHORT)
