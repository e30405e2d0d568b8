// Rewrites control flow: functions are inlined, both branches run, loops are unrolled.
#include <algorithm>
#include <optional>

#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

constexpr int kMostRounds = 64;

using Values = std::vector<ValueId>;

Values PlacesOf(const Site& site, int parameter) {
  Values places;
  for (const ValueId id : site.node.InputList(parameter)) places.push_back(site.places[id]);
  return places;
}

// Appends the operations of `block`, with `inputs` as the block's inputs. Returns the block's
// outputs.
Values Inline(Builder& out, const Graph& block, const Values& inputs) {
  Values places(block.values().size(), kNoValue);
  size_t next = 0;
  for (ValueId id = 0; id < block.values().size(); ++id) {
    const ValueKind kind = block.value(id).kind;
    if (kind == ValueKind::kInput) places[id] = inputs[next++];
    if (kind == ValueKind::kConst) places[id] = out.CopyConstant(block, id);
  }
  for (NodeId id = 0; id < block.nodes().size(); ++id) {
    const NodeView node(block, id);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < node.node().result_count; ++i) names.push_back(out.NewName());
    const ValueId first = out.Copy(node, places, names);
    for (uint32_t i = 0; i < names.size(); ++i) {
      places[node.Result(i)] = first == kNoValue ? kNoValue : first + i;
    }
  }
  Values outputs;
  for (const ValueId id : block.outputs()) outputs.push_back(places[id]);
  return outputs;
}

// The values of `block` that the value depends on, itself among them.
std::vector<bool> Ancestors(const Graph& block, ValueId value) {
  std::vector<bool> needed(block.values().size(), false);
  needed[value] = true;
  for (ValueId id = value + 1; id-- > 0;) {
    if (!needed[id] || block.value(id).kind != ValueKind::kResult) continue;
    for (const Argument& argument : block.arguments(block.node(block.value(id).producer))) {
      needed[argument.value] = true;
    }
  }
  return needed;
}

using Known = std::vector<std::optional<Tensor>>;

// An output of `block`, if it follows only from the known inputs.
Result<std::optional<Tensor>> Follow(const Graph& block, size_t output, const Known& known) {
  const std::vector<bool> needed = Ancestors(block, block.outputs()[output]);
  const std::vector<ValueId> ids = block.ValuesOfKind(ValueKind::kInput);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (needed[ids[i]] && !known[i]) return std::optional<Tensor>();
    const TensorType& type = block.type(ids[i]);
    inputs.push_back(
        known[i] ? *known[i]
                 : Tensor{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))});
  }
  ANECHECK_ASSIGN(const std::vector<Estimate> estimates, Evaluate(block, inputs, IeeeContract()));
  const Estimate& estimate = estimates[output];
  return std::optional<Tensor>(
      Tensor{estimate.type, RoundedBytes(estimate.type.dtype, estimate.value)});
}

Known KnownOf(const Site& site, int parameter) {
  Known known;
  const Graph& graph = site.node.graph();
  for (const ValueId id : site.node.InputList(parameter)) {
    known.emplace_back();
    if (graph.value(id).kind != ValueKind::kConst) continue;
    const auto bytes = graph.ConstData(id);
    known.back() = Tensor{graph.type(id), {bytes.begin(), bytes.end()}};
  }
  return known;
}

// The loop's variables after one more round, as far as they follow from known values.
Result<Known> NextRound(const Graph& body, const Known& known, size_t variables) {
  Known next(known.begin() + static_cast<std::ptrdiff_t>(variables), known.end());
  Known after;
  for (size_t i = 0; i < variables; ++i) {
    ANECHECK_ASSIGN(std::optional<Tensor> value, Follow(body, i, known));
    after.push_back(std::move(value));
  }
  after.insert(after.end(), next.begin(), next.end());
  return after;
}

}  // namespace

Result<std::vector<ValueId>> InlinedCall(const Site& site) {
  Values inputs = PlacesOf(site, params::Call::kValues);
  const Values captures = PlacesOf(site, params::Call::kCaptures);
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  const Values outputs = Inline(site.out, site.node.graph().blocks(site.node.node())[0], inputs);
  ANECHECK_RETURN_IF_ERROR(site.out.status());
  return outputs;
}

Result<std::vector<ValueId>> BothBranches(const Site& site) {
  using P = params::Cond;
  const auto blocks = site.node.graph().blocks(site.node.node());
  const Values captures = PlacesOf(site, P::kCaptures);
  const Values yes = Inline(site.out, blocks[0], captures);
  const Values no = Inline(site.out, blocks[1], captures);
  Values results;
  for (size_t i = 0; i < yes.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(site.out.status());
    const Shape& shape = site.node.ResultType(static_cast<uint32_t>(i)).shape;
    // One bool selects all elements, whatever the rank of the predicate.
    const ValueId pred =
        site.out.Reshape(site.In(P::kPred), Shape::Filled(std::max(1, shape.rank()), 1));
    results.push_back(site.out.Add("select", {{"cond", pred}, {"a", yes[i]}, {"b", no[i]}}));
  }
  ANECHECK_RETURN_IF_ERROR(site.out.status());
  return results;
}

Result<std::vector<ValueId>> UnrolledLoop(const Site& site) {
  using P = params::WhileLoop;
  const auto blocks = site.node.graph().blocks(site.node.node());
  Values variables = PlacesOf(site, P::kLoopVars);
  const Values captures = PlacesOf(site, P::kCaptures);
  Known known = KnownOf(site, P::kLoopVars);
  for (std::optional<Tensor>& capture : KnownOf(site, P::kCaptures)) {
    known.push_back(std::move(capture));
  }
  for (int round = 0; round <= kMostRounds; ++round) {
    ANECHECK_ASSIGN(const std::optional<Tensor> condition, Follow(blocks[0], 0, known));
    if (!condition) return NoGraph("the number of rounds depends on data");
    if (condition->bytes[0] == 0) return variables;
    Values inputs = variables;
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    ANECHECK_ASSIGN(known, NextRound(blocks[1], known, variables.size()));
    variables = Inline(site.out, blocks[1], inputs);
    ANECHECK_RETURN_IF_ERROR(site.out.status());
  }
  return NoGraph("too many rounds");
}

}  // namespace anecheck::plan
