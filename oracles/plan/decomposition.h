// The operations that a compiler, or the host before the compiler, rewrites into other operations.
// For each, a function writes the replacement into a graph. The lowering plan uses them; a test
// evaluates each with the oracle and compares it with the operation itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "oracles/plan/builder.h"

namespace anecheck::plan {

// When a rewrite is made.
enum class Occasion : uint8_t {
  kAlways,     // whenever the operation is admitted: it has no other form
  kDecompose,  // if a layer of the compiler says "decompose"
  kSplit,      // if the weights exceed the kernel memory
  kHost,       // on the host, before the compiler: there is no native layer on any target
};
std::string_view OccasionName(Occasion occasion);

// The operation to rewrite, and where its replacement goes.
struct Site {
  NodeView node;
  std::span<const ValueId> places;  // for each value of node.graph(), its id in the new graph
  Builder& out;
  int64_t cap = 0;  // Occasion::kSplit: bytes of kernel memory

  // The operand in the new graph, or kNoValue if it is absent.
  ValueId In(int parameter) const {
    const ValueId id = node.Input(parameter);
    return id == kNoValue ? kNoValue : places[id];
  }
  bool IsConstant(int parameter) const {
    const ValueId id = node.Input(parameter);
    return id != kNoValue && node.graph().value(id).kind == ValueKind::kConst;
  }
  std::vector<double> Numbers(int parameter) const {
    return ConstantNumbers(node.graph(), node.Input(parameter));
  }
  DType dtype() const { return node.ResultType().dtype; }
};

struct Decomposition {
  std::string_view op;
  Occasion occasion = Occasion::kDecompose;
  std::string_view rule;  // the rule of the legality tables that must ask for it; empty: any
  std::string_view what;  // "two matrix multiplies by constants"
  std::string_view source;
  // The error that folded constants and intermediate functions add to a result, relative to the
  // result's largest magnitude. The oracle knows the roundings of engines, not those of a rewrite
  // before them.
  double folding_error = 0;
  // Writes the replacement and returns a value for each result. kUnsupported, with the reason, for
  // instances that it cannot write as a graph.
  Result<std::vector<ValueId>> (*apply)(const Site& site) = nullptr;
};

std::span<const Decomposition> Decompositions();
// The entry for `op`, or null.
const Decomposition* FindDecomposition(std::string_view op, Occasion occasion,
                                       std::string_view rule = {});

// A copy of `graph`, with the same inputs and outputs, in which the rewrite replaces node `id`. For
// tests, and to inspect a single rewrite.
Result<Graph> Decomposed(const Graph& graph, NodeId id, const Decomposition& decomposition,
                         int64_t cap = 0);

// The error "WHAT is not written as a graph".
Error NoGraph(std::string_view what);

// ---- the entries, by file ----
#define ANECHECK_DECOMPOSE(Name) Result<std::vector<ValueId>> Name(const Site& site)
ANECHECK_DECOMPOSE(TransposedConvolution);
ANECHECK_DECOMPOSE(BatchNorm);
ANECHECK_DECOMPOSE(Attention);
ANECHECK_DECOMPOSE(SplitWeights);
ANECHECK_DECOMPOSE(ResizeByMatrices);
ANECHECK_DECOMPOSE(GatherConstant);
ANECHECK_DECOMPOSE(PadByCopies);
ANECHECK_DECOMPOSE(ReduceByTranspose);
ANECHECK_DECOMPOSE(FoldedConstant);
ANECHECK_DECOMPOSE(Logical);
ANECHECK_DECOMPOSE(Modulo);
ANECHECK_DECOMPOSE(ProductByLogarithms);
ANECHECK_DECOMPOSE(Tangent);
ANECHECK_DECOMPOSE(BandByMask);
ANECHECK_DECOMPOSE(OneHotRows);
ANECHECK_DECOMPOSE(WindowsBySlices);
ANECHECK_DECOMPOSE(InlinedCall);
ANECHECK_DECOMPOSE(BothBranches);
ANECHECK_DECOMPOSE(UnrolledLoop);
ANECHECK_DECOMPOSE(UnrolledCell);
#undef ANECHECK_DECOMPOSE

}  // namespace anecheck::plan
