// Shared by the tests and the benchmark of the MIL room: where the real files are, small builders.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck::mil::test {

// The folder `kind` of the real files, empty where it is missing.
inline std::filesystem::path RealFolder(const std::string& kind) {
  const char* set = std::getenv("ANECHECK_REAL_DATA");
  const std::filesystem::path root =
      set != nullptr && *set != '\0'
          ? std::filesystem::path(set)
          : std::filesystem::path(ANECHECK_SOURCE_DIR) / "../shared/real";
  std::error_code error;
  return std::filesystem::is_directory(root / kind, error) ? root / kind : std::filesystem::path();
}

struct File {
  std::string name;
  std::string text;
};

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// All real MIL texts in the order of their names.
inline std::vector<File> RealMilFiles() {
  std::vector<File> files;
  const std::filesystem::path folder = RealFolder("mil");
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mil") continue;
    files.push_back({entry.path().filename().string(), ReadText(entry.path())});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

#define ANECHECK_SKIP_WITHOUT_REAL_MIL(files)                                                \
  if ((files).empty()) {                                                                     \
    GTEST_SKIP() << "no real MIL files: set ANECHECK_REAL_DATA to the folder that has mil/"; \
  }

inline Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string ToText(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

// A program whose function `main` has the parameter x and these statements.
inline std::string WithBody(const std::string& statements, const std::string& output = "x") {
  return "program(1.3)\n[buildInfo = dict<string, string>({})]\n{\n    func main<ios18>("
         "tensor<fp16, [2]> x) {\n            " +
         statements + "\n        } -> (" + output + ");\n}";
}

}  // namespace anecheck::mil::test
