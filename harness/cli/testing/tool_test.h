// A fixture for tests of the command line, which runs the tool in the test's own folder. The build
// sets the path of the tool (ANECHECK_TOOL).
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/wait.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck::testing {

struct ToolOutcome {
  int code = -1;  // -1 if a signal ended the tool
  std::string out;
  std::string err;
};

class ToolTest : public ::testing::Test {
 protected:
  // Runs the tool. A shell splits `arguments` into words.
  ToolOutcome Tool(const std::string& arguments) {
    const std::string out = Path("out");
    const std::string err = Path("err");
    const std::string command =
        std::string(ANECHECK_TOOL) + " " + arguments + " >" + out + " 2>" + err;
    const int status = std::system(command.c_str());
    ToolOutcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.out = *ReadTextFile(out);
    outcome.err = *ReadTextFile(err);
    return outcome;
  }
  // Returns the JSON document that the tool printed. If the output is not JSON, fails the test and
  // returns null.
  Json JsonOf(const ToolOutcome& outcome) {
    const auto json = ParseJson(outcome.out);
    EXPECT_TRUE(json.ok()) << outcome.out << outcome.err;
    return json.ok() ? *json : Json();
  }
  std::string Path(const std::string& name) const { return folder_->File(name); }
  std::string Db(const std::string& name) const { return " --db " + Path(name); }
  void WriteText(const std::string& name, std::string_view text) {
    ASSERT_TRUE(WriteFileAtomic(Path(name), text).ok());
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-tool-");
};

}  // namespace anecheck::testing
