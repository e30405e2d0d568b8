#include "harness/device/ops/linear.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "harness/device/half_block.h"
#include "harness/device/measured_limits.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/device/ops/broadcast.h"

namespace anecheck::device {
namespace {

float AddBiasValue(const NumericModel& model, Element element, float result, float bias) {
  float sum = result + bias;
  if (std::isnan(sum) && model.invalid_is_zero) sum = 0;
  return element == Element::kFp16 ? RoundToHalf(sum, model.store_rounding) : sum;
}

class LinearKernel : public Kernel {
 public:
  LinearKernel(Element element, MacShape shape, NumericModel model, std::vector<float> weight,
               bool weight_finite, Bias bias)
      : element_(element),
        shape_(shape),
        model_(model),
        weight_(std::move(weight)),
        weight_finite_(weight_finite),
        bias_(std::move(bias)) {}

  void Run(const Invocation& call) const override {
    const int64_t count = shape_.rows * shape_.inner;
    float* input = call.scratch.Floats(0, count);
    LoadFloats(element_, call.inputs[0], 1, count, input);
    const bool finite = PrepareMacOperand(model_, input, count, half()) && weight_finite_;
    float* result = call.scratch.Floats(1, shape_.rows * shape_.columns);
    const std::vector<float> starts =
        half() ? bias_.Starts(model_, 0, shape_.columns) : std::vector<float>();
    MultiplyAccumulate(model_, input, weight_.data(), shape_, finite, element_ == Element::kFp16,
                       result, {nullptr, starts.empty() ? nullptr : starts.data()});
    for (int64_t row = 0; row < shape_.rows && starts.empty(); ++row) {
      bias_.AddRow(model_, element_, result + row * shape_.columns);
    }
    StoreFloats(element_, result, shape_.rows * shape_.columns, model_, call.outputs[0]);
  }

 private:
  bool half() const { return element_ == Element::kFp16; }

  Element element_;
  MacShape shape_;
  NumericModel model_;
  std::vector<float> weight_;  // a matrix of inner rows and columns
  bool weight_finite_;
  Bias bias_;
};

// Copies a matrix of rows by columns. `from` has the given strides; `to` is dense.
void CopyMatrix(const float* from, int64_t rows, int64_t columns, int64_t row_stride,
                int64_t column_stride, float* to) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      to[r * columns + c] = from[r * row_stride + c * column_stride];
    }
  }
}

struct MatmulShape {
  Element element = Element::kFp16;
  MacShape mac;
  bool transpose_x = false;
  bool transpose_y = false;
  BroadcastPlan batch;  // for the leading axes; its elements are whole matrices
};

class MatmulKernel : public Kernel {
 public:
  MatmulKernel(const MatmulShape& shape, NumericModel model) : shape_(shape), model_(model) {}

  void Run(const Invocation& call) const override {
    shape_.batch.ForEach([&](int64_t out, int64_t x, int64_t y) { RunMatrix(call, out, x, y); });
  }

 private:
  const float* LoadMatrix(const Invocation& call, size_t input, int64_t index, int64_t rows,
                          int64_t columns, bool transposed, bool& finite) const {
    const int64_t count = rows * columns;
    const int slot = static_cast<int>(input);
    float* loaded = call.scratch.Floats(slot, 2 * count);
    const auto* from =
        static_cast<const char*>(call.inputs[input]) + index * count * ElementSize(shape_.element);
    LoadFloats(shape_.element, from, 1, count, loaded);
    finite &= PrepareMacOperand(model_, loaded, count, shape_.element == Element::kFp16);
    if (!transposed) return loaded;
    CopyMatrix(loaded, rows, columns, 1, rows, loaded + count);
    return loaded + count;
  }

  void RunMatrix(const Invocation& call, int64_t out, int64_t x, int64_t y) const {
    const MacShape& mac = shape_.mac;
    if (model_.Has(Planted::kBatchReused)) y = 0;
    bool finite = true;
    const float* left = LoadMatrix(call, 0, x, mac.rows, mac.inner, shape_.transpose_x, finite);
    const float* right = LoadMatrix(call, 1, y, mac.inner, mac.columns, shape_.transpose_y, finite);
    const int64_t count = mac.rows * mac.columns;
    float* result = call.scratch.Floats(2, count);
    MultiplyAccumulate(model_, left, right, mac, finite, shape_.element == Element::kFp16, result);
    StoreFloats(shape_.element, result, count, model_,
                static_cast<char*>(call.outputs[0]) + out * count * ElementSize(shape_.element));
  }

  MatmulShape shape_;
  NumericModel model_;
};

Shape Leading(const Shape& shape) {
  Shape leading;
  for (int axis = 0; axis + 2 < shape.rank(); ++axis) leading.Append(shape[axis]);
  return leading;
}

}  // namespace

float Bias::ValueOf(const NumericModel& model, int64_t channel) const {
  const auto last = static_cast<int64_t>(values.size()) - 1;
  if (model.Has(Planted::kBiasFirstChannelOnly) && channel > 0) return 0;
  if (model.Has(Planted::kBiasOffByOne))
    return values[static_cast<size_t>(std::min(channel + 1, last))];
  const float value = values[static_cast<size_t>(channel)];
  return model.Has(Planted::kBiasAddedTwice) ? 2 * value : value;
}

void Bias::AddChannel(const NumericModel& model, Element element, int64_t channel, int64_t count,
                      float* results) const {
  if (values.empty()) return;
  const float value = ValueOf(model, channel);
  if (element == Element::kFp16 && !model.HasAny() && !model.invalid_is_zero) {
    for (int64_t i = 0; i < count; ++i) results[i] += value;
    RoundToHalves(results, count, model.store_rounding);
    return;
  }
  for (int64_t i = 0; i < count; ++i) results[i] = AddBiasValue(model, element, results[i], value);
}

std::vector<float> Bias::Starts(const NumericModel& model, int64_t first, int64_t count) const {
  if (!HasFixedPointArray(model)) return {};
  std::vector<float> starts(static_cast<size_t>(count), 0.0f);
  for (int64_t i = 0; i < count && !values.empty(); ++i) {
    starts[static_cast<size_t>(i)] = ValueOf(model, first + i);
  }
  ReadAsNumbers(starts.data(), count);
  return starts;
}

void Bias::AddRow(const NumericModel& model, Element element, float* results) const {
  for (size_t c = 0; c < values.size(); ++c) {
    results[c] = AddBiasValue(model, element, results[c], ValueOf(model, static_cast<int64_t>(c)));
  }
}

Bias ReadBias(OpBuilder& builder, Element element, int64_t channels) {
  Bias bias;
  const auto operand = builder.OptionalTensor("bias");
  if (!operand || !builder.ok()) return bias;
  if (operand->constant == nullptr || operand->type != TensorType{element, {channels}}) {
    builder.Reject(Stage::kFrontend, fmt::format("bias is {}{}, must be a constant {}",
                                                 operand->constant == nullptr ? "computed " : "",
                                                 operand->type.ToString(),
                                                 TensorType{element, {channels}}.ToString()));
    return bias;
  }
  if (builder.model().Has(Planted::kBiasDropped)) return bias;
  bias.values = ConstantFloats(*operand->constant);
  if (builder.model().nan_is_infinity) {
    for (float& value : bias.values) value = std::isnan(value) ? INFINITY : value;
  }
  return bias;
}

std::unique_ptr<const Kernel> BuildLinear(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand weight = builder.Tensor("weight");
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  if (rank < 1 || weight.type.shape.rank() != 2 || weight.constant == nullptr ||
      weight.type.element != x.type.element || !IsFloat(x.type.element) ||
      weight.type.shape[1] != x.type.shape[rank - 1]) {
    builder.Reject(Stage::kFrontend, fmt::format("x {} and constant weight {} do not fit",
                                                 x.type.ToString(), weight.type.ToString()));
    return nullptr;
  }
  if (rank >= 5) {
    builder.RejectOnEngine(Stage::kValidator, "ANE cannot support Linear with input rank >= 5");
  }
  const int64_t inner = weight.type.shape[1];
  const int64_t columns = weight.type.shape[0];
  Bias bias = ReadBias(builder, x.type.element, columns);
  if (!builder.ok()) return nullptr;
  TensorType type = x.type;
  type.shape[rank - 1] = columns;
  builder.Output(type);
  const std::vector<float> given = ConstantFloats(*weight.constant);
  std::vector<float> packed(given.size());
  if (builder.model().Has(Planted::kWeightTransposed)) {
    packed = given;
  } else {
    CopyMatrix(given.data(), inner, columns, 1, inner, packed.data());
  }
  const bool finite =
      PrepareMacOperand(builder.model(), packed.data(), static_cast<int64_t>(packed.size()),
                        x.type.element == Element::kFp16);
  const MacShape shape{x.type.shape.Product(0, rank - 1), inner, columns};
  return std::make_unique<LinearKernel>(x.type.element, shape, builder.model(), std::move(packed),
                                        finite, std::move(bias));
}

// With D39, products of square matrices exceed the time limit from this side on.
constexpr int64_t kSlowSide = int64_t{1} << 14;

std::unique_ptr<const Kernel> BuildMatmul(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand y = builder.Tensor("y");
  MatmulShape shape;
  shape.transpose_x = builder.Bool("transpose_x", false);
  shape.transpose_y = builder.Bool("transpose_y", false);
  if (!builder.ok()) return nullptr;
  const bool x_vector = x.type.shape.rank() == 1;
  const bool y_vector = y.type.shape.rank() == 1;
  const Shape left = x_vector ? Shape{1, x.type.shape[0]} : x.type.shape;
  const Shape right = y_vector ? Shape{y.type.shape[0], 1} : y.type.shape;
  const int x_rank = left.rank();
  const int y_rank = right.rank();
  if (x_rank < 2 || y_rank < 2 || (x_vector && shape.transpose_x) ||
      x.type.element != y.type.element || !IsFloat(x.type.element)) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("x {} and y {} do not fit", x.type.ToString(), y.type.ToString()));
    return nullptr;
  }
  const bool refused = builder.QuirkOn("D31") || builder.QuirkOn("P12");
  if (std::max(x_rank, y_rank) >= 5 && refused) {
    builder.RejectOnEngine(Stage::kCodegen,
                           "Some ops are not supported on any of the specified backends");
  }
  shape.element = x.type.element;
  shape.transpose_y = shape.transpose_y && !y_vector;
  shape.mac.rows = left[shape.transpose_x ? x_rank - 1 : x_rank - 2];
  shape.mac.inner = left[shape.transpose_x ? x_rank - 2 : x_rank - 1];
  shape.mac.columns = right[shape.transpose_y ? y_rank - 2 : y_rank - 1];
  const int64_t y_inner = right[shape.transpose_y ? y_rank - 1 : y_rank - 2];
  if (y_inner != shape.mac.inner) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("inner extents {} and {} differ", shape.mac.inner, y_inner));
    return nullptr;
  }
  auto batch = BroadcastPlan::Make(Leading(left), Leading(right));
  if (!batch) {
    builder.Reject(Stage::kFrontend, "the leading axes of x and y do not broadcast");
    return nullptr;
  }
  Shape result = batch->shape;
  if (result.rank() + 2 > Shape::kMaxRank) {
    builder.Reject(Stage::kFrontend, "the result has too many axes");
    return nullptr;
  }
  if (shape.mac.inner > kMaxInnerExtent && HasMeasuredLimits(builder.target())) {
    builder.RejectOnEngine(Stage::kCodegen, fmt::format("an inner extent of {}", shape.mac.inner));
  }
  const int64_t shortest = std::min({shape.mac.rows, shape.mac.inner, shape.mac.columns});
  if (shape.element == Element::kFp16 && shortest >= kSlowSide && builder.QuirkOn("D39")) {
    builder.TimesOut();
  }
  // By MIL's definition, the axis that was added to turn a vector into a matrix is removed again.
  if (!x_vector) result.Append(shape.mac.rows);
  if (!y_vector) result.Append(shape.mac.columns);
  shape.batch = *batch;
  if (builder.model().Has(Planted::kWeightTransposed) && shape.mac.inner == shape.mac.columns) {
    shape.transpose_y = !shape.transpose_y;
  }
  builder.Output({shape.element, result});
  return std::make_unique<MatmulKernel>(shape, builder.model());
}

}  // namespace anecheck::device
