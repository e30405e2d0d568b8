// Writes the elements of an immediate tensor (message TensorValue) as a literal of MIL text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/data_type.h"

namespace anecheck::mlmodel {

// Appends the literal: a number, a string or nested lists. `extents` has the dimensions of the
// tensor. One of them may be unknown. AppendTensor computes it from the number of elements. Errors:
// kInvalid if the value has another kind or number of elements than the type states, kLimit if
// `out` grows beyond `limit`. After an error the content of `out` is unspecified. Throws
// protozero::exception, like ForEachField.
Status AppendTensor(std::string_view value, mil::DataType type,
                    std::vector<std::optional<uint64_t>> extents, uint64_t limit, std::string& out);

}  // namespace anecheck::mlmodel
