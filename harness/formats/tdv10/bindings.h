// The values that a loader writes into a version-10 task: resolved bars, parameters that an input
// binds, and strides, read from JSON. `anecheck load` applies them. Source: specification 000,
// below table 23.5; the JSON form is this project's own.
#pragma once

#include <vector>

#include "harness/base/json.h"
#include "harness/formats/tdv10/image.h"

namespace anecheck::tdv10 {

struct Stride {
  uint32_t address = 0;
  int32_t value = 0;
};

struct Bindings {
  std::vector<Bar> bars;
  std::vector<uint64_t> bar_values;
  std::vector<LiveIn> live_ins;
  std::vector<uint64_t> live_in_values;
  std::vector<Stride> strides;
};

// {"bars": [{"name", "kind": "device_address" | "data_set_id" | "buffer_offset", "slot" or
// "address", "bit", "width", "value"}], "live_ins": [{"input", "address", "bit", "width", "start",
// "stop", "step", "value"}], "strides": [{"address", "value"}]}. Each list may be absent; numbers
// are numbers or texts like "0x4d00". A slot is one of table 23.5 by name; bit is then 0, and width
// 32 where it is absent. Errors name the member; the kinds of the compute cache, which version 10
// has not, are refused by name.
Result<Bindings> ReadBindings(const Json& json);

// Writes them all, or nothing.
Status Apply(const Bindings& bindings, Image& image);

}  // namespace anecheck::tdv10
