#include "harness/device/testing/network_text.h"

#include <array>
#include <fmt/format.h>

namespace anecheck::device::testing {
namespace {

std::string NamesOf(const auto& named) {
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const auto& one : named) names.push_back(one.name);
  return PlistTexts(names);
}

// The keys of batch, channels, depth, height and width. An input of four extents has no depth.
using AxisKeys = std::array<const char*, 5>;

void AddExtents(const AxisKeys& axes, const std::vector<int64_t>& extents, PlistKeys& keys) {
  std::vector<const char*> used(axes.begin(), axes.end());
  if (extents.size() < used.size()) used.erase(used.begin() + 2);
  const size_t first = used.size() - extents.size();
  for (size_t i = 0; i < extents.size(); ++i) {
    keys.emplace_back(used[first + i], PlistInteger(extents[i]));
  }
}

std::string InputOf(const InputText& input) {
  constexpr AxisKeys kAxes = {"BatchSize", "InputChannels", "InputDepth", "InputHeight",
                              "InputWidth"};
  PlistKeys keys = {{"InputType", PlistText("Float16")}};
  AddExtents(kAxes, input.extents, keys);
  return PlistDictionary(keys);
}

std::string ConstantOf(const ConstantText& constant) {
  constexpr AxisKeys kAxes = {"ConstantBatchSize", "ConstantChannels", "ConstantDepth",
                              "ConstantHeight", "ConstantWidth"};
  PlistKeys keys = {{"ConstantType", PlistText("Float16")},
                    {"ConstantByteOffset", PlistInteger(constant.offset)}};
  AddExtents(kAxes, constant.extents, keys);
  return PlistDictionary(keys);
}

std::string UnitOf(const UnitText& unit) {
  PlistKeys keys = {{"Type", PlistText(unit.type)},
                    {"Bottom", PlistTexts(unit.bottoms)},
                    {"Params", PlistDictionary(unit.params)},
                    {"OutputType", PlistText("Float16")}};
  keys.insert(keys.end(), unit.keys.begin(), unit.keys.end());
  return PlistDictionary(keys);
}

}  // namespace

std::string PlistText(std::string_view text) { return fmt::format("<string>{}</string>", text); }
std::string PlistInteger(int64_t value) { return fmt::format("<integer>{}</integer>", value); }
std::string PlistFlag(bool value) { return value ? "<true/>" : "<false/>"; }

std::string PlistArray(const std::vector<std::string>& values) {
  return fmt::format("<array>{}</array>", fmt::join(values, ""));
}

std::string PlistTexts(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.push_back(PlistText(text));
  return PlistArray(values);
}

std::string PlistDictionary(const PlistKeys& keys) {
  std::string text;
  for (const auto& [key, value] : keys) text += fmt::format("<key>{}</key>{}\n", key, value);
  return fmt::format("<dict>{}</dict>", text);
}

std::string NetworkText::Xml(const PlistKeys& root_keys) const {
  PlistKeys network;
  if (weights) network.emplace_back("Weights", PlistTexts({kWeightFile}));
  network.emplace_back("Constants", NamesOf(constants));
  for (const ConstantText& constant : constants) {
    network.emplace_back(constant.name, ConstantOf(constant));
  }
  network.emplace_back("Inputs", NamesOf(inputs));
  for (const InputText& input : inputs) network.emplace_back(input.name, InputOf(input));
  network.emplace_back("Units", NamesOf(units));
  for (const UnitText& unit : units) network.emplace_back(unit.name, UnitOf(unit));
  std::vector<std::string> ports;
  ports.reserve(outputs.size());
  for (const std::string& output : outputs) {
    ports.push_back(output + "@output");
    network.emplace_back(ports.back(), PlistDictionary({{"Bottom", PlistText(output)}}));
  }
  network.emplace_back("Outputs", PlistTexts(ports));
  PlistKeys root = {{"Version", PlistText("1.0.9")},
                    {"Networks", PlistTexts({"net"})},
                    {"net", PlistDictionary(network)}};
  root.insert(root.end(), root_keys.begin(), root_keys.end());
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n" +
         PlistDictionary(root) + "\n</plist>\n";
}

std::string NetworkText::Xml() const { return Xml({}); }

}  // namespace anecheck::device::testing
