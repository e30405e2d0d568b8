// Native layers, which programs can name only in a network description: attention, range
// normalization, the scaled pair, correlation, gain and offset, copies, and geometry.
#include <algorithm>

#include "harness/device/multiply_accumulate.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/native_kernel.h"
#include "harness/device/wide_sum.h"

namespace anecheck::device {
namespace {

float ToHalf(float value) { return RoundToHalf(value, Rounding::kNearestEven); }

float HalfAttribute(OpBuilder& builder, std::string_view name) {
  return static_cast<float>(HalfToDouble(DoubleToHalf(builder.Float(name))));
}

// ---- attention: sequence in C, heads in H, embedding in W ----

struct AttentionShape {
  int64_t batches = 0, rows = 0, keys = 0, heads = 0, width = 0;
  int64_t mask_heads = 0;  // planes of the mask
  bool shifted = true;     // the maximum is subtracted before the exponential
};

// Documented defects (facts/known_defects.csv). Their mechanisms are assumed, because no source
// explains the wrong values.
struct AttentionQuirks {
  bool one_plane = false;  // D24
  // D22: of every twenty query rows, nine are computed and the others are 0. This gives the
  // reported cosine of 0.67.
  bool rows_lost = false;
  // D23: after this many keys, the keys repeat from the first.
  int64_t key_period = std::numeric_limits<int64_t>::max();
};
constexpr int64_t kLongRows = 512;   // D22
constexpr int64_t kLongKeys = 2048;  // D23
constexpr int64_t kRowPeriod = 20, kRowsKept = 9;

AttentionQuirks QuirksOf(const OpBuilder& builder, const AttentionShape& s) {
  AttentionQuirks quirks;
  quirks.one_plane = builder.QuirkOn("D24");
  quirks.rows_lost = s.rows >= kLongRows && s.keys >= kLongRows && builder.QuirkOn("D22");
  if (s.keys > kLongKeys && builder.QuirkOn("D23")) quirks.key_period = kLongKeys;
  return quirks;
}

// Computes one query row of one head. Each pointer is at the first element of that head. Rows of
// keys are heads * width elements apart. PrepareMacOperand has prepared query, key and value.
void Attend(const NumericModel& model, const AttentionShape& s, int64_t key_period,
            const float* query, const float* key, const float* value, float scale,
            const float* mask, float* out) {
  std::vector<float> weights(static_cast<size_t>(s.keys));
  const int64_t step = s.heads * s.width;
  float top = -std::numeric_limits<float>::infinity();
  for (int64_t k = 0; k < s.keys; ++k) {
    const float* row = key + k % key_period * step;
    float score = ToHalf(MacResult(model, query, row, 1, s.width, true) * scale);
    if (mask != nullptr) score = ToHalf(score + mask[k]);
    weights[static_cast<size_t>(k)] = score;
    top = std::isnan(score) || score > top ? score : top;
  }
  if (!s.shifted) top = 0;
  WideSum total;
  for (float& weight : weights) {
    weight = ToHalf(std::exp(ToHalf(weight - top)));
    total.Add(weight);
  }
  const float sum = total.Total();
  for (float& weight : weights) weight = ToHalf(weight / sum);
  PrepareMacOperand(model, weights.data(), s.keys);
  for (int64_t c = 0; c < s.width; ++c) {
    out[c] = MacResult(model, weights.data(), value + c, step, s.keys, true);
  }
}

std::unique_ptr<const Kernel> BuildSdpa(OpBuilder& builder) {
  const Operand query = NativeTensor(builder, "query");
  const Operand key = NativeTensor(builder, "key");
  const Operand value = NativeTensor(builder, "value");
  const Operand scale = builder.Tensor("scale");
  const auto mask = builder.OptionalTensor("mask");
  const bool subtract = builder.Bool("SubtractMax", false);
  if (!builder.ok()) return nullptr;
  if (scale.constant == nullptr)
    builder.Reject(Stage::kValidator, "Scale is expected to be constant");
  if (key.type != value.type || query.type.shape[3] != key.type.shape[3] ||
      query.type.shape[2] != key.type.shape[2] || query.type.shape[0] != key.type.shape[0]) {
    builder.Reject(Stage::kValidator, "K and V must have same sequence length i.e. C dim");
  }
  const Shape& q = query.type.shape;
  const int64_t planes = mask ? mask->type.shape[2] : 0;
  if (mask && (mask->type.shape != Shape{1, q[1], planes, key.type.shape[1]} ||
               (planes != 1 && planes != q[2]))) {
    builder.Reject(Stage::kValidator, fmt::format("the mask is {}", mask->type.ToString()));
  }
  if (!builder.ok()) return nullptr;
  // D21: the maximum is not subtracted, so the exponentials overflow.
  const bool shifted = subtract || !builder.QuirkOn("D21");
  const AttentionShape shape = {q[0], q[1], key.type.shape[1], q[2], q[3], planes, shifted};
  const AttentionQuirks quirks = QuirksOf(builder, shape);
  const NumericModel model = builder.model();
  const auto run = [shape, quirks, model](const auto& inputs, float* out) {
    const float* masks = nullptr;
    if constexpr (std::tuple_size_v<std::decay_t<decltype(inputs)>> == 5) masks = inputs[4];
    const auto prepared = [&](const float* input, int64_t rows) {
      const int64_t count = shape.batches * rows * shape.heads * shape.width;
      std::vector<float> operand(input, input + count);
      PrepareMacOperand(model, operand.data(), count);
      return operand;
    };
    const std::vector<float> query = prepared(inputs[0], shape.rows);
    const std::vector<float> key = prepared(inputs[1], shape.keys);
    const std::vector<float> value = prepared(inputs[2], shape.keys);
    for (int64_t n = 0; n < shape.batches; ++n) {
      for (int64_t r = 0; r < shape.rows; ++r) {
        for (int64_t h = 0; h < shape.heads; ++h) {
          const int64_t at = ((n * shape.rows + r) * shape.heads + h) * shape.width;
          const int64_t from = (n * shape.keys * shape.heads + h) * shape.width;
          if (quirks.rows_lost && r % kRowPeriod >= kRowsKept) {
            std::fill_n(out + at, shape.width, 0.0f);
            continue;
          }
          const int64_t plane = shape.mask_heads > 1 && !quirks.one_plane ? h : 0;
          const float* plane_mask =
              masks == nullptr ? nullptr : masks + (r * shape.mask_heads + plane) * shape.keys;
          Attend(model, shape, quirks.key_period, query.data() + at, key.data() + from,
                 value.data() + from, inputs[3][0], plane_mask, out + at);
        }
      }
    }
  };
  if (!mask) return BuildNative(builder, {query, key, value, scale}, q, run);
  return BuildNative(builder, {query, key, value, scale, *mask}, q, run);
}

// ---- range normalization, scaled pair ----

std::unique_ptr<const Kernel> BuildMinMaxNorm(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const int axis = NativeDimension(builder);
  const float epsilon = HalfAttribute(builder, "Epsilon");
  if (!builder.ok()) return nullptr;
  // Sources differ on A13. One source says that A13 refuses the whole layer, another that it
  // refuses only the channel form (specification 004, arch-gated negatives; public guide, appendix
  // B).
  const int family = builder.target().family;
  if (family < kFamilyA13 || (builder.QuirkOn("D20") && (axis == 1 || family == kFamilyA13))) {
    builder.RejectOnEngine(Stage::kValidator,
                           "MinMaxNormalization is not supported on this architecture");
  }
  const Shape shape = x.type.shape;
  const int64_t count = shape[axis];
  const int64_t step = shape.Product(axis + 1, 4);
  return BuildNative(builder, {x}, shape, [=](const auto& inputs, float* out) {
    for (int64_t line = 0; line < shape.Elements() / count; ++line) {
      const int64_t first = line / step * count * step + line % step;
      const float* from = inputs[0] + first;
      float least = from[0];
      float most = from[0];
      for (int64_t k = 1; k < count; ++k) {
        least = std::isnan(from[k * step]) ? from[k * step] : std::min(from[k * step], least);
        most = std::isnan(from[k * step]) ? from[k * step] : std::max(from[k * step], most);
      }
      const float under = ToHalf(ToHalf(most - least) + epsilon);
      for (int64_t k = 0; k < count; ++k) {
        out[first + k * step] = ToHalf(from[k * step] - least) / under;
      }
    }
  });
}

// `kind` is the first letter of Add, Sub or Mult, '>' for the larger of a and b, or '<' for the
// smaller.
float Paired(char kind, float a, float b) {
  switch (kind) {
    case 'S':
      return a - b;
    case 'M':
      return a * b;
    case '>':
      return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
    case '<':
      return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
    default:
      return a + b;
  }
}

std::unique_ptr<const Kernel> BuildScaled(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand y = builder.Tensor("y");
  const std::string type = builder.String("Type");
  const float scale = HalfAttribute(builder, "Scale");
  if (!builder.ok()) return nullptr;
  if (x.type != y.type || x.type.element != Element::kFp16) {
    builder.Reject(Stage::kValidator,
                   fmt::format("{} and {}", x.type.ToString(), y.type.ToString()));
  }
  if (type == "Sub" && builder.QuirkOn("D26")) {
    builder.RejectOnEngine(Stage::kCodegen, "ScaledElementWise Sub is not supported");
  }
  const int64_t count = x.type.shape.Elements();
  const char kind = type == "Max" ? '>' : type == "Min" ? '<' : type.empty() ? '+' : type[0];
  const float factor = type == "Mult" && builder.QuirkOn("D25") ? 1 : scale;
  return BuildNative(builder, {x, y}, x.type.shape, [=](const auto& inputs, float* out) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = ToHalf(Paired(kind, inputs[0][i], inputs[1][i])) * factor;
    }
  });
}

// ---- correlation, gain and offset ----

std::unique_ptr<const Kernel> BuildCorrelation(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const Operand pattern = NativeTensor(builder, "template");
  const Shape window = {1, 1, builder.Int("TemplateHeight"), builder.Int("TemplateWidth")};
  if (!builder.ok()) return nullptr;
  const Shape in = x.type.shape;
  if (in[0] * in[1] != 1 || window[2] < 1 || window[3] < 1 || window[2] > in[2] ||
      window[3] > in[3] || pattern.type.shape != Shape{1, 1, 1, window[2] * window[3]}) {
    builder.Reject(Stage::kValidator,
                   fmt::format("template {} on {}", window.ToString(), in.ToString()));
    return nullptr;
  }
  const Shape result = {1, 1, in[2] - window[2] + 1, in[3] - window[3] + 1};
  const NumericModel model = builder.model();
  return BuildNative(builder, {x, pattern}, result, [=](const auto& inputs, float* out) {
    const int64_t taps = window.Elements();
    std::vector<float> kernel(inputs[1], inputs[1] + taps);
    std::vector<float> patch(static_cast<size_t>(taps));
    PrepareMacOperand(model, kernel.data(), taps);
    for (int64_t i = 0; i < result[2]; ++i) {
      for (int64_t j = 0; j < result[3]; ++j) {
        for (int64_t k = 0; k < taps; ++k) {
          const int64_t row = i + k / window[3];
          patch[static_cast<size_t>(k)] = inputs[0][row * in[3] + j + k % window[3]];
        }
        PrepareMacOperand(model, patch.data(), taps);
        *out++ = MacResult(model, patch.data(), kernel.data(), 1, taps, true);
      }
    }
  });
}

std::unique_ptr<const Kernel> BuildGainOffset(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand scale = builder.Tensor("scale");
  const Operand bias = builder.Tensor("bias");
  if (!builder.ok()) return nullptr;
  const Shape shape = x.type.shape;
  if (x.type.element != Element::kFp16 || shape.rank() < 2 ||
      scale.type != TensorType{Element::kFp16, {shape[1]}} || scale.type != bias.type) {
    builder.Reject(Stage::kValidator, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  const int64_t plane = shape.Product(2, shape.rank());
  return BuildNative(builder, {x, scale, bias}, shape, [=](const auto& inputs, float* out) {
    for (int64_t i = 0; i < shape.Elements(); ++i) {
      const int64_t channel = i / plane % shape[1];
      out[i] = inputs[0][i] * inputs[1][channel] + inputs[2][channel];
    }
  });
}

// A product and a sum by channel. The scale and the bias are runtime operands.
std::unique_ptr<const Kernel> BuildDynamicGain(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const auto scale = builder.OptionalTensor("scale");
  const Operand bias = NativeTensor(builder, "bias");
  if (!builder.ok()) return nullptr;
  const Shape shape = x.type.shape;
  const TensorType row = {Element::kFp16, {1, shape[1], 1, 1}};
  if (bias.type != row || (scale && scale->type != row)) {
    builder.Reject(Stage::kValidator, fmt::format("bias is {}", bias.type.ToString()));
    return nullptr;
  }
  const int64_t plane = shape.Product(2, 4);
  const auto run = [=](const auto& inputs, float* out) {
    constexpr bool kScaled = std::tuple_size_v<std::decay_t<decltype(inputs)>> == 3;
    for (int64_t i = 0; i < shape.Elements(); ++i) {
      const int64_t channel = i / plane % shape[1];
      float product = inputs[0][i];
      if constexpr (kScaled) product *= inputs[1][channel];
      out[i] = product + inputs[kScaled ? 2 : 1][channel];
    }
  };
  if (!scale) return BuildNative(builder, {x, bias}, shape, run);
  return BuildNative(builder, {x, *scale, bias}, shape, run);
}

// ---- copies ----

// Code generation refuses the layer on A13 (facts/known_defects.csv, D18). On every host, code
// generation refuses widths and sizes other than those below (facts/more/defects_plus.csv).
std::unique_ptr<const Kernel> BuildDynamicSlice(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const int64_t start = builder.Int("start");
  const int64_t size = builder.Int("SliceSize");
  if (!builder.ok()) return nullptr;
  if (builder.target().family < kFamilyA13 || builder.QuirkOn("D18")) {
    builder.RejectOnEngine(Stage::kCodegen, "Cannot generate code for this layer");
  }
  if (x.type.shape != Shape{1, 1, 1, 4} || size != 2 || start < 0 || start > 2) {
    builder.Reject(Stage::kCodegen,
                   fmt::format("{} from {} of {}", size, start, x.type.ToString()));
    return nullptr;
  }
  return BuildNative(builder, {x}, Shape{1, 1, 1, 2}, [=](const auto& inputs, float* out) {
    std::copy_n(inputs[0] + start, 2, out);
  });
}

std::unique_ptr<const Kernel> BuildDropout(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const double rate = builder.Float("Rate");
  if (!builder.ok()) return nullptr;
  // The message comes from facts/netlist_layers.csv.
  if (builder.target().family < kFamilyA15) {
    builder.RejectOnEngine(Stage::kHal, "Dropout layer is not supported on this architecture.");
  }
  if (rate != 0 || x.type.element != Element::kFp16) {
    builder.Reject(Stage::kValidator,
                   fmt::format("a rate of {} on {} is not supported", rate, x.type.ToString()));
    return nullptr;
  }
  const int64_t count = x.type.shape.Elements();
  return BuildNative(builder, {x}, x.type.shape, [count](const auto& inputs, float* out) {
    std::copy_n(inputs[0], count, out);
  });
}

// ---- geometry ----

std::unique_ptr<const Kernel> BuildCrossProduct(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const Operand y = NativeTensor(builder, "y");
  if (!builder.ok()) return nullptr;
  const Shape shape = x.type.shape;
  if (x.type != y.type || shape[1] != 3 || shape[2] != 1) {
    builder.Reject(Stage::kValidator, fmt::format("x is {}", x.type.ToString()));
    return nullptr;
  }
  const int64_t width = shape[3];
  return BuildNative(builder, {x, y}, shape, [=](const auto& inputs, float* out) {
    for (int64_t i = 0; i < shape.Elements(); ++i) {
      const int64_t first = i / (3 * width) * 3 * width + i % width;
      const int64_t c = i / width % 3;
      const int64_t p = first + (c + 1) % 3 * width;
      const int64_t q = first + (c + 2) % 3 * width;
      out[i] = inputs[0][p] * inputs[1][q] - inputs[0][q] * inputs[1][p];
    }
  });
}

std::unique_ptr<const Kernel> BuildCostVolume(OpBuilder& builder) {
  const Operand x = NativeTensor(builder, "x");
  const Operand y = NativeTensor(builder, "y");
  const int64_t direction = builder.Int("disparity_direction");
  const int64_t range = builder.Int("disparity_range");
  if (!builder.ok()) return nullptr;
  const int64_t width = x.type.shape[3];
  if (direction != 0 || range < 1 || x.type.shape.Product(0, 3) != 1 ||
      y.type.shape.Product(0, 3) != 1 || y.type.shape[3] < width + range) {
    builder.Reject(Stage::kValidator,
                   fmt::format("a range of {} on {} is not supported", range, x.type.ToString()));
    return nullptr;
  }
  return BuildNative(builder, {x, y}, Shape{1, range + 1, 1, width},
                     [=](const auto& inputs, float* out) {
                       for (int64_t d = 0; d <= range; ++d) {
                         for (int64_t i = 0; i < width; ++i) {
                           *out++ = std::fabs(inputs[0][i] - inputs[1][i + d]);
                         }
                       }
                     });
}

std::unique_ptr<const Kernel> BuildSampling(OpBuilder& builder) {
  const Operand points = NativeTensor(builder, "points");
  const int64_t picked = builder.Int("CentroidCount");
  if (!builder.ok()) return nullptr;
  const Shape shape = points.type.shape;
  const int64_t count = shape[3];
  if (shape.Product(0, 3) != 3 || shape[1] != 3 || picked < 2 || picked > count || picked > 1024 ||
      count > 8192) {
    builder.Reject(Stage::kValidator, fmt::format("{} of {}", picked, points.type.ToString()));
    return nullptr;
  }
  return BuildNative(builder, {points}, Shape{1, 3, 1, picked},
                     [=](const auto& inputs, float* out) {
                       const float* at = inputs[0];
                       std::vector<float> nearest(static_cast<size_t>(count),
                                                  std::numeric_limits<float>::infinity());
                       int64_t last = 0;
                       for (int64_t k = 0; k < picked; ++k) {
                         for (int64_t c = 0; c < 3; ++c) {
                           out[c * picked + k] = at[c * count + last];
                         }
                         int64_t best = 0;
                         for (int64_t i = 0; i < count; ++i) {
                           float square = 0;
                           for (int64_t c = 0; c < 3; ++c) {
                             const float d = at[c * count + i] - at[c * count + last];
                             square += d * d;
                           }
                           float& own = nearest[static_cast<size_t>(i)];
                           own = std::min(own, square);
                           if (own > nearest[static_cast<size_t>(best)]) best = i;
                         }
                         last = best;
                       }
                     });
}

// The documentation of the public bridge says that a cell has its flag in the low byte.
std::unique_ptr<const Kernel> BuildRadiusSearch(OpBuilder& builder) {
  const Operand centroids = NativeTensor(builder, "centroids");
  const Operand points = NativeTensor(builder, "points");
  const float radius = HalfAttribute(builder, "Radius");
  if (!builder.ok()) return nullptr;
  const Shape a = centroids.type.shape;
  const Shape b = points.type.shape;
  if (a.Product(0, 3) != 3 || a[1] != 3 || b.Product(0, 3) != 3 || b[1] != 3 || !(radius > 0)) {
    builder.Reject(Stage::kValidator,
                   fmt::format("{} and {}", centroids.type.ToString(), points.type.ToString()));
    return nullptr;
  }
  const int64_t columns = a[3];
  const int64_t rows = b[3];
  return BuildNative(builder, {centroids, points}, Shape{1, 1, rows, columns},
                     [=](const auto& inputs, float* out) {
                       constexpr float kFlag = 0x1p-24F;  // the bits 0x0001
                       for (int64_t i = 0; i < rows; ++i) {
                         for (int64_t j = 0; j < columns; ++j) {
                           float square = 0;
                           for (int64_t c = 0; c < 3; ++c) {
                             const float d = inputs[1][c * rows + i] - inputs[0][c * columns + j];
                             square += d * d;
                           }
                           *out++ = std::sqrt(square) <= radius ? kFlag : 0;
                         }
                       }
                     });
}

constexpr OpRow kRows[] = {
    {"SDPA", BuildSdpa, true, Pass::kCut},    {"MinMaxNorm", BuildMinMaxNorm, true},
    {"ScaledElementWise", BuildScaled, true}, {"CrossCorrelation", BuildCorrelation, true},
    {"pe_goc", BuildGainOffset, true},        {"cross_product", BuildCrossProduct, true},
    {"cost_volume", BuildCostVolume, true},   {"FurthestPointSampling", BuildSampling, true},
    {"DynamicGOC", BuildDynamicGain, true},   {"DynamicSlice", BuildDynamicSlice, true},
    {"Dropout", BuildDropout, true},          {"RadiusSearch", BuildRadiusSearch, true},
};

}  // namespace

std::span<const OpRow> NativeRows() { return kRows; }

}  // namespace anecheck::device
