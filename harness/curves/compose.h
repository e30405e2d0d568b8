// Builds a graph that computes any function of one argument on the engine: a piecewise-linear curve
// over chosen knots, as the chain linear, relu, linear (specification 004, "Programmable activation
// LUT"). A program cannot write the engine's raw table, but this chain evaluates the same curve.
#pragma once

#include <span>
#include <vector>

#include "harness/curves/curve.h"
#include "harness/graph/graph.h"

namespace anecheck::curves {

// The largest number of knots. Each knot has one rectifier, and one row of weights covers all
// rectifiers.
inline constexpr size_t kMostKnots = 4096;

struct Composition {
  Graph graph;  // input x, fp16 [points, 1]; output y, of the same type
  // The number of knots and changes of slope that fp16 does not represent exactly. If it is above
  // 0, the graph's curve differs from the requested one.
  size_t rounded = 0;
};

// Returns the chain that has the knot's value at each knot and is flat outside of the knots.
// Errors: kInvalid unless there are 2 to kMostKnots finite knots with ascending x, points >= 1, and
// every constant is finite in fp16.
Result<Composition> Compose(std::span<const Knot> knots, int64_t points);

// The curve itself, in full precision: flat outside of the knots. Precondition: as Compose.
double ValueAt(std::span<const Knot> knots, double x);

// Reads lines "x,y" of a CSV file; a first line that is not two numbers is a heading. Errors name
// the line.
Result<std::vector<Knot>> ReadKnots(std::string_view text, const std::string& file);

}  // namespace anecheck::curves
