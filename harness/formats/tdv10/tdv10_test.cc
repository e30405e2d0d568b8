// Tests version-10 images: the groups and fields of the specification, strides, sparse streams,
// bars and live-ins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/little_endian.h"
#include "harness/base/testing/generators.h"
#include "harness/formats/tdv10/bindings.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck::tdv10 {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kAperture = 0x7f0000;

Image AnyImage() { return Image::Parse(*testing::BytesOfSize(kImageSize)).value(); }

uint32_t AnyRegister() {
  const RegisterGroup& group = Groups()[*rc::gen::inRange<size_t>(0, Groups().size())];
  return group.address + 4 * *rc::gen::inRange<uint32_t>(0, group.count);
}

// Source: specification 000, table 23.4. Columns: structure base, registers, aperture base.
TEST(Table234, HasTheSevenGroups) {
  const struct {
    uint32_t structure_base;
    uint32_t count;
    uint32_t address;
  } rows[] = {{0x2c, 34, 0x5500},  {0xfc, 19, 0},       {0x150, 69, 0x4d00}, {0x26c, 30, 0x4100},
              {0x2ec, 14, 0x4500}, {0x32c, 11, 0x4900}, {0x360, 21, 0x5100}};
  ASSERT_EQ(Groups().size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(Groups()[i].image_base + kStructureLead, rows[i].structure_base);
    EXPECT_EQ(Groups()[i].count, rows[i].count);
    EXPECT_EQ(Groups()[i].address, rows[i].address);
  }
  const RegisterGroup& last = Groups().back();
  EXPECT_EQ(last.image_base + 4 * last.count, kImageSize);
}

// Groups do not overlap in the image or in the address space.
TEST(Groups, AreDisjoint) {
  std::set<uint32_t> addresses;
  uint32_t end = 0;
  for (const RegisterGroup& group : Groups()) {
    EXPECT_GE(group.image_base, end);
    end = group.image_base + 4 * group.count;
    for (uint32_t i = 0; i < group.count; ++i) {
      EXPECT_TRUE(addresses.insert(group.address + 4 * i).second);
      EXPECT_EQ(GroupOf(group.address + 4 * i), &group);
    }
  }
  EXPECT_EQ(addresses.size(), 198u);
  EXPECT_EQ(GroupOf(0x4c), nullptr);
  EXPECT_EQ(GroupOf(0x5502), nullptr);
  EXPECT_EQ(GroupOf(0x5588), nullptr);
}

// Source: specification 000, listing 23.3. The rows have the offset, size and mask of each field.
TEST(Listing233, FieldsHaveItsOffsetsAndMasks) {
  const struct {
    const char* name;
    uint32_t offset;
    uint32_t bytes;
    uint32_t mask;
  } rows[] = {{"Win", 0x0f4, 2, 0x7fff},  {"Hin", 0x0f6, 2, 0x7fff},
              {"Cin", 0x100, 4, 0x1ffff}, {"Cout", 0x104, 4, 0x1ffff},
              {"OCGSize", 0x118, 4, 7},   {"numGroups", 0x11c, 4, 0x1fff}};
  for (const auto& row : rows) {
    Image image;
    ASSERT_TRUE(image.SetField(row.name, row.mask).ok()) << row.name;
    EXPECT_EQ(LoadLittle(image.bytes(), row.offset, row.bytes), row.mask) << row.name;
    EXPECT_EQ(image.Field(row.name).value(), row.mask);
    EXPECT_FALSE(image.SetField(row.name, uint64_t{row.mask} + 1).ok()) << row.name;
    ASSERT_TRUE(image.SetField(row.name, 0).ok());
    EXPECT_EQ(image, Image()) << row.name;
  }
  EXPECT_FALSE(Image().Field("Wout").ok());
}

// Source: specification 000, table 23.5. If the slots are word addresses, each slot is in the group
// that the listing names for it.
TEST(Table235, SlotsAreWordAddressesOfTheirGroups) {
  const std::pair<uint32_t, const char*> rows[] = {
      {0x1344, "tile_dma"},          {0x134a, "tile_dma"},          {0x1442, "l2_result"},
      {0x1554, "kernel_and_common"}, {0x1558, "kernel_and_common"}, {0x155c, "kernel_and_common"},
      {0x1560, "kernel_and_common"}};
  ASSERT_EQ(RelocationSlots().size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(RelocationSlots()[i].word, rows[i].first);
    const RegisterGroup* group = GroupOf(RelocationSlots()[i].address());
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->name, rows[i].second);
    EXPECT_EQ(SlotAt(4 * rows[i].first), &RelocationSlots()[i]);
  }
  EXPECT_EQ(SlotAt(0x4d00), nullptr);
}

RC_GTEST_PROP(Bits, SetBitsReadBackAndLeaveTheOthersUnchanged, ()) {
  const Image before = AnyImage();
  BitField bits;
  bits.address = AnyRegister();
  bits.bit = *rc::gen::inRange<uint8_t>(0, 32);
  bits.width = *rc::gen::inRange<uint8_t>(1, 65);
  const uint64_t raw = *rc::gen::arbitrary<uint64_t>();
  const uint64_t value = bits.width == 64 ? raw : raw & ((uint64_t{1} << bits.width) - 1);
  Image after = before;
  const Status status = after.SetBits(bits, value);
  const RegisterGroup* group = GroupOf(bits.address);
  const uint32_t words = (bits.bit + uint32_t{bits.width} + 31) / 32;
  const bool inside = (bits.address - group->address) / 4 + words <= group->count;
  RC_ASSERT(status.ok() == inside);
  if (!inside) {
    RC_ASSERT(after == before);
    return;
  }
  RC_ASSERT(after.Bits(bits).value() == value);
  const uint64_t old = before.Bits(bits).value();
  RC_ASSERT(after.SetBits(bits, old).ok());
  RC_ASSERT(after == before);
}

TEST(Bits, RefusesRangesThatAreNoField) {
  Image image;
  EXPECT_FALSE(image.SetBits({0x5500, 0, 0}, 0).ok());
  EXPECT_FALSE(image.SetBits({0x5500, 32, 1}, 0).ok());
  EXPECT_FALSE(image.SetBits({0x5500, 0, 65}, 0).ok());
  EXPECT_THAT(image.SetBits({0x4c, 0, 1}, 0).error().message, HasSubstr("0x4c"));
  EXPECT_THAT(image.SetBits({0x48, 31, 2}, 0).error().message, HasSubstr("leave the group"));
  EXPECT_THAT(image.SetBits({0x48, 0, 4}, 16).error().message, HasSubstr("does not fit"));
}

// "A 26-bit signed field located at bit 6."
RC_GTEST_PROP(Strides, Are26BitsSignedAtBit6, ()) {
  const auto value = *rc::gen::inRange<int32_t>(-(1 << 25), 1 << 25);
  Image image = AnyImage();
  const uint32_t address = AnyRegister();
  const uint32_t low = image.Register(address).value() & 63;
  RC_ASSERT(image.SetStride(address, value).ok());
  RC_ASSERT(image.Stride(address).value() == value);
  RC_ASSERT(image.Register(address).value() == ((static_cast<uint32_t>(value) << 6) | low));
}

TEST(Strides, HaveTheirRange) {
  Image image;
  EXPECT_TRUE(image.SetStride(0x4d00, (1 << 25) - 1).ok());
  EXPECT_FALSE(image.SetStride(0x4d00, 1 << 25).ok());
  EXPECT_TRUE(image.SetStride(0x4d00, -(1 << 25)).ok());
  EXPECT_EQ(image.Stride(0x4d00).value(), -(1 << 25));
  EXPECT_FALSE(image.SetStride(0x4d00, -(1 << 25) - 1).ok());
}

Image WithoutGaps(const Image& image) {
  Image registers;
  for (const RegisterGroup& group : Groups()) {
    for (uint32_t i = 0; i < group.count; ++i) {
      const uint32_t address = group.address + 4 * i;
      (void)registers.SetRegister(address, image.Register(address).value());
    }
  }
  return registers;
}

RC_GTEST_PROP(Sparse, ReadsBackAgainstAnyDefaults, ()) {
  const Image defaults = WithoutGaps(AnyImage());
  Image image = defaults;
  for (const uint32_t value : *rc::gen::arbitrary<std::vector<uint32_t>>()) {
    RC_ASSERT(image.SetRegister(AnyRegister(), value).ok());
  }
  const std::vector<SparseRecord> records = Serialize(image, defaults, kAperture);
  for (const SparseRecord& record : records) {
    const uint32_t default_value = defaults.Register(record.address()).value();
    RC_ASSERT(record.first != default_value);
    RC_ASSERT(record.marker == 0x28u);
  }
  const Bytes bytes = WriteRecords(records);
  RC_ASSERT(bytes.size() == 44 * records.size());
  RC_ASSERT(Deserialize(ReadRecords(bytes).value(), defaults).value() == image);
}

TEST(Sparse, AnImageOfDefaultsHasNoRecords) {
  EXPECT_TRUE(Serialize(Image(), Image(), 0).empty());
  Image image;
  ASSERT_TRUE(image.SetField("Cin", 64).ok());
  ASSERT_TRUE(image.SetField("Cout", 64).ok());
  EXPECT_EQ(Serialize(image, Image(), 0).size(), 2u);
}

TEST(Sparse, ASlotTakesBothWordsOfItsAddress) {
  Image image;
  ASSERT_TRUE(image.SetBits({0x1344 * 4, 0, 64}, 0x1230004000).ok());
  const std::vector<SparseRecord> records = Serialize(image, Image(), kAperture);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].register_address, kAperture + 0x4d10);
  EXPECT_EQ(records[0].first, 0x30004000u);
  EXPECT_EQ(records[0].second, 0x12u);
  EXPECT_EQ(Deserialize(records, Image()).value(), image);
}

TEST(Sparse, BadRecordsAreErrors) {
  EXPECT_THAT(ReadRecords(Bytes(43)).error().message, HasSubstr("record-size"));
  EXPECT_FALSE(Deserialize(std::vector<SparseRecord>{{0x28, 0x4c, 1, 0}}, Image()).ok());
  EXPECT_FALSE(Deserialize(std::vector<SparseRecord>{{0x28, 0x48, 1, 1}}, Image()).ok());
  EXPECT_FALSE(Deserialize(std::vector<SparseRecord>{{0x28, 0, 1ull << 32, 0}}, Image()).ok());
}

TEST(Bars, WriteResolvedValuesOrNothing) {
  const Bar bars[] = {{"t0", BarKind::kDeviceAddress, {0x1344 * 4, 0, 40}},
                      {"dsid", BarKind::kDataSetId, {0x5500, 8, 8}}};
  Image image;
  const uint64_t values[] = {0x30008000, 0x5a};
  ASSERT_TRUE(ApplyBars(bars, values, image).ok());
  EXPECT_EQ(image.Register(0x4d10).value(), 0x30008000u);
  EXPECT_EQ(image.Register(0x5500).value(), 0x5a00u);
  const Image before = image;
  const uint64_t too_wide[] = {1, 0x100};
  const Status status = ApplyBars(bars, too_wide, image);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("bar[1] dsid"));
  EXPECT_EQ(image, before) << "nothing is written on an error";
  EXPECT_FALSE(ApplyBars(bars, std::span(values).first(1), image).ok());
}

TEST(LiveIns, TakeStartStopAndStep) {
  const LiveIn width = {"x", {0x00, 0, 15}, 64, 256, 64};
  for (const uint64_t value : {64u, 128u, 256u}) EXPECT_TRUE(CheckLiveInValue(width, value).ok());
  for (const uint64_t value : {0u, 63u, 65u, 257u, 320u}) {
    EXPECT_FALSE(CheckLiveInValue(width, value).ok()) << value;
  }
  EXPECT_FALSE(CheckLiveIn({"x", {0x00, 0, 15}, 0, 10, 0}).ok());
  EXPECT_FALSE(CheckLiveIn({"x", {0x00, 0, 15}, 10, 5, 1}).ok());
  EXPECT_FALSE(CheckLiveIn({"x", {0x00, 0, 15}, 0, 32768, 1}).ok());
  EXPECT_TRUE(CheckLiveIn({"x", {0x00, 0, 15}, 0, 32769, 32767}).ok()) << "32767 is the largest";
  EXPECT_FALSE(CheckLiveIn({"x", {0x4c, 0, 15}, 0, 1, 1}).ok());
}

RC_GTEST_PROP(LiveIns, BindExactlyTheValuesOfTheRange, ()) {
  const uint64_t start = *rc::gen::inRange<uint64_t>(0, 100);
  const uint64_t step = *rc::gen::inRange<uint64_t>(1, 20);
  const uint64_t stop = start + *rc::gen::inRange<uint64_t>(0, 200);
  const uint64_t value = *rc::gen::inRange<uint64_t>(0, 320);
  const LiveIn live_in = {"x", {0x0c, 0, 17}, start, stop, step};
  bool member = false;
  for (uint64_t v = start; v <= stop; v += step) member |= v == value;
  Image image;
  const uint64_t values[] = {value};
  RC_ASSERT(BindLiveIns(std::span(&live_in, 1), values, image).ok() == member);
  RC_ASSERT(image.Field("Cin").value() == (member ? value : 0));
}

RC_GTEST_PROP(Format, RoundTripsImagesStructuresAndStreams, ()) {
  const size_t sizes[] = {kImageSize, kImageSize + kStructureLead, 44, 44 * 7};
  const Bytes bytes = *testing::BytesOfSize(sizes[*rc::gen::inRange<size_t>(0, 4)]);
  const Result<Json> json = kFormat_tdv10.to_json(bytes);
  RC_ASSERT(json.ok());
  const Result<Bytes> back = kFormat_tdv10.from_json(*json);
  RC_ASSERT(back.ok());
  RC_ASSERT(*back == bytes);
  RC_ASSERT(*kFormat_tdv10.rewrite(bytes) == bytes);
}

TEST(Format, EditingAFieldOfTheJsonChangesOnlyItsBytes) {
  Json json = kFormat_tdv10.to_json(Bytes(kImageSize, 0)).value();
  json["image"]["fields"]["numGroups"] = 5;
  Bytes expected(kImageSize, 0);
  expected[0x11c] = 5;
  EXPECT_EQ(kFormat_tdv10.from_json(json).value(), expected);
  json["image"]["registers"]["dimensions"]["0x28"] = "0x1";
  EXPECT_THAT(kFormat_tdv10.from_json(json).error().message, HasSubstr("bits of a named field"));
  json["image"]["registers"]["dimensions"] = {{"0x5500", "0x1"}};
  EXPECT_THAT(kFormat_tdv10.from_json(json).error().message,
              HasSubstr("is no register of this group"));
}

TEST(Format, RecognisesStreamsByTheirMarkersAndImagesByExtension) {
  const Bytes stream = WriteRecords(std::vector<SparseRecord>{{}, {}});
  EXPECT_EQ(kFormat_tdv10.recognise(stream, ""), 70);
  Bytes other = stream;
  other[kRecordSize] = 0;
  EXPECT_EQ(kFormat_tdv10.recognise(other, ""), 0);
  EXPECT_EQ(kFormat_tdv10.recognise(Bytes(kImageSize), "task.tdv10"), 60);
  EXPECT_EQ(kFormat_tdv10.recognise(Bytes(kImageSize), "task.bin"), 0);
  EXPECT_EQ(kFormat_tdv10.recognise(Bytes(kImageSize + 1), "task.tdv10"), 0);
}

TEST(Format, CoverageCountsRegistersAndRecordFields) {
  EXPECT_EQ(kFormat_tdv10.count_bytes(Bytes(kImageSize))->typed, 198u * 4);
  EXPECT_EQ(kFormat_tdv10.count_bytes(Bytes(88))->typed, 2u * 28);
}

TEST(Format, PrintsSparseRecordsByGroupAndSlot) {
  Image image;
  ASSERT_TRUE(image.SetField("Cin", 64).ok());
  ASSERT_TRUE(image.SetBits({0x1442 * 4, 0, 64}, 0x100000002).ok());
  EXPECT_EQ(kFormat_tdv10.print(WriteRecords(Serialize(image, Image(), kAperture))).value(),
            "version-10 task, sparse form, 0x58 bytes\n"
            "the layout of a record is assumed, except its size and marker\n"
            "  [0] 0x7f000c: 0x40  dimensions\n"
            "  [1] 0x7f5108: 0x2 0x1  l2_result, slot output_tile\n");
}

TEST(Format, OtherSizesAreRefusedWithTheReason) {
  EXPECT_THAT(kFormat_tdv10.print(Bytes(100)).error().message, HasSubstr("0x3ac"));
  Bytes stream(50, 0);
  stream[0] = 0x28;
  EXPECT_THAT(kFormat_tdv10.print(stream).error().message, HasSubstr("record-size"));
}

std::string BindingsError(const std::string& json) {
  const auto bindings = ReadBindings(ParseJson(json, "b").value());
  return bindings.ok() ? std::string() : bindings.error().message;
}

TEST(Bindings, AreReadAndWrittenIntoTheirBits) {
  const auto bindings = ReadBindings(
      ParseJson(
          R"({"bars": [{"name": "x", "kind": "device_address", "slot": "input_tile", "value": "0x30004000"},
                             {"name": "id", "kind": "data_set_id", "address": "0x4d00", "bit": 8, "width": 4, "value": 5}],
                    "live_ins": [{"input": "n", "address": 0, "bit": 0, "width": 15,
                                  "start": 16, "stop": 64, "step": 16, "value": 48}],
                    "strides": [{"address": "0x4d14", "value": -64}]})",
          "b")
          .value());
  ASSERT_TRUE(bindings.ok()) << bindings.error().message;
  Image image;
  ASSERT_TRUE(Apply(*bindings, image).ok());
  EXPECT_EQ(image.Register(0x4d10).value(), 0x30004000u);
  EXPECT_EQ(image.Register(0x4d00).value(), 0x500u);
  EXPECT_EQ(image.Field("Win").value(), 48u);
  EXPECT_EQ(image.Stride(0x4d14).value(), -64);
}

TEST(Bindings, LeaveTheImageUnchangedIfOneDoesNotFit) {
  auto bindings =
      ReadBindings(
          ParseJson(
              R"({"strides": [{"address": "0x4d14", "value": 1}, {"address": "0x4d18", "value": 33554432}]})",
              "b")
              .value())
          .value();
  Image image;
  const Status status = Apply(bindings, image);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "register 0x4d18: a stride of 33554432 does not fit in 26 signed bits");
  EXPECT_EQ(image, Image());
}

TEST(Bindings, RejectWithPlaceAndReason) {
  EXPECT_EQ(BindingsError(R"({"bars": [{"name": "a", "kind": "atomic"}]})"),
            "bars[0]: version 10 has no compute cache, and so no atomic: its setter asserts "
            "(specification 000)");
  EXPECT_EQ(BindingsError(R"({"bars": [{"name": "a", "kind": "b"}]})"),
            "bars[0]: kind \"b\" is none of device_address, data_set_id, buffer_offset");
  EXPECT_EQ(
      BindingsError(R"({"bars": [{"name": "a", "kind": "data_set_id", "slot": "c", "value": 0}]})"),
      "bars[0]: no slot is called \"c\"; there are input_tile, second_operand, output_tile, "
      "kernel_bias, kernel_post_scale, kernel_palette, kernel_activation");
  EXPECT_EQ(BindingsError(R"({"strides": [{"address": 0, "value": 1.5}]})"),
            "strides[0]: needs a whole number \"value\" of 32 bits");
  EXPECT_EQ(BindingsError(R"({"barz": []})"),
            "bindings: member \"barz\" is none of bars, live_ins, strides");
  EXPECT_EQ(BindingsError(R"({"live_ins": [{"input": "n", "address": 0, "bit": 99, "width": 1}]})"),
            "live_ins[0]: \"bit\" of 99 is above 64");
}

}  // namespace
}  // namespace anecheck::tdv10
