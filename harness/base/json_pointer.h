// The place of a value inside a JSON document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"

namespace anecheck {

// The path of names and indices from the document to a value (RFC 6901), such as "/tasks/0/header".
// `json[place]` is that value.
class JsonPointer {
 public:
  JsonPointer() = default;  // the place of the document itself
  // Parses the text of a path.
  explicit JsonPointer(std::string_view text);

  bool empty() const { return steps_.empty(); }
  std::string to_string() const;
  // The last step. Precondition: not the document itself.
  const std::string& back() const { return steps_.back(); }
  JsonPointer parent() const;
  JsonPointer operator/(std::string_view name) const;
  JsonPointer operator/(size_t index) const { return *this / std::to_string(index); }

 private:
  friend class Json;
  std::vector<std::string> steps_;
};

}  // namespace anecheck
