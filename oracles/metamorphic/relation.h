// Metamorphic relations: changes of a graph that keep its results, as data. They find errors that a
// bound cannot show, because the original and the changed program must agree with each other more
// closely than with the exact result.
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

// The closeness with which the outputs of both graphs must agree.
enum class RelationLaw : uint8_t {
  kSameBytes,     // every bit, the sign of zeros and the payload of NaN too
  kSameNumbers,   // every number; zeros of both signs are equal, and so are all NaN
  kWithinBounds,  // an element of one output differs from its counterpart by at most the sum of the
                  // widths of both bounds; if both bounds are points, the two are equal
  kWithinUnion,   // as kWithinBounds, but by at most the width of the hull of both bounds
};

// The part of a graph that a relation rewrites.
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
  // the value in `graph` for value v of the node's graph. Empty if it does not apply.
  std::vector<ValueId> (*in_place_of)(Graph& graph, const NodeView& node,
                                      std::span<const ValueId> places, uint64_t choice) = nullptr;
  // kNode: whether the replacement has the same operations, on other parts or in another order. If
  // so, a pointwise operation that reads no other operation's result and gives an output must
  // return the same numbers in both graphs: a compiler has nothing to fuse it with.
  bool same_operations = false;
  // kGraph: whether the relation makes an intermediate value an additional output.
  bool taps = false;
  // kGraph: whether the same graph is run again, as a network description.
  bool direct = false;
};

// All relations, in a fixed order. Recorded choices depend on this order.
std::span<const Relation> Relations();

// The relation of that name, or null.
const Relation* FindRelation(std::string_view name);

struct Rewritten {
  const Relation* relation = nullptr;
  // The name of the rewritten value, or of the rewritten operation's first result; empty for the
  // whole graph.
  std::string site;
  Graph graph;  // same inputs; its first outputs are those of the original, in order
  std::vector<RelationLaw> laws;  // one per output of the original
};

// Whether a rewritten graph may be run.
using GraphFilter = std::function<bool(const Graph&)>;

// Rewrites `graph` by a relation that applies; `choice`, which should be random bits, picks the
// relation and the site. `direct` says that a network description of the graph can be run, which
// admits relations between routes. Returns no relation if none applies. Precondition:
// ValidateGraph(graph) holds, and it has an output.
Rewritten Rewrite(const Graph& graph, uint64_t choice, bool direct = false,
                  const GraphFilter& admits = {});
// Rewrites by one relation, at the value named `site` if the relation applies there, else at
// another value. Nothing if the relation applies nowhere.
std::optional<Rewritten> RewriteBy(const Relation& relation, const Graph& graph, uint64_t choice,
                                   const GraphFilter& admits = {}, std::string_view site = {});

// One element that breaks a law.
struct Disagreement {
  size_t element = 0;
  double original = 0, rewritten = 0;
};

// Compares one output of both graphs; the estimates are the oracle's for each. Nothing if the law
// holds. Different types or byte counts are a disagreement at element 0.
std::optional<Disagreement> Compare(RelationLaw law, const Estimate& expected_original,
                                    const Estimate& expected_rewritten, const Tensor& original,
                                    const Tensor& rewritten);

}  // namespace anecheck
