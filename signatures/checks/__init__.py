"""Static checks of model artifacts: the registry, in the order in which a maintainer would look, and how they are run.

Checks read values of `signatures.artifact`; they fetch nothing and run no model.
"""

from __future__ import annotations

from collections.abc import Callable

from signatures.artifact import archives
from signatures.artifact.package import Package
from signatures.artifact.source import SourceError
from signatures.artifact.wire import Malformed
from signatures.checks import (
    contrib_op_since,
    custom_domain,
    dangling,
    dup_def,
    dup_node_name,
    element_type,
    ep_context,
    ep_suffix_vs_package,
    ep_suffixed_names,
    ext_bounds,
    ext_escape,
    ext_hf_shard_cache,
    ext_missing,
    gc_controlflow,
    gc_cpu_op,
    gc_int64,
    gc_nondecoder,
    gc_option_key,
    gc_option_value,
    gc_shape_to_gpu,
    gc_sharebuffer,
    genai_ctx,
    genai_ep_build,
    genai_file_missing,
    genai_io_mismatch,
    genai_model_type,
    genai_option,
    genai_path_escape,
    genai_type,
    genai_unknown_key,
    gguf_head,
    hash_mismatch,
    ir_too_new,
    kernel_dtype,
    kv_empty_dynamic,
    litertlm_head,
    litertlm_sections,
    local_function,
    memcpy_baked,
    memcpy_collision,
    node_schema,
    not_a_model,
    npu_dynamic_shape,
    opset_missing,
    opset_too_new,
    pb_over_2g,
    raw_size,
    recurrent_alias_webgpu,
    release_archive_dxc_pair,
    superseded,
    truncated,
    unknown_op,
    webgpu_weight_gt_budget,
)
from signatures.checks.model import Check, CheckResult, Hit, Outcome, Target, Unknown
from signatures.checks.unopened import lowered

REGISTRY: tuple[Check, ...] = (
    # is it the file it says it is
    not_a_model.CHECK,
    truncated.CHECK,
    pb_over_2g.CHECK,
    litertlm_head.CHECK,
    litertlm_sections.CHECK,
    gguf_head.CHECK,
    hash_mismatch.CHECK,
    superseded.CHECK,
    # does this runtime read such files
    ir_too_new.CHECK,
    opset_too_new.CHECK,
    opset_missing.CHECK,
    custom_domain.CHECK,
    unknown_op.CHECK,
    contrib_op_since.CHECK,
    element_type.CHECK,
    kernel_dtype.CHECK,
    ep_context.CHECK,
    # is the graph sound
    dup_def.CHECK,
    dup_node_name.CHECK,
    dangling.CHECK,
    node_schema.CHECK,
    local_function.CHECK,
    raw_size.CHECK,
    # is its data there
    ext_missing.CHECK,
    ext_escape.CHECK,
    ext_hf_shard_cache.CHECK,
    ext_bounds.CHECK,
    # placement that was saved
    memcpy_collision.CHECK,
    memcpy_baked.CHECK,
    ep_suffixed_names.CHECK,
    ep_suffix_vs_package.CHECK,
    # the package's configuration
    genai_type.CHECK,
    genai_unknown_key.CHECK,
    genai_model_type.CHECK,
    genai_file_missing.CHECK,
    genai_path_escape.CHECK,
    genai_ctx.CHECK,
    genai_option.CHECK,
    genai_io_mismatch.CHECK,
    genai_ep_build.CHECK,
    # WebGPU: graph capture, buffers
    gc_option_value.CHECK,
    gc_option_key.CHECK,
    gc_sharebuffer.CHECK,
    gc_nondecoder.CHECK,
    gc_controlflow.CHECK,
    gc_cpu_op.CHECK,
    gc_shape_to_gpu.CHECK,
    gc_int64.CHECK,
    kv_empty_dynamic.CHECK,
    webgpu_weight_gt_budget.CHECK,
    recurrent_alias_webgpu.CHECK,
    # fixed shapes
    npu_dynamic_shape.CHECK,
    # release archives
    release_archive_dxc_pair.CHECK,
)

_ARCHIVES = (*archives.SUFFIXES, ".dll")
MAX_HITS = 500


def applies(check: Check, package: Package, target: Target) -> bool:
    """Whether there is anything of the kind that the check reads."""
    names = [name.lower() for name in package.names]
    if check.reads == "onnx":
        return any(name.endswith(".onnx") for name in names)
    if check.reads == "genai":
        return package.genai_config_name() is not None
    if check.reads == "genai-folder":
        return package.genai_config_name() is not None or genai_file_missing.unconfigured(package, target)
    if check.reads == "archive":
        return any(name.endswith(_ARCHIVES) for name in names)
    if check.reads == "report":
        return bool(target.sha256 or target.fixed_revision)
    if check.reads.startswith("."):
        return any(name.endswith(check.reads) for name in names)
    return True


def run_one(check: Check, package: Package, target: Target) -> CheckResult:
    """One check on one package. A check that crashes is FAILED and says with what; a file that it asks for and that
    cannot be read leaves it UNKNOWN, whatever it makes of that."""
    hits: list[Hit] = []
    unknown: list[Unknown] = []
    package.unread = None
    try:
        for item in check.run(package, target):
            if isinstance(item, Hit):
                hits.append(item if check.reads.startswith("genai") else lowered(item, package, target))
            else:
                unknown.append(item)
            if len(hits) + len(unknown) >= MAX_HITS:
                break
    except SourceError as error:
        unknown.append(_unread(error))
    except Exception as error:  # one broken check must not stop the rest, whatever it raises
        return CheckResult(check.id, Outcome.FAILED, tuple(hits), tuple(unknown), f"{type(error).__name__}: {error}")
    if not hits and not unknown and package.unread is not None and not isinstance(package.unread, Malformed):
        unknown.append(_unread(package.unread))
    outcome = Outcome.FOUND if hits else Outcome.UNKNOWN if unknown else Outcome.CLEAN
    return CheckResult(check.id, outcome, tuple(hits), tuple(unknown))


def _unread(error: SourceError) -> Unknown:
    return Unknown(f"{error.name}: {error} (byte {error.offset})" if error.name else str(error))


def run_checks(
    package: Package,
    target: Target,
    checks: tuple[str, ...] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
    stop: Callable[[], object] | None = None,
) -> tuple[CheckResult, ...]:
    """Runs checks in registry order. `checks`: ids to run, None for all that apply; an id that was asked for and does
    not apply gives UNKNOWN. `stop` is asked before each check, which is UNKNOWN where it raises SourceError. Raises
    KeyError for an id that is not in the registry."""
    known = {check.id: check for check in REGISTRY}
    if checks is not None:
        missing = [name for name in checks if name not in known]
        if missing:
            raise KeyError(missing[0])
    results = []
    for check in REGISTRY:
        if checks is not None and check.id not in checks:
            continue
        if not applies(check, package, target):
            if checks is not None:
                why = Unknown(f"nothing that this check reads ({check.reads}) is in the artifact")
                results.append(CheckResult(check.id, Outcome.UNKNOWN, (), (why,)))
            continue
        if progress is not None:
            progress(check.id)
        results.append(_stopped(check, stop) or _limited(run_one(check, package, target), package))
    return tuple(results)


def _stopped(check: Check, stop: Callable[[], object] | None) -> CheckResult | None:
    try:
        if stop is not None:
            stop()
    except SourceError as error:
        return CheckResult(check.id, Outcome.UNKNOWN, (), (Unknown(str(error)),))
    return None


def _limited(result: CheckResult, package: Package) -> CheckResult:
    """UNKNOWN instead of CLEAN where files that were not listed may be of the kind that is checked."""
    if result.outcome is not Outcome.CLEAN or not package.overlooked:
        return result
    return result._replace(outcome=Outcome.UNKNOWN, unknown=(Unknown(package.cut or "not all files are listed"),))
