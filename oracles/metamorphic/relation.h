// Metamorphic relations: changes of a graph that leave its results the same, as data. They find
// what a bound cannot see: two programs that must agree with each other more closely than either
// must with the exact result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"
#include "oracles/oracle.h"

namespace anecheck {

// How closely the outputs of both graphs agree.
enum class RelationLaw : uint8_t {
  kSameBytes,     // every bit, the sign of zeros and the payload of NaN too
  kSameNumbers,   // every number; zeros of either sign are one, and so are all NaN
  kWithinBounds,  // no two elements are farther apart than the widths of their bounds together;
                  // where both are points that is the same number
};

// What is rewritten.
enum class RelationSite : uint8_t {
  kGraph,  // nothing, or the list of outputs
  kValue,  // every use of one fp16 input or result
  kNode,   // one operation of one result
};

struct Relation {
  std::string_view name;  // "double-transpose"
  RelationSite site = RelationSite::kValue;
  RelationLaw law = RelationLaw::kWithinBounds;
  // kValue: appends to `graph` what is used instead of `value`. kNoValue where it does not apply.
  ValueId (*instead_of)(Graph& graph, ValueId value, uint64_t choice) = nullptr;
  // kNode: appends what is used instead of the result of `node`, whose operands are `operands` in
  // `graph`, in order. kNoValue where it does not apply.
  ValueId (*in_place_of)(Graph& graph, const NodeView& node, std::span<const ValueId> operands,
                         uint64_t choice) = nullptr;
  // kGraph: whether the value is made an output too.
  bool taps = false;
  // kGraph: whether the rewritten graph, which is the same, is run as a network description.
  bool direct = false;
};

// In a fixed order: recorded choices keep their meaning as long as it stays.
std::span<const Relation> Relations();

struct Rewritten {
  const Relation* relation = nullptr;
  std::string site;  // the name of the value that was rewritten; empty for the whole graph
  Graph graph;       // same inputs; its first outputs are those of the original, in order
};

// Rewrites `graph` by the relation and at the site that `choice` picks among those that apply;
// `choice` should be random bits. Relations between routes are among them where `direct` says that
// a network description of the graph can be run. Precondition: ValidateGraph(graph) holds, and it
// has an output.
Rewritten Rewrite(const Graph& graph, uint64_t choice, bool direct = false);
// By one relation. Nothing where it applies nowhere.
std::optional<Rewritten> RewriteBy(const Relation& relation, const Graph& graph, uint64_t choice);

// One element that breaks a law.
struct Disagreement {
  size_t element = 0;
  double original = 0, rewritten = 0;
};

// Compares one output of both graphs; the estimates are the oracle's for each. Nothing where the
// law holds. Types that differ, and byte counts, disagree at element 0.
std::optional<Disagreement> Compare(RelationLaw law, const Estimate& expected_original,
                                    const Estimate& expected_rewritten, const Tensor& original,
                                    const Tensor& rewritten);

}  // namespace anecheck
