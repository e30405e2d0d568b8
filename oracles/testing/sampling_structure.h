// The positions that image operations read, by MIL's definitions. Each result element has one
// position in its input plane, as exact fractions. This file shares no code with the reference
// kernels; the slow implementation and the adversarial engine of the tests are built on it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

// numerator / denominator, both exact; the denominator is a positive whole number.
struct Fraction {
  double numerator = 0;
  double denominator = 1;
  double value() const { return numerator / denominator; }
};

struct SamplePoint {
  size_t plane = 0;  // index of the image, all leading axes counted together
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
  bool either = false;  // with `lower`: the pixel's centre may count in place of its corner
  double relative = 0;  // error of positions that are not whole numbers
};

bool IsImage(const NodeView& node);
Sampling SamplingOf(const NodeView& node, std::span<const std::vector<double>> operands);
// The element of x at a row and column of a plane, or nothing if the constant is read.
std::optional<size_t> PixelAt(const Sampling& sampling, size_t plane, int64_t row, int64_t column);

// topk and argsort: the elements of x along one line, for each line, in row-major order of the
// rest.
std::vector<std::vector<size_t>> SortedLines(const NodeView& node);
bool IsSort(const NodeView& node);
// The element of the result for rank `rank` of line `line`.
size_t RankedElement(const NodeView& node, size_t line, size_t rank);

}  // namespace anecheck::testing
