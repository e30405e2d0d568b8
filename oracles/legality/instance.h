// One operation with the known facts about it: attributes, operand shapes, element types,
// constness. The facts may be incomplete, and the operation table may lack the operation, because
// the rules also judge single names and native layers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "oracles/legality/expression.h"

namespace anecheck::legality {

struct Operand {
  std::string name;            // MIL's argument name, or any name for an operand of a netlist
  std::string dtype = "fp16";  // MIL's spelling; "fp8e4m3" and the like for constants
  std::vector<int64_t> shape;  // -1 is a symbolic extent
  bool constant = false;
};

struct Instance {
  std::string op;  // MIL's operation name, or a native layer's name or unit type
  std::map<std::string, Value, std::less<>> attributes;
  std::vector<Operand> operands;  // empty: not given in the instance
  std::vector<Operand> results;   // empty: not given in the instance

  const Operand* FindOperand(std::string_view name) const;
};

// Adds an attribute that is written as "kernel=16", "strides=2,2", "Dimension=Channel" or
// "keep_dims=true". The value is a number, a list of numbers, true or false, or else a text.
Status AddAttribute(std::string_view text, Instance& instance);
// "x=1,64,56,56" sets the shape of an operand and adds the operand if it is new. "?" is a symbolic
// extent, and "x=" is a scalar.
Status AddShape(std::string_view text, Instance& instance);
// "weight=int8" sets the operand's element type.
Status AddDtype(std::string_view text, Instance& instance);
// Marks the operand as a constant.
Status AddConstant(std::string_view name, Instance& instance);

// Adds the results that the operation's shape inference computes from the operands and attributes.
// Adds none if the inference needs a fact that the instance lacks.
void InferResults(const OpSchema& schema, Instance& instance);

// Returns a node of a graph as an instance, with derived attributes that rules over two nodes need.
// `producer_<argument>` is the operation that computes an operand. `value_<argument>` is the value
// of an fp16 constant with one element, and `filled_<argument>` the common value of all elements of
// a larger constant. For a square, `consumer_is_nonlinear` says whether a non-linear function reads
// it. `alone` says whether the graph has no other operation. `chain` is the number of consecutive
// convolutions that end with this convolution. `weight_format` and `stored_bytes` describe a kernel
// that is a compressed constant. Compressed constants count as constants.
Instance InstanceOf(const NodeView& node);

}  // namespace anecheck::legality
