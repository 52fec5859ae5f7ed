"""A decoder whose inputs and outputs are not the ones that genai_config.json describes.

What it detects
    Key and value templates (`past_key_values.%d.key`) that, for the configured number of layers, name inputs or outputs
    which the decoder's graph does not have; and other named inputs and outputs that are missing.

Why it breaks
    The package loads, and fails at the first run.

What it cannot tell
    Decoders whose layers differ (layer types, shared KV, pipelines, recurrent state) have fewer caches than layers on
    purpose; they are UNKNOWN, not judged.

Remedy
    Correct num_hidden_layers or the templates to the names in the graph.

References
    measured with onnxruntime-genai 0.18.0: not caught at load
"""

from __future__ import annotations

from collections.abc import Iterator

from signatures.artifact.genai_json import Item
from signatures.artifact.package import Package
from signatures.checks import graphs, runtime
from signatures.checks.model import Check, Fixture, Hit, Outcome, Severity, Target, Unknown, Where
from signatures.checks.recurrent_alias_webgpu import recurrent

REMEDY = "Correct num_hidden_layers and the name templates in genai_config.json to the names in the graph."
MIXED = ("layer_types", "pipeline", "sliding_window", "num_kv_shared_layers")
TEMPLATES = (
    ("inputs", "past_key_names"), ("inputs", "past_value_names"),
    ("outputs", "present_key_names"), ("outputs", "present_value_names"),
)  # fmt: skip
MAX_LAYERS = 1000


def run(package: Package, target: Target) -> Iterator[Hit | Unknown]:
    config = package.genai_config()
    decoder = config.find("model", "decoder") if config else None
    session = next((each for each in runtime.sessions(package, target) if each.label == "decoder"), None)
    if config is None or decoder is None or session is None:
        return
    if session.file is None:
        yield Unknown("the decoder's file is not here")
        return
    model = graphs.model(package, session.file)
    if isinstance(model, Unknown):
        yield model
        return
    if not model.ports:
        yield Unknown(f"the inputs and outputs of {session.file} were not read")
        return
    layers = decoder.get("num_hidden_layers")
    count = layers.number() if layers else None
    mixed = next((key for key in MIXED if decoder.get(key)), None) or recurrent(model)
    if mixed:
        yield Unknown(f"layers of this decoder differ ({mixed}), so its caches cannot be counted")
        return
    sides = {
        "inputs": {value.name for value in model.graph.inputs},
        "outputs": {value.name for value in model.graph.outputs},
    }
    if count is None or not 0 < count <= MAX_LAYERS:
        yield Unknown("num_hidden_layers is not set")
        return
    for side, key in TEMPLATES:
        yield from _template(config.name, decoder, side, key, int(count), sides[side])


def _template(name: str, decoder: Item, side: str, key: str, layers: int, have: set[str]) -> Iterator[Hit | Unknown]:
    item = decoder.get(side)
    item = item.get(key) if item else None
    template = item.string() if item else None
    if item is None or not template or template.count("%d") != 1:
        return
    wanted = [template.replace("%d", str(layer)) for layer in range(layers)]
    missing = [each for each in wanted if each not in have]
    extra = template.replace("%d", str(layers)) in have
    if not missing and not extra:
        return
    where = Where(name, f"model.decoder.{side}.{key}", item.at)
    if extra and not missing:
        detail = f"the graph has {template.replace('%d', str(layers))}, beyond num_hidden_layers ({layers})"
    else:
        detail = f"{len(missing)} of {layers} names are not among the graph's {side}, the first is {missing[0]}"
    yield Hit(where, detail, Severity.PROBABLE, None, REMEDY)


_GRAPH = """
<ir_version: 8, opset_import: ["" : 17]>
g (float[1] past_key_0, float[1] past_key_1) => (float[1] y) {
  y = Add (past_key_0, past_key_1)
}
"""


def _config(layers: int) -> tuple[tuple[str, str], ...]:
    decoder = (
        f'{{"filename": "model.onnx", "num_hidden_layers": {layers}, "inputs": {{"past_key_names": "past_key_%d"}}}}'
    )
    return (("genai_config.json", f'{{"model": {{"type": "llama", "context_length": 512, "decoder": {decoder}}}}}'),)


CHECK = Check(
    id="genai-io-mismatch",
    title="The decoder's inputs and outputs are not those of genai_config.json",
    reads="genai",
    predicts="nothing at load; a failure at the first run",
    run=run,
    fixtures=(
        Fixture(Outcome.FOUND, _GRAPH, _config(3), expect="past_key_2"),
        Fixture(Outcome.FOUND, _GRAPH, _config(1), expect="beyond num_hidden_layers"),
        Fixture(Outcome.CLEAN, _GRAPH, _config(2)),
    ),
)
