// The weight sub-streams that a convolution or a product with constant weights needs, with the
// functions folded into its task: for version-10 images, which have a stream of its own for each.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/tdv10/weight_streams.h"
#include "harness/graph/graph.h"

namespace anecheck::encoder {

// Made from the first such layer of the graph: a bias, or the shift of a batch normalization behind
// it, gives the bias stream; the normalization's scale the post-scale stream; weights of a lookup
// table the palette; a function by a recorded table behind them the activation stream. Channels'
// numbers are fp16, a table has 128 bytes (facts/silicon/numerics_laws.md, L9: H14 and later).
// kUnsupported where no node is such a layer.
Result<tdv10::WeightStreamSizes> StreamsOfLayer(const Graph& graph);

}  // namespace anecheck::encoder
