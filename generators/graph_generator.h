// Random graphs from a choice stream. They are valid by construction for a target family, and every
// node leads to an output. Used by campaigns, fuzz targets, property tests and the power
// measurement.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "generators/choice_stream.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "harness/verdict/case_mode.h"

namespace anecheck {

// The mode, one of the first six, by whose rules values are drawn and ranges are limited.
CaseMode ValuesOf(CaseMode mode);

// A producer and a consumer of its result.
struct OpChain {
  OpKind producer = OpKind::kRelu;
  OpKind consumer = OpKind::kRelu;
  bool operator==(const OpChain&) const = default;
};

// The size of the tensors of a graph. The sizes are those at which engines change their method
// (facts/limits.csv, kernel_memory_bytes and matmul_working_set_bytes).
enum class WorkingSet : uint8_t {
  kSmall,  // as the other options state
  // about 32768 halves, kernels of 64 KB and 128 KB, and channels and batch at their limits
  k64Kilobytes,
  k2Megabytes,  // about 2^20 halves
  kProducts,    // a linear map with a small weight and enough rows for `least_products`
};

struct GeneratorOptions {
  // the target's family index (specification 003); kNoFamily also admits host operations
  int family = 2;
  CaseMode mode = CaseMode::kFloat;
  int max_nodes = 12;  // 1 to 40
  // up to max_nodes; a graph has fewer if the mode has fewer, or if no operation fits
  int min_nodes = 1;
  // of one tensor; a tensor with the long axis of kLargeAxis may have more
  int64_t max_elements = 256;
  int64_t max_products = 16384;  // multiply-accumulates of one operation
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();  // which operations may occur
  // Whether the case is a network description. A network description may contain every operation
  // that is in both `ops` and `spelt`, including native layers and operations that the conversion
  // route does not reach. It contains an operation only in forms for which a description has keys.
  // For MIL text, `spelt` has all operations.
  bool direct = false;
  std::bitset<kOpCount> spelt = std::bitset<kOpCount>().set();
  // If set, the graph contains this pair of operations and others of `ops`. Ignored if no instance
  // of the pair fits or if `spelt` lacks one of the two. In the mode kInteger both operations must
  // keep integers.
  std::optional<OpChain> chain;
  // The maximum extent of an axis in kShapeRanges. The default is the limit of the smallest target.
  int64_t longest_axis = 16384;
  // Any value other than kSmall draws a graph over tensors of that size, even if the size exceeds
  // the limits above. The graph consists of one or two elementwise operations or movements, or of a
  // convolution. Ignored if `ops` has none of these operations or `chain` is set.
  WorkingSet working_set = WorkingSet::kSmall;
  // The minimum number of products of the linear map that kProducts draws. The graph may contain
  // any other operations. If `ops` lacks the linear map, kProducts is the same as kSmall.
  int64_t least_products = 0;
  // The maximum extents of axis 1 (channels) and axis 0 (batch) of rank 4, for kShapeRanges and
  // working sets.
  int64_t most_channels = 16384;
  int64_t most_batch = 4096;
};

// Whether integer operands give integer results, so that kInteger may use the operation.
bool KeepsIntegers(OpKind kind);

// Draws a graph into `graph`, which is emptied first. The graph validates, every node leads to an
// output, and every input is used. It has min_nodes to max_nodes nodes, not counting conversions
// that an operation requires. The same bytes give the same graph on every compiler and machine.
void GenerateGraph(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph);

// Draws values for the graph's inputs by the mode, in the order of ValuesOfKind(kInput).
std::vector<Tensor> GenerateInputs(ChoiceStream& choices, const Graph& graph, CaseMode mode);

}  // namespace anecheck
