// Draws sliding windows, weights and sums of products, for the generators of the convolution class.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "generators/drawer.h"

namespace anecheck {

// The maximum magnitude of weights for which a sum of `products` products with x stays below the
// ceiling. It is at most 4, or 3 in integer mode. In integer mode it is 0 if even weights of 1 are
// too large. In other modes it is at least 2^-10.
double WeightLimit(Drawer& drawer, ValueId x, int64_t products);
// The interval of a sum of `products` products of x with weights, plus a bias. The magnitudes of
// weights and bias are at most `weight` and `bias`.
ValueRange SumRange(Drawer& drawer, ValueId x, int64_t products, double weight, double bias);
double BiasLimit(Drawer& drawer);

// A new weight of magnitude up to `limit`. In compressed cases it is a compressed constant. Else it
// is a constant or, if `computed` is true, sometimes a computed value.
ValueId DrawWeight(Drawer& drawer, const Shape& shape, double limit, bool computed = false);

struct Geometry {
  std::array<int64_t, 3> kernel{1, 1, 1};
  std::array<int64_t, 3> stride{1, 1, 1};
  std::array<int64_t, 3> dilation{1, 1, 1};
  std::array<int64_t, 6> pad{};
  std::string_view pad_type = "valid";
  int64_t taps = 1;
};

// Adds `pad` as the attribute with index `parameter`. Custom padding is always written.
void AddPad(Drawer& drawer, int parameter, std::string_view pad_type, std::span<const int64_t> pad);

// A window that fits every spatial axis of `x`.
Geometry DrawGeometry(Drawer& drawer, const Shape& x, bool dilated);

// These functions draw the operation `kind`. The parameters of conv and ne_conv, of matmul and
// ne_matmul, and of the pools have the same indices. `mode` is "Avg", "Max" or "L2".
bool DrawConvolution(Drawer& drawer, ValueId x, OpKind kind);
bool DrawMatrixProduct(Drawer& drawer, ValueId x, OpKind kind);
bool DrawPool(Drawer& drawer, ValueId x, OpKind kind, std::string_view mode);

}  // namespace anecheck
