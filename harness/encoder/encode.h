// Encodes a graph as the bytes of a hardware container that an engine of H13 to H18 can run.
//
//   auto encoded = encoder::Encode(graph);
//   if (!encoded.ok()) puts(encoded.error().message.c_str());   // names the missing operation
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/encoder/fault.h"
#include "harness/formats/format.h"
#include "harness/graph/graph.h"

namespace anecheck::encoder {

struct EncodeOptions {
  // The compiler's name of the target, one of those that machine.h lists.
  std::string target = "h13";
  Fault fault = Fault::kNone;
  // Refuses operations whose tasks depend on the zero that an engine stores for inf - inf and 0 *
  // inf. In exact arithmetic these results are NaN.
  bool exact = false;
};

// The operation that the encoder refuses, and the error's message without the operation's name.
struct Refusal {
  std::string op;
  std::string reason;
};

// Encodes `graph` as a container. The container's ports have the names of the graph's inputs and
// outputs, in that order. Precondition: the graph is valid. Errors: kUnsupported, with the
// operation and the missing fact, if no fact describes tasks for the operation. `refusal`, if
// given, then receives the operation and the reason.
Result<Bytes> Encode(const Graph& graph, const EncodeOptions& options = {},
                     Refusal* refusal = nullptr);

}  // namespace anecheck::encoder
