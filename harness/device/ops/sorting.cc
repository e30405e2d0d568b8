// Sorts along an axis. Code generation for A13 refuses both operations (facts/op_device_matrix.csv,
// facts/more/op_notes.csv; facts/known_defects.csv, D18). Equal elements keep their order. NaN
// comes after all numbers, which is assumed, because no source gives the place of NaN.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

struct SortShape {
  Element element = Element::kFp16;
  Element index = Element::kInt32;
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
  int64_t kept = 1;
  bool ascending = false;
  // The indices of two results: the sorted elements, and their positions. An index is -1 if the
  // operation lacks that result.
  int values_at = 0;
  int indices_at = -1;
};

class SortKernel : public Kernel {
 public:
  explicit SortKernel(const SortShape& shape) : shape_(shape) {}

  void Run(const Invocation& call) const override {
    const SortShape& s = shape_;
    std::vector<double> line(static_cast<size_t>(s.count));
    std::vector<int64_t> order(line.size());
    for (int64_t outer = 0; outer < s.outer; ++outer) {
      for (int64_t inner = 0; inner < s.inner; ++inner) {
        const int64_t first = outer * s.count * s.inner + inner;
        for (int64_t i = 0; i < s.count; ++i) {
          line[static_cast<size_t>(i)] = LoadNumber(s.element, call.inputs[0], first + i * s.inner);
        }
        Order(line, order);
        for (int64_t rank = 0; rank < s.kept; ++rank) {
          const int64_t to = (outer * s.kept + rank) * s.inner + inner;
          const int64_t place = order[static_cast<size_t>(rank)];
          if (s.values_at >= 0) {
            const int64_t size = ElementSize(s.element);
            std::memcpy(static_cast<char*>(Output(call, s.values_at)) + to * size,
                        call.Input<char>(0) + (first + place * s.inner) * size,
                        static_cast<size_t>(size));
          }
          if (s.indices_at >= 0) {
            StoreInts(s.index, &place, 1,
                      static_cast<char*>(Output(call, s.indices_at)) + to * ElementSize(s.index));
          }
        }
      }
    }
  }

 private:
  static void* Output(const Invocation& call, int index) {
    return call.outputs[static_cast<size_t>(index)];
  }

  void Order(const std::vector<double>& line, std::vector<int64_t>& order) const {
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const double x = line[static_cast<size_t>(a)];
      const double y = line[static_cast<size_t>(b)];
      if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
      if (x == y || std::isnan(x)) return a < b;
      return shape_.ascending ? x < y : x > y;
    });
  }

  SortShape shape_;
};

// Reads the axis, which both operations have, and returns the lines of the operand along it.
SortShape ReadLines(OpBuilder& builder, const Operand& x) {
  SortShape shape;
  const int64_t given = builder.Int("axis", -1);
  shape.ascending = builder.Bool("ascending", false);
  if (!builder.ok()) return shape;
  const int rank = x.type.shape.rank();
  const int axis = builder.Axis("axis", given, rank);
  if (builder.target().family < kFamilyA13 || builder.QuirkOn("D18")) {
    builder.RejectOnEngine(Stage::kCodegen,
                           "Some ops are not supported on any of the specified backends");
  }
  if (!builder.ok()) return shape;
  shape.element = x.type.element;
  shape.outer = x.type.shape.Product(0, axis);
  shape.count = shape.kept = x.type.shape[axis];
  shape.inner = x.type.shape.Product(axis + 1, rank);
  return shape;
}

Built BuildTopk(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int64_t k = builder.Int("k", 1);
  builder.Bool("sort", true);
  const bool indices = builder.Bool("return_indices", true);
  const std::string index_type = builder.String("output_indices_dtype", "int32");
  SortShape shape = ReadLines(builder, x);
  if (!builder.ok()) return nullptr;
  shape.index = mil::DataTypeFromName(index_type);
  shape.kept = k == -1 ? shape.count : k;
  if (index_type != "int32" && index_type != "int16" && index_type != "uint16") {
    builder.Reject(Stage::kFrontend,
                   fmt::format("output_indices_dtype '{}' is not known", index_type));
  }
  if (shape.kept < 1 || shape.kept > shape.count) {
    builder.Reject(Stage::kValidator, fmt::format("k is {}, the axis has {}", k, shape.count));
  }
  // D17: these values of k are refused for every width (facts/known_defects.csv).
  if ((shape.kept == 3 || shape.kept == 4) && builder.QuirkOn("D17")) {
    builder.RejectOnEngine(Stage::kCodegen, fmt::format("TopK with K = {} is not supported", k));
  }
  if (!builder.ok()) return nullptr;
  const int axis = builder.Axis("axis", builder.Int("axis", -1), x.type.shape.rank());
  TensorType type = x.type;
  type.shape[axis] = shape.kept;
  builder.Output(type);
  if (indices) {
    shape.indices_at = 1;
    builder.Output({shape.index, type.shape});
  }
  return std::make_unique<SortKernel>(shape);
}

Built BuildArgsort(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  SortShape shape = ReadLines(builder, x);
  if (!builder.ok()) return nullptr;
  shape.values_at = -1;
  shape.indices_at = 0;
  builder.Output({shape.index, x.type.shape});
  return std::make_unique<SortKernel>(shape);
}

constexpr OpRow kRows[] = {{"topk", BuildTopk}, {"argsort", BuildArgsort}};

}  // namespace

std::span<const OpRow> SortingRows() { return kRows; }

}  // namespace anecheck::device
