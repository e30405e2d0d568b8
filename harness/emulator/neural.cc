// Tasks of the neural engines. Source: execution.md, "One task", 2.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/emulator/engines.h"

namespace anecheck::emulator {
namespace {

constexpr uint64_t kColumns = 512;  // output positions that the family's products take at once

// The sums of one group: result[o][p] over output channels and positions.
class Products {
 public:
  Products(const Task& task, const Coefficients& coefficients)
      : task_(task), neural_(task.neural), coefficients_(coefficients) {}

  // In fp64, four output channels at a time. Rows of the padded input are read along the width.
  void Exact(const float* input, uint64_t group, std::vector<double>& sums) {
    Pad(input);
    const uint64_t outputs = task_.output.channels;
    const uint64_t positions = Positions();
    sums.assign(outputs * positions, 0.0);
    for (uint64_t first = 0; first < outputs; first += kBlock) {
      const uint64_t count = neural_.unicast ? 1 : std::min(kBlock, outputs - first);
      ExactBlock(group, first, count, sums.data() + first * positions);
      if (neural_.unicast) first -= kBlock - 1;
    }
  }

  // As the family's multiply-accumulate array: columns of taps, tiles of lanes, the port's
  // rounding.
  void Family(const device::NumericModel& model, const float* input, bool finite, uint64_t group,
              const std::vector<float>& weights, std::vector<double>& sums) {
    Pad(input);
    const uint64_t outputs = task_.output.channels;
    const uint64_t positions = Positions();
    sums.resize(outputs * positions);
    const uint64_t rows = neural_.unicast ? 1 : outputs;
    for (uint64_t first = 0; first < positions; first += kColumns) {
      const uint64_t count = std::min(kColumns, positions - first);
      for (uint64_t output = 0; output < outputs; output += rows) {
        Columns(output, first, count);
        products_.resize(rows * count);
        const float* left = weights.data() + (group * outputs + output) * coefficients_.taps;
        device::MultiplyAccumulate(
            model, left, columns_.data(),
            {static_cast<int64_t>(rows), static_cast<int64_t>(coefficients_.taps),
             static_cast<int64_t>(count)},
            finite, true, products_.data());
        for (uint64_t row = 0; row < rows; ++row) {
          std::copy_n(products_.data() + row * count, count,
                      sums.data() + (output + row) * positions + first);
        }
      }
    }
  }

 private:
  static constexpr uint64_t kBlock = 4;

  uint64_t Positions() const { return uint64_t{task_.output.height} * task_.output.width; }

  // Copies a group's input into rows and columns as wide as the taps reach. A window of one tap is
  // one row.
  void Pad(const float* input) {
    const Extents& in = task_.input;
    const Extents& out = task_.output;
    flat_ = neural_.kernel_width == 1 && neural_.kernel_height == 1 && neural_.stride_x == 1 &&
            neural_.stride_y == 1 && neural_.pad_left == 0 && neural_.pad_top == 0 &&
            in.height == out.height && in.width == out.width;
    width_ = flat_ ? uint64_t{in.height} * in.width
                   : uint64_t{out.width - 1} * neural_.stride_x + neural_.kernel_width;
    height_ = flat_ ? 1 : uint64_t{out.height - 1} * neural_.stride_y + neural_.kernel_height;
    padded_.assign(uint64_t{in.channels} * height_ * width_, 0.0);
    if (flat_) {
      std::copy_n(input, padded_.size(), padded_.begin());
      return;
    }
    for (uint64_t c = 0; c < in.channels; ++c) {
      for (uint64_t y = 0; y < in.height && y + neural_.pad_top < height_; ++y) {
        const float* from = input + (c * in.height + y) * in.width;
        double* to = padded_.data() + (c * height_ + y + neural_.pad_top) * width_;
        if (neural_.pad_left >= width_) continue;
        std::copy_n(from, std::min<uint64_t>(in.width, width_ - neural_.pad_left),
                    to + neural_.pad_left);
      }
    }
  }

  // The padded row that tap (c, ky) of output row y reads.
  const double* RowOf(uint64_t channel, uint64_t ky, uint64_t y) const {
    return padded_.data() + (channel * height_ + y * neural_.stride_y + ky) * width_;
  }
  uint64_t Rows() const { return flat_ ? 1 : task_.output.height; }
  uint64_t RowWidth() const { return flat_ ? width_ : task_.output.width; }

  void ExactBlock(uint64_t group, uint64_t first, uint64_t count, double* sums) {
    const uint64_t taps = coefficients_.taps;
    const uint64_t channels = neural_.ChannelsPerOutput(task_.input.channels);
    const uint64_t base = neural_.unicast ? first * channels : 0;
    const float* weights =
        coefficients_.weights.data() + (group * task_.output.channels + first) * taps;
    const uint64_t width = RowWidth();
    for (uint64_t y = 0; y < Rows(); ++y) {
      uint64_t tap = 0;
      for (uint64_t c = 0; c < channels; ++c) {
        for (uint64_t ky = 0; ky < neural_.kernel_height; ++ky) {
          const double* row = RowOf(base + c, ky, y);
          for (uint64_t kx = 0; kx < neural_.kernel_width; ++kx, ++tap) {
            AddRow(row + kx, weights + tap, count, width, sums + y * width);
          }
        }
      }
    }
  }

  // sums[k][x] += weight of channel k * row[x * stride].
  void AddRow(const double* row, const float* weight, uint64_t count, uint64_t width,
              double* sums) const {
    const uint64_t taps = coefficients_.taps;
    const uint64_t apart = Positions();
    if (count == kBlock && neural_.stride_x == 1) {
      const double w0 = weight[0];
      const double w1 = weight[taps];
      const double w2 = weight[2 * taps];
      const double w3 = weight[3 * taps];
      double* __restrict s0 = sums;
      double* __restrict s1 = sums + apart;
      double* __restrict s2 = sums + 2 * apart;
      double* __restrict s3 = sums + 3 * apart;
      for (uint64_t x = 0; x < width; ++x) {
        const double value = row[x];
        s0[x] += w0 * value;
        s1[x] += w1 * value;
        s2[x] += w2 * value;
        s3[x] += w3 * value;
      }
      return;
    }
    for (uint64_t k = 0; k < count; ++k) {
      const double w = weight[k * taps];
      for (uint64_t x = 0; x < width; ++x) sums[k * apart + x] += w * row[x * neural_.stride_x];
    }
  }

  // columns_[tap][p]: what tap `tap` of output position first + p reads.
  void Columns(uint64_t output, uint64_t first, uint64_t count) {
    const uint64_t channels = neural_.ChannelsPerOutput(task_.input.channels);
    const uint64_t base = neural_.unicast ? output * channels : 0;
    const uint64_t width = RowWidth();
    columns_.resize(coefficients_.taps * count);
    float* to = columns_.data();
    for (uint64_t c = 0; c < channels; ++c) {
      for (uint64_t ky = 0; ky < neural_.kernel_height; ++ky) {
        for (uint64_t kx = 0; kx < neural_.kernel_width; ++kx) {
          for (uint64_t p = first; p < first + count; ++p) {
            const double* row = RowOf(base + c, ky, p / width);
            *to++ = static_cast<float>(row[p % width * neural_.stride_x + kx]);
          }
        }
      }
    }
  }

  const Task& task_;
  const NeuralTask& neural_;
  const Coefficients& coefficients_;
  bool flat_ = false;
  uint64_t width_ = 0;
  uint64_t height_ = 0;
  std::vector<double> padded_;
  std::vector<float> columns_;
  std::vector<float> products_;
};

// Sums, products or maxima of an output channel's own input channels, or a copy of them.
void Combine(const Task& task, const float* input, std::vector<double>& sums) {
  const uint64_t positions = uint64_t{task.input.height} * task.input.width;
  const uint64_t each = task.neural.unicast_channels;
  sums.resize(task.output.channels * positions);
  for (uint64_t o = 0; o < task.output.channels; ++o) {
    const float* from = input + o * each * positions;
    double* to = sums.data() + o * positions;
    std::copy_n(from, positions, to);
    for (uint64_t c = 1; c < each; ++c) {
      for (uint64_t p = 0; p < positions; ++p) {
        const double value = from[c * positions + p];
        switch (task.neural.operation) {
          case NeuralOperation::kMultiply:
            to[p] += value;
            break;
          case NeuralOperation::kProduct:
            to[p] *= value;
            break;
          case NeuralOperation::kMaximum:
            to[p] = std::isnan(value) || value > to[p] ? value : to[p];
            break;
          case NeuralOperation::kCopy:
            break;
        }
      }
    }
  }
}

// value -> + bias row -> + accumulator bias -> * scale -> activation -> fp16.
class Finish {
 public:
  Finish(const Task& task, const Coefficients& coefficients, const Arithmetic& arithmetic)
      : neural_(task.neural), coefficients_(coefficients), model_(arithmetic.model) {}

  uint16_t operator()(double value, uint64_t channel) const {
    if (!coefficients_.bias.empty()) {
      value = Step(value + static_cast<double>(coefficients_.bias[channel]));
    }
    if (neural_.accumulator_bias != 0) value = Step(value + neural_.accumulator_bias);
    if (neural_.post_scale != 1) value = Step(value * neural_.post_scale);
    if (neural_.nonlinear == Nonlinear::kRelu && value < 0) value = 0;
    if (neural_.nonlinear == Nonlinear::kTable) {
      // A table takes an fp16 number in every arithmetic (numerics_laws.md, L10).
      value = HalfToDouble(Store(value));
      if (model_ != nullptr && model_->nan_is_infinity && std::isnan(value)) {
        value = std::numeric_limits<double>::infinity();
      }
      value = coefficients_.table->Evaluate(value);
    }
    return Store(value).bits;
  }

 private:
  Half Store(double value) const {
    return DoubleToHalf(value, model_ == nullptr ? Rounding::kNearestEven : model_->store_rounding);
  }
  // The family scales and biases in fp16 (numerics.md, "Order of one MAC pass").
  double Step(double value) const { return model_ == nullptr ? value : HalfToDouble(Store(value)); }

  const NeuralTask& neural_;
  const Coefficients& coefficients_;
  const device::NumericModel* model_;
};

Status CheckSteps(const Task& task, const Coefficients& coefficients, uint64_t limit) {
  const uint64_t outputs = task.output.Count();
  const uint64_t each = std::max<uint64_t>(1, coefficients.taps);
  const uint64_t reach =
      uint64_t{task.input.channels} *
      (uint64_t{task.output.height} * task.neural.stride_y + task.neural.kernel_height) *
      (uint64_t{task.output.width} * task.neural.stride_x + task.neural.kernel_width);
  if (outputs * each <= limit && outputs <= limit && reach <= limit) return {};
  return MakeError(ErrorCode::kLimit,
                   fmt::format("task {}: {} results of {} products each; at most {} steps are"
                               " emulated",
                               task.index, outputs, each, limit),
                   task.offset);
}

}  // namespace

Result<std::vector<uint16_t>> RunNeural(const Task& task, const Coefficients& coefficients,
                                        std::vector<float> input, const Arithmetic& arithmetic) {
  ANECHECK_RETURN_IF_ERROR(CheckSteps(task, coefficients, arithmetic.max_steps));
  const device::NumericModel* model = arithmetic.model;
  bool finite = true;
  std::vector<float> weights;
  if (model != nullptr && task.neural.operation != NeuralOperation::kCopy &&
      task.neural.operation != NeuralOperation::kMaximum) {
    finite = device::PrepareMacOperand(*model, input.data(), static_cast<int64_t>(input.size()));
    weights = coefficients.weights;
    finite &=
        device::PrepareMacOperand(*model, weights.data(), static_cast<int64_t>(weights.size()));
  }
  const Extents& in = task.input;
  const uint64_t image = uint64_t{in.channels} * in.height * in.width;
  const uint64_t positions = uint64_t{task.output.height} * task.output.width;
  const Finish finish(task, coefficients, arithmetic);
  Products products(task, coefficients);
  std::vector<uint16_t> result(task.output.Count());
  std::vector<double> sums;
  auto to = result.begin();
  for (uint64_t group = 0; group < task.output.groups; ++group) {
    const float* from = input.data() + group * image;
    if (!task.neural.coefficients) {
      Combine(task, from, sums);
    } else if (model == nullptr) {
      products.Exact(from, group, sums);
    } else {
      products.Family(*model, from, finite, group, weights, sums);
    }
    for (uint64_t o = 0; o < task.output.channels; ++o) {
      const uint64_t channel = group * task.output.channels + o;
      for (uint64_t p = 0; p < positions; ++p) *to++ = finish(sums[o * positions + p], channel);
    }
  }
  return result;
}

}  // namespace anecheck::emulator
