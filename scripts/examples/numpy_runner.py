#!/usr/bin/env python3
"""An external runner for anecheck: computes each operation in double precision with NumPy and
rounds its result once to fp16. It shows the protocol and is an independent check of the oracle.

    anecheck run --runner "exec:python3 scripts/examples/numpy_runner.py" --contract float

See README.md beside this file for the protocol.
"""

import base64
import json
import math
import sys

import numpy as np

DTYPES = {"fp16": np.float16, "fp32": np.float32, "int8": np.int8, "uint8": np.uint8,
          "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "bool": np.bool_}
OPS = {}


class Unsupported(Exception):
    """Raised for a case that this runner does not support: its operation, a state or an element type."""


def op(name):
    def add(function):
        OPS[name] = function
        return function
    return add


def wide(x):
    return x.astype(np.float64) if x.dtype.kind == "f" else x


# ---- windows: convolution and pooling -------------------------------------------------------

def padding(shape, kernel, strides, dilations, pad_type, pad):
    """[(before, after)] for each spatial axis, as MIL defines the pad types."""
    if pad_type == "custom":
        return [(pad[2 * i], pad[2 * i + 1]) for i in range(len(kernel))]
    if pad_type == "valid":
        return [(0, 0)] * len(kernel)
    pads = []
    for size, k, stride, dilation in zip(shape, kernel, strides, dilations):
        total = max((math.ceil(size / stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((large, small) if pad_type == "same_lower" else (small, large))
    return pads


def windows(x, kernel, strides, dilations, pads, counts, fill):
    """x [N, C, spatial...] to [N, C, positions..., taps...]; taps outside are `fill`."""
    spatial = x.shape[2:]
    # Positions that ceil_mode adds may reach beyond the stated padding.
    reach = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(counts, strides, kernel, dilations)]
    widths = [(0, 0), (0, 0)]
    for size, (before, after), r in zip(spatial, pads, reach):
        widths.append((before, max(after, r - size - before)))
    padded = np.pad(x, widths, constant_values=fill)
    index = []
    axes = len(spatial)
    for i in range(axes):
        grid = (np.arange(counts[i])[:, None] * strides[i] + np.arange(kernel[i]) * dilations[i])
        shape = [1] * (2 * axes)
        shape[i], shape[axes + i] = grid.shape
        index.append(grid.reshape(shape))
    return padded[(slice(None), slice(None), *index)]


@op("conv")
def conv(a, attrs, out):
    x, weight = wide(a["x"]), wide(a["weight"])
    kernel = weight.shape[2:]
    axes = len(kernel)
    strides = attrs.get("strides", [1] * axes)
    dilations = attrs.get("dilations", [1] * axes)
    groups = attrs.get("groups", 1)
    pads = padding(x.shape[2:], kernel, strides, dilations, attrs.get("pad_type", "valid"),
                   attrs.get("pad", [0] * (2 * axes)))
    counts = out[0]["shape"][2:]
    taps = windows(x, kernel, strides, dilations, pads, counts, 0.0)
    # A padded tap multiplies nothing: 0 times an infinite weight must not become NaN.
    inside = windows(np.ones((1, 1, *x.shape[2:])), kernel, strides, dilations, pads, counts, 0.0)
    taps = taps.reshape(x.shape[0], groups, x.shape[1] // groups, *counts, *kernel)
    weight = weight.reshape(groups, -1, *weight.shape[1:])
    result = np.empty((x.shape[0], groups, weight.shape[1], *counts))
    tap_axes = (1, *range(-axes, 0))
    for g in range(groups):
        for o in range(weight.shape[1]):
            w = weight[g, o].reshape(1, weight.shape[2], *[1] * axes, *kernel)
            products = np.where(inside != 0, taps[:, g] * w, 0.0)
            result[:, g, o] = products.sum(axis=tap_axes)
    result = result.reshape(out[0]["shape"])
    if "bias" in a:
        result = result + wide(a["bias"]).reshape(1, -1, *[1] * axes)
    return result


def pool(a, attrs, out, fill):
    x = wide(a["x"])
    kernel = attrs["kernel_sizes"]
    axes = len(kernel)
    strides = attrs.get("strides", [1] * axes)
    pads = padding(x.shape[2:], kernel, strides, [1] * axes, attrs.get("pad_type", "valid"),
                   attrs.get("pad", [0] * (2 * axes)))
    counts = out[0]["shape"][2:]
    taps = windows(x, kernel, strides, [1] * axes, pads, counts, fill)
    return taps, kernel, strides, pads, counts


@op("max_pool")
def max_pool(a, attrs, out):
    taps, kernel, *_ = pool(a, attrs, out, -np.inf)
    return taps.max(axis=tuple(range(-len(kernel), 0)))


@op("avg_pool")
def avg_pool(a, attrs, out):
    taps, kernel, strides, pads, counts = pool(a, attrs, out, 0.0)
    axes = len(kernel)
    spatial = a["x"].shape[2:]
    divisor = np.ones([1] * axes)
    for i in range(axes):
        begin = np.arange(counts[i]) * strides[i] - pads[i][0]
        end = begin + kernel[i]
        if attrs.get("exclude_padding_from_average", False):
            begin, end = np.maximum(begin, 0), np.minimum(end, spatial[i])
        else:
            # The windows that ceil_mode adds beyond the padding do not count.
            end = np.minimum(end, spatial[i] + pads[i][1])
        shape = [1] * axes
        shape[i] = counts[i]
        divisor = divisor * (end - begin).reshape(shape)
    return taps.sum(axis=tuple(range(-axes, 0))) / divisor


# ---- products -------------------------------------------------------------------------------

@op("linear")
def linear(a, attrs, out):
    result = np.matmul(wide(a["x"]), wide(a["weight"]).T)
    return result + wide(a["bias"]) if "bias" in a else result


@op("matmul")
def matmul(a, attrs, out):
    x, y = wide(a["x"]), wide(a["y"])
    if attrs.get("transpose_x", False) and x.ndim > 1:
        x = np.swapaxes(x, -1, -2)
    if attrs.get("transpose_y", False) and y.ndim > 1:
        y = np.swapaxes(y, -1, -2)
    return np.matmul(x, y)


# ---- element by element ---------------------------------------------------------------------

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide,
          "maximum": np.maximum, "minimum": np.minimum}
for name, function in BINARY.items():
    OPS[name] = lambda a, attrs, out, f=function: f(wide(a["x"]), wide(a["y"]))


COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less,
               "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal}
for name, function in COMPARISONS.items():
    OPS[name] = lambda a, attrs, out, f=function: f(wide(a["x"]), wide(a["y"]))


for name, function in {"logical_and": np.logical_and, "logical_or": np.logical_or,
                       "logical_xor": np.logical_xor}.items():
    OPS[name] = lambda a, attrs, out, f=function: f(a["x"], a["y"])


@op("logical_not")
def logical_not(a, attrs, out):
    return np.logical_not(a["x"])


@op("select")
def select(a, attrs, out):
    return np.where(a["cond"], a["a"], a["b"])


@op("relu")
def relu(a, attrs, out):
    return np.maximum(wide(a["x"]), 0)


@op("clip")
def clip(a, attrs, out):
    low, high = (float(np.float16(number(attrs[key]))) for key in ("alpha", "beta"))
    return np.clip(wide(a["x"]), low, high)


@op("sigmoid")
def sigmoid(a, attrs, out):
    return 1 / (1 + np.exp(-wide(a["x"])))


@op("tanh")
def tanh(a, attrs, out):
    return np.tanh(wide(a["x"]))


@op("gelu")
def gelu(a, attrs, out):
    x = wide(a["x"])
    mode = attrs.get("mode", "EXACT")
    if mode == "EXACT":
        result = 0.5 * x * np.vectorize(math.erfc, otypes=[float])(-x / math.sqrt(2))
    elif mode == "TANH_APPROXIMATION":
        result = x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    else:
        result = x / (1 + np.exp(-1.702 * x))
    return np.where(x == -np.inf, 0.0, result)


@op("softmax")
def softmax(a, attrs, out):
    x = wide(a["x"])
    axis = attrs.get("axis", -1)
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@op("layer_norm")
def layer_norm(a, attrs, out):
    x = wide(a["x"])
    axes = tuple(attrs.get("axes", range(x.ndim)))
    difference = x - x.mean(axis=axes, keepdims=True)
    variance = (difference ** 2).mean(axis=axes, keepdims=True)
    result = difference / np.sqrt(variance + number(attrs.get("epsilon", 1e-5)))
    shape = [n if i in [axis % x.ndim for axis in axes] else 1 for i, n in enumerate(x.shape)]
    if "gamma" in a:
        result = result * wide(a["gamma"]).reshape(shape)
    if "beta" in a:
        result = result + wide(a["beta"]).reshape(shape)
    return result


# ---- reductions and movement ----------------------------------------------------------------

def reduce(function):
    def apply(a, attrs, out):
        x = wide(a["x"])
        axes = tuple(attrs.get("axes", range(x.ndim)))
        return function(x, axis=axes, keepdims=attrs.get("keep_dims", False))
    return apply


OPS["reduce_sum"] = reduce(np.sum)
OPS["reduce_max"] = reduce(np.max)


@op("reshape")
def reshape(a, attrs, out):
    return a["x"].reshape(out[0]["shape"])


@op("transpose")
def transpose(a, attrs, out):
    return np.transpose(a["x"], attrs["perm"])


@op("concat")
def concat(a, attrs, out):
    axis = attrs["axis"]
    if not attrs.get("interleave", False):
        return np.concatenate(a["values"], axis=axis)
    return np.stack(a["values"], axis=axis % a["values"][0].ndim + 1).reshape(out[0]["shape"])


@op("pad")
def pad(a, attrs, out):
    x = a["x"]
    widths = [(0, 0)] * x.ndim
    flat = attrs["pad"]
    for i in range(len(flat) // 2):
        widths[x.ndim - len(flat) // 2 + i] = (flat[2 * i], flat[2 * i + 1])
    mode = attrs.get("mode", "constant")
    if mode == "constant":
        return np.pad(x, widths, constant_values=x.dtype.type(number(attrs.get("constant_val", 0))))
    return np.pad(x, widths, mode={"reflect": "reflect", "replicate": "edge",
                                   "symmetric": "symmetric"}[mode])


@op("slice_by_size")
def slice_by_size(a, attrs, out):
    x = a["x"]
    begin = [b % n for b, n in zip(attrs["begin"], x.shape)]
    return x[tuple(slice(b, b + n) for b, n in zip(begin, out[0]["shape"]))]


@op("cast")
def cast(a, attrs, out):
    x, dtype = wide(a["x"]), DTYPES[out[0]["dtype"]]
    if np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        limits = np.iinfo(dtype)
        x = np.clip(np.trunc(x), limits.min, limits.max)
    return x


# ---- graphs ---------------------------------------------------------------------------------

def number(value):
    return float({"Infinity": "inf", "-Infinity": "-inf"}.get(value, value))


def store(value, described):
    dtype = DTYPES[described["dtype"]]
    return np.asarray(value).astype(dtype, order="C").reshape(described["shape"])


def evaluate(graph, inputs):
    if "states" in graph:
        raise Unsupported("states")
    values = {entry["name"]: inputs[entry["name"]] for entry in graph["inputs"]}
    for entry in graph["consts"]:
        if entry["dtype"] not in DTYPES:
            raise Unsupported(f"constants of type {entry['dtype']}")
        data = np.frombuffer(base64.b64decode(entry["data"]), DTYPES[entry["dtype"]])
        values[entry["name"]] = data.reshape(entry["shape"])
    for node in graph["ops"]:
        if node["op"] not in OPS:
            raise Unsupported(node["op"])
        arguments = {}
        for key, names in node["inputs"].items():
            listed = [values[name] for name in names]
            arguments[key] = listed if key == "values" else listed[0]
        results = OPS[node["op"]](arguments, node.get("attrs", {}), node["outputs"])
        results = results if isinstance(results, list) else [results]
        for described, result in zip(node["outputs"], results):
            values[described["name"]] = store(result, described)
    return {name: values[name] for name in graph["outputs"]}


def answer(case, version):
    reply = {"v": version, "id": case["id"]}
    try:
        with open(case["graph"], encoding="utf-8") as file:
            graph = json.load(file)
        for execution in [case] + ([case["second"]] if "second" in case else []):
            with np.load(execution["inputs"]) as inputs, np.errstate(all="ignore"):
                outputs = evaluate(graph, inputs)
            np.savez(execution["outputs"], **outputs)
    except Unsupported as what:
        return reply | {"status": "unsupported", "op": str(what)}
    return reply | {"status": "ok"}


def main():
    version = 1
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("hello"):
            version = max(v for v in request.get("versions", [1]) if v <= 2)
            print(json.dumps({"v": version, "name": "numpy_runner", "version": np.__version__, "engine": "other",
                              "ops": list(OPS), "os": sys.platform, "batch": 16, "second": True}), flush=True)
            continue
        for case in request.get("cases", [request]):
            print(json.dumps(answer(case, version)), flush=True)


if __name__ == "__main__":
    main()
