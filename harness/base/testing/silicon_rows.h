// The rows of facts/silicon/numerics_silicon.csv, which are published sums and activation errors
// that were measured on silicon. Tests compare the oracle and the simulated engine with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/base/result.h"

namespace anecheck::testing {

struct SiliconRow {
  std::string id;     // "N001"
  std::string path;   // "conv 1x1, 64 inputs (NE)", "elementwise (PE) add", ...
  std::string group;  // "bias", "int8 sum", "activation error", ...
  std::string input_text;
  std::vector<Half> inputs;  // empty if the text is not a list of numbers
  std::optional<Half> weight, bias, output;
  std::string output_text;
  std::string law;  // "L1,L2"
};

// Errors: kNotFound, kMalformed.
Result<std::vector<SiliconRow>> ReadSiliconRows(const std::string& path);

// Reads "16384", "-0.5", "1.5*2^-15", "2^-12+2^-16", "3 step" (of 2^-16), "inf" and "NaN". Returns
// nothing for other texts. Only ReadSiliconRows reads texts such as "0x7C00", the bits of an fp16
// number.
std::optional<double> SiliconNumber(std::string_view text);

}  // namespace anecheck::testing
