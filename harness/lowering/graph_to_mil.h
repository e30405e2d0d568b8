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

// Appends only the program to `writer`: `func main<ios18>` with the graph's inputs (then states) as
// parameters, its constants as const statements, and attributes as literals. Float attributes are
// rounded once to the element type that MIL gives them (the first operand's, or fp32). The text is
// valid until the writer is cleared. Names are those of the graph. An integer attribute beyond
// MIL's 32 bits is an error; the text is then incomplete. A nested block uses captured values by
// their outer names; its own names begin with the statement's name. No public MIL text shows how
// blocks are labelled, so a block's label is MIL's name for its function.
Status GraphToMil(const Graph& graph, mil::TextWriter& writer);

// As above, but returns a new string.
Result<std::string> GraphToMil(const Graph& graph);

// A program of two files, the text and the weight file. The text calls the weight file
// "@model_path/" followed by kMilWeightFile.
struct MilProgram {
  std::string text;
  std::vector<uint8_t> weights;  // empty if every constant is in the text
};
inline constexpr std::string_view kMilWeightFile = "weights/weight.bin";

// The limits for moving constants to the weight file, in bytes. Constants are moved because a
// number takes up to ten times its bytes as text, and because converters write constants to such a
// file.
struct SideFileLimits {
  int64_t in_text = int64_t{4} << 20;  // up to this total, all constants stay in the text
  int64_t least = 4096;                // above that total, constants of this size or more are moved
};
Result<MilProgram> GraphToMilProgram(const Graph& graph, const SideFileLimits& limits = {});

// Returns the elements of a constant in a weight file, packed as MilReadOptions::read_blob returns
// them. `owner` keeps `file` alive; without an owner the caller must. Errors: those of
// milweights::ReadBlob.
Result<SharedBytes> ReadMilBlob(std::span<const uint8_t> file, uint64_t offset,
                                const TensorType& type, std::shared_ptr<const void> owner = {});

}  // namespace anecheck
