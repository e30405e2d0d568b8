// Reads, verifies and prints real modules of three forms, and writes them back byte for byte.
#include "harness/formats/vmfb/vmfb.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::vmfb {
namespace {

Bytes ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes((std::istreambuf_iterator<char>(in)), {});
}

Bytes RealFile(std::string_view prefix) {
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("vmfb"))) {
    if (path.find(prefix) != std::string::npos) return ReadAll(path);
  }
  return {};
}

TEST(VmfbRealFileTest, AllAreValidAndRoundTrip) {
  const std::string folder = testing::RealDataPath("vmfb");
  ANECHECK_SKIP_WITHOUT(folder);
  size_t count = 0;
  for (const std::string& path : testing::FilesUnder(folder)) {
    testing::CheckValidFile(kFormat_vmfb, ReadAll(path), path);
    ++count;
  }
  EXPECT_GE(count, 5u);
}

TEST(VmfbRealFileTest, RecognisesTheFormOfEachFile) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("vmfb"));
  const auto form = [](std::string_view prefix) {
    const Bytes bytes = RealFile(prefix);
    return Open(bytes).value().form->name;
  };
  EXPECT_EQ(form("static_embedding"), "2019-12");
  EXPECT_EQ(form("simple_embedding"), "2019-12");
  EXPECT_EQ(form("filters"), "2022-09");
  EXPECT_EQ(form("output"), "2023-06");
  EXPECT_EQ(form("fused_attn"), "2023-06");
}

TEST(VmfbRealFileTest, ListsTheContentOfTheModule) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("vmfb"));
  const std::string text = kFormat_vmfb.print(RealFile("fused_attn")).value();
  EXPECT_NE(text.find("main is function 0 0rrrr_r"), std::string::npos) << text;
  EXPECT_NE(text.find("archive entry main_dispatch_0_rocm_hsaco_fb.bin: 24636 bytes"),
            std::string::npos);
  EXPECT_NE(text.find("function 1: 61 operations mapped"), std::string::npos);
}

TEST(VmfbRealFileTest, NoByteIsOpaque) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("vmfb"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("vmfb"))) {
    const ByteCounts coverage = kFormat_vmfb.count_bytes(ReadAll(path)).value();
    EXPECT_EQ(coverage.Opaque(), 0u) << path;
  }
}

// A longer name moves the bytes after it, and the sizes, offsets and checksums of the archive
// change with it.
TEST(VmfbEditTest, AnEditUpdatesTheArchive) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("vmfb"));
  for (const char* file : {"fused_attn", "simple_embedding", "filters"}) {
    const Bytes bytes = RealFile(file);
    Json json = kFormat_vmfb.to_json(bytes).value();
    json["module"]["root"]["name"] = "a_much_longer_module_name_than_before";
    json["module"]["root"]["types"].push_back({{"full_name", "new"}});
    const Result<Bytes> written = kFormat_vmfb.from_json(json);
    ASSERT_TRUE(written.ok()) << file << ": " << written.error().message;
    const Bytes& edited = *written;
    ASSERT_TRUE(Open(edited).ok()) << file << ": " << Open(edited).error().message;
    const auto violations = kFormat_vmfb.verify(edited).value();
    EXPECT_TRUE(violations.empty()) << file << ": " << violations[0].message;
    const Module module = Open(edited).value();
    EXPECT_EQ(module.root().String(module.form->ids.name), "a_much_longer_module_name_than_before");
    EXPECT_EQ(module.zip->entries.size(), Open(bytes).value().zip->entries.size());
    EXPECT_EQ(kFormat_vmfb.rewrite(edited).value(), edited);
  }
}

TEST(VmfbEditTest, EditingAScalarChangesItsBytesOnly) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("vmfb"));
  const Bytes bytes = RealFile("static_embedding");
  Json json = kFormat_vmfb.to_json(bytes).value();
  json["module"]["root"]["function_descriptors"][0]["ref_register_count"] = 77;
  const Bytes edited = kFormat_vmfb.from_json(json).value();
  ASSERT_EQ(edited.size(), bytes.size());
  size_t changed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) changed += bytes[i] != edited[i] ? 1 : 0;
  EXPECT_EQ(changed, 1u);
}

TEST(VmfbOpenTest, NamesTheFault) {
  EXPECT_EQ(Open(Bytes{}).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(Open(Bytes(64, 0)).error().code, ErrorCode::kNotFound);
  Bytes archive(64, 0);
  archive[0] = 'P';
  archive[1] = 'K';
  archive[2] = 3;
  archive[3] = 4;
  EXPECT_EQ(Open(archive).error().message, "no end-of-central-directory record in the file");
}

}  // namespace
}  // namespace anecheck::vmfb
