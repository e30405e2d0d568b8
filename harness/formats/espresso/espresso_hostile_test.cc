// Tries every truncation and every single-byte edit of the real espresso files.
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/espresso/espresso.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck {
namespace {

TEST(HostileEspresso, EditsOfRealFilesNeverCrashNorAllocateTooMuch) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("espresso"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("espresso"))) {
    testing::CheckHostileEdits(kFormat_espresso, ReadFile(path).value(), path);
  }
}

}  // namespace
}  // namespace anecheck
