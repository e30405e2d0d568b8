// Tests firmware files: the magic numbers, the division into parts, the command header, and its two
// numberings.

#include "harness/formats/firmware/firmware.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

#include "harness/base/json.h"
#include "harness/base/testing/generators.h"

namespace anecheck::firmware {
namespace {

using ::testing::HasSubstr;

// Source of the magic numbers and of their bytes in a file: facts/more/error_codes.csv.
TEST(Magic, HasTheBytesOfTheTable) {
  const std::pair<uint32_t, const char*> rows[] = {
      {kPackageMagic, "HENA"}, {kProgramMagic, "PENA"}, {kSectionMagic, "SENA"}};
  for (const auto& [magic, text] : rows) {
    const Bytes bytes = WritePackage(std::vector<Part>{{0, magic, {}}});
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
  }
  EXPECT_EQ(MagicName(0x414e4548), "ANEH");
  EXPECT_EQ(MagicName(0x55aa55aa), "AFPP");
  EXPECT_EQ(MagicName(0x414e4547), "");
}

TEST(Package, IsSplitAtAlignedMagicNumbers) {
  const std::vector<Part> parts = {{0, kPackageMagic, Bytes(8, 1)},
                                   {12, kProgramMagic, {}},
                                   {16, kSectionMagic, {1, 'S', 'E', 'N', 'A', 2, 3}}};
  const Bytes bytes = WritePackage(parts);
  const std::vector<Part> read = ParsePackage(bytes).value();
  ASSERT_EQ(read.size(), 3u) << "the magic number inside the last part is not aligned";
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].offset, parts[i].offset);
    EXPECT_EQ(read[i].magic, parts[i].magic);
    EXPECT_EQ(read[i].body, parts[i].body);
  }
  EXPECT_EQ(WritePackage(read), bytes);
}

RC_GTEST_PROP(Package, AnyBytesAfterAMagicNumberRoundTrip, ()) {
  Bytes bytes = {'H', 'E', 'N', 'A'};
  for (const uint8_t choice : *testing::AnyBytes()) {
    // Magic numbers and parts of them, at aligned and unaligned offsets.
    const std::string pieces[] = {"PENA", "SENA", "HENA", "S", "EN", "A", std::string(1, '\0')};
    const std::string& piece = pieces[choice % 7];
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  RC_ASSERT(*kFormat_firmware.rewrite(bytes) == bytes);
  RC_ASSERT(*kFormat_firmware.from_json(*kFormat_firmware.to_json(bytes)) == bytes);
}

// Source of the offsets of the six words: appendix C.5.
TEST(Command, ReadsTheFieldsOfTheHeader) {
  Bytes bytes(30, 0);
  for (size_t i = 0; i < 6; ++i) bytes[4 * i] = static_cast<uint8_t>(i + 1);
  const Command command = ParseCommand(bytes).value();
  EXPECT_EQ(command.id, 1u);
  EXPECT_EQ(command.size, 2u);
  EXPECT_EQ(command.priority, 3u);
  EXPECT_EQ(command.program_id, 4u);
  EXPECT_EQ(command.process_id, 5u);
  EXPECT_EQ(command.procedure_id, 6u);
  EXPECT_EQ(command.payload.size(), 6u);
  EXPECT_EQ(WriteCommand(command), bytes);
  EXPECT_THAT(ParseCommand(Bytes(23)).error().message, HasSubstr("file-form"));
}

Bytes CommandWith(uint32_t id) {
  Command command;
  command.id = id;
  command.size = kCommandHeaderSize;
  return WriteCommand(command);
}

TEST(Command, PrintsBothNumberings) {
  const std::string ping = kFormat_firmware.print(CommandWith(0x10)).value();
  EXPECT_THAT(ping, HasSubstr("as logger index 16: PING"));
  EXPECT_THAT(ping, HasSubstr("as wire id 0x10: BOOT"));
  const std::string call = kFormat_firmware.print(CommandWith(0x7000)).value();
  EXPECT_THAT(call, HasSubstr("as wire id 0x7000: INFERENCE_CALL"));
  EXPECT_THAT(call, ::testing::Not(HasSubstr("logger")));
  EXPECT_THAT(kFormat_firmware.print(CommandWith(0x402)).value(), HasSubstr("name unknown"));
  EXPECT_THAT(kFormat_firmware.print(CommandWith(0x9999)).value(), HasSubstr("no known command"));
}

TEST(Command, PrintsEveryField) {
  Command command;
  command.id = 65;
  command.size = 25;
  command.priority = 1;
  command.program_id = kInvalidId;
  command.process_id = 7;
  command.payload = {0};
  EXPECT_EQ(kFormat_firmware.print(WriteCommand(command)).value(),
            "firmware command\n"
            "  as logger index 65: PROCEDURE_CALL (execution, wire id 0x204 by count (assumed))\n"
            "  size 25, priority 1 (privileged)\n"
            "  program invalid, process 0x7, procedure 0x0\n"
            "  payload: 1 opaque byte\n"
            "sources differ: chapter 30 reads the id at message + 4 (0x19 here)\n");
  EXPECT_THAT(kFormat_firmware.print(CommandWith(90)).value(), HasSubstr("wire id 0x7000)"));
  EXPECT_THAT(kFormat_firmware.print(CommandWith(86)).value(), HasSubstr("wire id unknown"));
}

TEST(Format, RecognisesPackagesAndNamedCommands) {
  const Bytes package = WritePackage(std::vector<Part>{{0, kPackageMagic, {}}});
  EXPECT_EQ(kFormat_firmware.recognise(package, ""), 100);
  EXPECT_EQ(kFormat_firmware.recognise(CommandWith(1), "ping.csne"), 40);
  EXPECT_EQ(kFormat_firmware.recognise(CommandWith(1), "ping.bin"), 0);
  EXPECT_EQ(kFormat_firmware.recognise(Bytes(23), "ping.csne"), 0);
  EXPECT_EQ(kFormat_firmware.count_bytes(package)->typed, 4u);
  EXPECT_EQ(kFormat_firmware.count_bytes(CommandWith(1))->typed, 24u);
}

TEST(Format, BadJsonIsRefused) {
  const auto message = [](const Json& json) {
    return kFormat_firmware.from_json(json).error().message;
  };
  EXPECT_THAT(message({{"form", "letter"}}), HasSubstr("is no form"));
  EXPECT_THAT(message({{"form", "package"}, {"parts", Json::array()}}), HasSubstr("one part"));
  const Json odd = {{"magic", "ANEH"}, {"body", "00"}};
  EXPECT_THAT(message({{"form", "package"}, {"parts", Json::array({odd, odd})}}),
              HasSubstr("multiple of four"));
  const Json unknown = {{"magic", "ANEX"}, {"body", ""}};
  EXPECT_THAT(message({{"form", "package"}, {"parts", Json::array({unknown})}}),
              HasSubstr("\"ANEX\" is no part"));
}

TEST(Command, EveryIdOfEitherNumberingIsKnownAndNoOther) {
  size_t known = 0;
  for (uint32_t id = 0; id < 0x11000; ++id) {
    known += kFormat_firmware.verify(CommandWith(id)).value().empty() ? 1 : 0;
  }
  // There are 94 wire ids and 93 indexes. The numbers 0 to 0x34 are both a wire id and an index.
  EXPECT_EQ(known, 94u + 93 - 0x35);
}

TEST(Rules, OnlyThoseThatRestOnAssumptionsWarn) {
  for (const Rule& rule : kFormat_firmware.rules) {
    const Violation violation{&rule, 0, ""};
    const bool assumed = rule.source.find("no source") != std::string_view::npos ||
                         rule.source.find("either may be incomplete") != std::string_view::npos;
    EXPECT_EQ(violation.IsWarning(), assumed) << rule.id;
  }
}

TEST(Limits, AreTheTwelveOfTheTable) {
  EXPECT_EQ(Limits().size(), 12u);
  EXPECT_EQ(Limits()[2].value, 128u);
  EXPECT_EQ(Limits()[6].value, 7u);
}

TEST(Limits, NameTheRuleThatEnforcesThem) {
  constexpr std::string_view kRule = "rule ";
  size_t held = 0;
  for (const Limit& limit : Limits()) {
    EXPECT_FALSE(limit.source.empty()) << limit.name;
    if (!limit.held_by.starts_with(kRule)) continue;
    ++held;
    EXPECT_TRUE(std::ranges::any_of(kFormat_firmware.rules, [&](const Rule& rule) {
      return limit.held_by.substr(kRule.size()) == rule.id;
    })) << limit.name;
  }
  EXPECT_EQ(held, 1u);
}

}  // namespace
}  // namespace anecheck::firmware
