// The content of a compiler's two output files: the dispatch descriptor (.e5) and the hardware
// container. Both files contain fused operations, so a graph cannot be read back from them.
// CompiledProgram is the outline from which the files are written and with which they are compared.
// Used by `anecheck lower` and the round trip.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/format.h"
#include "harness/graph/types.h"

namespace anecheck {

// Batch, channel, height, width.
using EngineShape = std::array<uint32_t, 4>;

// Returns the four extents of a tensor. A tensor of rank r takes the last r axes and has the extent
// 1 at the others, like the vector [1, 1, 1, 64] in the decoded program of specification 000. Empty
// for ranks above 4 and for extents that do not fit 32 bits.
std::optional<EngineShape> ToEngineShape(const Shape& shape);

struct CompiledTensor {
  std::string name;
  TensorType type;
};

// One hardware task. A container stores its extents in the registers InDim, Cin, Cout and OutDim.
struct CompiledTask {
  std::string layer;
  EngineShape in = {1, 1, 1, 1};
  EngineShape out = {1, 1, 1, 1};
};

// A constant kernel. The kernel's elements are stored without gaps; the output channel is the
// outermost axis.
struct CompiledKernel {
  size_t task = 0;  // index in CompiledProgram::tasks
  int64_t channels = 1;
  Bytes bytes;
};

// A state that is held in the shared buffer. `input` is the graph's input with the state, and
// `offset` is the state's place in the state area.
struct CompiledState {
  std::string input;
  uint32_t offset = 0;
};

struct CompiledProgram {
  std::string target;  // compiler name
  std::optional<uint64_t> cpu_subtype;
  std::vector<CompiledTensor> inputs;
  std::vector<CompiledTensor> outputs;
  std::vector<CompiledState> states;
  std::vector<e5::OpType> inferences;  // the dispatches between the casts, in order
  std::vector<CompiledTask> tasks;
  std::vector<CompiledKernel> kernels;
};

struct CompiledFiles {
  Bytes descriptor;
  Bytes container;           // empty if there is none
  std::string no_container;  // the reason; empty if there is one
};

// Returns the reason why the program has no container: its tasks have no registers with published
// addresses, or none of its operations runs on the engine. Empty if the program has a container.
std::string NoContainer(const CompiledProgram& program);

// Writes the descriptor and returns it together with `container`, which may be the error that
// prevented a container. The descriptor gives its tensors the addresses of the container's ports.
// Errors: kUnsupported if a tensor has no form in a descriptor.
Result<CompiledFiles> WriteCompiledFiles(const CompiledProgram& program, Result<Bytes> container);

// The parts of the outline that are compared in addition to ports, extents and strides.
struct ComparedParts {
  bool chain = true;  // the kinds and the number of dispatches
  // The tasks and their kernels. The comparison expects one block of channels per lane, as the
  // simulated engine writes kernels.
  bool tasks = true;
};

// Reads the files with the project's own readers and returns the first difference from the outline,
// or an empty text. The comparison covers the dispatch chain, ports, states, extents, strides,
// tasks and decoded kernels. A broken rule of either format or of the pair also counts as a
// difference.
std::string CompareCompiledFiles(const CompiledProgram& program, const CompiledFiles& files,
                                 const ComparedParts& parts = {});

}  // namespace anecheck
