// The elements of an immediate tensor (message TensorValue) as a literal of MIL text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/data_type.h"

namespace anecheck::mlmodel {

// Appends the literal: a number, a string or nested lists. `extents`: the tensor's dimensions; one
// of them may be unknown and follows from the number of elements. Errors: kInvalid where the value
// holds another kind or number of elements than the type says, kLimit where `out` grows beyond
// `limit`; `out` is then of no use. Throws protozero::exception as ForEachField does.
Status AppendTensor(std::string_view value, mil::DataType type,
                    std::vector<std::optional<uint64_t>> extents, uint64_t limit, std::string& out);

}  // namespace anecheck::mlmodel
