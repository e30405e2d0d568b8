// Computes the weight streams of a convolution or a product with constant weights, with the
// functions that are folded into its task. They are for version-10 images, which have a separate
// stream for each kind of number.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/tdv10/weight_streams.h"
#include "harness/graph/graph.h"

namespace anecheck::encoder {

// Returns the sizes in bytes of the streams of the first such layer of the graph. A bias, or the
// shift of a batch normalization after the layer, is in the bias stream. The scale of the
// normalization is in the post-scale stream. The lookup table of weights is in the palette stream,
// and the recorded table of a function after the layer is in the activation stream. A stream has
// one fp16 number per channel; a table has 128 bytes (facts/silicon/numerics_laws.md, L9: H14 and
// later). Error: kUnsupported if the graph has no such layer.
Result<tdv10::WeightStreamSizes> StreamsOfLayer(const Graph& graph);

}  // namespace anecheck::encoder
