#include "harness/cli/file_name.h"

namespace anecheck {

OptionCheck FileName() {
  const auto check = [](const std::string& text) -> std::string {
    return text.empty() ? "the name is empty; name a file or a folder" : "";
  };
  return check;
}

}  // namespace anecheck
