// The index structure of every operation: which elements are combined, computed naively from
// coordinates. It shares no code with the reference kernels. The slow implementation and the
// adversarial engine of the tests are built on it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/graph/graph.h"

namespace anecheck::testing {

using Coordinates = std::vector<int64_t>;

Coordinates CoordinatesOf(const Shape& shape, size_t index);
size_t IndexOf(const Shape& shape, const Coordinates& coordinates);

// The element of an operand of shape `operand` that broadcasting reads for a result element.
size_t BroadcastIndex(const Shape& operand, const Shape& result, size_t index);

// conv, linear, matmul: for each result element the pairs (element of x, element of the second
// operand) whose products are summed, and the element of the bias.
struct ProductSum {
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t bias = 0;
};
std::vector<ProductSum> ProductSums(const NodeView& node);
// As ProductSums, for one result element. Precondition: the operation is not conv_transpose.
ProductSum ProductSumOf(const NodeView& node, size_t index);

// Pools and reductions: for each result element the elements of x that it combines, and for
// averages the divisor.
struct Combined {
  std::vector<size_t> elements;
  int64_t divisor = 1;
};
std::vector<Combined> CombinedElements(const NodeView& node);

// Softmax, layer_norm, instance_norm, l2_norm: the groups of elements of x that are normalised
// together, each in row-major order of the normalised axes.
std::vector<std::vector<size_t>> NormalisedGroups(const NodeView& node);

// Local response norm: the elements whose squares are summed for element `index` of x, with the
// window moved by `later` channels.
std::vector<size_t> ResponseWindow(const NodeView& node, size_t index, int64_t later = 0);

// Movement: for each element of one result the operand (position in the argument list) and its
// element; operand -1 means a number that is in no operand, not yet rounded to the type.
struct Source {
  int operand = 0;
  size_t element = 0;
  double constant = 0;
};
// Whether MovedElements knows the operation.
bool IsMovement(const NodeView& node);
// `operands` are the numbers of each argument, in the order of the node's argument list; the
// indices among them decide the movement.
std::vector<Source> MovedElements(const NodeView& node,
                                  std::span<const std::vector<double>> operands,
                                  uint32_t result = 0);
// The source of one element.
Source MovedElement(const NodeView& node, std::span<const std::vector<double>> operands,
                    uint32_t result, size_t index);

// Scatters: for each element of the data the elements of the updates that go to it, in order.
bool IsScatter(const NodeView& node);
std::vector<std::vector<size_t>> ScatteredUpdates(const NodeView& node,
                                                  std::span<const std::vector<double>> operands);

}  // namespace anecheck::testing
