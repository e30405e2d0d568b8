// How sliding windows, weights and sums of products are drawn, shared by the generators of the
// convolution class.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "generators/drawer.h"

namespace anecheck {

// The largest magnitude of weights for which a sum of `products` products with x stays under the
// ceiling, but at most a small number. In integer mode 0 if not even weights of 1 fit; in other
// modes at least 2^-10.
double WeightLimit(Drawer& drawer, ValueId x, int64_t products);
// The interval of a sum of `products` products of x with weights up to `weight` and of a bias up to
// `bias`, both in magnitude.
ValueRange SumRange(Drawer& drawer, ValueId x, int64_t products, double weight, double bias);
double BiasLimit(Drawer& drawer);

// A new weight of magnitude up to `limit`: compressed in compressed cases, else a constant or, if
// `computed` is true, sometimes a computed value.
ValueId DrawWeight(Drawer& drawer, const Shape& shape, double limit, bool computed = false);

struct Geometry {
  std::array<int64_t, 3> kernel{1, 1, 1};
  std::array<int64_t, 3> stride{1, 1, 1};
  std::array<int64_t, 3> dilation{1, 1, 1};
  std::array<int64_t, 6> pad{};
  std::string_view pad_type = "valid";
  int64_t taps = 1;
};

// `pad` as the attribute of that index. Custom padding is always written.
void AddPad(Drawer& drawer, int parameter, std::string_view pad_type, std::span<const int64_t> pad);

// A window that fits every spatial axis of `x`.
Geometry DrawGeometry(Drawer& drawer, const Shape& x, bool dilated);

// conv and ne_conv, matmul and ne_matmul, the pools: their parameters have the same indices. `mode`
// is "Avg", "Max" or "L2".
bool DrawConvolution(Drawer& drawer, ValueId x, OpKind kind);
bool DrawMatrixProduct(Drawer& drawer, ValueId x, OpKind kind);
bool DrawPool(Drawer& drawer, ValueId x, OpKind kind, std::string_view mode);

}  // namespace anecheck
