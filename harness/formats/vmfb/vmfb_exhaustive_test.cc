// Every truncation and single-byte edit of the real modules: no crash, bounded work and memory.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "harness/base/testing/test_data.h"
#include "harness/formats/testing/format_checks.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

TEST(VmfbExhaustiveTest, RealFilesUnderEveryEdit) {
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
