// ONNX models as bytes: the few messages of onnx.proto that a graph needs.
"use strict";

// Element types of TensorProto.
const TYPES = {fp32: 1, uint8: 2, int8: 3, uint16: 4, int16: 5, int32: 6, int64: 7, bool: 9, fp16: 10};

function varint(value) {
  const bytes = [];
  for (let left = BigInt.asUintN(64, BigInt(value)); ; left >>= 7n) {
    if (left < 128n) return Buffer.from([...bytes, Number(left)]);
    bytes.push(Number(left & 127n) | 128);
  }
}
const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function bytes(field, value) {
  const data = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(data.length), data]);
}
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));
function float(field, value) {
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), data]);
}

const tensor = (field, {name, dtype, shape, data}) =>
    message(field, ...shape.map((n) => integer(1, n)), integer(2, TYPES[dtype]), bytes(8, name), bytes(9, data));

// Integers, lists of integers, texts, and {float: x}.
function attribute(name, value) {
  const head = bytes(1, name);
  if (Array.isArray(value)) return message(5, head, ...value.map((n) => integer(8, n)), integer(20, 7));
  if (typeof value === "string") return message(5, head, bytes(4, value), integer(20, 3));
  if (typeof value === "object") return message(5, head, float(2, value.float), integer(20, 1));
  return message(5, head, integer(3, value), integer(20, 2));
}

function value(field, {name, dtype, shape}) {
  const dims = shape.map((n) => message(1, integer(1, n)));
  return message(field, bytes(1, name),
                 message(2, message(1, integer(1, TYPES[dtype]), message(2, ...dims))));
}

const node = ({op, inputs, outputs, attrs}) =>
    message(1, ...inputs.map((n) => bytes(1, n)), ...outputs.map((n) => bytes(2, n)), bytes(4, op),
            ...Object.entries(attrs).map(([key, v]) => attribute(key, v)));

// A model of opset 18. `graph`: {nodes, constants, inputs, outputs}, the last three with name, dtype and shape,
// constants with data as well.
function encode(graph) {
  return Buffer.concat([
    integer(1, 8), message(8, bytes(1, ""), integer(2, 18)),
    message(7, ...graph.nodes.map(node), bytes(2, "main"), ...graph.constants.map((c) => tensor(5, c)),
            ...graph.inputs.map((v) => value(11, v)), ...graph.outputs.map((v) => value(12, v)))]);
}

module.exports = {encode, TYPES};
