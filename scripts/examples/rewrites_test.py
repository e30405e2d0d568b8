#!/usr/bin/env python3
"""Rewrites that a sound fp16 engine may make, and slightly different rewrites that are wrong. Each row has a
graph, the numbers of a sound rewrite, and the numbers of an unsound rewrite of the same graph, all computed
here with NumPy. `anecheck judge --contract float` admits the sound numbers and forbids the unsound ones.

    rewrites_test.py ANECHECK
"""

import base64
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

H, F, D = np.float16, np.float32, np.float64
TOOL = sys.argv.pop(1) if len(sys.argv) > 1 else "anecheck"


def half(x):
    return np.asarray(x).astype(H)


def bits(x, kept):
    """Numbers rounded to this many bits of mantissa."""
    mantissa, exponent = np.frexp(np.asarray(x, D))
    return np.ldexp(np.round(np.ldexp(mantissa, kept)), exponent - kept)


def toward_zero(x):
    """Rounded to fp16 toward zero."""
    near = half(x)
    beyond = np.abs(near.astype(D)) > np.abs(np.asarray(x, D))
    return np.where(beyond, np.nextafter(near, H(0)), near).astype(H)


def drawn(seed, *shape, low=-1.0, high=1.0):
    return half(np.random.default_rng(seed).uniform(low, high, shape))


class Model:
    """A graph with the numbers of its inputs and constants."""

    def __init__(self):
        self.json = {"version": 1, "name": "main", "inputs": [], "consts": [], "ops": [], "outputs": []}
        self.inputs = {}
        self.shapes = {}

    def _value(self, name, array):
        self.shapes[name] = list(array.shape)
        return {"name": name, "dtype": "fp16", "shape": list(array.shape)}

    def input(self, name, array):
        self.json["inputs"].append(self._value(name, array))
        self.inputs[name] = array
        return name

    def const(self, name, array):
        array = half(array)
        data = base64.b64encode(array.tobytes()).decode()
        self.json["consts"].append({**self._value(name, array), "data": data})
        return name

    def op(self, op, shape, attrs=None, **operands):
        name = f"v{len(self.json['ops'])}"
        self.json["ops"].append({
            "op": op, "name": name, "inputs": {k: [v] for k, v in operands.items()},
            "attrs": attrs or {}, "outputs": [{"name": name, "dtype": "fp16", "shape": list(shape)}]})
        self.json["outputs"] = [name]
        return name


ROWS = {}


def row(make):
    """Registers a row: the function returns the model, the sound numbers and the unsound numbers."""
    ROWS[make.__name__] = make
    return make


def one(op, x, attrs=None, shape=None, **consts):
    """A model of one operation on x."""
    model = Model()
    operands = {"x": model.input("x", x)}
    for name, array in consts.items():
        operands[name] = model.const(name, array)
    model.op(op, x.shape if shape is None else shape, attrs, **operands)
    return model


# ---- constants folded into weights ----------------------------------------------------------------

def layer(seed=1, rows=4, width=16, out=8):
    x = drawn(seed, rows, width)
    return x, drawn(seed + 1, out, width), drawn(seed + 2, out)


def linear_then(seed=1):
    x, w, b = layer(seed)
    model = Model()
    y = model.op("linear", (4, 8), x=model.input("x", x), weight=model.const("w", w), bias=model.const("b", b))
    return model, y, x.astype(D), w.astype(D), b.astype(D)


@row
def a_scale_folded_into_weights():
    model, y, x, w, b = linear_then()
    s = drawn(9, 8, low=0.3, high=3).astype(D)
    model.op("mul", (4, 8), x=y, y=model.const("s", s))
    fold = lambda kept: x @ bits(w * s[:, None], kept).T + bits(b * s, kept)
    return model, fold(11), fold(8)


@row
def a_shift_folded_into_the_bias():
    model, y, x, w, b = linear_then(11)
    s = drawn(19, 8).astype(D)
    model.op("add", (4, 8), x=y, y=model.const("s", s))
    return model, x @ w.T + half(b + s).astype(D), x @ w.T + bits(b + s, 6)


@row
def batch_norm_folded_into_a_convolution():
    x, w = drawn(21, 1, 4, 3, 3), drawn(22, 6, 4, 1, 1)
    mean, gamma, beta = drawn(23, 6), drawn(24, 6), drawn(25, 6)
    variance = drawn(26, 6, low=0.3, high=1)
    model = Model()
    y = model.op("conv", (1, 6, 3, 3), x=model.input("x", x), weight=model.const("w", w))
    model.op("batch_norm", (1, 6, 3, 3), {"epsilon": 0.01}, x=y, mean=model.const("m", mean),
             variance=model.const("v", variance), gamma=model.const("g", gamma), beta=model.const("b", beta))

    def fold(epsilon):
        scale = gamma.astype(D) / np.sqrt(variance.astype(D) + epsilon)
        weights = half(w[:, :, 0, 0].astype(D) * scale[:, None]).astype(D)
        bias = half(beta.astype(D) - mean.astype(D) * scale).astype(D)
        return np.einsum("oc,nchw->nohw", weights, x.astype(D)) + bias[None, :, None, None]
    return model, fold(0.01), fold(0)


@row
def two_scales_folded_into_weights():
    model, y, x, w, b = linear_then(31)
    s, t = drawn(38, 8, low=0.5, high=2).astype(D), drawn(39, 8, low=0.5, high=2).astype(D)
    z = model.op("mul", (4, 8), x=y, y=model.const("s", s))
    model.op("mul", (4, 8), x=z, y=model.const("t", t))
    fold = lambda round: x @ round(round(w * s[:, None]) * t[:, None]).T + round(round(b * s) * t)
    return model, fold(lambda v: bits(v, 11)), fold(lambda v: bits(v, 7))


@row
def a_divisor_folded_into_weights():
    model, y, x, w, b = linear_then(41)
    model.op("real_div", (4, 8), x=y, y=model.const("s", half(3.0)))
    fold = lambda kept: x @ bits(w / 3, kept).T + bits(b / 3, kept)
    return model, fold(11), fold(8)


# ---- sums of products ------------------------------------------------------------------------------

def product(seed, k, rows=4, columns=8):
    x, y = drawn(seed, rows, k), drawn(seed + 1, k, columns)
    model = Model()
    model.op("matmul", (rows, columns), x=model.input("x", x), y=model.input("y", y))
    return model, x, y


def running(products, dtype):
    """Sums along the last axis, one product after another."""
    total = np.zeros(products.shape[:-1], dtype)
    for i in range(products.shape[-1]):
        total = (total + products[..., i].astype(dtype)).astype(dtype)
    return total


def products_of(x, y):
    return x.astype(D)[:, None, :] * y.astype(D).T[None, :, :]


@row
def a_sum_in_reverse_order():
    model, x, y = product(51, 256)
    return model, running(products_of(x, y)[..., ::-1], F), running(products_of(x, y), H)


@row
def a_sum_in_fp64():
    model, x, y = product(53, 256)
    return model, x.astype(D) @ y.astype(D), half(products_of(x, y)).astype(D).sum(-1)


@row
def a_sum_by_halves():
    def tree(p):
        while p.shape[-1] > 1:
            p = (p[..., 0::2] + p[..., 1::2]).astype(p.dtype)
        return p[..., 0]
    model, x, y = product(55, 256)
    return model, tree(products_of(x, y).astype(F)), tree(half(products_of(x, y)))


@row
def a_sum_in_two_parts():
    model, x, y = product(57, 256)
    parts = lambda dtype: sum(half(p.sum(-1)).astype(D) if dtype == H else p.sum(-1).astype(F).astype(D)
                              for p in np.split(products_of(x, y), 2, axis=-1))
    return model, parts(F), parts(H)


@row
def a_bias_in_the_accumulator():
    x, w, b = layer(61, width=64)
    model = one("linear", x, shape=(4, 8), weight=w, bias=b)
    exact = x.astype(D) @ w.astype(D).T
    return model, exact.astype(F) + b.astype(F), half(exact).astype(D) + b.astype(D)


@row
def a_pointwise_convolution_as_a_product():
    x, w = drawn(63, 1, 32, 4, 4), drawn(64, 8, 32, 1, 1)
    model = one("conv", x, shape=(1, 8, 4, 4), weight=w)
    flat = products_of(x[0].reshape(32, 16).T, w[:, :, 0, 0].T)
    back = lambda sums: np.asarray(sums).T.reshape(1, 8, 4, 4)
    return model, back(running(flat, F)), back(running(flat, H))


def windows(x, size):
    """Every window of a plane: [channel, row, column, size, size]."""
    rows, columns = x.shape[2] - size + 1, x.shape[3] - size + 1
    return np.stack([[x[0, :, r:r + size, c:c + size] for c in range(columns)] for r in range(rows)]) \
        .transpose(2, 0, 1, 3, 4)


@row
def winograd_in_fp32():
    x, w = drawn(65, 1, 8, 6, 6), drawn(66, 4, 8, 3, 3)
    model = one("conv", x, {"pad_type": "valid"}, shape=(1, 4, 4, 4), weight=w)
    bt = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]], D)
    g = np.array([[1, 0, 0], [.5, .5, .5], [.5, -.5, .5], [0, 0, 1]], D)
    at = np.array([[1, 1, 1, 0], [0, 1, -1, -1]], D)

    def winograd(dtype):
        u = (g @ w.astype(D) @ g.T).astype(dtype).astype(D)
        y = np.zeros((1, 4, 4, 4))
        for r in (0, 2):
            for c in (0, 2):
                v = (bt @ x[0, :, r:r + 4, c:c + 4].astype(D) @ bt.T).astype(dtype).astype(D)
                m = (u * v[None]).sum(1).astype(dtype).astype(D)
                y[0, :, r:r + 2, c:c + 2] = at @ m @ at.T
        return y
    return model, winograd(F), winograd(H)


@row
def a_convolution_by_columns():
    x, w = drawn(67, 1, 8, 6, 6), drawn(68, 4, 8, 3, 3)
    model = one("conv", x, {"pad_type": "valid"}, shape=(1, 4, 4, 4), weight=w)
    columns = windows(x, 3).transpose(1, 2, 0, 3, 4).reshape(16, 72)
    p = products_of(columns, w.reshape(4, 72).T)
    back = lambda sums: np.asarray(sums).T.reshape(1, 4, 4, 4)
    return model, back(running(p, F)), back(running(p, H))


# ---- chains of elementwise operations --------------------------------------------------------------

@row
def a_product_and_a_sum_fused():
    x, y = drawn(71, 64), drawn(72, 64)
    z = half(-(x.astype(D) * y.astype(D)) * 1.01)
    model = Model()
    p = model.op("mul", (64,), x=model.input("x", x), y=model.input("y", y))
    model.op("add", (64,), x=p, y=model.input("z", z))
    exact = x.astype(D) * y.astype(D)
    return model, exact + z.astype(D), toward_zero(exact * (1 - 2**-10)).astype(D) + z.astype(D)


@row
def a_chain_of_sums_kept_wide():
    a, b, c = drawn(73, 64), drawn(74, 64, low=-8, high=8), drawn(75, 64)
    model = Model()
    ab = model.op("add", (64,), x=model.input("a", a), y=model.input("b", b))
    model.op("add", (64,), x=ab, y=model.input("c", c))
    exact = a.astype(D) + b.astype(D)
    return model, exact + c.astype(D), bits(exact, 9) + c.astype(D)


@row
def a_chain_of_products_reassociated():
    x = drawn(76, 64, low=0.5, high=2)
    model = Model()
    y = model.op("mul", (64,), x=model.input("x", x), y=model.const("s", half(1.7)))
    model.op("mul", (64,), x=y, y=model.const("t", half(0.6)))
    s, t = float(H(1.7)), float(H(0.6))
    return model, x.astype(D) * F(s * t), x.astype(D) * bits(s * t, 7)


@row
def two_shifts_folded_into_one():
    x = drawn(78, 64, low=-10, high=-9)
    a, b = half(3.303), half(6.13)
    model = Model()
    y = model.op("add", (64,), x=model.input("x", x), y=model.const("a", a))
    model.op("add", (64,), x=y, y=model.const("b", b))
    both = float(a) + float(b)
    return model, x.astype(D) + float(H(both)), x.astype(D) + bits(both, 7)


@row
def a_quotient_by_a_reciprocal():
    x = drawn(77, 64)
    model = one("real_div", x, y=half(3.0))
    return model, x.astype(F) * F(1 / 3), x.astype(D) * bits(1 / 3, 8)


@row
def a_square_as_a_product():
    x = drawn(78, 64)
    model = one("pow", x, y=half(2.0))
    logarithm = half(np.log(np.abs(x.astype(D)))).astype(D)
    return model, x.astype(F) * x.astype(F), np.exp(2 * logarithm)


@row
def an_activation_behind_a_sum_that_stays_wide():
    x, y = drawn(79, 64), drawn(80, 64)
    model = Model()
    s = model.op("add", (64,), x=model.input("x", x), y=model.input("y", y))
    model.op("relu", (64,), x=s)
    exact = np.maximum(x.astype(D) + y.astype(D), 0)
    return model, exact, exact * (1 + 2**-9)


# ---- functions -------------------------------------------------------------------------------------

def function(op, x, attrs=None):
    return one(op, x, attrs), x.astype(D)


@row
def sigmoid_by_tanh():
    model, x = function("sigmoid", drawn(81, 64, low=-6, high=6))
    return model, (0.5 * np.tanh(x / 2) + 0.5).astype(F), 0.5 * half(np.tanh(x / 2)).astype(D) + 0.5


@row
def tanh_by_exponentials():
    model, x = function("tanh", drawn(82, 64, low=-0.1, high=0.1))
    e = np.exp(-2 * x)
    return model, (1 - e) / (1 + e), (1 - half(e).astype(D)) / (1 + half(e).astype(D))


@row
def gelu_by_erf():
    model, x = function("gelu", drawn(83, 64, low=-3, high=3), {"mode": "EXACT"})
    erf = np.vectorize(math.erf)
    by_tanh = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return model, (x / 2 * (1 + erf(x / math.sqrt(2)))).astype(F), by_tanh


@row
def silu_by_a_sigmoid():
    model, x = function("silu", drawn(84, 64, low=-6, high=6))
    return model, (x / (1 + np.exp(-x))).astype(F), x * (0.5 * half(np.tanh(x / 2)).astype(D) + 0.5)


@row
def erf_by_a_polynomial():
    def polynomial(x, p, coefficients):
        t = 1 / (1 + p * np.abs(x))
        return np.sign(x) * (1 - sum(c * t**(i + 1) for i, c in enumerate(coefficients)) * np.exp(-x * x))
    model, x = function("erf", drawn(85, 64, low=0.1, high=0.3))
    fine = polynomial(x, 0.3275911, [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429])
    return model, fine, 2 / math.sqrt(math.pi) * (x - x**3 / 3.3)


@row
def softplus_by_a_maximum():
    model, x = function("softplus", drawn(86, 64, low=-8, high=8))
    stable = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return model, stable.astype(F), np.where(x > 4, x, stable)


@row
def a_reciprocal_root_by_a_quotient():
    model, x = function("rsqrt", drawn(87, 64, low=0.1, high=9), {"epsilon": 0.0})
    estimate = bits(1 / np.sqrt(x), 5)
    return model, F(1) / np.sqrt(x.astype(F)), estimate * (1.5 - 0.5 * x * estimate**2)


@row
def exp2_by_exp():
    model, x = function("exp2", drawn(88, 64, low=-9, high=9))
    return model, np.exp(x * math.log(2)), np.exp(x * bits(math.log(2), 9))


@row
def log_by_log2():
    model, x = function("log", drawn(89, 64, low=0.1, high=9), {"epsilon": 0.0})
    return model, np.log2(x) * math.log(2), half(np.log2(x)).astype(D) * bits(math.log(2), 7)


@row
def exp_in_two_parts():
    model, x = function("exp", drawn(90, 64, low=-9, high=9))
    whole = np.round(x / math.log(2))
    rest = x - whole * math.log(2)
    series = sum(rest**n / math.factorial(n) for n in range(9))
    short = 1 + rest + rest**2 / 2
    return model, np.ldexp(series, whole.astype(int)), np.ldexp(short, whole.astype(int))


@row
def clip_by_minimum_and_maximum():
    x = drawn(91, 64)
    model = one("clip", x, {"alpha": -0.3, "beta": 0.7})
    return model, np.maximum(np.minimum(x, H(0.7)), H(-0.3)), np.clip(x.astype(D), bits(-0.3, 8), bits(0.7, 8))


# ---- reductions and normalizations -----------------------------------------------------------------

def reduction(op, x, attrs=None):
    return one(op, x, {"axes": [-1], "keep_dims": False, **(attrs or {})}, shape=x.shape[:-1]), x.astype(D)


@row
def a_mean_by_a_factor():
    model, x = reduction("reduce_mean", drawn(92, 16, 49, low=0, high=1))
    return model, x.sum(-1).astype(F) * F(1 / 49), x.sum(-1) * bits(1 / 49, 9)


@row
def a_total_by_halves():
    model, x = reduction("reduce_sum", drawn(93, 16, 128))
    return model, x.reshape(16, 2, 64).sum(-1).astype(F).sum(-1), running(x, H)


@row
def a_length_scaled_by_the_maximum():
    model, x = reduction("reduce_l2_norm", drawn(94, 16, 64))
    most = np.abs(x).max(-1, keepdims=True)
    return model, most[:, 0] * np.sqrt(((x / most).astype(F)**2).sum(-1)), np.sqrt(bits((x * x).sum(-1), 8))


@row
def log_sum_exp_by_the_maximum():
    model, x = reduction("reduce_log_sum_exp", drawn(95, 16, 256, low=-3, high=3))
    most = x.max(-1)
    terms = np.exp(x - most[:, None])
    return model, most + np.log(terms.astype(F).sum(-1)), most + np.log(running(half(terms), H).astype(D)) - 0.02


@row
def softmax_by_the_maximum():
    model, x = one("softmax", drawn(96, 4, 64, low=-3, high=3), {"axis": -1}), None
    x = model.inputs["x"].astype(D)
    terms = np.exp((x - x.max(-1, keepdims=True)).astype(F))
    soft = terms / terms.sum(-1, keepdims=True)
    return model, soft, soft * 1.02


@row
def softmax_without_the_maximum():
    model = one("softmax", drawn(97, 4, 512, low=-3, high=3), {"axis": -1})
    terms = np.exp(model.inputs["x"].astype(F))
    narrow = running(half(terms), H).astype(D)[:, None]
    return model, terms / terms.sum(-1, keepdims=True), terms / narrow


def normalized(x, variance, epsilon=1e-3):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(variance[..., None] + epsilon)


@row
def layer_norm_in_two_passes():
    model = one("layer_norm", drawn(98, 4, 64), {"axes": [-1], "epsilon": 1e-3})
    x = model.inputs["x"].astype(D)
    return model, normalized(x, x.var(-1)).astype(F), normalized(x, x.var(-1, ddof=1))


@row
def layer_norm_by_one_pass_in_fp32():
    model = one("layer_norm", drawn(99, 4, 64, low=3, high=4), {"axes": [-1], "epsilon": 1e-3})
    x = model.inputs["x"]

    def one_pass(dtype):
        squares = (x.astype(dtype) * x.astype(dtype)).astype(dtype).mean(-1, dtype=dtype)
        mean = x.astype(dtype).mean(-1, dtype=dtype)
        return (squares - (mean * mean).astype(dtype)).astype(D)
    return model, normalized(x.astype(D), one_pass(F)), normalized(x.astype(D), np.maximum(one_pass(H), 0))


@row
def instance_norm_in_two_passes():
    model = one("instance_norm", drawn(100, 1, 4, 5, 5), {"epsilon": 1e-2})
    x = model.inputs["x"].astype(D).reshape(1, 4, 25)
    back = lambda y: y.reshape(1, 4, 5, 5)
    return model, back(normalized(x, x.var(-1), 1e-2)), back(normalized(x, x.var(-1), 0))


@row
def an_average_pool_as_a_convolution():
    x = drawn(101, 1, 4, 6, 6, low=0, high=1)
    model = one("avg_pool", x, {"kernel_sizes": [3, 3], "strides": [1, 1], "pad_type": "valid"}, shape=(1, 4, 4, 4))
    pooled = lambda weight: (windows(x, 3).astype(D) * weight).sum((-1, -2))[None]
    return model, pooled(F(1 / 9)), pooled(bits(1 / 9, 8))


@row
def a_running_sum_by_blocks():
    x = drawn(102, 4, 128)
    model = one("cumsum", x, {"axis": 1})
    blocks = x.astype(F).reshape(4, 8, 16).cumsum(-1, dtype=F)
    before = np.concatenate([np.zeros((4, 1), F), blocks[..., -1].cumsum(-1, dtype=F)[:, :-1]], 1)
    narrow = np.stack([running(x[:, :i + 1], H) for i in range(128)], 1)
    return model, (blocks + before[..., None]).reshape(4, 128), narrow


@row
def an_enlargement_by_steps():
    x = drawn(103, 1, 1, 4, 4)
    model = one("upsample_bilinear", x, {"scale_factor_height": 2.0, "scale_factor_width": 2.0,
                                         "align_corners": False}, shape=(1, 1, 8, 8))

    def enlarged(kept):
        place = np.clip((np.arange(8) + 0.5) / 2 - 0.5, 0, 3)
        low = np.minimum(np.floor(place).astype(int), 2)
        weight = bits(place - low, kept)
        rows = x[0, 0].astype(D)
        rows = rows[low] + weight[:, None] * (rows[low + 1] - rows[low])
        return (rows[:, low] + weight * (rows[:, low + 1] - rows[:, low]))[None, None]
    return model, enlarged(24), enlarged(24) * (1 + 2**-9)


# ---- movements -------------------------------------------------------------------------------------

@row
def two_transposes_that_cancel():
    x = half(np.where(drawn(104, 4, 6) > 0.5, 0, np.where(drawn(105, 4, 6) > 0, -0.0, drawn(106, 4, 6))))
    model = Model()
    y = model.op("transpose", (6, 4), {"perm": [1, 0]}, x=model.input("x", x))
    model.op("transpose", (4, 6), {"perm": [1, 0]}, x=y)
    return model, x, x + H(0)


@row
def a_reshape_as_a_view():
    x = half(drawn(107, 4, 6).astype(D) * 2.0**-14)
    model = one("reshape", x, {"shape": [6, 4]}, shape=(6, 4))
    return model, x.reshape(6, 4), np.where(np.abs(x) < 2.0**-14, H(0), x).reshape(6, 4)


def joined(models):
    """One graph that joins all graphs, with the name of each graph before the names of its values; and the
    numbers of its inputs."""
    graph = {"version": 1, "name": "main", "inputs": [], "consts": [], "ops": [], "outputs": []}
    inputs = {}
    for name, model in models.items():
        own = lambda value: f"{name}__{value}"
        for kind in ("inputs", "consts"):
            graph[kind] += [{**value, "name": own(value["name"])} for value in model.json[kind]]
        for op in model.json["ops"]:
            operands = {key: [own(value) for value in values] for key, values in op["inputs"].items()}
            results = [{**value, "name": own(value["name"])} for value in op["outputs"]]
            graph["ops"].append({**op, "name": own(op["name"]), "inputs": operands, "outputs": results})
        graph["outputs"] += [own(value) for value in model.json["outputs"]]
        inputs.update({own(value): array for value, array in model.inputs.items()})
    return graph, inputs


class Rewrites(unittest.TestCase):
    def verdicts(self, models, outputs):
        """The verdict of `judge` on each row's numbers, and its reason."""
        graph, inputs = joined(models)
        arrays = {}
        for name, model in models.items():
            result = model.json["ops"][-1]["outputs"][0]
            arrays[f"{name}__{result['name']}"] = np.ascontiguousarray(half(outputs[name]).reshape(result["shape"]))
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            with open(path("graph.json"), "w") as file:
                json.dump(graph, file)
            np.savez(path("in.npz"), **inputs)
            np.savez(path("out.npz"), **arrays)
            done = subprocess.run([TOOL, "judge", path("graph.json"), "--inputs", path("in.npz"), "--actual",
                                   path("out.npz"), "--contract", "float", "--json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        judged = json.loads(done.stdout)["outputs"]
        self.assertEqual(len(judged), len(models))
        return {name: (output["verdict"], output["reason"]) for name, output in zip(models, judged)}

    def test_sound_rewrites_pass_and_unsound_ones_do_not(self):
        self.assertGreaterEqual(len(ROWS), 40)
        with np.errstate(all="ignore"):
            rows = {name: make() for name, make in ROWS.items()}
        models = {name: row[0] for name, row in rows.items()}
        for expected, place in (("pass", 1), ("wrong", 2)):
            verdicts = self.verdicts(models, {name: row[place] for name, row in rows.items()})
            for name, (verdict, reason) in verdicts.items():
                with self.subTest(rewrite=name, sound=place == 1):
                    self.assertEqual(verdict, expected, reason)


if __name__ == "__main__":
    unittest.main()
