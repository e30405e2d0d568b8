// Real files and small programs for the tests of the MIL format and of its generator.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/format.h"

namespace anecheck::mil::test {

struct File {
  std::string name;
  std::string text;
};

// Returns all real MIL texts of a folder, sorted by name, or nothing if the folder is missing. The
// folder `mil` has inputs of compilers. The texts of the folder `analytics` name the backend that
// runs each operation.
inline std::vector<File> RealMilFiles(std::string_view folder = "mil") {
  std::vector<File> files;
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath(folder))) {
    if (!path.ends_with(".mil")) continue;
    auto text = ReadTextFile(path);
    EXPECT_TRUE(text.ok()) << path;
    if (text.ok()) files.push_back({path, std::move(text).value()});
  }
  return files;
}

inline Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string ToText(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

// Returns a program whose function `main` has the parameter x and these statements.
inline std::string WithBody(const std::string& statements, const std::string& output = "x") {
  return "program(1.3)\n[buildInfo = dict<string, string>({})]\n{\n    func main<ios18>("
         "tensor<fp16, [2]> x) {\n            " +
         statements + "\n        } -> (" + output + ");\n}";
}

}  // namespace anecheck::mil::test
