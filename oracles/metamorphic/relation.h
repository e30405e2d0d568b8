// Metamorphic relations: changes of a graph that leave its results the same, as data. They find
// errors that a bound cannot show: two programs that must agree with each other more closely than
// either must with the exact result.
#pragma once

#include <cstdint>
#include <functional>
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
  kWithinUnion,   // no two elements are farther apart than the ends of both bounds taken together
};

// The rewritten part.
enum class RelationSite : uint8_t {
  kGraph,  // nothing, or the list of outputs
  kValue,  // every use of one fp16 input or result
  kNode,   // one operation
};

struct Relation {
  std::string_view name;  // "double-transpose"
  RelationSite site = RelationSite::kValue;
  RelationLaw law = RelationLaw::kWithinBounds;
  // kValue: appends to `graph` the replacement of `value`. kNoValue if it does not apply.
  ValueId (*instead_of)(Graph& graph, ValueId value, uint64_t choice) = nullptr;
  // kNode: appends the replacements of the results of `node`, one value per result; places[v] is
  // the place in `graph` of value v of its graph. Empty where it does not apply.
  std::vector<ValueId> (*in_place_of)(Graph& graph, const NodeView& node,
                                      std::span<const ValueId> places, uint64_t choice) = nullptr;
  // kNode: the same operations, on other parts or in another order. The result of a pointwise
  // operation on inputs alone then is the same number wherever it is an output: there is nothing
  // that a compiler might have fused it with.
  bool same_operations = false;
  // kGraph: whether the value is made an output too.
  bool taps = false;
  // kGraph: whether the same graph is run again, as a network description.
  bool direct = false;
};

// In a fixed order: recorded choices keep their meaning as long as it stays.
std::span<const Relation> Relations();

// The relation of that name, or null.
const Relation* FindRelation(std::string_view name);

struct Rewritten {
  const Relation* relation = nullptr;
  // The name of the value that was rewritten, of an operation its first result's; empty for the
  // whole graph.
  std::string site;
  Graph graph;  // same inputs; its first outputs are those of the original, in order
  std::vector<RelationLaw> laws;  // one per output of the original
};

// Whether a rewritten graph may be run.
using GraphFilter = std::function<bool(const Graph&)>;

// Rewrites `graph` by the relation and at the site that `choice` picks among those that apply;
// `choice` should be random bits. Relations between routes are among them where `direct` says that
// a network description of the graph can be run. No relation where none applies. Precondition:
// ValidateGraph(graph) holds, and it has an output.
Rewritten Rewrite(const Graph& graph, uint64_t choice, bool direct = false,
                  const GraphFilter& admits = {});
// By one relation, at `site` where that is the name of a value at which it applies. Nothing where
// it applies nowhere.
std::optional<Rewritten> RewriteBy(const Relation& relation, const Graph& graph, uint64_t choice,
                                   const GraphFilter& admits = {}, std::string_view site = {});

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
