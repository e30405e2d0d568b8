// The tool's version, as results files, reports and --version give it.
#pragma once

namespace anecheck {

inline constexpr const char* kToolVersion = "0.1.0";

}  // namespace anecheck
