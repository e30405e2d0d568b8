#include "harness/cli/file_name.h"

#include <CLI/CLI.hpp>

namespace anecheck {

CLI::Validator FileName() {
  const auto check = [](std::string& text) -> std::string {
    return text.empty() ? "the name is empty; name a file or a folder" : "";
  };
  return CLI::Validator(check, "");
}

}  // namespace anecheck
