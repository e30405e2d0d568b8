// The tensors of a finding's artifact as tables of HTML: values with their bits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace anecheck::reports {

// `inputs`, `actual` and `expected` are those members of the artifact, of any form; what cannot be
// read is said so. At most kShownElements rows a tensor, of outputs those outside first.
std::string InputTables(const nlohmann::ordered_json& inputs);
std::string OutputTables(const nlohmann::ordered_json& actual,
                         const nlohmann::ordered_json& expected);

}  // namespace anecheck::reports
