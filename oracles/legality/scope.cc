#include "oracles/legality/scope.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "harness/graph/types.h"

namespace anecheck::legality {
namespace {

// `what` names the number if it is unknown.
template <typename What>
Value NumberOf(const Known<uint64_t>& known, const What& what) {
  if (!known) return Value::Unknown(fmt::format("{}: {}", what(), known.unknown_reason()));
  return Value::Number(static_cast<double>(known.value()));
}

Value Extent(int64_t extent) {
  if (extent < 0) return Value::Absent("a symbolic extent");
  return Value::Number(static_cast<double>(extent));
}

// Whether the operation reads [n, C, *D], as MIL's operations over windows and channels do. At rank
// 3 they have one spatial axis (as in the shape inference of harness/ops). Other operations take
// the last axes of NCHW.
bool HasBatchAxisFirst(std::string_view op) {
  constexpr std::string_view kOps[] = {"conv",          "conv_transpose",     "avg_pool",
                                       "l2_pool",       "max_pool",           "batch_norm",
                                       "instance_norm", "local_response_norm"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

// Returns the index of axis `letter` in a tensor of this rank, or -1 if it has no such axis.
int AxisOf(std::string_view op, std::string_view letter, size_t rank) {
  constexpr std::string_view kOrders[] = {"", "W", "HW", "CHW", "NCHW", "NCDHW"};
  if (rank >= std::size(kOrders) || letter.size() != 1) return -1;
  const std::string_view order = rank == 3 && HasBatchAxisFirst(op) ? "NCW" : kOrders[rank];
  const size_t found = order.find(letter[0]);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

Value ShapeValue(const std::vector<int64_t>& shape) {
  std::vector<Value> list;
  for (const int64_t extent : shape) {
    if (extent < 0) return Extent(extent);
    list.push_back(Value::Number(static_cast<double>(extent)));
  }
  return Value::List(std::move(list));
}

}  // namespace

Value InstanceScope::Name(std::string_view name) const {
  const auto found = instance_.attributes.find(name);
  if (found != instance_.attributes.end()) return found->second;
  if (const Expression* definition = rules_.Definition(name)) return definition->Evaluate(*this);
  return Value::Absent(std::string(name));
}

Value InstanceScope::Call(std::string_view function, std::span<const Value> arguments) const {
  if (function == "op") return Value::Text(instance_.op);
  if (function == "native") return Value::Bool(row_.native);
  if (function == "route") return Value::Text(std::string(ToText(route_)));
  if (function == "row" && arguments.size() == 1) return RowField(arguments[0].text);
  if (const std::optional<Value> over = OverOperands(function)) return *over;
  if (const std::optional<Value> of_target = OfTarget(function, arguments)) return *of_target;
  if (!arguments.empty()) return OfOperand(function, arguments);
  return Value::Unknown(fmt::format("expression: no function {}", function));
}

Value InstanceScope::RowField(std::string_view field) const {
  if (const auto stated = target_.stated_floors.find(row_.name);
      stated != target_.stated_floors.end()) {
    if (field == "floor") return Value::Number(static_cast<double>(stated->second.value));
    if (field == "floor_source") return Value::Text(stated->second.source);
    if (field == "floor_at_most") return Value::Absent(std::string(field));
  }
  const auto found = row_.fields.find(field);
  return found != row_.fields.end() ? found->second : Value::Absent(std::string(field));
}

Value InstanceScope::HalField(std::string_view field) const {
  const anecheck::HalField* layout = HalLayout::Get().Named(field);
  if (layout == nullptr) {
    return Value::Unknown(fmt::format("expression: the table has no field {}", field));
  }
  const auto what = [&] {
    return fmt::format("{}: table byte 0x{:03x} ({})", target_.name, layout->offset, field);
  };
  if (layout->kind != HalKind::kFlag) return NumberOf(target_.hal.Scalar(field), what);
  const Known<bool>& flag = target_.hal.Capability(field);
  if (!flag) return Value::Unknown(fmt::format("{}: {}", what(), flag.unknown_reason()));
  return Value::Bool(flag.value());
}

std::optional<Value> InstanceScope::OfTarget(std::string_view function,
                                             std::span<const Value> arguments) const {
  if (function == "target") return Value::Text(target_.name);
  if (function == "tier") return Value::Text(std::string(TierName(target_.tier)));
  if (function == "family") {
    const Known<Family>& family = target_.family(order_);
    if (!family) {
      return Value::Unknown(
          fmt::format("{}: family index: {}", target_.name, family.unknown_reason()));
    }
    return Value::Number(static_cast<double>(family.value()));
  }
  if (arguments.size() != 1) return std::nullopt;
  if (function == "hal") return HalField(arguments[0].text);
  if (function == "hal_all") {
    std::optional<Value> unknown;
    for (const Value& field : arguments[0].list) {
      const Value value = HalField(field.text);
      if (value.missing())
        unknown = value;
      else if (!value.truth())
        return Value::Bool(false);
    }
    return unknown ? *unknown : Value::Bool(true);
  }
  if (function == "limit") {
    return NumberOf(Limit(target_, arguments[0].text),
                    [&] { return fmt::format("{}: limit {}", target_.name, arguments[0].text); });
  }
  if (function == "limit_list") {
    const auto known = LimitList(target_, arguments[0].text);
    if (!known) {
      return Value::Unknown(
          fmt::format("{}: limit {}: {}", target_.name, arguments[0].text, known.unknown_reason()));
    }
    std::vector<Value> list;
    for (const uint64_t item : known.value()) {
      list.push_back(Value::Number(static_cast<double>(item)));
    }
    return Value::List(std::move(list));
  }
  return std::nullopt;
}

const Operand* InstanceScope::Find(const Value& which) const {
  if (which.is(Value::Kind::kText)) return instance_.FindOperand(which.text);
  const auto position = static_cast<size_t>(which.number);
  return position < instance_.operands.size() ? &instance_.operands[position] : nullptr;
}

Value InstanceScope::OfOperand(std::string_view function, std::span<const Value> arguments) const {
  const Operand* operand = Find(arguments[0]);
  if (function == "has") return Value::Bool(operand != nullptr);
  if (operand == nullptr) {
    return Value::Absent(fmt::format("operand {}", arguments[0].ToString()));
  }
  if (function == "rank") return Value::Number(static_cast<double>(operand->shape.size()));
  if (function == "shape") return ShapeValue(operand->shape);
  if (function == "dtype") {
    return operand->dtype.empty() ? Value::Absent("the element type of " + operand->name)
                                  : Value::Text(operand->dtype);
  }
  if (function == "constant") return Value::Bool(operand->constant);
  if (function == "bits") {
    const std::optional<DType> dtype = DTypeFromName(operand->dtype);
    return dtype ? Value::Number(DTypeBits(*dtype)) : Value::Absent("bits of " + operand->dtype);
  }
  if (function == "elements") {
    double count = 1;
    for (const int64_t extent : operand->shape) {
      if (extent < 0) return Value::Absent("a symbolic extent");
      count *= static_cast<double>(extent);
    }
    return Value::Number(count);
  }
  if (function == "axis" && arguments.size() == 2) {
    const int axis = AxisOf(instance_.op, arguments[1].text, operand->shape.size());
    return axis < 0 ? Value::Number(1) : Extent(operand->shape[static_cast<size_t>(axis)]);
  }
  return Value::Unknown(fmt::format("expression: no function {}", function));
}

Value InstanceScope::OverResults(std::string_view function) const {
  if (instance_.results.empty()) return Value::Absent("the results");
  std::vector<Value> list;
  for (const Operand& result : instance_.results) {
    if (function == "result_dtypes") {
      list.push_back(Value::Text(result.dtype));
      continue;
    }
    for (size_t axis = 0; axis < result.shape.size(); ++axis) {
      const bool channel = static_cast<int>(axis) == AxisOf(instance_.op, "C", result.shape.size());
      if (channel == (function == "result_channels")) list.push_back(Extent(result.shape[axis]));
    }
  }
  return Value::List(std::move(list));
}

std::optional<Value> InstanceScope::OverOperands(std::string_view function) const {
  const std::vector<Operand>& operands = instance_.operands;
  if (function == "result_extents" || function == "result_dtypes" ||
      function == "result_channels") {
    return OverResults(function);
  }
  const bool known = function == "operands" || function == "max_rank" || function == "extents" ||
                     function == "extents_off_channel" || function == "input_dtypes" ||
                     function == "program_input_dtypes" || function == "dtypes";
  if (!known) return std::nullopt;
  if (operands.empty()) return Value::Absent("the operands");
  if (function == "operands") return Value::Number(static_cast<double>(operands.size()));
  std::vector<Value> list;
  size_t rank = 0;
  for (const Operand& operand : operands) {
    rank = std::max(rank, operand.shape.size());
    if (function == "dtypes" || (function == "input_dtypes" && !operand.constant) ||
        (function == "program_input_dtypes" && !operand.constant &&
         !instance_.attributes.contains("producer_" + operand.name))) {
      list.push_back(Value::Text(operand.dtype));
    }
    if (!function.starts_with("extents") || operand.constant) continue;
    for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
      const bool channel =
          static_cast<int>(axis) == AxisOf(instance_.op, "C", operand.shape.size());
      if (function == "extents" || !channel) {
        list.push_back(Value::Number(static_cast<double>(operand.shape[axis])));
      }
    }
  }
  if (function == "max_rank") return Value::Number(static_cast<double>(rank));
  return Value::List(std::move(list));
}

}  // namespace anecheck::legality
