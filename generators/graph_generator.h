// Random graphs from a choice stream, valid by construction for a target family, with every node
// live. Used by campaigns, fuzz targets, property tests and the power measurement.
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

// The mode among the first six by which values are drawn and ranges conditioned.
CaseMode ValuesOf(CaseMode mode);

// A producer and a consumer of its result.
struct OpChain {
  OpKind producer = OpKind::kRelu;
  OpKind consumer = OpKind::kRelu;
  bool operator==(const OpChain&) const = default;
};

// How large the tensors of a graph are. The sizes are those at which engines change their method
// (facts/limits.csv, kernel_memory_bytes and matmul_working_set_bytes).
enum class WorkingSet : uint8_t {
  kSmall,        // as the other options say
  k64Kilobytes,  // 32768 halves and their neighbours, kernels of 64 KB and 128 KB, and channels and
                 // batch at their limits
  k2Megabytes,   // 2^20 halves and their neighbours
  kProducts,     // a linear map of a small weight over so many rows that it has `least_products`
};

struct GeneratorOptions {
  int family = 2;  // the target's family index (specification 003); kNoFamily draws operations of
                   // the host too
  CaseMode mode = CaseMode::kFloat;
  int max_nodes = 12;            // 1 to 40
  int min_nodes = 1;             // up to max_nodes; fewer where the mode has fewer, or nothing fits
  int64_t max_elements = 256;    // of one tensor, but for the long axis of kLargeAxis
  int64_t max_products = 16384;  // multiply-accumulates of one operation
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();  // which operations may occur
  // The case is a network description: of `ops` those of `spelt` may occur, native layers among
  // them, whether or not the conversion route reaches them, and in no form for which a description
  // has no key. All of them where the case is MIL text.
  bool direct = false;
  std::bitset<kOpCount> spelt = std::bitset<kOpCount>().set();
  // The graph holds this pair of operations beside others of `ops`; where no instance of it fits,
  // or one of them is not in `spelt`, it is drawn as without. In kInteger both must keep integers.
  std::optional<OpChain> chain;
  // The longest axis of kShapeRanges; that of the smallest target.
  int64_t longest_axis = 16384;
  // Other than kSmall draws a graph of one or two elementwise operations, movements or a
  // convolution over tensors of that size, whatever the sizes above; where `ops` has none of them,
  // or a chain is asked for, it is drawn as without.
  WorkingSet working_set = WorkingSet::kSmall;
  // For kProducts, which draws any operations beside the linear map; without it in `ops`, as
  // kSmall.
  int64_t least_products = 0;
  // The limits that kShapeRanges and working sets keep to, beside longest_axis: the axes 1 and 0 of
  // rank 4.
  int64_t most_channels = 16384;
  int64_t most_batch = 4096;
};

// Whether the operation keeps integers integers, so that kInteger may use it.
bool KeepsIntegers(OpKind kind);

// Draws a graph into `graph`, which is emptied first. The graph validates, has min_nodes to
// max_nodes nodes but for the conversions that an operation brings along, every node feeds an
// output, and every input is used. The same bytes give the same graph on every compiler and
// machine.
void GenerateGraph(ChoiceStream& choices, const GeneratorOptions& options, Graph& graph);

// Values for the graph's inputs, in the order of ValuesOfKind(kInput), as the mode asks.
std::vector<Tensor> GenerateInputs(ChoiceStream& choices, const Graph& graph, CaseMode mode);

}  // namespace anecheck
