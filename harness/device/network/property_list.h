// Property lists as the engine's compiler reads them. This reader uses libplist instead of
// harness/formats, so that it reveals an error that a writer and a reader of the harness share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::device {

// A value inside a PropertyList. The PropertyList must outlive it. An absent value has no type.
class ListItem {
 public:
  ListItem() = default;
  explicit ListItem(void* node) : node_(node) {}

  bool exists() const { return node_ != nullptr; }
  bool IsDictionary() const;
  // Returns the value of a key. The value is absent if this is not a dictionary with that key.
  ListItem Find(const std::string& key) const;

  // These getters return the value if it has the type of the getter.
  std::optional<std::string> Text() const;
  std::optional<int64_t> Integer() const;
  std::optional<double> Number() const;  // also the value of an integer
  std::optional<bool> Flag() const;
  std::optional<std::vector<ListItem>> Items() const;     // the items of an array
  std::optional<std::vector<std::string>> Texts() const;  // one text, or an array of texts
  std::optional<std::vector<int64_t>> Integers() const;   // an array of integers

 private:
  void* node_ = nullptr;
};

class PropertyList {
 public:
  // Reads either encoding. Error: kMalformed for text that is not a property list, and for lists
  // with more levels than any description has.
  static Result<PropertyList> Read(std::string_view content);

  ListItem root() const { return ListItem(root_.get()); }

 private:
  struct Free {
    void operator()(void* node) const;
  };
  explicit PropertyList(void* root) : root_(root) {}

  std::unique_ptr<void, Free> root_;
};

}  // namespace anecheck::device
