// Names and lines for the frames of a sanitizer's report that was written without symbols. Reports
// are requested without symbols (ChildEnvironment), since a sanitizer that names its frames takes a
// hundred times as long as the crash, and most crashes of a run are known.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anecheck::parserfuzz {

// The path of llvm-symbolizer, perhaps with a version in its name; empty if there is none in PATH.
const std::string& SymboliserPath();

// Queries llvm-symbolizer once for each place of a program. Thread-safe.
class Symboliser {
 public:
  // Returns `report` with each line "#2 0x55d2  (/tmp/parser+0x1a2b)" replaced by lines for the
  // functions at that place, inlined functions first: "#2 0x55d2 in Parse /src/parser.c:7:12".
  // Unchanged if no symboliser is found.
  std::string Symbolise(const std::string& report);

 private:
  using Place = std::pair<std::string, std::string>;  // module, offset

  void Learn(const std::string& module, const std::vector<std::string>& offsets);

  std::mutex mutex_;
  std::map<Place, std::vector<std::string>> frames_;  // "in Parse /src/parser.c:7:12"
};

}  // namespace anecheck::parserfuzz
