// One published vector as a graph under construction, with attributes and inputs by the source's
// names. Used by tests that compare the oracle with published vectors.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck::testing::vectors {

using Integers = std::vector<int64_t>;

inline double NumberOf(const Json& element) {
  if (element.is_boolean()) return element.get<bool>() ? 1 : 0;
  if (element.is_number()) return element.get<double>();
  const auto text = element.get<std::string>();
  if (text == "NaN") return NAN;
  return text == "-Infinity" ? -HUGE_VAL : HUGE_VAL;
}

inline std::optional<DType> TypeOf(const std::string& name) {
  static const std::map<std::string, DType> kTypes = {
      {"float16", DType::kFp16}, {"float32", DType::kFp32}, {"int8", DType::kInt8},
      {"uint8", DType::kUint8},  {"int16", DType::kInt16},  {"uint16", DType::kUint16},
      {"int32", DType::kInt32},  {"bool", DType::kBool}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

// One record as a graph under construction.
class Model {
 public:
  explicit Model(const Json& record) : record_(record), attributes_(record["attrs"]) {}

  Case c;
  // The mapping's results for the record's outputs after the first.
  std::vector<ValueId> further;

  // The element type of output `i`, if the table has it, and the extents of the first output.
  std::optional<DType> OutputType(size_t i = 0) const {
    return TypeOf(record_["outputs"][i]["dtype"].text());
  }
  Integers OutputShape() const { return record_["outputs"][0]["shape"].get<Integers>(); }
  const Json& attributes() const { return attributes_; }
  bool Has(const char* name) const { return attributes_.contains(name); }
  double Number(const char* name, double fallback) const {
    return Has(name) ? NumberOf(attributes_[name]) : fallback;
  }
  std::string Text(const char* name, const char* fallback) const {
    return Has(name) ? attributes_[name].get<std::string>() : fallback;
  }
  // A null entry is an extent that follows from the other extents.
  Integers List(const char* name, Integers fallback = {}) const {
    if (!Has(name)) return fallback;
    Integers list;
    for (const Json& entry : attributes_[name]) {
      list.push_back(entry.is_null() ? -1 : entry.get<int64_t>());
    }
    return list;
  }

  size_t inputs() const { return record_["inputs"].size(); }
  size_t OutputCount() const { return record_["outputs"].size(); }
  // Returns the position of the input called `name`, or nothing.
  std::optional<size_t> Named(const std::string& name) const {
    for (size_t i = 0; i < inputs(); ++i) {
      if (record_["inputs"][i]["name"] == name) return i;
    }
    return std::nullopt;
  }
  std::vector<double> Data(size_t i) const {
    std::vector<double> data;
    for (const Json& element : record_["inputs"][i]["data"]) data.push_back(NumberOf(element));
    return data;
  }
  Integers IntegerData(size_t i) const {
    Integers data;
    for (const double x : Data(i)) data.push_back(static_cast<int64_t>(x));
    return data;
  }
  Shape ShapeOf(size_t i) const {
    return Shape::FromSpan(record_["inputs"][i]["shape"].get<Integers>());
  }
  // Returns input i as a constant, or kNoValue if the table does not have its element type.
  ValueId Operand(size_t i) {
    if (i >= inputs()) return kNoValue;
    const auto dtype = TypeOf(record_["inputs"][i]["dtype"].text());
    if (!dtype) return kNoValue;
    return c.Const(MakeTensor(*dtype, ShapeOf(i), Data(i)));
  }
  // Returns input i as a constant with its axes in the order `perm`.
  ValueId Constant(size_t i, const Integers& perm) {
    const Shape given = ShapeOf(i);
    const std::vector<double> data = Data(i);
    Integers extents;
    for (const int64_t axis : perm) extents.push_back(given[static_cast<int>(axis)]);
    std::vector<double> moved(data.size());
    for (size_t at = 0; at < moved.size(); ++at) {
      Integers index(perm.size());
      size_t rest = at;
      for (size_t axis = perm.size(); axis-- > 0;) {
        index[static_cast<size_t>(perm[axis])] = static_cast<int64_t>(rest) % extents[axis];
        rest /= static_cast<size_t>(extents[axis]);
      }
      int64_t from = 0;
      for (size_t axis = 0; axis < index.size(); ++axis) {
        from = from * given[static_cast<int>(axis)] + index[axis];
      }
      moved[at] = data[static_cast<size_t>(from)];
    }
    return c.Const(
        MakeTensor(*TypeOf(record_["inputs"][i]["dtype"].text()), Shape::FromSpan(extents), moved));
  }
  // Returns input i, of any integer type, as an int32 constant.
  ValueId Indices(size_t i) {
    if (i >= inputs()) return kNoValue;
    return c.Const(MakeTensor(DType::kInt32, ShapeOf(i), Data(i)));
  }
  ValueId Transposed(ValueId x, const Integers& perm) {
    using P = params::Transpose;
    c.Begin(OpKind::kTranspose).Arg(P::kX, x);
    c.graph.AddInts(P::kPerm, perm);
    return c.Finish();
  }

 private:
  const Json& record_;
  const Json& attributes_;
};

// Builds the record's operation. Returns the first output, or kNoValue if the table cannot express
// it.
using Mapping = ValueId (*)(Model&);
using Mappings = std::map<std::string, Mapping>;

// Operations of all sources that move or interpolate elements.
const Mappings& MovementMappings();
// Functions, comparisons, reductions, normalizations and recurrent layers.
const Mappings& FunctionMappings();

}  // namespace anecheck::testing::vectors
