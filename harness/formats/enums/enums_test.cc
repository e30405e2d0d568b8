// Tests the sizes of the enumerations, selected members from the specification, the uniqueness of
// names, and the conversions by name and by number.

#include "harness/formats/enums/enums.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "harness/formats/enums/firmware_commands.h"

namespace anecheck {
namespace {

EnumKind Kind(size_t index) { return static_cast<EnumKind>(index); }

TEST(Enums, EveryKindHasItsTable) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kEnumKindCount; ++i) {
    const EnumTable& table = GetEnumTable(Kind(i));
    EXPECT_EQ(table.kind, Kind(i)) << table.name;
    EXPECT_FALSE(table.entries.empty());
    EXPECT_FALSE(table.source.empty());
    EXPECT_TRUE(names.insert(table.name).second) << table.name;
    EXPECT_EQ(FindEnumKind(table.name), Kind(i));
  }
  EXPECT_FALSE(FindEnumKind("no_such_kind").has_value());
}

TEST(Enums, HaveTheStatedSizes) {
  const std::pair<EnumKind, size_t> rows[] = {
      {EnumKind::kOpClass, 79},     {EnumKind::kMicroOp, 126},   {EnumKind::kNonlinearMode, 48},
      {EnumKind::kElementType, 11}, {EnumKind::kPooling, 14},    {EnumKind::kReduction, 11},
      {EnumKind::kElementwise, 21}, {EnumKind::kPaddingMode, 7}, {EnumKind::kFirmwareCommand, 93},
      {EnumKind::kDimension, 5},
  };
  for (const auto& [kind, size] : rows) EXPECT_EQ(GetEnumTable(kind).entries.size(), size);
}

TEST(Enums, RoundTripByNumberAndByName) {
  for (size_t i = 0; i < kEnumKindCount; ++i) {
    std::set<std::string_view> names;
    std::set<uint32_t> codes;
    for (const EnumEntry& entry : GetEnumTable(Kind(i)).entries) {
      EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
      EXPECT_TRUE(codes.insert(entry.code).second) << entry.name;
      EXPECT_EQ(EnumName(Kind(i), entry.code), entry.name);
      EXPECT_EQ(EnumCode(Kind(i), entry.name), entry.code);
      EXPECT_EQ(EnumText(Kind(i), entry.code), entry.name);
    }
  }
}

// Source: specification 000, table 23.13.
TEST(OpClass, HasTheMembersOfTheSpecification) {
  const std::pair<const char*, uint32_t> rows[] = {{"Conv", 1},
                                                   {"MatrixMultiplication", 18},
                                                   {"Pooling", 2},
                                                   {"Reduction", 20},
                                                   {"Concat", 3},
                                                   {"Linear", 60},
                                                   {"ElementWise", 4},
                                                   {"NEConv", 68},
                                                   {"ScaledElementWise", 5},
                                                   {"NEMatMul", 69},
                                                   {"Neuron", 6},
                                                   {"NEPool", 70},
                                                   {"GOC", 8},
                                                   {"SDPA", 77},
                                                   {"Softmax", 24},
                                                   {"AllReduce", 78}};
  for (const auto& [name, code] : rows) {
    EXPECT_EQ(EnumCode(EnumKind::kOpClass, name), code) << name;
    EXPECT_EQ(EnumName(EnumKind::kOpClass, code), name);
  }
  // "There is no transposed-convolution class."
  for (const EnumEntry& entry : GetEnumTable(EnumKind::kOpClass).entries) {
    EXPECT_EQ(entry.name.find("Deconv"), std::string_view::npos);
    EXPECT_EQ(entry.name.find("TransposedConv"), std::string_view::npos);
  }
}

// Source: specification 000, table 23.12.
TEST(ElementType, HasTheNumbersOfSerialization) {
  const char* names[] = {"int4",   "uint8", "int8",   "fp16",  "fp32",  "int16",
                         "uint16", "int32", "uint32", "int64", "uint64"};
  for (uint32_t code = 0; code < 11; ++code) {
    EXPECT_EQ(EnumName(EnumKind::kElementType, code), names[code]);
  }
  EXPECT_FALSE(EnumName(EnumKind::kElementType, 11).has_value());
}

// In specification 000, listing 23.5, half precision is type 5, the 8-bit float is type 16, and the
// 4-bit integer is type 23.
TEST(ElementType, HardwareHasOtherNumbers) {
  EXPECT_EQ(EnumName(EnumKind::kCatalogType, 5), "float16");
  EXPECT_EQ(EnumName(EnumKind::kCatalogType, 16), "e4m3");
  EXPECT_EQ(EnumName(EnumKind::kCatalogType, 23), "int4");
  EXPECT_EQ(EnumCode(EnumKind::kTensorFormat, "e4m3"), 12u);
  EXPECT_FALSE(EnumCode(EnumKind::kElementType, "e4m3").has_value());
}

TEST(PoolIndices, GlobalKindsComeBeforeLocalOnes) {
  EXPECT_EQ(EnumName(EnumKind::kPoolIndices, 3), "GlobalFlatten4D");
  EXPECT_EQ(EnumCode(EnumKind::kPoolIndices, "LocalFlatten1D"), 4u);
}

TEST(Aliases, AreReadAndNotPrinted) {
  EXPECT_EQ(EnumCode(EnumKind::kActivationToken, "swish"), 9u);
  EXPECT_EQ(EnumName(EnumKind::kActivationToken, 9), "silu");
  EXPECT_EQ(EnumCode(EnumKind::kCollectiveReduction, "product"), 4u);
  EXPECT_EQ(EnumName(EnumKind::kCollectiveReduction, 4), "prod");
}

TEST(UnknownCodes, HaveNoNameAndPrintAsNumbers) {
  EXPECT_FALSE(EnumName(EnumKind::kPaddingMode, 4).has_value());
  EXPECT_EQ(EnumText(EnumKind::kPaddingMode, 4), "4");
  EXPECT_FALSE(EnumCode(EnumKind::kPooling, "avg").has_value()) << "names are exact";
}

RC_GTEST_PROP(Enums, ExactlyTheCodesOfTableRowsHaveNames, (uint16_t code)) {
  for (size_t i = 0; i < kEnumKindCount; ++i) {
    bool listed = false;
    for (const EnumEntry& entry : GetEnumTable(Kind(i)).entries) listed |= entry.code == code;
    RC_ASSERT(EnumName(Kind(i), code).has_value() == listed);
  }
}

TEST(FirmwareCommands, AreFoundByIndexAndByWireId) {
  ASSERT_EQ(FirmwareCommands().size(), 93u);
  for (size_t i = 0; i < FirmwareCommands().size(); ++i) {
    const FirmwareCommand& command = FirmwareCommands()[i];
    EXPECT_EQ(command.index, i);
    EXPECT_EQ(CommandByIndex(i), &command);
    EXPECT_EQ(EnumName(EnumKind::kFirmwareCommand, i), command.name);
    if (command.wire_evidence == WireIdEvidence::kUnknown) continue;
    EXPECT_EQ(CommandByWireId(command.wire_id), &command);
    EXPECT_NE(WireRangeOf(command.wire_id), nullptr) << command.name;
  }
  EXPECT_EQ(CommandByIndex(93), nullptr);
}

// facts/more/csne_wire_ids.csv has 94 ids and names three of them.
TEST(FirmwareCommands, HaveTheWireIdsOfTheTable) {
  size_t ids = 0;
  for (const WireIdRange& range : WireIdRanges()) ids += range.last - range.first + 1u;
  EXPECT_EQ(ids, 94u);
  EXPECT_EQ(CommandByWireId(0x7000)->name, "INFERENCE_CALL");
  EXPECT_EQ(CommandByWireId(0xff00)->name, "BACK_CHANNEL_RPC");
  EXPECT_EQ(CommandByWireId(0x0000)->name, "DEBUG_COMMAND_DATA_CHECK");
  EXPECT_EQ(CommandByWireId(0x0001)->name, "STOP");
  EXPECT_EQ(CommandByWireId(0x0108)->name, "TM_SYNC_ERR_NOTIFICATION");
  EXPECT_EQ(CommandByWireId(0x0212)->name, "SET_ACTIVE_CACHE_REQUEST_IN_GROUP");
  EXPECT_EQ(CommandByWireId(0x0400), nullptr) << "the range has five ids and only four names";
  EXPECT_NE(WireRangeOf(0x0400), nullptr);
  EXPECT_EQ(WireRangeOf(0x0035), nullptr);
}

}  // namespace
}  // namespace anecheck
