// Weight units: every codec through the format, the layout, the JSON form and the rules.
#include "harness/formats/weightunit/unit.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::weightunit {
namespace {

using kernelweights::Extent;

std::vector<Half> Halves(const std::vector<double>& values) {
  std::vector<Half> halves;
  halves.reserve(values.size());
  for (const double value : values) halves.push_back(DoubleToHalf(value));
  return halves;
}

// `channels` x `elements` values of which 3 are distinct, +0 among them.
std::vector<Half> FewValues(Extent extent) {
  std::vector<Half> values(extent.Count());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = DoubleToHalf(static_cast<double>(i % 3) / 2);
  }
  return values;
}

struct Coded {
  std::string name;
  kernelweights::Weights weights;
};

// One of every form, and of palettes every legal width with every legal vector.
std::vector<Coded> EveryCodec() {
  const Extent extent{40, 3};
  const std::vector<Half> values = FewValues(extent);
  std::vector<Coded> coded;
  coded.push_back({"dense", kernelweights::Dense{extent, values}});
  coded.push_back({"affine", kernelweights::EncodeAffineInt8(extent, values, true).value()});
  kernelweights::AffineInt8 affine = kernelweights::EncodeAffineInt8(extent, values, false).value();
  affine.is_signed = false;
  affine.zero_points = {7};
  coded.push_back({"affine, unsigned", affine});
  for (const uint8_t bits : {2, 4, 6, 8}) {
    for (const uint8_t vector : {1, 2, 4, 5}) {
      coded.push_back(
          {"palette of " + std::to_string(bits) + " bits, vectors of " + std::to_string(vector),
           kernelweights::EncodePalette(extent, values, bits, vector, 2).value()});
    }
  }
  coded.push_back({"sparse", kernelweights::EncodeSparse(extent, values).value()});
  coded.push_back({"blockwise", kernelweights::EncodeBlockwiseInt8(extent, values, 5, 3).value()});
  for (const Float8Format format : {Float8Format::kE4M3, Float8Format::kE5M2}) {
    coded.push_back(
        {format == Float8Format::kE4M3 ? "e4m3" : "e5m2",
         kernelweights::EncodeFloat8(extent, values, format, Float8Overflow::kSaturate).value()});
  }
  return coded;
}

Unit WithRecords(Unit unit, std::span<const kernelweights::GroupRecord> records) {
  unit.sections.insert(unit.sections.begin(),
                       Section{.id = kOcgs, .bytes = kernelweights::WriteGroupRecords(records)});
  return unit;
}

Unit SmallDense() { return FromWeights(kernelweights::Dense{{1, 2}, Halves({1, 2})}); }

std::string BrokenRule(const Unit& unit) {
  const Unit parsed = Parse(Write(unit)).value();
  std::string rules;
  for (const Violation& violation : Verify(parsed)) {
    rules += fmt::format("{} at {}; ", violation.rule->id, violation.offset);
  }
  return rules;
}

TEST(Weightunit, EveryCodecKeepsItsMeaning) {
  for (const Coded& coded : EveryCodec()) {
    const Bytes bytes = Write(FromWeights(coded.weights));
    const auto back = ToWeights(Parse(bytes).value());
    ASSERT_TRUE(back.ok()) << coded.name << ": " << back.error().message;
    EXPECT_EQ(back->index(), coded.weights.index()) << coded.name;
    EXPECT_EQ(kernelweights::Reconstruct(*back).value(),
              kernelweights::Reconstruct(coded.weights).value())
        << coded.name;
    testing::CheckValidFile(kFormat_weightunit, bytes, coded.name);
    EXPECT_EQ(BrokenRule(FromWeights(coded.weights)), "") << coded.name;
  }
}

TEST(Weightunit, EditsNeverCrashNorCostMemory) {
  const kernelweights::GroupRecord record = kernelweights::UnloadedGroupRecord(1, 4);
  for (const Coded& coded : EveryCodec()) {
    const Unit unit = FromWeights(coded.weights);
    const Bytes bytes = Write(WithRecords(unit, std::span(&record, 1)));
    if (bytes.size() > 1024) continue;  // large codebooks, of a form that a small one shows
    testing::CheckHostileEdits(kFormat_weightunit, bytes, coded.name);
  }
}

TEST(Weightunit, LayoutIsAHeaderEntriesAndSections) {
  const Bytes bytes = Write(SmallDense());
  ASSERT_EQ(bytes.size(), kHeaderSize + kEntrySize + 4);
  EXPECT_TRUE(std::equal(kMagic.begin(), kMagic.end(), bytes.begin()));
  EXPECT_EQ(bytes[12], 1) << "channels";
  EXPECT_EQ(bytes[16], 2) << "elements";
  EXPECT_EQ(bytes[20], 5) << "type half";
  EXPECT_EQ(bytes[44], 1) << "sections";
  EXPECT_EQ(bytes[48], kWeights);
  EXPECT_EQ(bytes[52], 4) << "size";
  EXPECT_EQ(bytes[57], 0x3c) << "1.0";
  EXPECT_EQ(Parse(bytes)->sections[0].offset, 56U);
}

TEST(Weightunit, ErrorsNameTheirRuleAndPlace) {
  const Bytes bytes = Write(SmallDense());
  const auto error = [](ByteSpan damaged) {
    const auto unit = Parse(damaged);
    return unit.ok() ? "" : unit.error().message.substr(0, unit.error().message.find(':'));
  };
  EXPECT_EQ(error(ByteSpan(bytes).subspan(1)), "unit-magic");
  EXPECT_EQ(error(ByteSpan(bytes).first(bytes.size() - 1)), "unit-complete");
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_EQ(error(longer), "unit-end");
  EXPECT_EQ(Parse(longer).error().offset, bytes.size());
  Bytes counted = bytes;
  counted[47] = 0xff;  // four thousand million sections
  EXPECT_EQ(error(counted), "unit-complete");
}

TEST(Weightunit, EachRecordRuleNamesItsPlace) {
  kernelweights::GroupRecord record = kernelweights::UnloadedGroupRecord(4, 1);
  const auto broken = [](const kernelweights::GroupRecord& bad) {
    return BrokenRule(
        WithRecords(SmallDense(), std::vector{kernelweights::UnloadedGroupRecord(0, 1), bad}));
  };
  // Two entries before the sections; the second record is 56 bytes behind the first.
  EXPECT_EQ(broken(record), "offset-inside-section at 120; ");
  record.offset = 3;
  EXPECT_EQ(broken(record), "");
  record.slots[3] = 5;
  EXPECT_EQ(broken(record), "slots-unresolved at 128; ");
  record = kernelweights::UnloadedGroupRecord(0, 1);
  record.reserved[1] = 1;
  EXPECT_EQ(broken(record), "reserved-zero at 168; ");
}

// A rule of a length is not checked on terms that another rule rejects.
TEST(Weightunit, ABrokenTermBreaksNoLength) {
  const Extent extent{4, 3};
  Unit unit = FromWeights(kernelweights::EncodePalette(extent, FewValues(extent), 4).value());
  unit.vector_size = 3;
  EXPECT_EQ(BrokenRule(unit), "vector-size at 28; ");
  unit.vector_size = 1;
  unit.channels = 0;
  EXPECT_EQ(BrokenRule(unit), "extent-not-empty at 12; ");
}

TEST(Weightunit, ManyBrokenScalesAreCounted) {
  kernelweights::AffineInt8 weights;
  weights.extent = {1000, 1};
  weights.bytes.resize(1000);
  weights.scales.assign(1000, Half{0x7e00});
  const std::vector<Violation> violations = Verify(Parse(Write(FromWeights(weights))).value());
  ASSERT_FALSE(violations.empty());
  EXPECT_LT(violations.size(), 100U);
  EXPECT_NE(violations.back().message.find("more of this rule"), std::string::npos)
      << violations.back().message;
}

TEST(Weightunit, JsonSpellsEachFormsElements) {
  const auto members = [](const kernelweights::Weights& weights) {
    std::string keys;
    const Json json = ToJson(FromWeights(weights));
    for (const Json& section : json["sections"]) {
      for (const auto& item : section.items()) keys += item.key() + " ";
    }
    return keys;
  };
  std::string all;
  for (const Coded& coded : EveryCodec()) {
    const std::string keys = members(coded.weights);
    EXPECT_EQ(keys.find("bytes"), std::string::npos) << coded.name;
    if (!coded.name.starts_with("palette")) all += keys + "| ";
  }
  EXPECT_EQ(all,
            "section halves | section scales section integers | "
            "section scales section integers section zero_points | section mask nonzeros | "
            "section scales section integers | section codes | section codes | ");
  const Extent extent{4, 3};
  EXPECT_EQ(members(kernelweights::EncodePalette(extent, FewValues(extent), 4).value()),
            "section codebooks section indices ");
}

TEST(Weightunit, JsonListsTheIndicesOfTheExtent) {
  const kernelweights::Palette palette{{1, 3}, 2, 1, 1, {0b100111}, Halves({1, 2, 3, 4})};
  Unit unit = FromWeights(palette);
  EXPECT_EQ(ToJson(unit)["sections"][1]["indices"].dump(), "[3,1,2]");
  // Bits behind the last are kept: then every index that fits is listed.
  unit.sections[1].bytes[0] |= 0x40;
  EXPECT_EQ(ToJson(unit)["sections"][1]["indices"].dump(), "[3,1,2,1]");
  EXPECT_EQ(Write(FromJson(ToJson(unit)).value()), Write(unit));
  // A byte behind them is no index of 6 bits.
  unit.index_bits = 6;
  unit.sections[1].bytes = {1, 0xff};
  EXPECT_EQ(ToJson(unit)["sections"][1]["bytes"], "01ff");
  EXPECT_EQ(Write(FromJson(ToJson(unit)).value()), Write(unit));
}

TEST(Weightunit, JsonRefusesWhatNoUnitHolds) {
  const Json json = ToJson(
      FromWeights(kernelweights::Palette{{1, 3}, 2, 1, 1, {0b100111}, Halves({1, 2, 3, 4})}));
  ASSERT_TRUE(FromJson(json).ok());
  const auto refused = [&](const char* pointer, const Json& value) {
    Json changed = json;
    changed[Json::json_pointer(pointer)] = value;
    const auto unit = FromJson(changed);
    return unit.ok() ? "" : unit.error().message;
  };
  EXPECT_EQ(refused("/sections/1/indices/0", 4),
            "sections[1].indices[0]: needs an integer from 0 to 3");
  EXPECT_NE(refused("/index_bits", 0), "");
  EXPECT_NE(refused("/form", "gzip"), "");
  EXPECT_NE(refused("/type", "int7"), "");
  EXPECT_NE(refused("/channels", uint64_t{1} << 32), "");
  EXPECT_NE(refused("/channels", -1), "");
  EXPECT_NE(refused("/sections/0/codebooks/0", 65536), "");
  EXPECT_NE(refused("/sections/0/section", "palette"), "");
  EXPECT_NE(refused("/sections/0/more", 1), "");
  EXPECT_NE(refused("/more", 1), "");
  EXPECT_EQ(refused("/form", 77), "") << "a number that no form has is kept";
}

TEST(Weightunit, CoverageCountsWeightsAsPayloadAndTheLookupAsOpaque) {
  Unit unit = SmallDense();
  unit.sections.insert(unit.sections.begin(), Section{.id = kLut, .bytes = Bytes(10)});
  const Coverage coverage = kFormat_weightunit.coverage(Write(unit)).value();
  EXPECT_EQ(coverage.typed, kHeaderSize + 2 * kEntrySize);
  EXPECT_EQ(coverage.payload, 4U);
  EXPECT_EQ(coverage.Opaque(), 10U);
}

}  // namespace
}  // namespace anecheck::weightunit
