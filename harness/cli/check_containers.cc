#include "harness/cli/check_containers.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "harness/base/file.h"
#include "harness/cli/with_file.h"
#include "harness/emulator/program.h"
#include "harness/encoder/ane_file.h"

namespace anecheck {

Result<std::vector<std::string>> ContainersOf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().extension() == ".hwx") inside.push_back(entry.path().string());
    }
    if (inside.empty()) {
      return MakeError(ErrorCode::kNotFound, fmt::format("{}: holds no .hwx file", path));
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Result<std::string> TargetOfContainer(const std::string& path) {
  ANECHECK_ASSIGN(Bytes read, ReadFile(path));
  const auto bytes = encoder::AsContainer(std::move(read));
  if (!bytes.ok()) return WithFile(path, bytes.error());
  const auto program = emulator::LoadProgram(*bytes);
  if (!program.ok()) return WithFile(path, program.error());
  std::string target(emulator::GenerationName(program->generation));
  std::ranges::transform(target, target.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return target;
}

}  // namespace anecheck
