#include "reports/finding_tensors.h"

#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/real_text.h"
#include "reports/finding_detail.h"
#include "reports/text.h"

namespace anecheck::reports {
namespace {

struct ReadTensor {
  TensorDetail detail;
  TensorValues values;
  std::vector<uint8_t> bytes;
};

std::optional<ReadTensor> Read(const Json& json) {
  ReadTensor tensor;
  if (!json.is_object()) return std::nullopt;
  auto values = ReadTensorValues(json, tensor.detail);
  if (!values.has_value()) return std::nullopt;
  tensor.values = std::move(*values);
  // Cannot fail, because ReadTensorValues has already decoded the same text.
  tensor.bytes = *Base64Decode(json["data"].get<std::string>());
  return tensor;
}

// Returns the element's bits as a number of its width. Empty for types whose elements share bytes.
std::string BitsText(const ReadTensor& tensor, size_t element) {
  const int bits = DTypeBits(tensor.values.dtype);
  if (bits % 8 != 0) return {};
  const auto width = static_cast<size_t>(bits / 8);
  std::string text;
  for (size_t i = 0; i < width; ++i) {
    text.insert(0, fmt::format("{:02x}", tensor.bytes[element * width + i]));
  }
  return "0x" + text;
}

// Returns the index of an element along each axis, for example "[0, 3, 1]".
std::string IndexText(const std::vector<int64_t>& shape, size_t element) {
  std::string text;
  auto rest = static_cast<int64_t>(element);
  for (size_t axis = shape.size(); axis-- > 0;) {
    text.insert(0, fmt::format("{}{}", rest % shape[axis], text.empty() ? "" : ", "));
    rest /= shape[axis];
  }
  return "[" + text + "]";
}

std::string Head(std::initializer_list<const char*> names) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const char* name : names)
    text += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", name);
  return text + "</tr></thead><tbody>\n";
}

std::string Cell(const std::string& text) {
  return "<td class=\"number\">" + EscapeXml(text) + "</td>";
}

std::string Title(const TensorDetail& detail, const std::string& more) {
  return fmt::format("<p><span class=\"op\">{}</span> {} {}{}</p>\n", EscapeXml(detail.name),
                     EscapeXml(detail.dtype), EscapeXml(detail.shape), more);
}

constexpr const char* kUnreadable =
    "<p>A tensor cannot be shown: its bytes do not fit its type and shape.</p>\n";

struct Interval {
  std::vector<double> low, high, value;
  bool has_value = false;
};

// Returns the interval of each element. Empty if `expected` has another number of elements.
Interval ReadInterval(const Json& expected, size_t elements) {
  Interval interval;
  const auto list = [&](const char* member, std::vector<double>& numbers) {
    const auto found = expected.is_object() ? expected.find(member) : expected.end();
    if (!expected.is_object() || found == expected.end() || !found->is_array()) return false;
    if (found->size() != elements) return false;
    for (const Json& number : *found) numbers.push_back(ExpectedNumber(number));
    return true;
  };
  if (!list("low", interval.low) || !list("high", interval.high)) return {};
  interval.has_value = list("value", interval.value);
  return interval;
}

std::string OutputRow(const ReadTensor& tensor, const Interval& interval, size_t i, bool outside) {
  std::string row = outside ? "<tr class=\"outside\">" : "<tr>";
  row += Cell(IndexText(tensor.values.shape, i));
  row += Cell(interval.low.empty() ? "" : NumberText(interval.low[i]));
  row += Cell(interval.has_value ? NumberText(interval.value[i]) : "");
  row += Cell(interval.high.empty() ? "" : NumberText(interval.high[i]));
  row += Cell(NumberText(tensor.values.values[i])) + Cell(BitsText(tensor, i));
  return row + (outside ? "<td>outside</td>" : "<td></td>") + "</tr>\n";
}

// Returns a text with the number of elements outside, the number shown, and the index of the worst
// element. The index is given as a flat index, as in summaries, and along each axis, as in the rows
// of the table.
std::string OutsideText(const ReadTensor& tensor, const ShownElements& shown) {
  std::string text = fmt::format(": {} of {} outside of the interval", shown.all_outside,
                                 Counted(tensor.values.values.size(), "element"));
  if (shown.all_outside == 0) return text;
  if (shown.outside.size() < shown.all_outside) {
    text += fmt::format(", {} of those are shown", shown.outside.size());
  }
  return text + fmt::format("; the worst is {}, {}", shown.worst,
                            IndexText(tensor.values.shape, shown.worst));
}

std::string OutputTable(const ReadTensor& tensor, const Json& expected) {
  const size_t elements = tensor.values.values.size();
  const Interval interval = ReadInterval(expected, elements);
  const ShownElements shown = ChooseElements(tensor.values, interval.low, interval.high);
  std::string text = Title(tensor.detail, interval.low.empty() ? ": no interval is recorded"
                                                               : OutsideText(tensor, shown));
  text += Head({"element", "lowest", "exact", "highest", "actual", "bits", "place"});
  for (const size_t i : shown.outside) text += OutputRow(tensor, interval, i, true);
  for (const size_t i : shown.inside) text += OutputRow(tensor, interval, i, false);
  return text + "</tbody></table></div>\n";
}

std::string InputTable(const ReadTensor& tensor) {
  const size_t elements = tensor.values.values.size();
  std::string text = Title(
      tensor.detail, elements > kShownElements
                         ? fmt::format(": the first {} of {} elements", kShownElements, elements)
                         : "");
  text += "<pre tabindex=\"0\">";
  for (size_t i = 0; i < std::min(elements, kShownElements); ++i) {
    const std::string bits = BitsText(tensor, i);
    text += fmt::format("{}{:>14}{}{}",
                        i == 0       ? ""
                        : i % 4 == 0 ? "\n"
                                     : "  ",
                        NumberText(tensor.values.values[i]), bits.empty() ? "" : " ", bits);
  }
  return text + "</pre>\n";
}

}  // namespace

std::string InputTables(const Json& inputs) {
  std::string text;
  if (!inputs.is_array()) return text;
  for (const Json& entry : inputs) {
    const auto tensor = Read(entry);
    text += tensor.has_value() ? InputTable(*tensor) : kUnreadable;
  }
  return text;
}

std::string OutputTables(const Json& actual, const Json& expected) {
  std::string text;
  if (!actual.is_array()) return text;
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto tensor = Read(actual[i]);
    const bool known = expected.is_array() && i < expected.size();
    text += tensor.has_value() ? OutputTable(*tensor, known ? expected[i] : Json()) : kUnreadable;
  }
  return text;
}

}  // namespace anecheck::reports
