// Makes network descriptions as property lists, key by key. It uses no writer of the harness, so
// that a test itself states the text that the engine reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anecheck::device::testing {

// Make values of a property list.
std::string PlistText(std::string_view text);
std::string PlistInteger(int64_t value);
std::string PlistFlag(bool value);
std::string PlistTexts(const std::vector<std::string>& texts);
std::string PlistArray(const std::vector<std::string>& values);
using PlistKeys = std::vector<std::pair<std::string, std::string>>;
std::string PlistDictionary(const PlistKeys& keys);

// A layer. `keys` are additional keys besides Type, Bottom and Params.
struct UnitText {
  std::string name;
  std::string type;
  std::vector<std::string> bottoms;
  PlistKeys params = {};
  PlistKeys keys = {};
};

// A Float16 input. `extents` are the last of batch, channel, height, width.
struct InputText {
  std::string name;
  std::vector<int64_t> extents;
};
// A Float16 constant in the network's weight file, from a given byte on. `extents` are the last of
// batch, channel, height, width.
struct ConstantText {
  std::string name;
  std::vector<int64_t> extents;
  int64_t offset = 0;
};

inline constexpr const char* kWeightFile = "by-hand.weights";

struct NetworkText {
  std::vector<InputText> inputs;
  std::vector<UnitText> units;
  std::vector<std::string> outputs = {"y"};  // names of units
  std::vector<ConstantText> constants = {};
  bool weights = false;  // if set, the network names kWeightFile

  // A property list of version 1.0.9 that contains only this network.
  std::string Xml() const;
  std::string Xml(const PlistKeys& root_keys) const;
};

}  // namespace anecheck::device::testing
