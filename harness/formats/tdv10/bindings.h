// The values that a loader writes into a version-10 task: resolved bars, parameters that an input
// binds, and strides. `anecheck load` reads them from JSON and applies them. Source: specification
// 000, below table 23.5. The JSON form is defined by this project.
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
// "stop", "step", "value"}], "strides": [{"address", "value"}]}. Each list may be absent. A number
// is a JSON number or a string like "0x4d00". "slot" is the name of a slot of table 23.5. With
// "slot" the bit is 0, and the default width is 32. Errors name the member. Refuses the kinds of
// the compute cache, which version 10 does not have.
Result<Bindings> ReadBindings(const Json& json);

// Writes all values. Writes none if there is an error.
Status Apply(const Bindings& bindings, Image& image);

}  // namespace anecheck::tdv10
