#include "harness/cli/prepared_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/log.h"
#include "harness/cli/model_arrays.h"
#include "harness/cli/model_flags.h"
#include "harness/graph/copy_node.h"
#include "harness/graph/validate.h"
#include "harness/lowering/state_edges.h"
#include "harness/models/made_up.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

std::vector<double> ElementsOf(const Tensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.type.shape.Elements()));
  DecodeElements(tensor.type.dtype, tensor.bytes, elements);
  return elements;
}

// Adds an array of made-up numbers for each input of the graph that has no array.
void MakeUp(const Graph& graph, uint64_t seed, std::vector<npz::NamedArray>& arrays) {
  const std::vector<Tensor> tensors = MadeUpInputs(graph, seed);
  const std::vector<ValueId> inputs = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.value(inputs[i]).name;
    if (std::ranges::find(arrays, name, &npz::NamedArray::name) != arrays.end()) continue;
    arrays.push_back(ToArray(name, tensors[i].type, ElementsOf(tensors[i])));
  }
}

// Adds the arrays of values that the host computes for the engine. They replace arrays of the same
// name.
Status ComputeHostEdges(const Graph& host, const std::string& path,
                        std::vector<npz::NamedArray>& arrays) {
  if (host.nodes().empty()) return {};
  ANECHECK_ASSIGN(const std::vector<Tensor> inputs, InputsFromArrays(host, arrays, path));
  ANECHECK_ASSIGN(const std::vector<Estimate> values, Evaluate(host, inputs, IeeeContract()));
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& name = host.value(host.outputs()[i]).name;
    std::erase_if(arrays, [&](const npz::NamedArray& array) { return array.name == name; });
    arrays.push_back(ToArray(name, values[i].type, values[i].value));
  }
  return {};
}

// Refuses an invalid part, because an engine's answer to it would say nothing about the model.
Status CheckPart(const Graph& part, std::string_view whose) {
  const Status valid = ValidateGraph(part);
  if (valid.ok()) return {};
  return MakeError(
      ErrorCode::kInternal,
      fmt::format("the {}'s part of the model is broken: {}; report the model as a bug of anecheck",
                  whose, valid.error().message));
}

// Splits the model into its parts. Removes repeated outputs of the engine's part: two outputs of
// the model may be casts of one value, which the engine returns only once.
Status Split(const Graph& model, PreparedModel& prepared) {
  prepared.edges = SplitHostEdges(model);
  prepared.peeled = PeelBoundaryCasts(prepared.edges.graph);
  Graph& graph = prepared.item.graph;
  graph = prepared.peeled.graph;
  graph.ClearOutputs();
  for (const ValueId output : prepared.peeled.graph.outputs()) {
    const auto given = graph.outputs();
    if (std::ranges::find(given, output) == given.end()) graph.AddOutput(output);
  }
  ANECHECK_RETURN_IF_ERROR(CheckPart(graph, "engine"));
  if (prepared.edges.host.nodes().empty()) return {};
  return CheckPart(prepared.edges.host, "host");
}

// Sets each state to the array of its name, and makes its final content an output.
void GiveStates(std::span<npz::NamedArray> arrays, Graph& graph, PreparedModel& prepared) {
  const std::vector<ValueId> given = StatesAmong(graph, arrays);
  if (given.empty()) return;
  for (const ValueId state : given) prepared.states.push_back(graph.value(state).name);
  StateEdges edges = ExposeStates(graph, given, given);
  RenameArrays(graph, given, edges.inputs, arrays);
  graph = std::move(edges.graph);
}

}  // namespace

Result<PreparedModel> PrepareModel(const Model& model, const std::string& function,
                                   const ModelNumbers& numbers) {
  std::vector<npz::NamedArray> arrays;
  if (!numbers.inputs.empty()) {
    ANECHECK_ASSIGN(arrays, npz::ReadNpzFile(numbers.inputs));
  }
  const bool trying = !numbers.tried.empty();
  ANECHECK_ASSIGN(ModelGraph read, trying ? model.Read(function, numbers.tried)
                                          : ReadModel(model, function, ShapesOfArrays(arrays)));
  PreparedModel prepared;
  GiveStates(arrays, read.graph, prepared);
  WarnOfUnusedInputs(read.graph, arrays);
  prepared.synthesised = read.made_up;
  ANECHECK_RETURN_IF_ERROR(Split(read.graph, prepared));
  Case& item = prepared.item;
  if (numbers.inputs.empty()) {
    if (!trying) {
      LogWarning("no --inputs: every input is filled with made-up numbers between -1 and 1");
    }
    for (const Graph* part : {&item.graph, &prepared.edges.host}) {
      MakeUp(*part, numbers.seed, arrays);
    }
  }
  ANECHECK_RETURN_IF_ERROR(ComputeHostEdges(prepared.edges.host, numbers.inputs, arrays));
  ANECHECK_ASSIGN(item.inputs, InputsFromArrays(item.graph, arrays, numbers.inputs));
  return prepared;
}

bool PreparedModel::WithoutEdges() const {
  return !peeled.inputs.empty() || !peeled.outputs.empty() || !edges.host.nodes().empty() ||
         !edges.widened.empty() || !edges.left_out.empty();
}

Result<PreparedModel> SplitModel(const Graph& model) {
  PreparedModel prepared;
  ANECHECK_RETURN_IF_ERROR(Split(model, prepared));
  return prepared;
}

Graph OwnPart(const PreparedModel& model) {
  const Graph& from = model.item.graph;
  if (std::ranges::none_of(from.nodes(), &Node::added)) return from;
  Graph own;
  own.name = from.name;
  std::vector<ValueId> known(from.values().size(), kNoValue);
  CopyLeaves(from, known, own);
  for (NodeId id = 0; id < from.nodes().size(); ++id) {
    const NodeView node(from, id);
    if (!node.node().added) {
      CopyNode(from, node.node(), known, own);
    } else if (node.op() == "cast") {
      known[node.Result()] = known[node.Input(params::Cast::kX)];
    }
  }
  for (const ValueId output : from.outputs()) {
    const ValueId value = known[output];
    const auto given = own.outputs();
    if (value == kNoValue || std::ranges::find(given, value) != given.end()) continue;
    own.AddOutput(value);
  }
  return own.outputs().empty() ? from : own;
}

Result<PreparedModel> PreparePart(const Graph& part, std::span<const Tensor> inputs) {
  std::vector<npz::NamedArray> arrays;
  arrays.reserve(inputs.size());
  const std::vector<ValueId> ids = part.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < inputs.size(); ++i) {
    arrays.push_back(ToArray(part.value(ids[i]).name, inputs[i].type, ElementsOf(inputs[i])));
  }
  PreparedModel prepared;
  ANECHECK_RETURN_IF_ERROR(Split(part, prepared));
  ANECHECK_RETURN_IF_ERROR(ComputeHostEdges(prepared.edges.host, "", arrays));
  ANECHECK_ASSIGN(prepared.item.inputs, InputsFromArrays(prepared.item.graph, arrays, ""));
  return prepared;
}

}  // namespace anecheck
