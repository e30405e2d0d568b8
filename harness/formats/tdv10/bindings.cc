#include "harness/formats/tdv10/bindings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/formats/message.h"

namespace anecheck::tdv10 {
namespace {

using json_fields::Array;
using json_fields::Bad;
using json_fields::Number;
using json_fields::String;

constexpr std::array<std::pair<std::string_view, BarKind>, 3> kKinds = {{
    {"device_address", BarKind::kDeviceAddress},
    {"data_set_id", BarKind::kDataSetId},
    {"buffer_offset", BarKind::kBufferOffset},
}};

// The primitives of the compute cache, which version 10 lacks.
constexpr std::array<std::string_view, 3> kNotInVersion10 = {"atomic", "counter", "wait_event"};

Result<BarKind> KindOf(const Json& row, const std::string& path) {
  ANECHECK_ASSIGN(const std::string name, String(row, "kind", path));
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  if (std::ranges::find(kNotInVersion10, name) != kNotInVersion10.end()) {
    return Bad(path,
               fmt::format("version 10 has no compute cache, and so no {}: its setter asserts "
                           "(specification 000)",
                           name));
  }
  return Bad(path, fmt::format("kind \"{}\" is none of device_address, data_set_id, buffer_offset",
                               Shown(name)));
}

// Reads a bit number or a width, which are uint8_t in a BitField.
Result<uint8_t> Small(const Json& row, std::string_view key, const std::string& path) {
  ANECHECK_ASSIGN(const uint64_t number, Number(row, key, path));
  if (number > 64) return Bad(path, fmt::format("\"{}\" of {} is above 64", key, number));
  return static_cast<uint8_t>(number);
}

Result<uint32_t> AddressOf(const Json& row, const std::string& path) {
  ANECHECK_ASSIGN(const uint64_t address, Number(row, "address", path));
  if (address > std::numeric_limits<uint32_t>::max()) {
    return Bad(path, fmt::format("address 0x{:x} is above 32 bits", address));
  }
  return static_cast<uint32_t>(address);
}

Result<BitField> BitsOf(const Json& row, const std::string& path) {
  if (row.contains("slot")) {
    ANECHECK_ASSIGN(const std::string name, String(row, "slot", path));
    std::string names;
    for (const RelocationSlot& slot : RelocationSlots()) {
      if (slot.name == name) {
        uint8_t width = 32;
        if (row.contains("width")) {
          ANECHECK_ASSIGN(width, Small(row, "width", path));
        }
        return BitField{slot.address(), 0, width};
      }
      names += (names.empty() ? "" : ", ") + std::string(slot.name);
    }
    return Bad(path, fmt::format("no slot is called \"{}\"; there are {}", Shown(name), names));
  }
  BitField bits;
  ANECHECK_ASSIGN(bits.address, AddressOf(row, path));
  ANECHECK_ASSIGN(bits.bit, Small(row, "bit", path));
  ANECHECK_ASSIGN(bits.width, Small(row, "width", path));
  return bits;
}

Status ReadBars(const Json& json, Bindings& bindings) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(json, "bars", "bindings"));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("bars[{}]", i);
    Bar bar;
    ANECHECK_ASSIGN(bar.name, String(*rows[i], "name", path));
    ANECHECK_ASSIGN(bar.kind, KindOf(*rows[i], path));
    ANECHECK_ASSIGN(bar.bits, BitsOf(*rows[i], path));
    ANECHECK_ASSIGN(const uint64_t value, Number(*rows[i], "value", path));
    bindings.bars.push_back(std::move(bar));
    bindings.bar_values.push_back(value);
  }
  return {};
}

Status ReadLiveIns(const Json& json, Bindings& bindings) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(json, "live_ins", "bindings"));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("live_ins[{}]", i);
    LiveIn live_in;
    ANECHECK_ASSIGN(live_in.input, String(*rows[i], "input", path));
    ANECHECK_ASSIGN(live_in.bits, BitsOf(*rows[i], path));
    ANECHECK_ASSIGN(live_in.start, Number(*rows[i], "start", path));
    ANECHECK_ASSIGN(live_in.stop, Number(*rows[i], "stop", path));
    ANECHECK_ASSIGN(live_in.step, Number(*rows[i], "step", path));
    ANECHECK_ASSIGN(const uint64_t value, Number(*rows[i], "value", path));
    bindings.live_ins.push_back(std::move(live_in));
    bindings.live_in_values.push_back(value);
  }
  return {};
}

Status ReadStrides(const Json& json, Bindings& bindings) {
  ANECHECK_ASSIGN(const std::vector<const Json*> rows, Array(json, "strides", "bindings"));
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string path = fmt::format("strides[{}]", i);
    Stride stride;
    ANECHECK_ASSIGN(stride.address, AddressOf(*rows[i], path));
    const auto value = rows[i]->find("value");
    constexpr int64_t kFar = std::numeric_limits<int32_t>::max();
    if (value == rows[i]->end() || !value->is_number_integer() || value->get<int64_t>() > kFar ||
        value->get<int64_t>() < -kFar) {
      return Bad(path, "needs a whole number \"value\" of 32 bits");
    }
    stride.value = static_cast<int32_t>(value->get<int64_t>());
    bindings.strides.push_back(stride);
  }
  return {};
}

}  // namespace

Result<Bindings> ReadBindings(const Json& json) {
  if (!json.is_object()) return Bad("bindings", "not a JSON object");
  for (const auto& [key, value] : json.items()) {
    if (key == "bars" || key == "live_ins" || key == "strides") continue;
    return Bad("bindings",
               fmt::format("member \"{}\" is none of bars, live_ins, strides", Shown(key)));
  }
  Bindings bindings;
  ANECHECK_RETURN_IF_ERROR(ReadBars(json, bindings));
  ANECHECK_RETURN_IF_ERROR(ReadLiveIns(json, bindings));
  ANECHECK_RETURN_IF_ERROR(ReadStrides(json, bindings));
  return bindings;
}

Status Apply(const Bindings& bindings, Image& image) {
  Image changed = image;
  ANECHECK_RETURN_IF_ERROR(ApplyBars(bindings.bars, bindings.bar_values, changed));
  ANECHECK_RETURN_IF_ERROR(BindLiveIns(bindings.live_ins, bindings.live_in_values, changed));
  for (const Stride& stride : bindings.strides) {
    ANECHECK_RETURN_IF_ERROR(changed.SetStride(stride.address, stride.value));
  }
  image = std::move(changed);
  return {};
}

}  // namespace anecheck::tdv10
