// Tries every truncation and every single-byte edit of the real network descriptions.
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck {
namespace {

TEST(HostileNetlists, EditsOfRealFilesNeverCrashNorAllocateTooMuch) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("netlist"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("netlist"))) {
    testing::CheckHostileEdits(kFormat_netlist, ReadFile(path).value(), path);
  }
}

}  // namespace
}  // namespace anecheck
