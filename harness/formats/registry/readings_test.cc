// Tests that every format refuses bytes of another kind, with an error or a violation. Also tests
// that a ParsedFile returns the same results as the functions of Format.
#include <algorithm>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

bool Passes(const Format& format, ByteSpan bytes) {
  const auto violations = format.verify(bytes);
  return violations.ok() && std::ranges::all_of(*violations, &Violation::IsWarning);
}

TEST(EveryFormat, RejectsBytesOfAnotherKind) {
  for (const Format* format : AllFormats()) {
    for (const Format* reading : ReadingsOf(*format)) {
      EXPECT_FALSE(Passes(*reading, Bytes(1000, 0))) << reading->name;
      EXPECT_FALSE(Passes(*reading, {})) << reading->name;
    }
  }
}

TEST(EveryFormat, AFileReadOnceGivesTheSameResults) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  size_t files = 0;
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath(""))) {
    const Bytes bytes = ReadFile(path).value();
    const auto format = RecogniseFormat(bytes, path);
    if (!format.ok()) continue;
    const auto file = (*format)->read(bytes);
    const auto json = (*format)->to_json(bytes);
    ASSERT_EQ(file.ok(), json.ok()) << path;
    if (!file.ok()) continue;
    ++files;
    EXPECT_EQ((*file)->to_json()->dump(), json->dump()) << path;
    EXPECT_EQ((*file)->print(), (*format)->print(bytes).value()) << path;
    EXPECT_EQ((*file)->verify().size(), (*format)->verify(bytes)->size()) << path;
    EXPECT_EQ((*file)->count_bytes().typed, (*format)->count_bytes(bytes)->typed) << path;
  }
  EXPECT_GT(files, 50u);
}

}  // namespace
}  // namespace anecheck
