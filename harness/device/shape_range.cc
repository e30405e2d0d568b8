#include "harness/device/shape_range.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>

#include "harness/formats/mil/number.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::device {
namespace {

// A limit that keeps extents and their products far from overflow.
constexpr int64_t kLongest = int64_t{1} << 31;

Error Refuse(std::string_view input, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", input, what));
}

// The unchecked values of the attribute for each input.
struct Written {
  std::map<std::string_view, mil::ValueView> ranges;
  std::map<std::string_view, mil::ValueView> shapes;
};

// The attribute has the form ((kind, {{input, list}, ...}), ...), so a text outside of a pair is a
// kind.
Written ReadAttribute(mil::ValueView attribute) {
  Written written;
  std::string_view kind;
  for (uint32_t i = attribute.index(); i < attribute.next(); ++i) {
    const mil::ValueView value(attribute.program(), i);
    if (value.kind() == mil::ValueKind::kString) kind = value.text();
    if (value.kind() != mil::ValueKind::kPair || value.children().empty()) continue;
    const mil::ValueView key = value.children()[0].Inner();
    const mil::ValueView list = value.children()[1].Inner();
    if (list.kind() != mil::ValueKind::kList) continue;  // a set of shapes
    if (kind == "RangeDims") written.ranges.emplace(key.text(), list);
    if (kind == "DefaultShapes") written.shapes.emplace(key.text(), list);
    i = value.next() - 1;
  }
  return written;
}

std::optional<std::vector<int64_t>> Numbers(mil::ValueView list) {
  std::vector<int64_t> numbers;
  for (const mil::ValueView entry : list.Inner().children()) {
    const auto number = mil::ToInteger(entry.Inner().text());
    if (entry.Inner().kind() != mil::ValueKind::kNumber || !number) return std::nullopt;
    numbers.push_back(static_cast<int64_t>(*number));
  }
  return numbers;
}

class InputRange {
 public:
  InputRange(mil::BindingView parameter, size_t index) : parameter_(parameter), index_(index) {}

  // The result is empty for an input of fixed shape.
  Result<std::optional<ShapeRange>> Read(const Written& written) {
    const std::string_view name = parameter_.name();
    const auto dimensions = parameter_.type().dimensions();
    int axis = -1;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i].value != mil::Dimension::kUnknown) continue;
      if (axis >= 0) return Refuse(name, "symbolic dimensions on more than one axis");
      axis = static_cast<int>(i);
    }
    if (axis < 0) return std::optional<ShapeRange>();
    const auto found = written.ranges.find(name);
    if (found == written.ranges.end()) return Refuse(name, "symbolic dimensions have no range");
    ShapeRange range;
    range.input = name;
    range.index = index_;
    range.axis = axis;
    ANECHECK_RETURN_IF_ERROR(ReadAxes(found->second, range));
    range.standard = range.start;
    const auto shape = written.shapes.find(name);
    if (shape != written.shapes.end()) {
      ANECHECK_RETURN_IF_ERROR(ReadStandard(shape->second, range));
    }
    return std::optional<ShapeRange>(std::move(range));
  }

 private:
  // Reads the list, which has one entry per axis. The entry of a fixed axis contains only its
  // extent.
  Status ReadAxes(mil::ValueView list, ShapeRange& range) const {
    const auto dimensions = parameter_.type().dimensions();
    size_t axis = 0;
    for (const mil::ValueView entry : list.children()) {
      const auto numbers = Numbers(entry);
      const bool formed = numbers && (numbers->size() == 2 || numbers->size() == 3);
      if (!formed || axis >= dimensions.size()) {
        return Refuse(range.input,
                      "RangeDims must hold [start, stop] or [start, stop, step] for "
                      "each axis");
      }
      const int64_t start = (*numbers)[0], stop = (*numbers)[1];
      const int64_t step = numbers->size() == 3 ? (*numbers)[2] : 1;
      if (start < 1 || stop < start || stop > kLongest || step < 1) {
        return Refuse(range.input, fmt::format("{} to {} by {} is no range", start, stop, step));
      }
      const int64_t fixed = dimensions[axis].value;
      if (static_cast<int>(axis) == range.axis) {
        range.start = start;
        range.stop = stop;
        range.step = step;
      } else if (start != fixed || stop != fixed) {
        return Refuse(range.input, fmt::format("axis {} is {}, its range is {} to {}", axis, fixed,
                                               start, stop));
      }
      ++axis;
    }
    if (axis == dimensions.size()) return {};
    return Refuse(range.input,
                  fmt::format("{} axes have a range, the input has {}", axis, dimensions.size()));
  }

  Status ReadStandard(mil::ValueView list, ShapeRange& range) const {
    const auto shape = Numbers(list);
    const auto dimensions = parameter_.type().dimensions();
    bool fits = shape && shape->size() == dimensions.size();
    for (size_t i = 0; fits && i < dimensions.size(); ++i) {
      fits = static_cast<int>(i) == range.axis ? range.Holds((*shape)[i])
                                               : dimensions[i].value == (*shape)[i];
    }
    if (!fits) return Refuse(range.input, "the default shape is not in the range");
    range.standard = (*shape)[static_cast<size_t>(range.axis)];
    return {};
  }

  mil::BindingView parameter_;
  size_t index_;
};

}  // namespace

Result<std::vector<ShapeRange>> ReadShapeRanges(mil::FunctionView function) {
  Written written;
  const auto attribute = mil::FindValue(function.attributes(), "FlexibleShapeInformation");
  if (attribute) written = ReadAttribute(*attribute);
  std::vector<ShapeRange> ranges;
  size_t index = 0;
  for (const mil::BindingView parameter : function.block().parameters()) {
    ANECHECK_ASSIGN(auto range, InputRange(parameter, index++).Read(written));
    if (range) ranges.push_back(std::move(*range));
  }
  return ranges;
}

Result<int64_t> ExtentOfBuffer(const ShapeRange& range, const TensorType& standard, int64_t bytes,
                               bool any) {
  const int64_t slice = standard.Bytes() / range.standard;
  if (bytes <= 0 || bytes % slice != 0) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("buffer of {} bytes is no whole number of slices of {} bytes along "
                    "axis {} of port {}",
                    bytes, slice, range.axis, range.input));
  }
  const int64_t extent = bytes / slice;
  if (range.Holds(extent) || any) return extent;
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("live-in {}: {} is not one of {} to {} by {}", range.input, extent,
                               range.start, range.stop, range.step));
}

}  // namespace anecheck::device
