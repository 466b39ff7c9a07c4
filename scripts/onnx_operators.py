"""Operators of small networks over their types, by onnxruntime: the data of test/control/policy/operators.test.ts.

    pip install onnxruntime onnx numpy
    python scripts/onnx_operators.py > test/control/policy/operators.jsonl

A row a case: operator, type, variant, the file's bytes, inputs and outputs; without outputs where onnxruntime has no such operator.
"""

import base64
import json
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T
from onnx import helper as h

ort.set_default_logger_severity(4)
DTYPES = {
    "float": (T.FLOAT, np.float32),
    "double": (T.DOUBLE, np.float64),
    "float16": (T.FLOAT16, np.float16),
    "int32": (T.INT32, np.int32),
    "int64": (T.INT64, np.int64),
    "bool": (T.BOOL, np.bool_),
}
rng = np.random.default_rng(1)


def values(kind, shape):
    dtype = DTYPES[kind][1]
    if kind == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    if kind.startswith("int"):
        return rng.integers(-9, 10, shape).astype(dtype)
    return rng.normal(0, 2, shape).astype(dtype)


def nonzero(kind, shape):
    x = values(kind, shape)
    return np.where(x == 0, np.ones_like(x), x)


def run(op, kind, variant, feeds, weights, attributes, outs, out_kind=None):
    nodes = [h.make_node(op, [*feeds, *weights], outs, **attributes)]
    typed = [h.make_tensor_value_info(name, DTYPES[kind][0], x.shape) for name, x in feeds.items()]
    results = [h.make_tensor_value_info(name, DTYPES[out_kind or kind][0], None) for name in outs if name]
    graph = h.make_graph(nodes, "g", typed, results, [onnx.numpy_helper.from_array(x, name) for name, x in weights.items() if name])
    bytes_ = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10).SerializeToString()
    row = {"op": op, "type": kind, "variant": variant, "file": base64.b64encode(bytes_).decode()}
    row["inputs"] = {name: plain(x) for name, x in feeds.items()}
    try:
        session = ort.InferenceSession(bytes_, providers=["CPUExecutionProvider"])
        names = [name for name in outs if name]
        row["outputs"] = {name: plain(x) for name, x in zip(names, session.run(names, feeds))}
    except Exception as error:  # of onnxruntime, which has several kinds
        sys.stderr.write(f"{op} {kind} {variant}: {str(error).splitlines()[0][:110]}\n")
    rows.append(row)


def plain(x):
    wide = x.astype(np.float64).ravel()
    return [float(v) if np.isfinite(v) else "NaN" if np.isnan(v) else "Infinity" if v > 0 else "-Infinity" for v in wide]


rows = []
for kind in DTYPES:
    x = values(kind, (1, 6))
    scalar = lambda v: np.array(v, DTYPES[kind][1])
    ints = lambda *v: np.array(v, np.int64)
    one = lambda op, variant="", weights={}, x=x, **attributes: run(op, kind, variant, {"x": x}, weights, attributes, ["y"])
    for op in ("Add", "Sub", "Mul"):
        one(op, weights={"b": values(kind, (6,))})
    one("Div", weights={"b": nonzero(kind, (6,))})
    for op in ("Relu", "LeakyRelu", "Elu", "Tanh", "Sigmoid", "Softplus", "Identity", "Dropout"):
        one(op)
    one("Clip", weights={"low": scalar(0 if kind == "bool" else -1), "high": scalar(1)})
    one("Gemm", "turned", {"w": values(kind, (3, 6)), "b": values(kind, (3,))}, transB=1)
    one("Gemm", "halved", {"w": values(kind, (6, 3)), "b": values(kind, (3,))}, alpha=0.5, beta=2.0)
    one("MatMul", weights={"w": values(kind, (6, 3))})
    one("Flatten", axis=0)
    one("Reshape", weights={"shape": ints(2, -1)})
    one("Squeeze", weights={"axes": ints(0)})
    one("Unsqueeze", weights={"axes": ints(0, -1)})
    one("Transpose", x=values(kind, (2, 3)), perm=[1, 0])
    one("Slice", weights={"starts": ints(1), "ends": ints(-1), "axes": ints(1), "steps": ints(2)})
    one("Concat", weights={"b": values(kind, (1, 2))}, axis=-1)
    run("Constant", kind, "", {}, {}, {"value": onnx.numpy_helper.from_array(x)}, ["y"])
    h0, c0 = values(kind, (1, 1, 2)), values(kind, (1, 1, 2))
    step = values(kind, (1, 1, 3))
    layer = {"W": values(kind, (1, 8, 3)), "R": values(kind, (1, 8, 2)), "B": values(kind, (1, 16))}
    h_in = {"": None, "h": h0}
    run("LSTM", kind, "", {"x": step}, {**layer, "": None, "h": h0, "c": c0}, {"hidden_size": 2}, ["", "h2", "c2"])
    layer = {"W": values(kind, (1, 6, 3)), "R": values(kind, (1, 6, 2)), "B": values(kind, (1, 12))}
    for linear in (0, 1):
        attributes = {"hidden_size": 2, "linear_before_reset": linear}
        run("GRU", kind, f"linear {linear}", {"x": step}, {**layer, **h_in}, attributes, ["", "h2"])
    # the last one is beyond half precision, and its neighbour a multiple of its least unit
    fractions = np.array([1.25, -1.25, 2.999, -2.5, 0.5, 0, 1 / 3, 6e-8, 1 + 2**-11, 300 if kind == "float16" else 70000])
    for to in DTYPES:
        run("Cast", kind, to, {"x": fractions.astype(DTYPES[kind][1]).reshape(1, -1)}, {}, {"to": DTYPES[to][0]}, ["y"], to)

print(json.dumps({"onnxruntime": ort.__version__, "onnx": onnx.__version__}), end="")
print("\n" + "\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
