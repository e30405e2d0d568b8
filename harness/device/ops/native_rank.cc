// Native ranking layers: sort and top-k by the values of one channel, and positions of extremes.
#include <algorithm>
#include <numeric>

#include "harness/device/op_table.h"
#include "harness/device/ops/native_kernel.h"

namespace anecheck::device {
namespace {

// Code generation of A13 refuses sort and top-k (specification 004; facts/known_defects.csv, D18).
void RefuseOnA13(OpBuilder& builder) {
  if (builder.target().family < kFamilyA13 || builder.QuirkOn("D18")) {
    builder.RejectOnEngine(Stage::kCodegen, "Cannot generate code for this layer");
  }
}

// Sorts the columns of [N, C, 1, W] by one channel and keeps the first `kept`.
std::unique_ptr<const Kernel> BuildRanked(OpBuilder& builder, const Operand& x, int64_t kept,
                                          bool falling) {
  const int64_t lane = builder.Int("SortIndices");
  const bool indices = builder.Bool("Indices", false);
  if (!builder.ok()) return nullptr;
  const Shape shape = x.type.shape;
  if (shape[2] != 1 || lane < 0 || lane >= shape[1] || kept < 1 || kept > shape[3]) {
    builder.Reject(Stage::kValidator, fmt::format("{} of {}", kept, x.type.ToString()));
    return nullptr;
  }
  const Shape result = {shape[0], indices ? 1 : shape[1], 1, kept};
  return BuildNative(builder, {x}, result, [=](const auto& inputs, float* out) {
    std::vector<int64_t> columns(static_cast<size_t>(shape[3]));
    for (int64_t n = 0; n < shape[0]; ++n) {
      const float* plane = inputs[0] + n * shape[1] * shape[3];
      const float* key = plane + lane * shape[3];
      std::iota(columns.begin(), columns.end(), int64_t{0});
      std::sort(columns.begin(), columns.end(), [&](int64_t a, int64_t b) {
        const bool nan_a = std::isnan(key[a]);
        const bool nan_b = std::isnan(key[b]);
        if (nan_a || nan_b) return nan_a != nan_b ? nan_b : a < b;
        if (key[a] != key[b]) return falling ? key[a] > key[b] : key[a] < key[b];
        return a < b;
      });
      for (int64_t c = 0; c < result[1]; ++c) {
        for (int64_t rank = 0; rank < kept; ++rank) {
          const int64_t column = columns[static_cast<size_t>(rank)];
          *out++ = indices ? static_cast<float>(column) : plane[c * shape[3] + column];
        }
      }
    }
  });
}

std::unique_ptr<const Kernel> BuildSort(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const bool falling = builder.String("Direction") == "Descending";
  RefuseOnA13(builder);
  if (!builder.ok()) return nullptr;
  return BuildRanked(builder, x, x.type.shape[3], falling);
}

std::unique_ptr<const Kernel> BuildTopK(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const bool falling = builder.String("Type") == "Max";
  const int64_t k = builder.Int("K");
  RefuseOnA13(builder);
  // D17: these values of K are refused for every width (facts/known_defects.csv).
  if ((k == 3 || k == 4) && builder.QuirkOn("D17")) {
    builder.RejectOnEngine(Stage::kCodegen, fmt::format("TopK with K = {} is not supported", k));
  }
  if (!builder.ok()) return nullptr;
  return BuildRanked(builder, x, k, falling);
}

// Finds the position of the largest or smallest element of each line. A line has `count` elements
// that are `step` apart; a block of count * step elements has `step` interleaved lines.
std::unique_ptr<const Kernel> BuildPositions(OpBuilder& builder, const Operand& x, int first,
                                             int last, bool largest) {
  if (!builder.ok()) return nullptr;
  Shape result = x.type.shape;
  const int64_t count = result.Product(first, last + 1);
  const int64_t step = result.Product(last + 1, result.rank());
  for (int axis = first; axis <= last; ++axis) result[axis] = 1;
  const int64_t lines = result.Elements();
  return BuildNative(builder, {x}, result, [=](const auto& inputs, float* out) {
    for (int64_t line = 0; line < lines; ++line) {
      const float* from = inputs[0] + line / step * count * step + line % step;
      int64_t best = 0;
      for (int64_t k = 1; k < count; ++k) {
        const float a = from[k * step];
        const float b = from[best * step];
        if (largest ? a > b : a < b) best = k;
      }
      out[line] = static_cast<float>(best);
    }
  });
}

// A capability byte allows at most 2048 channels (facts/netlist_layers.csv, arg_min_max).
constexpr int64_t kMostChannels = 2048;

std::unique_ptr<const Kernel> BuildArgMinMax(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const std::string mode = builder.String("Mode");
  if (!builder.ok()) return nullptr;
  const bool spatial = mode.starts_with("Spatial");
  if (!spatial && x.type.shape[1] > kMostChannels) {
    builder.RejectOnEngine(Stage::kValidator, fmt::format("{} channels", x.type.shape[1]));
  }
  return BuildPositions(builder, x, spatial ? 2 : 1, spatial ? 3 : 1, mode.ends_with("Max"));
}

std::unique_ptr<const Kernel> BuildGlobalArgMinMax(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const bool largest = builder.String("Type") == "Max";
  const int axis = NativeDimension(builder);
  return BuildPositions(builder, x, axis, axis, largest);
}

constexpr OpRow kRows[] = {
    {"Sort", BuildSort, true},
    {"TopK", BuildTopK, true},
    {"ArgMinMax", BuildArgMinMax, true},
    {"GlobalArgMinMax", BuildGlobalArgMinMax, true},
};

}  // namespace

std::span<const OpRow> NativeRankRows() { return kRows; }

}  // namespace anecheck::device
