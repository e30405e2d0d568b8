// Einsum, "a chain of matmul and transpose", and attention, which "runs on the matmul and softmax
// path" (facts/more/op_notes.csv). Both are matrix products of the array, and each pass stores its
// results in the element type.
#include "harness/device/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/device/ops/broadcast.h"
#include "harness/device/ops/softmax.h"

namespace anecheck::device {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// ---- einsum: x[n, c, h, w] and y[n, w, h, u] to [n, c, h, u]; rank 3 has no n ----

struct EinsumShape {
  Element element = Element::kFp16;
  int64_t batches = 1, rows = 1, heads = 1, inner = 1, columns = 1;
  // Factors of the indices along an axis: 0 if the operand repeats along the axis, else 1.
  int64_t x_batch = 1, x_head = 1, y_batch = 1, y_head = 1;
  int64_t x_heads = 1, y_heads = 1;
};

class EinsumKernel : public Kernel {
 public:
  EinsumKernel(const EinsumShape& shape, const NumericModel& model)
      : shape_(shape), model_(model) {}

  void Run(const Invocation& call) const override {
    const EinsumShape& s = shape_;
    float* left = call.scratch.Floats(0, s.rows * s.inner);
    float* right = call.scratch.Floats(1, s.inner * s.columns);
    float* result = call.scratch.Floats(2, s.rows * s.columns);
    for (int64_t n = 0; n < s.batches; ++n) {
      const int64_t y_batch = model_.Has(Planted::kBatchReused) ? 0 : n * s.y_batch;
      for (int64_t h = 0; h < s.heads; ++h) {
        Rows(call.inputs[0], n * s.x_batch * s.rows, s.rows, s.x_heads, h * s.x_head, s.inner,
             left);
        Rows(call.inputs[1], y_batch * s.inner, s.inner, s.y_heads, h * s.y_head, s.columns, right);
        const bool left_finite =
            PrepareMacOperand(model_, left, s.rows * s.inner, s.element == Element::kFp16);
        const bool right_finite =
            PrepareMacOperand(model_, right, s.inner * s.columns, s.element == Element::kFp16);
        MultiplyAccumulate(model_, left, right, {s.rows, s.inner, s.columns},
                           left_finite && right_finite, s.element == Element::kFp16, result);
        for (int64_t c = 0; c < s.rows; ++c) {
          const int64_t at = ((n * s.rows + c) * s.heads + h) * s.columns;
          StoreFloats(s.element, result + c * s.columns, s.columns, model_,
                      static_cast<char*>(call.outputs[0]) + at * ElementSize(s.element));
        }
      }
    }
  }

 private:
  // Loads `count` rows of `width` elements of head `head`, from row `first` on. The rows of all
  // heads are interleaved.
  void Rows(const void* from, int64_t first, int64_t count, int64_t heads, int64_t head,
            int64_t width, float* to) const {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = ((first + i) * heads + head) * width;
      LoadFloats(shape_.element, static_cast<const char*>(from) + at * ElementSize(shape_.element),
                 1, width, to + i * width);
    }
  }

  EinsumShape shape_;
  NumericModel model_;
};

// Returns the equation with its letters renamed to a, b, ... in order of appearance.
std::string Renamed(std::string_view equation) {
  std::string letters;
  std::string renamed;
  for (const char c : equation) {
    if (c == ' ') continue;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && letters.find(c) == std::string::npos) letters += c;
    renamed += letter ? static_cast<char>('a' + letters.find(c)) : c;
  }
  return renamed;
}

// ---- attention ----------------------------------------------------------------------------------

enum class Mask : uint8_t { kNone, kAdded, kChosen };

struct AttentionShape {
  Element element = Element::kFp16;
  int64_t batches = 1, rows = 1, keys = 1, embedding = 1, columns = 1;
  Mask mask = Mask::kNone;
  Element mask_element = Element::kFp16;
  std::vector<int64_t> mask_from;  // for each score, the index of its element in the mask
};

class AttentionKernel : public Kernel {
 public:
  AttentionKernel(AttentionShape shape, const NumericModel& model)
      : shape_(std::move(shape)), model_(model) {
    scale_ = 1 / std::sqrt(static_cast<float>(shape_.embedding));
    if (half()) scale_ = RoundToHalf(scale_, Rounding::kNearestEven);
  }

  void Run(const Invocation& call) const override {
    const AttentionShape& s = shape_;
    for (int64_t batch = 0; batch < s.batches; ++batch) {
      float* scores = Scores(call, batch);
      for (int64_t row = 0; row < s.rows; ++row) {
        float* line = scores + row * s.keys;
        SoftmaxLane(model_, s.element, line, s.keys);
        for (int64_t k = 0; k < s.keys; ++k) line[k] = Stored(line[k]);
      }
      const bool weights_finite = PrepareMacOperand(model_, scores, s.rows * s.keys, half());
      bool finite = true;
      const float* value = Load(call, 2, batch, s.keys * s.columns, finite);
      float* result = call.scratch.Floats(2, s.rows * s.columns);
      MultiplyAccumulate(model_, scores, value, {s.rows, s.keys, s.columns},
                         finite && weights_finite, half(), result);
      StoreFloats(s.element, result, s.rows * s.columns, model_,
                  static_cast<char*>(call.outputs[0]) +
                      batch * s.rows * s.columns * ElementSize(s.element));
    }
  }

 private:
  bool half() const { return shape_.element == Element::kFp16; }
  // Returns the value that a pass stores for the next pass.
  float Stored(float value) const {
    if (std::isnan(value) && model_.invalid_is_zero) return 0;
    return half() ? RoundToHalf(value, model_.store_rounding) : value;
  }

  // Loads an operand into the scratch slot of its index; the value (input 2) uses slot 1, too.
  float* Load(const Invocation& call, size_t input, int64_t batch, int64_t count,
              bool& finite) const {
    float* loaded = call.scratch.Floats(static_cast<int>(input == 2 ? 1 : input), 2 * count);
    LoadFloats(
        shape_.element,
        static_cast<const char*>(call.inputs[input]) + batch * count * ElementSize(shape_.element),
        1, count, loaded);
    finite &= PrepareMacOperand(model_, loaded, count, half());
    return loaded;
  }

  // Returns the matrix of scores, rows by keys. The scores are computed in three steps: the
  // products, the scale and the mask. Each step stores its results.
  float* Scores(const Invocation& call, int64_t batch) const {
    const AttentionShape& s = shape_;
    bool finite = true;
    const float* query = Load(call, 0, batch, s.rows * s.embedding, finite);
    float* key = Load(call, 1, batch, s.keys * s.embedding, finite);
    float* turned = key + s.keys * s.embedding;
    for (int64_t k = 0; k < s.keys; ++k) {
      for (int64_t e = 0; e < s.embedding; ++e) turned[e * s.keys + k] = key[k * s.embedding + e];
    }
    const int64_t count = s.rows * s.keys;
    float* scores = call.scratch.Floats(3, count);
    MultiplyAccumulate(model_, query, turned, {s.rows, s.embedding, s.keys}, finite, half(),
                       scores);
    for (int64_t i = 0; i < count; ++i) {
      scores[i] = Stored(scores[i] * scale_);
      if (s.mask != Mask::kNone) scores[i] = Masked(call, scores[i], batch * count + i);
    }
    return scores;
  }

  float Masked(const Invocation& call, float score, int64_t at) const {
    const auto mask = static_cast<float>(
        LoadNumber(shape_.mask_element, call.inputs[3], shape_.mask_from[static_cast<size_t>(at)]));
    if (shape_.mask == Mask::kChosen) return mask != 0 ? score : -kInfinity;
    return Stored(score + (std::isnan(mask) && model_.nan_is_infinity ? kInfinity : mask));
  }

  AttentionShape shape_;
  NumericModel model_;
  float scale_ = 1;
};

bool ReadMask(OpBuilder& builder, const TensorType& query, AttentionShape& shape) {
  const auto mask = builder.OptionalTensor("attn_mask");
  if (!mask) return builder.ok();
  Shape scores = query.shape;
  scores[scores.rank() - 1] = shape.keys;
  const auto plan = BroadcastPlan::Make(scores, mask->type.shape);
  const bool chosen = mask->type.element == Element::kBool;
  if (!plan || plan->shape != scores || (!chosen && mask->type.element != query.element)) {
    builder.Reject(Stage::kFrontend, fmt::format("attn_mask {} does not fit scores {}",
                                                 mask->type.ToString(), scores.ToString()));
    return false;
  }
  shape.mask = chosen ? Mask::kChosen : Mask::kAdded;
  shape.mask_element = mask->type.element;
  shape.mask_from.resize(static_cast<size_t>(scores.Elements()));
  plan->ForEach([&](int64_t out, int64_t, int64_t from) {
    shape.mask_from[static_cast<size_t>(out)] = from;
  });
  return true;
}

}  // namespace

std::unique_ptr<const Kernel> BuildEinsum(OpBuilder& builder) {
  const std::vector<Operand> values = builder.Tensors("values");
  const std::string equation = Renamed(builder.String("equation"));
  if (!builder.ok()) return nullptr;
  const int rank = values.empty() ? 0 : values[0].type.shape.rank();
  const bool known =
      (rank == 4 && equation == "abcd,adce->abce") || (rank == 3 && equation == "abc,cbd->abd");
  if (values.size() != 2 || !known || values[1].type.shape.rank() != rank ||
      values[0].type.element != values[1].type.element || !IsFloat(values[0].type.element)) {
    builder.Reject(Stage::kFrontend,
                   "takes two values, and only \"nchw,nwhu->nchu\" or \"chw,whr->chr\"");
    return nullptr;
  }
  const Shape& x = values[0].type.shape;
  const Shape& y = values[1].type.shape;
  EinsumShape shape{.element = values[0].type.element,
                    .batches = rank == 4 ? std::max(x[0], y[0]) : 1,
                    .rows = x[rank - 3],
                    .heads = std::max(x[rank - 2], y[rank - 2]),
                    .inner = x[rank - 1],
                    .columns = y[rank - 1],
                    .x_heads = x[rank - 2],
                    .y_heads = y[rank - 2]};
  const auto step = [](int64_t own, int64_t all) { return own == all ? int64_t{1} : int64_t{0}; };
  shape.x_head = step(shape.x_heads, shape.heads);
  shape.y_head = step(shape.y_heads, shape.heads);
  if (rank == 4) {
    shape.x_batch = step(x[0], shape.batches);
    shape.y_batch = step(y[0], shape.batches);
  }
  const auto repeats = [](int64_t own, int64_t all) { return own == all || own == 1; };
  const bool fits = repeats(shape.x_heads, shape.heads) && repeats(shape.y_heads, shape.heads) &&
                    (rank == 3 || (repeats(x[0], shape.batches) && repeats(y[0], shape.batches)));
  if (!fits || y[rank - 3] != shape.inner) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("values {} and {} do not fit", values[0].type.ToString(),
                               values[1].type.ToString()));
    return nullptr;
  }
  Shape result = x;
  if (rank == 4) result[0] = shape.batches;
  result[rank - 2] = shape.heads;
  result[rank - 1] = shape.columns;
  builder.Output({shape.element, result});
  return std::make_unique<EinsumKernel>(shape, builder.model());
}

std::unique_ptr<const Kernel> BuildAttention(OpBuilder& builder) {
  const Operand query = builder.Tensor("query");
  const Operand key = builder.Tensor("key");
  const Operand value = builder.Tensor("value");
  if (!builder.ok()) return nullptr;
  const Shape& q = query.type.shape;
  const Shape& k = key.type.shape;
  const Shape& v = value.type.shape;
  const int rank = q.rank();
  bool fits = rank >= 3 && k.rank() == rank && v.rank() == rank && IsFloat(query.type.element) &&
              key.type.element == query.type.element && value.type.element == query.type.element;
  for (int axis = 0; fits && axis < rank - 2; ++axis)
    fits = q[axis] == k[axis] && q[axis] == v[axis];
  if (!fits || q[rank - 1] != k[rank - 1] || k[rank - 2] != v[rank - 2]) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("query {}, key {} and value {} do not fit", query.type.ToString(),
                               key.type.ToString(), value.type.ToString()));
    return nullptr;
  }
  AttentionShape shape{.element = query.type.element,
                       .batches = q.Product(0, rank - 2),
                       .rows = q[rank - 2],
                       .keys = k[rank - 2],
                       .embedding = q[rank - 1],
                       .columns = v[rank - 1],
                       .mask_from = {}};
  if (!ReadMask(builder, query.type, shape)) return nullptr;
  Shape result = q;
  result[rank - 1] = shape.columns;
  builder.Output({shape.element, result});
  return std::make_unique<AttentionKernel>(std::move(shape), builder.model());
}

}  // namespace anecheck::device
