// A network description as the engine's compiler takes it: ports, constants and layers. Version
// 1.0.9 lists the ports in the network, and version 1.0.10 lists them in one procedure
// (specification 004, "Method"; facts/more/netplist_keys.csv; harness/formats/netlist).
//
// A tensor of rank r up to 4 has the last r of batch, channel, height, width; a tensor of rank 5
// has all five axes. The description states only the extents of these axes. No source states the
// axes of ranks below 4, so they are assumed to be those of the harness's own descriptions. No real
// file has a scalar constant. For a scalar constant ML Compute, a framework of Apple that writes
// descriptions, states channels, depth, height and width 1 and no batch (decompiled
// _MLCANEPlistBuilder, createConstantTensorUnit). A constant without extents is a scalar too,
// because an absent extent counts as 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/network/property_list.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Returns the names of the axes ("Batch", "Channel", ...), outermost first. Empty for ranks other
// than 1 to 5.
std::span<const std::string_view> AxisNames(int rank);
// Returns the axis of that name, if a tensor of that rank has it.
std::optional<int> AxisNamed(std::string_view name, int rank);

// The keys of the extents of batch, channel, depth, height and width.
using ExtentKeys = std::array<const char*, 5>;
inline constexpr ExtentKeys kReshapedExtents = {"ReshapedBatch", "ReshapedChannel", "ReshapedDepth",
                                                "ReshapedHeight", "ReshapedWidth"};
// Returns nothing if the present keys are not exactly those of one rank.
std::optional<Shape> ReadExtents(const ListItem& from, const ExtentKeys& keys);

struct NetworkInput {
  std::string name;  // the symbol that layers read
  std::string type;  // "Float16", ...
  std::optional<Shape> shape;
};

struct NetworkConstant {
  std::string name;
  std::string type;
  std::optional<Shape> shape;
  int64_t offset = 0;  // in bytes, from the beginning of the weight file
  int64_t file = 0;
};

struct NetworkUnit {
  std::string name;
  std::string type;
  std::vector<std::string> bottoms;  // symbols that the unit reads
  std::optional<int64_t> output_channels;
  std::optional<int64_t> groups;
  std::optional<std::string> output_type;
  ListItem params;
};

struct NetworkOutput {
  std::string name;
  std::string bottom;  // the unit whose result is the output
};

struct Network {
  explicit Network(PropertyList from) : list(std::move(from)) {}

  PropertyList list;  // the dictionary of `params`
  std::vector<NetworkInput> inputs;
  std::vector<NetworkConstant> constants;
  std::vector<NetworkUnit> units;
  std::vector<NetworkOutput> outputs;
  std::vector<std::string> weight_files;
};

// Errors: kMalformed if a required key is missing or has another type; kUnsupported for more than
// one network, procedure (specification 001, section 5.5) or operation.
Result<Network> ReadNetwork(std::string_view content);

}  // namespace anecheck::device
