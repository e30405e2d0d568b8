// Helpers for the rules of network descriptions. They find names in lists and dictionaries by name.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "harness/formats/tree/value.h"

namespace anecheck::netlist {

// Returns the strings of an array, or the one string. Skips other values.
inline std::vector<const tree::Value*> NameValues(const tree::Value* list) {
  std::vector<const tree::Value*> names;
  if (list == nullptr) return names;
  if (list->AsString() != nullptr) names.push_back(list);
  if (const tree::Array* array = list->AsArray()) {
    for (const tree::Value& item : *array) {
      if (item.AsString() != nullptr) names.push_back(&item);
    }
  }
  return names;
}

inline const tree::Dict* DictOf(const tree::Dict& dict, std::string_view key) {
  const tree::Value* value = dict.Find(key);
  return value == nullptr ? nullptr : value->AsDict();
}

// An index of a dictionary's keys, because a network may have thousands of names.
class Lookup {
 public:
  explicit Lookup(const tree::Dict& dict) {
    for (const tree::Entry& entry : dict.entries) map_.emplace(entry.key, &entry);
  }
  const tree::Entry* Find(std::string_view key) const {
    const auto it = map_.find(key);
    return it == map_.end() ? nullptr : it->second;
  }

 private:
  std::map<std::string_view, const tree::Entry*> map_;
};

}  // namespace anecheck::netlist
