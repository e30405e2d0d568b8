// The weight sub-streams that a convolution or a product with constant weights needs, with the
// functions folded into its task. They are for version-10 images, which have a separate stream for
// each kind of number.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/tdv10/weight_streams.h"
#include "harness/graph/graph.h"

namespace anecheck::encoder {

// Returns the sizes in bytes of the streams of the first such layer of the graph. A bias, or the
// shift of a batch normalization after the layer, makes the bias stream; the normalization's scale
// makes the post-scale stream. Weights of a lookup table make the palette, and a function with a
// recorded table after the layer makes the activation stream. Each channel has one fp16 number in a
// stream; a table has 128 bytes (facts/silicon/numerics_laws.md, L9: H14 and later). kUnsupported
// if no node is such a layer.
Result<tdv10::WeightStreamSizes> StreamsOfLayer(const Graph& graph);

}  // namespace anecheck::encoder
