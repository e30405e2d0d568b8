// The tables of edges. Internal to the boundary mutations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "generators/formats/boundary/boundary.h"

namespace anecheck::boundary {

// The facts that an edge of a number may depend on.
struct NumberContext {
  uint64_t old = 0;
  uint64_t before = 0;  // the number of the same width before the place
  uint64_t after = 0;   // the number of the same width behind the place
  // The same field of the neighbouring records. `old` if there is no such record.
  uint64_t in_record_before = 0;
  uint64_t in_record_behind = 0;
  uint64_t offset = 0;
  uint64_t file_size = 0;
  uint64_t unit = 1;
};

struct NumberEdge {
  std::string_view id;
  uint64_t (*value)(const NumberContext& context);
};
std::span<const NumberEdge> NumberEdges();

struct TextEdge {
  std::string_view id;
  // The replacement of `old`.
  std::string (*text)(std::string_view old);
};
std::span<const TextEdge> TextEdges(Role role);

}  // namespace anecheck::boundary
