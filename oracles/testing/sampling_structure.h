// The positions that image operations read, by MIL's definitions. Each result element has one
// position in its input plane, as exact fractions. This file shares no code with the reference
// kernels. The slow implementation and the adversarial engine of the tests use it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// numerator / denominator. Both are exact, and the denominator is a positive whole number.
struct Fraction {
  double numerator = 0;
  double denominator = 1;
  double value() const { return numerator / denominator; }
};

struct SamplePoint {
  size_t plane = 0;  // index of the image over all leading axes
  Fraction y, x;
  bool padding = false;  // the whole sample is the constant
};

struct Sampling {
  std::vector<SamplePoint> points;
  int64_t height = 1;
  int64_t width = 1;
  std::string_view edge = "border";
  double constant = 0;
  bool nearest = false;
  bool lower = false;   // the lower neighbour, not the nearest
  bool either = false;  // with `lower`: positions may be those of centres instead of corners
  double relative = 0;  // error of positions that are not whole numbers
};

bool IsImage(const NodeView& node);
Sampling SamplingOf(const NodeView& node, std::span<const std::vector<double>> operands);
// Returns the element of x at a row and column of a plane, or nothing if the constant is read.
std::optional<size_t> PixelAt(const Sampling& sampling, size_t plane, int64_t row, int64_t column);

// For topk and argsort, returns the elements of x by lines, which are in row-major order.
std::vector<std::vector<size_t>> SortedLines(const NodeView& node);
bool IsSort(const NodeView& node);
// Returns the element of the result for rank `rank` of line `line`.
size_t RankedElement(const NodeView& node, size_t line, size_t rank);

}  // namespace anecheck::testing
