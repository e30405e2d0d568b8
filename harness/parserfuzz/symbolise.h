// Adds names and lines to the frames of a sanitizer's report that has no symbols. ChildEnvironment
// requests such reports, because a sanitizer takes a hundred times as long as the crash to name its
// frames, and most crashes of a run are known.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anecheck::parserfuzz {

// Returns the path of llvm-symbolizer, whose name may contain a version. Empty if PATH has none.
const std::string& SymboliserPath();

// Queries llvm-symbolizer once for each place of a program. Thread-safe.
class Symboliser {
 public:
  // Returns `report` with each line "#2 0x55d2  (/tmp/parser+0x1a2b)" replaced by lines for the
  // functions at that place, inlined functions first: "#2 0x55d2 in Parse /src/parser.c:7:12".
  // Returns `report` unchanged if there is no llvm-symbolizer.
  std::string Symbolise(const std::string& report);

 private:
  using Place = std::pair<std::string, std::string>;  // module, offset

  void Learn(const std::string& module, const std::vector<std::string>& offsets);

  std::mutex mutex_;
  std::map<Place, std::vector<std::string>> frames_;  // "in Parse /src/parser.c:7:12"
};

}  // namespace anecheck::parserfuzz
