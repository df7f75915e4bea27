"""libtenon as ctypes sees it: where it is found, its structures and its functions.

The names are those of the C headers. test/python/test_layout.py compares the structures with them.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from typing import Any

VERSION = "0.1.0"
MAX_RANK = 32
DTYPE_DEFAULT = 19
DIM_UNKNOWN = -1

# Status codes, tn_status.
(OK, REJECTED, USAGE, INPUT, RUN, NOMEM, IO, UNAVAILABLE, INTERNAL) = range(9)


def _load() -> ctypes.CDLL:
    soname = "libtenon.so." + ".".join(VERSION.split(".")[:2])
    given = os.environ.get("TENON_LIBRARY")
    if given:
        path = given
    else:
        own = pathlib.Path(__file__).resolve().parent / soname
        path = str(own) if own.exists() else soname
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"tenon: the library cannot be loaded: {error}; install libtenon, or set TENON_LIBRARY "
                          f"to the path of {soname}") from None
    library.tn_version.restype = c_char_p
    found = library.tn_version().decode()
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"tenon: this package is of version {VERSION}, but the library '{path}' is of version "
                          f"{found}")
    return library


class Type(Structure):
    """tn_type"""
    dtype: int
    rank: int
    dims: Any
    _fields_ = [("dtype", c_int), ("rank", c_uint32), ("dims", c_int64 * MAX_RANK)]


class Buffer(Structure):
    """tn_buffer"""
    data: int | None
    bytes: int
    type: Type
    _fields_ = [("data", c_void_p), ("bytes", c_size_t), ("type", Type)]


class Port(Structure):
    """tn_port"""
    name: bytes
    type: Type
    _fields_ = [("name", c_char_p), ("type", Type)]


class Binding(Structure):
    """tn_binding"""
    _fields_ = [("symbol", c_char_p), ("extent", c_int64)]


class Place(Structure):
    """tn_place"""
    file: bytes
    line: int
    column: int
    length: int
    _fields_ = [("file", c_char_p), ("line", c_uint32), ("column", c_uint32), ("length", c_uint32)]


class Fix(Structure):
    """tn_fix"""
    title: bytes | None
    offset: int
    length: int
    replacement: bytes | None
    _fields_ = [("title", c_char_p), ("offset", c_size_t), ("length", c_size_t), ("replacement", c_char_p)]


class Note(Structure):
    """tn_note"""
    message: bytes
    place: Place
    _fields_ = [("message", c_char_p), ("place", Place)]


class Diagnostic(Structure):
    """tn_diagnostic"""
    severity: int
    source_line_column: int
    kind: bytes
    code: bytes
    message: bytes
    place: Place
    source_line: int | None
    source_line_length: int
    node: bytes
    notes: Any
    n_notes: int
    fix: Fix
    _fields_ = [("severity", c_int), ("source_line_column", c_uint32), ("kind", c_char_p), ("code", c_char_p), ("message", c_char_p),
                ("place", Place), ("source_line", c_void_p), ("source_line_length", c_size_t), ("node", c_char_p),
                ("notes", POINTER(Note)), ("n_notes", c_size_t), ("fix", Fix)]


Report = CFUNCTYPE(None, c_void_p, POINTER(Diagnostic))
Cancel = CFUNCTYPE(c_bool, c_void_p)
Write = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)


class Sink(Structure):
    """tn_diagnostic_sink"""
    _fields_ = [("report", Report), ("user", c_void_p)]


class Writer(Structure):
    """tn_writer"""
    _fields_ = [("write", Write), ("user", c_void_p)]


class KnownInput(Structure):
    """tn_known_input"""
    _fields_ = [("name", c_char_p), ("value", POINTER(Buffer))]


class InputShape(Structure):
    """tn_input_shape"""
    _fields_ = [("name", c_char_p), ("rank", c_uint32), ("dims", POINTER(c_int64))]


# The result is a text that outlives the call, or NULL; as a plain address, so that ctypes does not copy it.
ExternalFunction = CFUNCTYPE(c_void_p, c_void_p, c_char_p, c_uint64, c_uint64, POINTER(c_void_p))


class WriteOptions(Structure):
    """tn_write_options"""
    _fields_ = [("size", c_size_t), ("dialect", c_char_p), ("style", c_char_p), ("comments", c_bool), ("needs_map", c_bool),
                ("entry", c_bool), ("inputs", c_void_p), ("n_inputs", c_size_t), ("external_location", c_char_p),
                ("external", POINTER(Writer))]


class ReadOptions(Structure):
    """tn_read_options"""
    _fields_ = [("size", c_size_t), ("dialect", c_char_p), ("file", c_char_p), ("profile", c_int),
                ("slice_negative", c_int), ("strict", c_bool), ("max_pieces", c_uint32), ("entry", c_char_p),
                ("inputs", POINTER(c_char_p)), ("n_inputs", c_size_t), ("bindings", POINTER(Binding)),
                ("n_bindings", c_size_t), ("known", POINTER(KnownInput)), ("n_known", c_size_t),
                ("external", ExternalFunction), ("external_user", c_void_p), ("shapes", POINTER(InputShape)),
                ("n_shapes", c_size_t), ("weights", POINTER(KnownInput)), ("n_weights", c_size_t),
                ("processes", c_uint32), ("results", POINTER(c_char_p)), ("n_results", c_size_t)]


class ModuleInfo(Structure):
    """tn_module_info"""
    dialect: bytes | None
    entry: bytes | None
    is_lowered: bool
    _fields_ = [("size", c_size_t), ("dialect", c_char_p), ("entry", c_char_p), ("is_lowered", c_bool), ("lowered_from", c_char_p)]


class GradientOptions(Structure):
    """tn_gradient_options"""
    _fields_ = [("size", c_size_t), ("loss", c_char_p), ("wrt", POINTER(c_char_p)), ("n_wrt", c_size_t),
                ("cotangent", c_char_p), ("seed", c_double), ("recompute", POINTER(c_char_p)),
                ("n_recompute", c_size_t), ("profile", c_int), ("unverified", c_bool), ("conv2d", c_bool)]


class CacheOptions(Structure):
    """tn_cache_options"""
    _fields_ = [("size", c_size_t), ("folder", c_char_p), ("bytes", c_uint64), ("off", c_bool)]


class ProfileEvent(Structure):
    """tn_profile_event"""
    name: bytes
    kind: bytes
    begin_ns: int
    end_ns: int
    threads: int
    bytes: int
    flops: int
    step: int | None
    _fields_ = [("name", c_char_p), ("kind", c_char_p), ("begin_ns", c_int64), ("end_ns", c_int64),
                ("threads", c_uint32), ("bytes", c_uint64), ("flops", c_uint64), ("step", c_void_p)]


Event = CFUNCTYPE(None, c_void_p, POINTER(ProfileEvent))


class Profiler(Structure):
    """tn_profiler"""
    _fields_ = [("event", Event), ("user", c_void_p)]


class CompileOptions(Structure):
    """tn_compile_options"""
    _fields_ = [("size", c_size_t), ("level", c_int), ("numerics", c_int), ("engine", c_char_p),
                ("device", c_char_p), ("bindings", POINTER(Binding)), ("n_bindings", c_size_t), ("cpu", c_char_p),
                ("threads", c_uint32), ("pool", c_void_p), ("profiler", POINTER(Profiler)), ("check", c_bool),
                ("cache", POINTER(CacheOptions)), ("schedule", c_char_p), ("memory_bytes", c_uint64),
                ("eager", c_bool), ("plan_only", c_bool)]


class RunOptions(Structure):
    """tn_run_options"""
    threads: int
    seed: int
    timeout_ns: int
    cancel_interval_ns: int
    _fields_ = [("size", c_size_t), ("threads", c_uint32), ("seed", c_uint64), ("sink", POINTER(Sink)),
                ("timeout_ns", c_uint64), ("profiler", POINTER(Profiler)), ("cancel", Cancel),
                ("cancel_user", c_void_p), ("cancel_interval_ns", c_uint64), ("discards", c_bool),
                ("written", c_void_p), ("written_user", c_void_p)]


class EmitOptions(Structure):
    """tn_emit_options"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("target", c_char_p), ("cpu", c_char_p),
                ("seed", c_uint64), ("takes_weights", c_bool), ("shares_work", c_bool)]


class ConvertOptions(Structure):
    """tn_convert_options"""
    _fields_ = [("size", c_size_t), ("exact_only", c_bool)]


class EquivOptions(Structure):
    """tn_equiv_options"""
    _fields_ = [("size", c_size_t), ("level", c_int), ("runs", c_uint32), ("seed", c_uint64),
                ("bindings", POINTER(Binding)), ("n_bindings", c_size_t), ("timeout_ns", c_uint64),
                ("ulp", c_uint64), ("rtol", c_double), ("atol", c_double), ("turns", c_uint64)]


class EquivResult(Structure):
    """tn_equiv_result"""
    equal: bool
    runs: int
    run: int
    largest_ulp: int
    output: int
    element: int
    close: bool
    _fields_ = [("equal", c_bool), ("runs", c_uint32), ("run", c_uint32), ("largest_ulp", c_uint64),
                ("output", c_size_t), ("element", c_int64), ("inputs", POINTER(Buffer)), ("n_inputs", c_size_t),
                ("sizes", POINTER(Binding) * 2), ("n_sizes", c_size_t * 2), ("tried", c_char_p), ("close", c_bool)]


class OpInfo(Structure):
    """tn_op_info"""
    name: bytes
    help: bytes
    _fields_ = [("name", c_char_p), ("help", c_char_p), ("min_operands", c_uint32), ("max_operands", c_uint32),
                ("n_attributes", c_uint32), ("type_rule", c_char_p), ("kernel", c_char_p),
                ("derivative", c_char_p), ("lowering", c_char_p)]


class PassInfo(Structure):
    """tn_pass_info"""
    name: bytes
    is_exact: bool
    is_relaxed: bool
    level: int
    contract: bytes
    _fields_ = [("name", c_char_p), ("is_exact", c_bool), ("is_relaxed", c_bool), ("level", c_int),
                ("contract", c_char_p)]


class DialectInfo(Structure):
    """tn_dialect_info"""
    name: bytes
    extensions: bytes
    styles: bytes
    _fields_ = [("name", c_char_p), ("extensions", c_char_p), ("styles", c_char_p)]


class CustomAttribute(Structure):
    """tn_custom_attribute"""
    name: bytes
    kind: int
    is_array: bool
    n: int
    ints: Any
    floats: Any
    bools: Any
    strings: Any
    _fields_ = [("name", c_char_p), ("kind", c_int), ("is_array", c_bool), ("n", c_size_t),
                ("ints", POINTER(c_int64)), ("floats", POINTER(c_double)), ("bools", POINTER(c_bool)),
                ("strings", POINTER(c_char_p))]


class CustomUse(Structure):
    """tn_custom_use"""
    target: bytes
    inputs: Any
    n_in: int
    outputs: Any
    n_out: int
    attributes: Any
    n_attributes: int
    _fields_ = [("target", c_char_p), ("inputs", POINTER(Buffer)), ("n_in", c_size_t),
                ("outputs", POINTER(Buffer)), ("n_out", c_size_t), ("attributes", POINTER(CustomAttribute)),
                ("n_attributes", c_size_t)]


# The result is a text that outlives the call, or NULL; as a plain address, so that ctypes does not copy it.
CustomFunction = CFUNCTYPE(c_void_p, c_void_p, POINTER(CustomUse))


class SettingName(Structure):
    """tn_setting_name"""
    _fields_ = [("setting", c_char_p), ("name", c_char_p)]


class CustomKernel(Structure):
    """tn_custom_kernel"""
    _fields_ = [("size", c_size_t), ("target", c_char_p), ("check", CustomFunction), ("run", CustomFunction),
                ("user", c_void_p)]


class Value(Structure):
    """tn_value"""
    scope: int
    id: int
    _fields_ = [("scope", c_uint32), ("id", c_uint32)]


class Region(Structure):
    """tn_region"""
    _fields_ = [("function", c_uint32)]


class Ints(Structure):
    """tn_ints"""
    _fields_ = [("at", POINTER(c_int64)), ("n", c_size_t)]


class Values(Structure):
    """tn_values"""
    _fields_ = [("at", POINTER(Value)), ("n", c_size_t)]


class Top(Structure):
    """tn_top"""
    values: Value
    indices: Value
    _fields_ = [("values", Value), ("indices", Value)]


class Window(Structure):
    """tn_window"""
    _fields_ = [("window", Ints), ("strides", Ints), ("pads", Ints), ("base_dilation", Ints), ("dilation", Ints)]


class Attention(Structure):
    """tn_attention"""
    _fields_ = [("size", c_size_t), ("scale", c_double), ("causal", c_bool), ("first", Value), ("mask", Value)]


class Sliding(Structure):
    """tn_sliding"""
    _fields_ = [("size", c_size_t), ("strides", Ints), ("dilation", Ints), ("pads", Ints)]


class Optimizer(Structure):
    """tn_optimizer"""
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("weight_decay", c_double), ("momentum", c_double),
                ("beta1", c_double), ("beta2", c_double), ("epsilon", c_double)]


class Transport(Structure):
    """tn_transport"""
    rank: int
    ranks: int
    leave: Any
    user: int | None
    _fields_ = [("size", c_size_t), ("rank", c_uint32), ("ranks", c_uint32), ("exchange", c_void_p),
                ("leave", CFUNCTYPE(None, c_void_p)), ("user", c_void_p), ("concurrent", c_bool)]


class TrainOptions(Structure):
    """tn_train_options"""
    _fields_ = [("size", c_size_t), ("loss", c_char_p), ("wrt", POINTER(c_char_p)), ("n_wrt", c_size_t),
                ("batch", c_uint64), ("leaves", c_uint64), ("seed", c_uint64), ("steps", c_uint64),
                ("epochs", c_uint64), ("schedule", c_int), ("warmup", c_uint64), ("rate", c_double),
                ("optimizer", POINTER(Optimizer)), ("update", c_void_p), ("clip_norm", c_double), ("skip", c_bool),
                ("init", c_char_p), ("compile", POINTER(CompileOptions)), ("transport", POINTER(Transport)),
                ("step_timeout_ns", c_uint64), ("message_bytes", c_uint64)]


class TrainStep(Structure):
    """tn_train_step"""
    step: int
    epoch: int
    loss: float
    norm: float
    rate: float
    skipped: bool
    _fields_ = [("size", c_size_t), ("step", c_uint64), ("epoch", c_uint64), ("loss", c_double), ("norm", c_double),
                ("rate", c_double), ("skipped", c_bool)]


class TrainerInfo(Structure):
    """tn_trainer_info"""
    batch: int
    leaves: int
    samples: int
    epoch: int
    steps: int
    step: int
    _fields_ = [("size", c_size_t), ("batch", c_uint64), ("leaves", c_uint64), ("samples", c_uint64),
                ("epoch", c_uint64), ("steps", c_uint64), ("step", c_uint64)]


class Validation(Structure):
    """tn_validation"""
    samples: int
    right: int
    loss: float
    _fields_ = [("size", c_size_t), ("scores", c_char_p), ("labels", c_char_p), ("samples", c_uint64),
                ("right", c_uint64), ("loss", c_double), ("only_check", c_bool)]


P = c_void_p  # a context, module, program, builder, data or trainer

# What each function gives and takes. "b" stands for tn_builder *.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "tn_dtype_name": (c_char_p, [c_int]),
    "tn_dtype_size": (c_size_t, [c_int]),
    "tn_context_new": (P, [P, POINTER(Sink)]),
    "tn_context_free": (None, [P]),
    "tn_context_set_limit": (c_int, [P, c_char_p, c_uint64]),
    "tn_context_set_timeout": (None, [P, c_uint64]),
    "tn_context_set_cancel": (None, [P, Cancel, P]),
    "tn_context_name_settings": (None, [P, POINTER(SettingName), c_size_t]),
    "tn_file_set_begin": (c_int, [P, POINTER(P)]),
    "tn_file_set_add": (c_int, [P, c_char_p, c_char_p, c_size_t]),
    "tn_file_set_end": (c_int, [P, c_int]),
    "tn_context_register_custom": (c_int, [P, POINTER(CustomKernel)]),
    "tn_diagnostic_write": (c_int, [P, POINTER(Diagnostic), c_int, POINTER(Writer)]),
    "tn_module_read": (c_int, [P, POINTER(ReadOptions), c_char_p, c_size_t, POINTER(P)]),
    "tn_module_read_file": (c_int, [P, POINTER(ReadOptions), c_char_p, POINTER(P)]),
    "tn_module_read_for": (c_int, [P, POINTER(ReadOptions), c_char_p, c_char_p, c_size_t, POINTER(KnownInput), c_size_t, P,
                                   POINTER(P)]),
    "tn_model_files_new": (P, [P, c_char_p]),
    "tn_model_files_free": (None, [P]),
    "tn_model_files_data": (c_void_p, [P, c_char_p, c_uint64, c_uint64, POINTER(c_void_p)]),
    "tn_module_bind": (c_int, [P, POINTER(Binding), c_size_t]),
    "tn_module_symbol": (c_char_p, [P, c_size_t]),
    "tn_module_input_extent": (c_char_p, [P, c_size_t, c_uint32]),
    "tn_module_output_extent": (c_char_p, [P, c_size_t, c_uint32]),
    "tn_module_get_info": (c_int, [P, POINTER(ModuleInfo)]),
    "tn_module_copy": (c_int, [P, POINTER(P)]),
    "tn_module_free": (None, [P]),
    "tn_module_set_constant": (c_int, [P, c_size_t, POINTER(Buffer)]),
    "tn_module_verify": (c_int, [P]),
    "tn_module_run_passes": (c_int, [P, c_char_p, P]),
    "tn_module_optimize": (c_int, [P, c_int, P]),
    "tn_module_write": (c_int, [P, c_char_p, c_char_p, POINTER(Writer)]),
    "tn_module_write_with": (c_int, [P, POINTER(WriteOptions), POINTER(Writer)]),
    "tn_module_gradient": (c_int, [P, POINTER(GradientOptions), POINTER(P)]),
    "tn_module_input_count": (c_size_t, [P]),
    "tn_module_output_count": (c_size_t, [P]),
    "tn_module_input": (c_int, [P, c_size_t, POINTER(Port)]),
    "tn_module_output": (c_int, [P, c_size_t, POINTER(Port)]),
    "tn_module_convert": (c_int, [P, c_char_p, POINTER(ConvertOptions)]),
    "tn_modules_compare": (c_int, [P, P, POINTER(EquivOptions), POINTER(EquivResult)]),
    "tn_equiv_result_release": (None, [P, POINTER(EquivResult)]),
    "tn_program_compile": (c_int, [P, POINTER(CompileOptions), POINTER(P)]),
    "tn_program_free": (None, [P]),
    "tn_program_input_count": (c_size_t, [P]),
    "tn_program_output_count": (c_size_t, [P]),
    "tn_program_input": (c_int, [P, c_size_t, POINTER(Port)]),
    "tn_program_output": (c_int, [P, c_size_t, POINTER(Port)]),
    # Called with addresses, prepared once for many runs.
    "tn_program_run": (c_int, [P, P, c_size_t, P, c_size_t, P]),
    "tn_program_random_input": (c_int, [P, c_size_t, c_uint64, POINTER(Buffer)]),
    "tn_buffer_release": (None, [P, POINTER(Buffer)]),
    "tn_program_emit": (c_int, [P, c_int, POINTER(EmitOptions), POINTER(Writer)]),
    "tn_program_explain": (c_int, [P, c_bool, POINTER(Writer)]),
    "tn_program_dump": (c_int, [P, c_char_p, c_int64, POINTER(Writer)]),
    "tn_op_count": (c_size_t, []),
    "tn_op_at": (c_bool, [c_size_t, POINTER(OpInfo)]),
    "tn_pass_count": (c_size_t, []),
    "tn_pass_at": (c_bool, [c_size_t, POINTER(PassInfo)]),
    "tn_dialect_count": (c_size_t, []),
    "tn_dialect_at": (c_bool, [c_size_t, POINTER(DialectInfo)]),
    # tenon/train.h
    "tn_reduce_tree": (c_int, [c_int, POINTER(P), c_size_t, c_size_t, P]),
    "tn_sample_order": (c_uint64, [c_uint64, c_uint64, c_uint64, c_uint64]),
    "tn_leaf_seed": (c_uint64, [c_uint64, c_uint64, c_uint64]),
    "tn_schedule_rate": (c_double, [c_int, c_double, c_uint64, c_uint64, c_uint64]),
    "tn_optimizer_program": (c_int, [P, POINTER(Optimizer), c_int, POINTER(P)]),
    "tn_dataset_open": (c_int, [P, POINTER(c_char_p), c_size_t, POINTER(P)]),
    "tn_dataset_close": (None, [P]),
    "tn_dataset_at": (c_bool, [P, c_size_t, POINTER(Port)]),
    "tn_rank_group_new": (P, [c_uint32]),
    "tn_rank_group_free": (None, [P]),
    "tn_rank_group_transport": (c_bool, [P, c_uint32, POINTER(Transport)]),
    "tn_mpi_transport": (c_int, [P, POINTER(Transport), POINTER(c_bool)]),
    "tn_mpi_ranks": (c_uint32, []),
    "tn_context_register_exchange": (c_int, [P, POINTER(Transport)]),
    "tn_mpi_end": (None, [POINTER(Transport)]),
    "tn_trainer_new": (c_int, [P, P, P, POINTER(TrainOptions), POINTER(P)]),
    "tn_trainer_free": (None, [P]),
    "tn_trainer_get_info": (c_int, [P, POINTER(TrainerInfo)]),
    "tn_trainer_step": (c_int, [P, POINTER(TrainStep)]),
    "tn_trainer_weight": (c_bool, [P, c_size_t, POINTER(c_char_p), POINTER(Buffer)]),
    "tn_trainer_write": (c_int, [P, c_char_p]),
    "tn_trainer_digest": (c_int, [P, c_char_p]),
    "tn_trainer_validate": (c_int, [P, P, POINTER(Validation)]),
    "tn_trainer_save": (c_int, [P, c_char_p, c_uint64]),
    "tn_trainer_check_folder": (c_int, [P, c_char_p]),
    "tn_trainer_resume": (c_int, [P, c_char_p, POINTER(c_bool)]),
}

I, V, D = Ints, Value, c_int  # shapes and axes, operands, element types
_BUILDER: dict[str, tuple[Any, list[Any]]] = {
    "tn_builder_new": (P, []),
    "tn_builder_free": (None, []),
    "tn_builder_name": (None, [c_char_p]),
    "tn_builder_at": (None, [c_char_p]),
    "tn_builder_status": (c_int, []),
    "tn_builder_finish": (c_int, [POINTER(V), c_size_t, POINTER(P)]),
    "tn_value_type": (c_bool, [V, POINTER(Type)]),
    "tn_extent": (c_int64, [V, c_int64]),
    "tn_dim": (c_int64, [c_char_p]),
    "tn_dim_add": (c_int64, [c_int64, c_int64]),
    "tn_dim_mul": (c_int64, [c_int64, c_int64]),
    "tn_dim_div": (c_int64, [c_int64, c_int64]),
    "tn_dim_mod": (c_int64, [c_int64, c_int64]),
    "tn_input": (V, [c_char_p, D, I]),
    "tn_constant": (V, [D, I, P]),
    "tn_scalar": (V, [D, c_double]),
    "tn_scalar_int": (V, [D, c_int64]),
    "tn_splat": (V, [D, I, c_double]),
    "tn_iota": (V, [D, I, c_int64]),
    "tn_rng_uniform": (V, [D, I]),
    "tn_rng_normal": (V, [D, I]),
    "tn_cast": (V, [V, D]),
    "tn_wrap": (V, [V, D]),
    "tn_bitcast": (V, [V, D]),
    "tn_stop_gradient": (V, [V]),
    "tn_div_or_zero": (V, [V, V]),
    "tn_fmod": (V, [V, V]),
    "tn_compare": (V, [c_int, V, V]),
    "tn_select": (V, [V, V, V]),
    "tn_clamp": (V, [V, V, V]),
    "tn_sum": (V, [V, I, c_bool]),
    "tn_mean": (V, [V, I, c_bool]),
    "tn_reduce": (V, [c_int, V, I, c_bool, D, D, POINTER(c_double)]),
    "tn_reduce_prod": (V, [V, I, c_bool]),
    "tn_arg_max": (V, [V, c_int64, c_bool, D]),
    "tn_cumulative": (V, [V, c_int, c_int64, c_bool, c_bool]),
    "tn_sort": (None, [Values, c_int64, c_bool, POINTER(Value)]),
    "tn_argsort": (V, [V, c_int64, c_bool, D]),
    "tn_top_k": (Top, [V, c_int64, c_int64, c_bool, D]),
    "tn_dot": (V, [V, V]),
    "tn_matmul": (V, [V, V]),
    "tn_dot_general": (V, [V, V, I, I, I, I, D, D]),
    "tn_reshape": (V, [V, I]),
    "tn_expand_dims": (V, [V, I]),
    "tn_squeeze": (V, [V, I]),
    "tn_transpose": (V, [V, I]),
    "tn_broadcast": (V, [V, I]),
    "tn_slice_steps": (V, [V, I, I, I]),
    "tn_slice_axis": (V, [V, c_int64, c_int64, c_int64]),
    "tn_reverse": (V, [V, I]),
    "tn_pad": (V, [V, I, I, I, c_double]),
    "tn_pad_exact": (V, [V, I, I, I, P]),
    "tn_concat": (V, [Values, c_int64]),
    "tn_tile": (V, [V, I]),
    "tn_take": (V, [V, V]),
    "tn_gather": (V, [V, V, c_int64]),
    "tn_scatter_reduce": (V, [V, V, V, c_int64, c_int]),
    "tn_dynamic_slice": (V, [V, V, I]),
    "tn_dynamic_update_slice": (V, [V, V, V]),
    "tn_segment_reduce": (V, [V, V, c_int, c_int64, D, c_bool, c_bool]),
    "tn_region_begin": (None, [c_char_p]),
    "tn_param": (V, [D, I]),
    "tn_param_like": (V, [V]),
    "tn_param_slice": (V, [V]),
    "tn_region_end": (Region, [Values]),
    "tn_region_discard": (None, []),
    "tn_cond": (None, [V, Region, Region, Values, POINTER(V), c_size_t]),
    "tn_while": (None, [Region, Region, Values, POINTER(V), c_size_t]),
    "tn_scan": (None, [Region, Values, Values, c_size_t, POINTER(V), c_size_t]),
    "tn_custom_call": (None, [c_char_p, Values, POINTER(Type), POINTER(CustomAttribute), c_size_t, POINTER(V),
                              c_size_t]),
    "tn_gradient": (None, [V, V, Values, POINTER(V)]),
    # tenon/forms.h
    "tn_nn_silu": (V, [V]),
    "tn_nn_gelu": (V, [V]),
    "tn_nn_gelu_tanh": (V, [V]),
    "tn_nn_softmax": (V, [V, c_int64]),
    "tn_nn_log_softmax": (V, [V, c_int64]),
    "tn_nn_cross_entropy": (V, [V, V]),
    "tn_nn_layer_norm": (V, [V, V, V, c_double]),
    "tn_nn_rms_norm": (V, [V, V, c_double]),
    "tn_nn_embedding": (V, [V, V]),
    "tn_nn_attention": (V, [V, V, V, POINTER(Attention)]),
    "tn_nn_conv2d": (V, [V, V, V, POINTER(Sliding)]),
    "tn_nn_max_pool": (V, [V, I, POINTER(Sliding)]),
    "tn_nn_avg_pool": (V, [V, I, POINTER(Sliding), c_bool]),
}

# The elementwise operations without attributes: tenon/build_elementwise.def.
UNARY = ("neg abs exp exp2 log log2 tanh erf sin cos sqrt rsqrt reciprocal trunc relu not floor ceil round_even sign "
         "popcount count_leading_zeros is_finite is_nan is_inf asin acos atan cbrt tan log1p asinh acosh atanh expm1 "
         "sinh cosh sigmoid real imag").split()
BINARY = ("add sub mul div mod pow maximum minimum and or xor shift_left shift_right_logical "
          "shift_right_arithmetic atan2 maximum_nan minimum_nan complex").split()
_BUILDER.update({f"tn_{name}": (V, [V]) for name in UNARY})
_BUILDER.update({f"tn_{name}": (V, [V, V]) for name in BINARY})


def declared() -> dict[str, tuple[Any, list[Any]]]:
    """Every function of the library that the package calls: what it gives and takes."""
    functions = dict(_FUNCTIONS)
    for name, (result, arguments) in _BUILDER.items():
        functions[name] = (result, [P, *arguments])
    return functions


lib = _load()
for _name, (_result, _arguments) in declared().items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _arguments


def ints(values: Any) -> Ints:
    """A list of extents or axes; it keeps its array alive."""
    values = tuple(values)
    array = (c_int64 * max(1, len(values)))(*values)
    return Ints(array, len(values))


def values(items: Any) -> Values:
    """A list of operands; it keeps its array alive."""
    array = (Value * max(1, len(items)))(*items)
    return Values(array, len(items))


ALL_AXES = Ints(None, ctypes.c_size_t(-1).value)
NO_VALUE = Value(0, 0)
