// Tasks of the neural engines. Source: execution.md, "One task", item 2.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/emulator/engines.h"

namespace anecheck::emulator {
namespace {

constexpr uint64_t kColumns =
    512;  // number of output positions of one product with a family's model

// Computes the sums of one group. result[o][p] is for output channel o and position p.
class Products {
 public:
  Products(const Task& task, const Coefficients& coefficients)
      : task_(task), neural_(task.neural), coefficients_(coefficients) {}

  // Sums in fp64, tap by tap, for one tile of output channels and columns after another.
  void Exact(const float* input, uint64_t group, std::vector<double>& sums) {
    Pad(input);
    PlaceTaps();
    const uint64_t outputs = task_.output.channels;
    sums.resize(outputs * Positions());
    const uint64_t step = neural_.unicast ? 1 : kRows;
    for (uint64_t first = 0; first < outputs; first += step) {
      double* const to = sums.data() + first * Positions();
      if (std::min(step, outputs - first) == kRows) {
        ExactRows<kRows>(group, first, to);
        continue;
      }
      for (uint64_t row = first; row < std::min(outputs, first + step); ++row) {
        ExactRows<1>(group, row, sums.data() + row * Positions());
      }
    }
  }

  // Sums like the family's multiply-accumulate array, with its columns of taps, its tiles and the
  // rounding of its port.
  void Family(const device::NumericModel& model, const float* input, bool finite, uint64_t group,
              const std::vector<float>& weights, const std::vector<float>& starts,
              std::vector<double>& sums) {
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
        const uint64_t channel = group * outputs + output;
        const float* left = weights.data() + channel * coefficients_.taps;
        device::MultiplyAccumulate(
            model, left, columns_.data(),
            {static_cast<int64_t>(rows), static_cast<int64_t>(coefficients_.taps),
             static_cast<int64_t>(count)},
            finite, true, products_.data(),
            {.of_rows = starts.empty() ? nullptr : starts.data() + channel});
        for (uint64_t row = 0; row < rows; ++row) {
          std::copy_n(products_.data() + row * count, count,
                      sums.data() + (output + row) * positions + first);
        }
      }
    }
  }

 private:
  // The numbers of output channels and columns of a tile, whose sums stay in registers.
  static constexpr uint64_t kRows = 4;
  static constexpr uint64_t kTile = 4;

  uint64_t Positions() const { return uint64_t{task_.output.height} * task_.output.width; }

  // Copies a group's input into padded rows and columns that cover all taps. If the window has one
  // tap and neither stride nor padding, all positions become one row.
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

  // Returns the padded row that tap (c, ky) of output row y reads.
  const double* RowOf(uint64_t channel, uint64_t ky, uint64_t y) const {
    return padded_.data() + (channel * height_ + y * neural_.stride_y + ky) * width_;
  }
  uint64_t Rows() const { return flat_ ? 1 : task_.output.height; }
  uint64_t RowWidth() const { return flat_ ? width_ : task_.output.width; }

  // Computes the offsets of an output channel's taps in the padded input, relative to the first
  // element that they read.
  void PlaceTaps() {
    taps_.clear();
    const uint64_t channels = neural_.ChannelsPerOutput(task_.input.channels);
    for (uint64_t c = 0; c < channels; ++c) {
      for (uint64_t ky = 0; ky < neural_.kernel_height; ++ky) {
        for (uint64_t kx = 0; kx < neural_.kernel_width; ++kx) {
          taps_.push_back((c * height_ + ky) * width_ + kx);
        }
      }
    }
  }

  // Computes the sums of kCount output channels from `first` on.
  template <uint64_t kCount>
  void ExactRows(uint64_t group, uint64_t first, double* sums) {
    const uint64_t taps = taps_.size();
    const float* weights =
        coefficients_.weights.data() + (group * task_.output.channels + first) * taps;
    weights_.resize(taps * kCount);
    for (uint64_t tap = 0; tap < taps; ++tap) {
      for (uint64_t k = 0; k < kCount; ++k) weights_[tap * kCount + k] = weights[k * taps + tap];
    }
    const uint64_t channels = neural_.ChannelsPerOutput(task_.input.channels);
    const uint64_t base = neural_.unicast ? first * channels : 0;
    const uint64_t width = RowWidth();
    for (uint64_t y = 0; y < Rows(); ++y) {
      const double* row = RowOf(base, 0, y);
      double* to = sums + y * width;
      uint64_t x = 0;
      for (; neural_.stride_x == 1 && x + kTile <= width; x += kTile) {
        AddTaps<kCount, kTile>(row + x, to + x);
      }
      for (; x < width; ++x) AddTaps<kCount, 1>(row + x * neural_.stride_x, to + x);
    }
  }

  template <uint64_t kCount, uint64_t kColumnCount>
  void AddTaps(const double* row, double* sums) const {
    double sum[kCount][kColumnCount] = {};
    const double* weight = weights_.data();
    for (const uint64_t tap : taps_) {
      const double* const from = row + tap;
      for (uint64_t k = 0; k < kCount; ++k) {
        for (uint64_t x = 0; x < kColumnCount; ++x) sum[k][x] += weight[k] * from[x];
      }
      weight += kCount;
    }
    for (uint64_t k = 0; k < kCount; ++k) {
      for (uint64_t x = 0; x < kColumnCount; ++x) sums[k * Positions() + x] = sum[k][x];
    }
  }

  // Sets columns_[tap][p] to the operand of tap `tap` at output position first + p.
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
  std::vector<uint64_t> taps_;
  std::vector<double>
      weights_;  // of the current output channels; the weights of one tap are adjacent
  std::vector<float> columns_;
  std::vector<float> products_;
};

// Computes for each output channel the sum, product or maximum of its input channels, or a copy.
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

// Returns whether the family's accumulator starts at the bias (numerics_laws.md, L6).
bool StartsAtBias(const Task& task, const device::NumericModel* model) {
  return model != nullptr && task.neural.coefficients && device::HasFixedPointArray(*model);
}

// Applies, in this order: bias row, accumulator bias, scale, activation, rounding to fp16.
class Finish {
 public:
  Finish(const Task& task, const Coefficients& coefficients, const Arithmetic& arithmetic)
      : neural_(task.neural),
        coefficients_(coefficients),
        model_(arithmetic.model),
        adds_bias_(!coefficients.bias.empty() && !StartsAtBias(task, arithmetic.model)) {}

  uint16_t operator()(double value, uint64_t channel) const {
    if (adds_bias_) {
      value = Step(value + static_cast<double>(coefficients_.bias[channel]));
    }
    if (neural_.accumulator_bias != 0) value = Step(value + neural_.accumulator_bias);
    if (neural_.post_scale != 1) value = Step(value * neural_.post_scale);
    if (neural_.nonlinear == Nonlinear::kRelu && value < 0) value = 0;
    if (neural_.nonlinear == Nonlinear::kTable) {
      // With and without a model, a table takes an fp16 number (numerics_laws.md, L10).
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
  // The family applies scale and bias in fp16 (numerics.md, "Order of one MAC pass").
  double Step(double value) const { return model_ == nullptr ? value : HalfToDouble(Store(value)); }

  const NeuralTask& neural_;
  const Coefficients& coefficients_;
  const device::NumericModel* model_;
  bool adds_bias_;
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
  std::vector<float> starts;
  if (StartsAtBias(task, model)) {
    starts = coefficients.bias;
    device::ReadAsNumbers(starts.data(), static_cast<int64_t>(starts.size()));
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
      products.Family(*model, from, finite, group, weights, starts, sums);
    }
    for (uint64_t o = 0; o < task.output.channels; ++o) {
      const uint64_t channel = group * task.output.channels + o;
      for (uint64_t p = 0; p < positions; ++p) *to++ = finish(sums[o * positions + p], channel);
    }
  }
  return result;
}

}  // namespace anecheck::emulator
