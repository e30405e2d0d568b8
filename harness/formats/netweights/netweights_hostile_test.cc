// Tries every truncation and every single-byte edit of the real weight files.
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/netweights/netweights_format.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck {
namespace {

TEST(HostileWeights, EditsOfRealFilesNeverCrashNorAllocateTooMuch) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("weights"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("weights"))) {
    testing::CheckHostileEdits(kFormat_netweights, ReadFile(path).value(), path);
  }
}

}  // namespace
}  // namespace anecheck
