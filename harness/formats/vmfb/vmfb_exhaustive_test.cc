// Tries every truncation and every single-byte edit of the real modules below 64 KiB. Checks that
// nothing crashes and that memory is bounded.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "harness/base/testing/test_data.h"
#include "harness/formats/testing/format_checks.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

TEST(VmfbExhaustiveTest, EditsOfRealFilesNeverCrashNorAllocateTooMuch) {
  const std::string folder = testing::RealDataPath("vmfb");
  ANECHECK_SKIP_WITHOUT(folder);
  for (const std::string& path : testing::FilesUnder(folder)) {
    std::ifstream in(path, std::ios::binary);
    const Bytes bytes((std::istreambuf_iterator<char>(in)), {});
    if (bytes.size() < 65536) testing::CheckHostileEdits(kFormat_vmfb, bytes, path);
  }
}

}  // namespace
}  // namespace anecheck
