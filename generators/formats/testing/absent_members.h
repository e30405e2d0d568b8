// Tests mutations of files without members that generators always write. Fuzzers keep such files.
#pragma once

#include <gtest/gtest.h>
#include <set>
#include <string>

#include "generators/formats/descriptor_generator.h"
#include "harness/base/json.h"
#include "harness/formats/format.h"

namespace anecheck::testing {

inline void CollectMembers(const Json& json, std::set<std::string>& names) {
  if (json.is_object()) {
    for (const auto& [key, item] : json.items()) names.insert(key);
  }
  for (const Json& item : json) {
    if (item.is_structured()) CollectMembers(item, names);
  }
}

inline void EraseMembers(Json& json, const std::string& name) {
  if (json.is_object()) json.erase(name);
  for (Json& item : json) {
    if (item.is_structured()) EraseMembers(item, name);
  }
}

// Removes from a generated file all members of one name, for each name in turn. Each mutation that
// is proposed for the remaining file must apply. Returns the number of mutations applied.
inline size_t MutateWithoutEachMember(const Format& format, const DescriptorGenerator& generator,
                                      uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const Json whole = format.to_json(generator.generate(choices)).value();
  std::set<std::string> names;
  CollectMembers(whole, names);
  size_t made = 0;
  for (const std::string& name : names) {
    Json lacking = whole;
    EraseMembers(lacking, name);
    const Result<Bytes> bytes = format.from_json(lacking);
    if (!bytes.ok() || !format.to_json(*bytes).ok()) continue;
    for (const MutationKind& kind : generator.mutations) {
      const auto mutation = kind.propose(*bytes, choices);
      if (!mutation) continue;
      EXPECT_TRUE(kind.apply(*bytes, *mutation).ok()) << kind.id << " without " << name;
      ++made;
    }
  }
  return made;
}

}  // namespace anecheck::testing
