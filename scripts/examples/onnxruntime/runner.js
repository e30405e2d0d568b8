#!/usr/bin/env node
// An external runner for anecheck: ONNX Runtime's CPU provider, by the npm package onnxruntime-node. Operations
// are spelled in ONNX on fp16 tensors; ONNX Runtime decides which of them it computes in fp32.
//
//     anecheck run --runner "exec:node scripts/examples/onnxruntime/runner.js [LEVEL]" --contract float
//
// LEVEL: disabled, basic, extended or all (default), as ONNX Runtime's optimiser names them.
"use strict";
const fs = require("fs");
const readline = require("readline");
const ort = require("onnxruntime-node");
const npz = require("./npz.js");
const {encode, TYPES} = require("./onnx_model.js");

const level = process.argv[2] || "all";
const WORDS = {fp16: "float16", fp32: "float32", int8: "int8", uint8: "uint8", int16: "int16", uint16: "uint16",
               int32: "int32", bool: "bool"};
const ARRAYS = {fp16: Uint16Array, fp32: Float32Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
                uint16: Uint16Array, int32: Int32Array, bool: Uint8Array};

class Unsupported extends Error {}

// A graph of ONNX that grows node by node.
class Builder {
  constructor() {
    this.nodes = [];
    this.constants = [];
    this.types = {};
  }
  fresh() { return `_${this.nodes.length}_${this.constants.length}`; }
  add(op, inputs, attrs = {}, output = this.fresh()) {
    this.nodes.push({op, inputs, outputs: [output], attrs});
    return output;
  }
  // A scalar of fp16 or fp32.
  number(dtype, value) {
    const wide = this.fresh();
    const data = Buffer.alloc(4);
    data.writeFloatLE(Number(value));
    this.constants.push({name: wide, dtype: "fp32", shape: [], data});
    return dtype === "fp32" ? wide : this.add("Cast", [wide], {to: TYPES[dtype]});
  }
  integers(list) {
    const name = this.fresh();
    this.constants.push({name, dtype: "int64", shape: [list.length],
                         data: Buffer.from(BigInt64Array.from(list.map(BigInt)).buffer)});
    return name;
  }
}

const OPS = {};
// Operations of the same meaning, with the operands in MIL's order.
const SAME = {add: "Add", sub: "Sub", mul: "Mul", real_div: "Div", maximum: "Max", minimum: "Min", relu: "Relu",
              sigmoid: "Sigmoid", tanh: "Tanh", abs: "Abs", sqrt: "Sqrt", exp: "Exp", erf: "Erf", ceil: "Ceil",
              floor: "Floor", round: "Round", sign: "Sign", sin: "Sin", cos: "Cos", softsign: "Softsign",
              equal: "Equal", less: "Less", less_equal: "LessOrEqual", greater: "Greater",
              greater_equal: "GreaterOrEqual", logical_and: "And", logical_or: "Or", logical_xor: "Xor",
              logical_not: "Not"};
for (const [name, op] of Object.entries(SAME)) {
  OPS[name] = (b, a, attrs, out) => b.add(op, [a.x, a.y].filter((v) => v !== undefined), {}, out.name);
}
OPS.select = (b, a, attrs, out) => b.add("Where", [a.cond, a.a, a.b], {}, out.name);
OPS.not_equal = (b, a, attrs, out) => b.add("Not", [b.add("Equal", [a.x, a.y])], {}, out.name);
OPS.square = (b, a, attrs, out) => b.add("Mul", [a.x, a.x], {}, out.name);
OPS.softmax = (b, a, attrs, out) => b.add("Softmax", [a.x], {axis: attrs.axis ?? -1}, out.name);
OPS.transpose = (b, a, attrs, out) => b.add("Transpose", [a.x], {perm: attrs.perm}, out.name);
for (const name of ["reshape", "expand_dims", "squeeze"]) {
  OPS[name] = (b, a, attrs, out) => b.add("Reshape", [a.x, b.integers(out.shape)], {allowzero: 1}, out.name);
}
OPS.concat = (b, a, attrs, out) => {
  const rank = out.shape.length;
  const axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
  if (!attrs.interleave) return b.add("Concat", a.values, {axis}, out.name);
  // Joins the operands on a new axis behind `axis`, then folds that axis into `axis`.
  const shape = [...out.shape.slice(0, axis), out.shape[axis] / a.values.length, 1, ...out.shape.slice(axis + 1)];
  const spread = a.values.map((v) => b.add("Reshape", [v, b.integers(shape)], {allowzero: 1}));
  const all = b.add("Concat", spread, {axis: axis + 1});
  return b.add("Reshape", [all, b.integers(out.shape)], {allowzero: 1}, out.name);
};
OPS.clip = (b, a, attrs, out) =>
    b.add("Clip", [a.x, b.number(out.dtype, attrs.alpha), b.number(out.dtype, attrs.beta)], {}, out.name);
// ONNX leaves a float beyond an integer type undefined; MIL saturates. From integers both agree.
OPS.cast = (b, a, attrs, out) => {
  const from = b.types[a.x].dtype;
  const integer = /int/.test(out.dtype);
  if (integer && from !== "bool" && !/^u?int8$|int16/.test(from)) throw new Unsupported("cast");
  if (/int/.test(from) && integer && from !== out.dtype && out.dtype !== "int32") throw new Unsupported("cast");
  return b.add("Cast", [a.x], {to: TYPES[out.dtype]}, out.name);
};
OPS.slice_by_size = (b, a, attrs, out) => {
  const x = b.types[a.x].shape;
  const begin = attrs.begin.map((n, i) => (n < 0 ? n + x[i] : n));
  const end = begin.map((n, i) => n + out.shape[i]);
  return b.add("Slice", [a.x, b.integers(begin), b.integers(end)], {}, out.name);
};

const REDUCTIONS = {reduce_sum: "ReduceSum", reduce_max: "ReduceMax", reduce_min: "ReduceMin",
                    reduce_mean: "ReduceMean"};
for (const [name, op] of Object.entries(REDUCTIONS)) {
  OPS[name] = (b, a, attrs, out) => {
    const axes = attrs.axes ?? b.types[a.x].shape.map((_, i) => i);
    const keepdims = attrs.keep_dims ? 1 : 0;
    // The axes of ReduceSum became an operand in opset 13, the axes of the other reductions in
    // opset 18.
    return b.add(op, [a.x, b.integers(axes)], {keepdims}, out.name);
  };
}

function matrix(b, name, transposed) {
  if (!transposed) return name;
  const rank = b.types[name].shape.length;
  if (rank < 2) return name;
  const perm = [...Array(rank - 2).keys(), rank - 1, rank - 2];
  return b.add("Transpose", [name], {perm});
}
OPS.matmul = (b, a, attrs, out) =>
    b.add("MatMul", [matrix(b, a.x, attrs.transpose_x), matrix(b, a.y, attrs.transpose_y)], {}, out.name);
OPS.linear = (b, a, attrs, out) => {
  const weight = matrix(b, a.weight, true);
  if (!a.bias) return b.add("MatMul", [a.x, weight], {}, out.name);
  return b.add("Add", [b.add("MatMul", [a.x, weight]), a.bias], {}, out.name);
};

// MIL's padding as attributes of ONNX, which takes neither negative padding nor dilation beside an automatic one.
function padding(attrs, op, sizes, kernel, strides, dilations) {
  const axes = kernel.length;
  const type = attrs.pad_type ?? "valid";
  if (type === "valid") return {pads: Array(2 * axes).fill(0)};
  if (type === "custom") {
    const pad = attrs.pad ?? Array(2 * axes).fill(0);
    if (pad.some((n) => n < 0)) throw new Unsupported(op);
    return {pads: [...pad.filter((_, i) => i % 2 === 0), ...pad.filter((_, i) => i % 2 === 1)]};
  }
  const totals = kernel.map((k, i) => Math.max((Math.ceil(sizes[i] / strides[i]) - 1) * strides[i] +
                                               (k - 1) * dilations[i] + 1 - sizes[i], 0));
  const small = totals.map((n) => Math.floor(n / 2));
  const large = totals.map((n) => Math.ceil(n / 2));
  return {pads: type === "same_lower" ? [...large, ...small] : [...small, ...large]};
}
OPS.conv = (b, a, attrs, out) => {
  const kernel = b.types[a.weight].shape.slice(2);
  const strides = attrs.strides ?? kernel.map(() => 1);
  const dilations = attrs.dilations ?? kernel.map(() => 1);
  const pads = padding(attrs, "conv", b.types[a.x].shape.slice(2), kernel, strides, dilations);
  return b.add("Conv", [a.x, a.weight, a.bias].filter((v) => v !== undefined),
               {...pads, strides, dilations, group: attrs.groups ?? 1}, out.name);
};
function pool(name, op) {
  return (b, a, attrs, out) => {
    if (attrs.ceil_mode) throw new Unsupported(name);
    const kernel = attrs.kernel_sizes;
    const strides = attrs.strides ?? kernel.map(() => 1);
    const pads = padding(attrs, name, b.types[a.x].shape.slice(2), kernel, strides, kernel.map(() => 1));
    const counts = op === "AveragePool" ? {count_include_pad: attrs.exclude_padding_from_average ? 0 : 1} : {};
    return b.add(op, [a.x], {...pads, kernel_shape: kernel, strides, ...counts}, out.name);
  };
}
OPS.max_pool = pool("max_pool", "MaxPool");
OPS.avg_pool = pool("avg_pool", "AveragePool");

function translate(graph) {
  const b = new Builder();
  if (graph.states) throw new Unsupported("states");
  for (const entry of graph.inputs) b.types[entry.name] = entry;
  for (const entry of graph.consts) {
    if (!(entry.dtype in WORDS)) throw new Unsupported(`constants of type ${entry.dtype}`);
    b.types[entry.name] = entry;
    b.constants.push({...entry, data: Buffer.from(entry.data, "base64")});
  }
  for (const node of graph.ops) {
    if (!Object.hasOwn(OPS, node.op)) throw new Unsupported(node.op);
    const operands = {};
    for (const [key, names] of Object.entries(node.inputs)) operands[key] = key === "values" ? names : names[0];
    OPS[node.op](b, operands, node.attrs ?? {}, node.outputs[0]);
    for (const output of node.outputs) b.types[output.name] = output;
  }
  const outputs = graph.outputs.map((name, i) => {
    const {dtype, shape} = b.types[name];
    b.add("Identity", [name], {}, `out_${i}`);
    return {name: `out_${i}`, dtype, shape};
  });
  const used = new Set(b.nodes.flatMap((node) => node.inputs));
  const inputs = graph.inputs.filter((entry) => used.has(entry.name));
  return {nodes: b.nodes, constants: b.constants, inputs, outputs};
}

async function evaluate(request) {
  const graph = JSON.parse(fs.readFileSync(request.graph));
  const model = translate(graph);
  const bytes = encode(model);
  // A reproducer without the harness: the model and its inputs.
  if (process.env.KEEP_MODELS) fs.writeFileSync(`${process.env.KEEP_MODELS}/${request.id}.onnx`, bytes);
  const session = await ort.InferenceSession.create(bytes, {graphOptimizationLevel: level, intraOpNumThreads: 1,
                                                            interOpNumThreads: 1, logSeverityLevel: 4});
  const given = npz.read(request.inputs);
  const feeds = {};
  for (const {name, dtype, shape} of model.inputs) {
    // Views of the file may not be aligned; a copy is.
    const elements = new ARRAYS[dtype](Uint8Array.from(given[name]).buffer);
    feeds[name] = new ort.Tensor(WORDS[dtype], elements, shape);
  }
  const results = await session.run(feeds);
  npz.write(request.outputs, model.outputs.map(({name, dtype, shape}, i) => {
    const data = results[name].data;
    return {name: graph.outputs[i], dtype, shape, bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength)};
  }));
  await session.release();
}

async function answer(request) {
  if (request.hello) {
    return {v: 1, name: `onnxruntime ${level}`, version: ort.env.versions.node, engine: "other",
            ops: Object.keys(OPS), os: process.platform};
  }
  const reply = {v: 1, id: request.id};
  try {
    await evaluate(request);
    return {...reply, status: "ok"};
  } catch (error) {
    if (error instanceof Unsupported) return {...reply, status: "unsupported", op: error.message};
    const message = String(error.message).split("\n")[0];
    const missing = /implementation for (\w+)/.exec(message);
    if (missing) return {...reply, status: "unsupported", op: missing[1]};
    return {...reply, status: "rejected", stage: "frontend", message};
  }
}

async function main() {
  for await (const line of readline.createInterface({input: process.stdin})) {
    const reply = await answer(JSON.parse(line));
    await new Promise((done) => process.stdout.write(JSON.stringify(reply) + "\n", done));
  }
}

main();
