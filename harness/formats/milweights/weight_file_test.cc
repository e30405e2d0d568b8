// Tests the weight side file: the layout of written files, and the files that are accepted,
// refused, or kept unchanged. The generator's tests cover the rules of the format entry.
#include "harness/formats/milweights/weight_file.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/testing/generators.h"
#include "harness/formats/milweights/milweights_format.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::milweights {
namespace {

using mil::DataType;

Bytes Sample() {
  WeightFileWriter writer;
  EXPECT_EQ(writer.Append(DataType::kFp16, Bytes{0, 0x3c, 0, 0x40}).value(), 64u);
  EXPECT_EQ(writer.Append(DataType::kInt8, Bytes(64, 7)).value(), 192u);
  EXPECT_EQ(writer.Append(DataType::kUint4, Bytes{0x21, 0x03}, 4).value(), 320u);
  return std::move(writer).Take();
}

TEST(WeightFile, WriterPlacesHeaderRecordsAndData) {
  const Bytes file = Sample();
  ASSERT_EQ(file.size(), 386u);
  EXPECT_EQ(Bytes(file.begin(), file.begin() + 8), (Bytes{3, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(Bytes(file.begin() + 64, file.begin() + 96),
            (Bytes{0xef, 0xbe, 0xad, 0xde, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
                   128,  0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Bytes(file.begin() + 128, file.begin() + 132), (Bytes{0, 0x3c, 0, 0x40}));
  EXPECT_EQ(file[320 + 4], 11);  // UInt4
  EXPECT_EQ(file[320 + 24], 4);
}

TEST(WeightFile, ReadsABlobAtItsRecord) {
  const Bytes file = Sample();
  const auto blob = ReadBlob(file, 64, DataType::kFp16);
  ASSERT_TRUE(blob.ok()) << blob.error().message;
  EXPECT_EQ(Bytes(blob->begin(), blob->end()), (Bytes{0, 0x3c, 0, 0x40}));
  EXPECT_EQ(ReadBlob(file, 192, DataType::kInt8)->size(), 64u);
}

TEST(WeightFile, RefusesMissingBlobs) {
  Bytes file = Sample();
  const auto message = [&](uint64_t offset, DataType type) {
    const auto blob = ReadBlob(file, offset, type);
    return blob.ok() ? "read" : blob.error().message;
  };
  EXPECT_EQ(message(64, DataType::kFp32),
            "weight blob at 0x40: type 1 (fp16), but fp32 is required");
  EXPECT_EQ(message(128, DataType::kFp16),
            "weight blob at 0x80: no record (0xdeadbeef) stands there");
  EXPECT_EQ(message(0, DataType::kFp16),
            "weight blob at 0x0: a record starts at a multiple of 64 behind the header");
  EXPECT_EQ(message(65, DataType::kFp16),
            "weight blob at 0x41: a record starts at a multiple of 64 behind the header");
  EXPECT_EQ(message(uint64_t{1} << 63, DataType::kFp16),
            "weight blob at 0x8000000000000000: no record (0xdeadbeef) stands there");
  Bytes early = file;
  early[64 + 16] = 127;  // the data would begin in the last byte of the record
  EXPECT_EQ(ReadBlob(early, 64, DataType::kFp16).error().message,
            "weight blob at 0x40: 4 bytes of data at 0x7f do not lie behind it");
  early[64 + 8] = 0;
  EXPECT_EQ(ReadBlob(early, 64, DataType::kFp16)->size(), 0u)
      << "an empty blob has no data that could overlap the record";
  file[64 + 15] = 0xff;
  EXPECT_EQ(
      message(64, DataType::kFp16),
      "weight blob at 0x40: 18374686479671623684 bytes of data at 0x80 do not lie in the file");
  file[64 + 4] = 77;
  EXPECT_EQ(message(64, DataType::kOther), "weight blob at 0x40: type 77 (?), but ? is required");
}

TEST(WeightFile, AppendRefusesPartsOfElements) {
  WeightFileWriter writer;
  EXPECT_FALSE(writer.Append(DataType::kFp16, Bytes(3)).ok());
  EXPECT_FALSE(writer.Append(DataType::kFp16, Bytes(4), 1).ok());
  EXPECT_FALSE(writer.Append(DataType::kUint4, Bytes(1), 8).ok());
  EXPECT_FALSE(writer.Append(DataType::kString, Bytes(4)).ok());
  EXPECT_FALSE(writer.Append(DataType::kFp64, Bytes(8)).ok())
      << "the storage format has no number for fp64";
  EXPECT_EQ(writer.count(), 0u);
  EXPECT_EQ(writer.size(), 64u);
}

TEST(WeightFile, PassesTheChecksOfEveryFormat) {
  testing::CheckValidFile(kFormat_milweights, Sample(), "weight.bin");
  testing::CheckHostileEdits(kFormat_milweights, Sample(), "weight.bin");
}

TEST(WeightFile, TypeNumbersEqualThoseOfTheStorageFormat) {
  EXPECT_EQ(BlobTypeNumber(DataType::kFp16), 1u);
  EXPECT_EQ(BlobTypeNumber(DataType::kInt4), 8u);
  EXPECT_EQ(BlobTypeNumber(DataType::kFp8E5M2), 17u);
  EXPECT_FALSE(BlobTypeNumber(DataType::kOther).has_value());
  for (uint32_t number = 1; number <= 17; ++number) {
    EXPECT_EQ(BlobTypeNumber(BlobTypeFromNumber(number)), number);
  }
  EXPECT_EQ(BlobTypeFromNumber(0), DataType::kOther);
  EXPECT_EQ(BlobTypeFromNumber(18), DataType::kOther);
}

TEST(WeightFile, FailsOnlyWithoutAHeader) {
  const auto file = Parse(Bytes(63));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kTruncated);
  EXPECT_TRUE(Parse(Bytes(64)).ok());
}

TEST(WeightFile, PrintsItsBlobs) {
  EXPECT_EQ(
      kFormat_milweights.print(Sample()).value(),
      "MIL weight side file, version 2, 3 blobs counted, 3 found\n"
      "  blob[0] at 0x40: type 1 (fp16), 4 bytes at 0x80, 2 elements\n"
      "  blob[1] at 0xc0: type 4 (int8), 64 bytes at 0x100, 64 elements\n"
      "  blob[2] at 0x140: type 11 (uint4), 2 bytes at 0x180, 4 bits of padding, 3 elements\n");
}

TEST(WeightFile, JsonNamesFieldsAndKeepsUnknownBytes) {
  Bytes file = Sample();
  const Json clean = kFormat_milweights.to_json(file).value();
  EXPECT_EQ(clean["blobs"][0]["type"], "fp16");
  EXPECT_EQ(clean["blobs"][2]["padding_size_in_bits"], 4);
  EXPECT_FALSE(clean.contains("gaps"));
  file[140] = 9;                       // between the data of blob 0 and the record of blob 1
  file.insert(file.end(), {0, 0, 0});  // after the last data
  const Json odd = kFormat_milweights.to_json(file).value();
  ASSERT_EQ(odd["gaps"].size(), 2u);
  EXPECT_EQ(odd["gaps"][0]["offset"], 132);
  EXPECT_EQ(kFormat_milweights.from_json(odd).value(), file);
}

TEST(WeightFile, JsonErrorsNameTheField) {
  Json json = kFormat_milweights.to_json(Sample()).value();
  const auto message = [](const Json& j) {
    const auto bytes = kFormat_milweights.from_json(j);
    return bytes.ok() ? "written" : bytes.error().message;
  };
  EXPECT_EQ(message(Json::array()), "document: must be an object");
  Json broken = json;
  broken["blobs"][1]["size"] = -1;
  EXPECT_EQ(message(broken),
            "blobs[1].size: must be a number from 0 to 18446744073709551615 or a \"0x\" string");
  broken = json;
  broken["blobs"][0]["type"] = "fp17";
  EXPECT_EQ(message(broken), "blobs[0].type: must be the name of a type or its number");
  broken = json;
  broken["blobs"][2]["data_offset"] = uint64_t{1} << 40;
  EXPECT_NE(message(broken).find("a hole of"), std::string::npos);
  broken = json;
  broken["blobs"][0]["size"] = 3;
  EXPECT_EQ(message(broken),
            "weight blob at 0x40: the record says 3 bytes of data, and 4 are given");
}

// Generates Sample() with some bytes replaced, and with bytes appended.
rc::Gen<Bytes> AnyFile() {
  return rc::gen::apply(
      [](Bytes noise, const std::vector<uint8_t>& places) {
        Bytes file = Sample();
        for (size_t i = 0; i < places.size() && i < noise.size(); ++i) {
          file[(places[i] * 8u + i) % file.size()] = noise[i];
        }
        file.insert(file.end(), noise.begin(), noise.end());
        return file;
      },
      testing::AnyBytes(), rc::gen::arbitrary<std::vector<uint8_t>>());
}

RC_GTEST_PROP(WeightFile, AnyFileRoundTripsThroughRewriteAndJson, ()) {
  const Bytes file = *AnyFile();
  RC_ASSERT(kFormat_milweights.rewrite(file).value() == file);
  RC_ASSERT(kFormat_milweights.from_json(kFormat_milweights.to_json(file).value()).value() == file);
  const ByteCounts coverage = kFormat_milweights.count_bytes(file).value();
  RC_ASSERT(coverage.typed + coverage.payload + coverage.fill <= coverage.total);
  RC_ASSERT(kFormat_milweights.verify(file).ok());
}

RC_GTEST_PROP(WeightFile, ABlobHasAsManyBytesAsItsRecordStates, ()) {
  const Bytes file = *AnyFile();
  for (uint64_t at = kHeaderSize; at < file.size(); at += kAlignment) {
    for (uint32_t number = 1; number <= 17; ++number) {
      const auto blob = ReadBlob(file, at, BlobTypeFromNumber(number));
      if (!blob.ok()) continue;
      uint64_t stated = 0;
      for (size_t i = 0; i < 8; ++i) stated |= uint64_t{file[at + 8 + i]} << (8 * i);
      RC_ASSERT(blob->size() == stated);
    }
  }
}

RC_GTEST_PROP(WeightFile, AppendedBlobsReadBack, (const std::vector<std::vector<uint8_t>>& data)) {
  WeightFileWriter writer;
  std::vector<uint64_t> offsets;
  for (const auto& bytes : data) offsets.push_back(writer.Append(DataType::kUint8, bytes).value());
  const Bytes file = std::move(writer).Take();
  RC_ASSERT(Parse(file)->blobs.size() == data.size());
  RC_ASSERT(kFormat_milweights.verify(file)->empty());
  for (size_t i = 0; i < data.size(); ++i) {
    const ByteSpan blob = ReadBlob(file, offsets[i], DataType::kUint8).value();
    RC_ASSERT(std::equal(blob.begin(), blob.end(), data[i].begin(), data[i].end()));
  }
}

}  // namespace
}  // namespace anecheck::milweights
