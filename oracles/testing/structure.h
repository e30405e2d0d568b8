// The index structure of every operation: the elements that it combines, computed naively from
// coordinates. Shares no code with the reference kernels. The slow implementation and the
// adversarial engine of the tests use it.
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

// For a result element of conv, linear or matmul, the pairs (element of x, element of the second
// operand) whose products are summed, and the element of the bias.
struct ProductSum {
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t bias = 0;
};
std::vector<ProductSum> ProductSums(const NodeView& node);
// As ProductSums, for one result element. Precondition: the operation is not conv_transpose.
ProductSum ProductSumOf(const NodeView& node, size_t index);

// The elements of x that a result element of a pool or reduction combines, and a mean's divisor.
struct Combined {
  std::vector<size_t> elements;
  int64_t divisor = 1;
};
std::vector<Combined> CombinedElements(const NodeView& node);

// For softmax, layer_norm, instance_norm and l2_norm, returns the groups of elements of x that are
// normalised together, each in row-major order of the normalised axes.
std::vector<std::vector<size_t>> NormalisedGroups(const NodeView& node);

// For the local response norm, returns the elements whose squares are summed for element `index` of
// x. The window is moved by `later` channels.
std::vector<size_t> ResponseWindow(const NodeView& node, size_t index, int64_t later = 0);

// For a result element of a movement, the operand (position in the argument list) and its element.
// Operand -1 means that the element is `constant`, not yet rounded to the type.
struct Source {
  int operand = 0;
  size_t element = 0;
  double constant = 0;
};
// Whether MovedElements knows the operation.
bool IsMovement(const NodeView& node);
// `operands` are the numbers of each argument, in the order of the node's argument list. Indices
// among them determine the movement.
std::vector<Source> MovedElements(const NodeView& node,
                                  std::span<const std::vector<double>> operands,
                                  uint32_t result = 0);
// Returns the source of one element.
Source MovedElement(const NodeView& node, std::span<const std::vector<double>> operands,
                    uint32_t result, size_t index);

// For scatters, returns for each element of the data the updates' elements that change it, in
// order.
bool IsScatter(const NodeView& node);
std::vector<std::vector<size_t>> ScatteredUpdates(const NodeView& node,
                                                  std::span<const std::vector<double>> operands);

}  // namespace anecheck::testing
