"""Every format with the rules that break its files, and the dialect whose codes its faults have."""
from malformed import bincode_rules, checkpoint_rules, command_rules, data_rules, hlo_rules, mind_rules, onnx_rules, ptir_rules, source_rules, tiny_rules

FORMATS = {  # in docs/errors.md
    "mind": "MIND",
    "mind-records": "MIND",
    "mind-source": "MIND",
    "ptir-json": "PTIR",
    "ptir-text": "PTIR",
    "ptir-bincode": "PTIR",
    "tiny": "Tiny IR",
    "onnx": None,
    "stablehlo": None,
    "npy": "MIND",
    "npz": "MIND",
    "safetensors": "MIND",
    "tensor-proto": "MIND",
    "in-place": "MIND",
    "command-line": None,
    "checkpoint": None,
}
RULES = {
    "mind": mind_rules.files,
    "mind-records": mind_rules.records,
    "mind-source": source_rules.files,
    "ptir-json": ptir_rules.json_files,
    "ptir-text": ptir_rules.text_files,
    "ptir-bincode": bincode_rules.files,
    "tiny": tiny_rules.files,
    "onnx": onnx_rules.files,
    "stablehlo": hlo_rules.files,
    "npy": data_rules.npy_files,
    "npz": data_rules.npz_files,
    "safetensors": data_rules.safetensors_files,
    "tensor-proto": data_rules.pb_files,
    "in-place": data_rules.in_place_files,
    "command-line": command_rules.files,
    "checkpoint": checkpoint_rules.files,
}


def all_files(name):
    return RULES[name]()
