// Tasks of the planar engine. Source: execution.md, "One task", item 2.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "harness/base/half.h"
#include "harness/device/multiply_accumulate.h"
#include "harness/emulator/engines.h"

namespace anecheck::emulator {
namespace {

// Reads a source as if it had the task's extents. Along broadcast axes the source has the extent 1.
class Operand {
 public:
  Operand(const std::vector<float>& values, const Extents& own) : values_(values) {
    column_ = own.width == 1 ? 0 : 1;
    row_ = own.height == 1 ? 0 : own.width;
    channel_ = own.channels == 1 ? 0 : uint64_t{own.height} * own.width;
    depth_ = own.depth == 1 ? 0 : uint64_t{own.channels} * own.height * own.width;
    group_ = uint64_t{own.depth} * own.channels * own.height * own.width;
  }
  double At(uint64_t g, uint64_t d, uint64_t c, uint64_t y, uint64_t x) const {
    return static_cast<double>(
        values_[g * group_ + d * depth_ + c * channel_ + y * row_ + x * column_]);
  }

 private:
  const std::vector<float>& values_;
  uint64_t group_, depth_, channel_, row_, column_;
};

class PlanarRun {
 public:
  PlanarRun(const Task& task, const std::vector<float>& source1, const std::vector<float>& source2,
            const device::NumericModel* model)
      : task_(task),
        planar_(task.planar),
        first_(source1, task.source1.extents),
        second_(source2, task.source2 ? task.source2->extents : Extents{}),
        model_(model),
        reads_numbers_(model != nullptr && device::HasFixedPointArray(*model) && Adds(task)) {}

  std::vector<uint16_t> Run() const {
    const bool reduces = task_.kind == TaskKind::kPlanarReduction ||
                         task_.kind == TaskKind::kPlanarElementwiseReduction;
    return reduces ? Reduce() : Elementwise();
  }

 private:
  double Input(double value) const {
    if (model_ != nullptr && model_->nan_is_infinity && std::isnan(value)) {
      return std::numeric_limits<double>::infinity();
    }
    return value;
  }
  // Returns whether the task computes a sum, a difference or a product of elements.
  static bool Adds(const Task& task) {
    const PlanarTask& planar = task.planar;
    if (task.kind == TaskKind::kPlanarPerChannel) return true;
    if (task.kind == TaskKind::kPlanarUnary) return planar.scale != 1 || planar.bias != 0;
    return task.kind == TaskKind::kPlanarElementwise &&
           (planar.operation == PlanarOperation::kAdd ||
            planar.operation == PlanarOperation::kMultiply);
  }
  // Treats exponent 31 like any other exponent if the family does (numerics_laws.md, L4).
  double Number(double value) const {
    if (!reads_numbers_) return value;
    auto number = static_cast<float>(value);
    device::ReadAsNumbers(&number, 1);
    return static_cast<double>(number);
  }
  // Replaces the NaN of an invalid operation such as inf - inf by 0 on families that store 0.
  double Valid(double value) const {
    return model_ != nullptr && model_->invalid_is_zero && std::isnan(value) ? 0.0 : value;
  }
  uint16_t Store(double value) const {
    const Rounding rounding = model_ == nullptr ? Rounding::kNearestEven : model_->store_rounding;
    return DoubleToHalf(Valid(value), rounding).bits;
  }

  // Applies the operation to both sources, before scale and bias.
  double Combined(uint64_t g, uint64_t d, uint64_t c, uint64_t y, uint64_t x) const {
    double a = Input(first_.At(g, d, c, y, x));
    if (!task_.source2) return Number(a);
    double b = Input(second_.At(g, d, c, y, x));
    a = Number(a);
    b = Number(b);
    if (planar_.negate1) a = -a;
    if (planar_.negate2) b = -b;
    switch (planar_.operation) {
      case PlanarOperation::kAdd:
        return Valid(a + b);
      case PlanarOperation::kMultiply:
        return Valid(a * b);
      case PlanarOperation::kMaximum:
        return std::isnan(a) || a > b ? a : b;
      case PlanarOperation::kMinimum:
        return std::isnan(a) || a < b ? a : b;
      case PlanarOperation::kSquareOfSum:
        return Valid(a + b) * Valid(a + b);
    }
    return a;
  }

  double Scaled(double value) const {
    value = value * planar_.scale + planar_.bias;
    if (planar_.absolute) value = std::fabs(value);
    return planar_.relu && value < 0 ? 0.0 : value;
  }

  // Computes (x + row 0) * row 1.
  double PerChannel(uint64_t g, uint64_t d, uint64_t c, uint64_t y, uint64_t x) const {
    const double added = Number(Input(second_.At(g, 0, c, 0, 0)));
    const double source = Number(Input(first_.At(g, d, c, y, x)));
    const double sum = Valid(source + (planar_.negate2 ? -added : added));
    return Scaled(Valid(sum * Number(Input(second_.At(g, 0, c, 1, 0)))));
  }

  std::vector<uint16_t> Elementwise() const {
    const Extents& e = task_.output;
    const bool per_channel = task_.kind == TaskKind::kPlanarPerChannel;
    std::vector<uint16_t> result(e.Count());
    auto to = result.begin();
    for (uint64_t g = 0; g < e.groups; ++g) {
      for (uint64_t d = 0; d < e.depth; ++d) {
        for (uint64_t c = 0; c < e.channels; ++c) {
          for (uint64_t y = 0; y < e.height; ++y) {
            for (uint64_t x = 0; x < e.width; ++x) {
              *to++ =
                  Store(per_channel ? PerChannel(g, d, c, y, x) : Scaled(Combined(g, d, c, y, x)));
            }
          }
        }
      }
    }
    return result;
  }

  // Reduces over depth, height and width of each channel.
  std::vector<uint16_t> Reduce() const {
    const Extents& e = task_.input;
    std::vector<uint16_t> result;
    result.reserve(task_.output.Count());
    for (uint64_t g = 0; g < e.groups; ++g) {
      for (uint64_t c = 0; c < e.channels; ++c) result.push_back(Store(Reduced(g, c)));
    }
    return result;
  }

  double Reduced(uint64_t g, uint64_t c) const {
    const Extents& e = task_.input;
    double value = planar_.maximum ? -std::numeric_limits<double>::infinity() : 0.0;
    for (uint64_t d = 0; d < e.depth; ++d) {
      for (uint64_t y = 0; y < e.height; ++y) {
        for (uint64_t x = 0; x < e.width; ++x) {
          const double next = Combined(g, d, c, y, x);
          if (planar_.maximum) {
            value = std::isnan(next) || next > value ? next : value;
          } else {
            value += next;
          }
        }
      }
    }
    value = Valid(value) * planar_.final_scale + planar_.epsilon;
    switch (planar_.post) {
      case PostFunction::kNone:
        break;
      case PostFunction::kReciprocal:
        value = 1 / value;
        break;
      case PostFunction::kReciprocalRoot:
        value = 1 / std::sqrt(value);
        break;
    }
    return value;
  }

  const Task& task_;
  const PlanarTask& planar_;
  Operand first_;
  Operand second_;
  const device::NumericModel* model_;
  bool reads_numbers_;
};

}  // namespace

Result<std::vector<uint16_t>> RunPlanar(const Task& task, const std::vector<float>& source1,
                                        const std::vector<float>& source2,
                                        const Arithmetic& arithmetic) {
  const uint64_t steps = std::max(task.input.Count(), task.output.Count());
  if (steps > arithmetic.max_steps) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("task {}: {} elements; at most {} steps are emulated", task.index,
                                 steps, arithmetic.max_steps),
                     task.offset);
  }
  return PlanarRun(task, source1, source2, arithmetic.model).Run();
}

}  // namespace anecheck::emulator
