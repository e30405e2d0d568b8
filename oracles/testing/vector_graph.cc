#include "oracles/testing/vector_graph.h"

namespace anecheck::testing::vectors {
namespace {

Json NumberToJson(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  return x;
}

// Returns a result in the form of a record's tensor.
Json TensorOf(const Estimate& estimate) {
  Json tensor = {{"shape", Json::array()}, {"data", Json::array()}};
  for (const char* name : {"float16", "float32", "int8", "uint8", "int16", "uint16", "int32"}) {
    if (TypeOf(name) == estimate.type.dtype) tensor["dtype"] = name;
  }
  for (const int64_t extent : estimate.type.shape.dims()) tensor["shape"].push_back(extent);
  for (const double x : estimate.value) tensor["data"].push_back(NumberToJson(x));
  return tensor;
}

std::string FirstName(const Json& outputs) {
  return outputs.is_array() ? outputs[0].get<std::string>() : outputs.get<std::string>();
}

// Runs the operations of one record. Keeps tensors by the source's names.
class Operators {
 public:
  Operators(const Json& record, const FindMapping& find) : record_(record), find_(find) {
    for (const Json& input : record["inputs"]) tensors_[input["name"].text()] = input;
  }

  EvaluatedOperators Run() {
    EvaluatedOperators evaluated;
    for (const Json& op : record_["attrs"]["operators"]) {
      evaluated.result = Step(op);
      if (!evaluated.result) {
        evaluated.unmapped = op["name"].get<std::string>();
        break;
      }
      tensors_[FirstName(op["outputs"])] = TensorOf(*evaluated.result);
    }
    return evaluated;
  }

 private:
  std::optional<Estimate> Step(const Json& op) const {
    const Mapping mapping = find_(op["name"].text());
    if (mapping == nullptr) return std::nullopt;
    // A mapping may read the extents of the outputs, as the mapping of convTranspose2d does. Each
    // such mapping gets the record's outputs, because all later operations of its record work
    // element by element.
    Json step = {
        {"inputs", Json::array()}, {"attrs", Json::object()}, {"outputs", record_["outputs"]}};
    for (const Json& argument : op["arguments"]) Add(argument, step);
    const Json& complete = step;
    Model model(complete);
    const ValueId result = mapping(model);
    if (result == kNoValue) return std::nullopt;
    Estimate estimate = model.c.Run(result, IeeeContract());
    if (!model.c.error.empty()) return std::nullopt;
    return estimate;
  }

  // Adds one argument: a tensor given by its name, or named tensors, attributes and options.
  void Add(const Json& argument, Json& step) const {
    if (argument.is_string()) return AddInput(argument.text(), argument.text(), step);
    for (const auto& [key, value] : argument.items()) {
      if (key == "options") {
        Add(value, step);
      } else if (value.is_string() && tensors_.contains(value.get<std::string>())) {
        AddInput(key, value.text(), step);
      } else {
        step["attrs"][key] = value;
      }
    }
  }
  void AddInput(const std::string& name, const std::string& tensor, Json& step) const {
    Json input = tensors_.at(tensor);
    input["name"] = name;
    step["inputs"].push_back(std::move(input));
  }

  const Json& record_;
  const FindMapping& find_;
  std::map<std::string, Json> tensors_;
};

}  // namespace

EvaluatedOperators EvaluateOperators(const Json& record, const FindMapping& find) {
  return Operators(record, find).Run();
}

}  // namespace anecheck::testing::vectors
