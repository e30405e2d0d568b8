// The axes of a graph's tensor in a network description, which has only batch, channel, depth,
// height and width. A tensor of rank r up to 4 takes the last r of batch, channel, height, width; a
// tensor of rank 5 takes all five. Only the taken extents are written, so that the rank can be read
// back; for the compiler an absent extent counts as 1. No source gives the axes of ranks below 4,
// so this project chose them.
//
// A constant can also be a scalar. No real file has a scalar constant. ML Compute, a framework of
// Apple that writes descriptions, gives every constant channels, depth, height, width and
// interleave but no batch, with depth and interleave 1 (decompiled _MLCANEPlistBuilder,
// createConstantTensorUnitWithTensor). This project therefore writes a scalar in this form with
// every extent 1. No other shape has this form, so the scalar can be read back.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/formats/netlist/model.h"
#include "harness/graph/types.h"

namespace anecheck {

// The weight file of the descriptions that this project writes, and its only element type.
inline constexpr std::string_view kNetlistWeightFile = "model.weights";
inline constexpr std::string_view kNetlistHalf = "Float16";
// Each constant in the weight file begins at a multiple of this many bytes.
inline constexpr int64_t kNetlistAlignment = 64;

// Returns the axes' names ("Batch", "Channel", ...), outermost first. Empty for ranks other than 1
// to 5.
std::span<const std::string_view> NetlistAxes(int rank);
// Returns the index of the axis called `name` in a tensor of that rank.
std::optional<int> NetlistAxis(std::string_view name, int rank);

netlist::Extents ToExtents(const Shape& shape);
// Empty if the present extents are not exactly those of one rank.
std::optional<Shape> FromExtents(const netlist::Extents& extents);

// As ToExtents and FromExtents, but for constants. ML Compute's form is read with the axes channel,
// height and width, or as a scalar if each is 1; a constant without extents is a scalar.
netlist::Extents ToConstantExtents(const Shape& shape);
std::optional<Shape> FromConstantExtents(const netlist::Extents& extents);

}  // namespace anecheck
