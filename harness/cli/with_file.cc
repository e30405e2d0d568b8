#include "harness/cli/with_file.h"

namespace anecheck {

Error WithFile(const std::string& path, Error error) {
  if (!path.empty() && !error.message.starts_with(path + ":")) {
    error.message.insert(0, path + ": ");
  }
  return error;
}

}  // namespace anecheck
