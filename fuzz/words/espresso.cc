#include "harness/formats/espresso/espresso.h"

#include "fuzz/words/words.h"

namespace anecheck::fuzz {

WordTables words::espresso() {
  WordTable version = {"format_version"};
  version.Text(std::to_string(espresso::kFormatVersion));
  return {version};
}

}  // namespace anecheck::fuzz
