"""What a stated fact implies where nothing states it: a phone its system, a chip its graphics processor, a product that
is an engine the runtime."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from signatures.linear import linear
from signatures.model import Fact

_ANDROID = (
    r"(?i)\b(?:(?:google )?pixel[ \t](?:tablet|fold|\d{1,2}a?)"
    r"|galaxy[ \t](?:[SAZMN]\d|[SAZMN] |tab\b|note\b|z\b|fold|flip)"
    r"|oneplus|xiaomi|redmi|poco|nothing phone|android|oppo|vivo|realme|motorola|moto g|fairphone|xperia)"
)
_IOS = r"(?i)\b(?:iphone|ipad)"
_ADRENO = r"(?i)\bsnapdragon\b"  # each of these chips has an Adreno
# Engines that no other product carries as a part, so that their version tells which engine failed.
_ENGINES = frozenset(("llamadart", "web-llm"))
# Engines that others carry as a part: their version tells it where it is the only one.
_PARTS = frozenset(("onnxruntime-genai", "litert-lm"))


def implied(facts: Sequence[Fact], products: frozenset[str] = frozenset()) -> Iterator[Fact]:
    """Facts of keys that `facts` do not state, each with the place and the trust of what implies it. `products`: ids
    of all products."""
    stated = {f.key for f in facts}
    engines = _ENGINES | (_PARTS if len(stated & products) == 1 else frozenset())
    for f in facts:
        if f.key == "device" and "os" not in stated:
            for value, pattern in (("android", _ANDROID), ("ios", _IOS)):
                if linear(pattern).search(f.value):
                    yield f._replace(key="os", value=value)
        if f.key == "device" and "gpu_vendor" not in stated and linear(_ADRENO).search(f.value):
            yield f._replace(key="gpu_vendor", value="qualcomm")
        elif f.key in engines and "runtime" not in stated:
            yield f._replace(key="runtime", value=f.key)
