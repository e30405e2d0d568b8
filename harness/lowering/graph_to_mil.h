// Writes a graph as MIL text, the input of the conversion route's compiler.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/text_writer.h"
#include "harness/graph/graph.h"

namespace anecheck {

// Appends nothing to `writer` but the program: `func main<ios18>` with the graph's inputs (then
// states) as parameters, its constants as const statements, attributes as literals. Float
// attributes are rounded once to the element type that MIL gives them (the first operand's, or
// fp32). The text is valid until the writer is cleared. Names are those of the graph. An integer
// attribute beyond MIL's 32 bits is an error; the text is then of no use.
// A nested block names the values it captures in place and begins its own names with the
// statement's. No public text shows the labels of blocks: MIL's names of the functions serve.
Status GraphToMil(const Graph& graph, mil::TextWriter& writer);

// The same into a string of its own.
Result<std::string> GraphToMil(const Graph& graph);

// A program of two files: the text, and the weight side file that it names "@model_path/" followed
// by kMilWeightFile.
struct MilProgram {
  std::string text;
  std::vector<uint8_t> weights;  // empty where every constant stands in the text
};
inline constexpr std::string_view kMilWeightFile = "weights/weight.bin";

// The constants that stand in the side file, sizes in bytes: as text a number takes up to ten times
// its bytes, and models that converters write have theirs in such a file.
struct SideFileLimits {
  int64_t in_text = int64_t{4} << 20;  // up to so much of all constants together none does
  int64_t least = 4096;                // of more than that those of this size and more
};
Result<MilProgram> GraphToMilProgram(const Graph& graph, const SideFileLimits& limits = {});

// The elements of a constant of a weight file, as MilReadOptions::read_blob gives them. `owner`
// keeps `file`; without one the caller does. Errors: those of milweights::ReadBlob.
Result<SharedBytes> ReadMilBlob(std::span<const uint8_t> file, uint64_t offset,
                                const TensorType& type, std::shared_ptr<const void> owner = {});

}  // namespace anecheck
