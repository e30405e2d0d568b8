// Tests task descriptors: the coding of each generation, registers that keep their value from task
// to task, refused versions, and the completeness of the field tables.
#include "harness/formats/td/td.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_pointer.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/td/layout.h"
#include "harness/formats/td/v7_fields.h"

namespace anecheck::td {
namespace {

const Generation& Version(uint32_t version) { return **GenerationOfVersion(version); }

Bytes FromWords(std::initializer_list<uint32_t> words) {
  Bytes bytes;
  for (const uint32_t word : words) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  return bytes;
}

// ---- versions -----------------------------------------------------------------------------------

TEST(Versions, AreFoundByNumberAndByCpusubtype) {
  const std::pair<uint32_t, uint32_t> pairs[] = {{4, 7},  {5, 11},  {6, 8},  {7, 17},
                                                 {9, 19}, {10, 20}, {11, 24}};
  for (const auto& [subtype, version] : pairs) {
    EXPECT_EQ((*GenerationOfSubtype(subtype))->version, version);
    EXPECT_EQ((*GenerationOfVersion(version))->cpusubtype, subtype);
  }
}

TEST(Versions, UnknownOnesAreRefusedByNumber) {
  for (const uint32_t version : {0u, 5u, 6u, 10u, 12u, 99u}) {
    const auto generation = GenerationOfVersion(version);
    ASSERT_FALSE(generation.ok()) << version;
    EXPECT_EQ(generation.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(generation.error().message.find(std::to_string(version)), std::string::npos);
  }
  EXPECT_NE(GenerationOfVersion(10).error().message.find("no container holds"), std::string::npos);
  EXPECT_FALSE(GenerationOfSubtype(1).ok());
  EXPECT_FALSE(GenerationOfSubtype(77).ok());
  const auto json = ChainFromJson(Json{{"version", 12}, {"tasks", Json::array()}});
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kUnsupported);
}

// ---- records of a compiler ----------------------------------------------------------------------

std::vector<std::string> RecordsOf(std::string_view target) {
  std::vector<std::string> found;
  for (const std::string& path : testing::FilesUnder(testing::VectorPath("later_programs"))) {
    if (path.find(std::string("/") + std::string(target) + "__") != std::string::npos) {
      found.push_back(path);
    }
  }
  return found;
}

Bytes TextOf(const Json& record) {
  Bytes bytes;
  for (const Json& item : record["text"]) {
    const auto word = static_cast<uint32_t>(std::stoul(item.get<std::string>(), nullptr, 16));
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  return bytes;
}

// With the sizes, extra words and records of header_forms.md, every word is decoded. There is an
// extra word if the lowest two bits of the last header word (header[7] on H14) are set.
TEST(Records, OfEveryLaterGenerationAreReadToTheLastWord) {
  ANECHECK_SKIP_WITHOUT(testing::VectorPath("later_programs"));
  size_t with_extra_word = 0;
  const std::pair<const char*, uint32_t> kTargets[] = {{"h14", 11}, {"h15", 8},  {"h16", 17},
                                                       {"h17", 19}, {"h18", 20}, {"h18g", 24}};
  for (const auto& [target, version] : kTargets) {
    const std::vector<std::string> records = RecordsOf(target);
    EXPECT_FALSE(records.empty()) << target;
    for (const std::string& path : records) {
      const Json record = *ParseJson(*ReadTextFile(path));
      const Bytes bytes = TextOf(record);
      const auto chain = Decode(bytes, Version(version));
      ASSERT_TRUE(chain.ok()) << path << ": " << chain.error().message;
      EXPECT_EQ(chain->header_words, record["header_words"].get<int>()) << path;
      EXPECT_EQ(WritesOutsideBlocks(*chain), 0u) << path;
      EXPECT_EQ(*Encode(*chain), bytes) << path;
      for (const Task& task : chain->tasks) {
        const uint32_t last = task.header[chain->header_words - 1u];
        EXPECT_EQ(task.extra_word.has_value(), (last & 3) == 3) << path;
        with_extra_word += task.extra_word ? 1 : 0;
      }
    }
  }
  EXPECT_GT(with_extra_word, 0u) << "no record has an extra word";
}

// ---- version 7 ----------------------------------------------------------------------------------

Chain OneTask() {
  Chain chain;
  chain.generation = &Version(7);
  chain.header_words = kV7HeaderWords;
  chain.tasks.resize(1);
  return chain;
}

TEST(Version7, RunHeaderHoldsCountLessOneAndByteAddress) {
  Chain chain = OneTask();
  const uint32_t run[] = {1, 2, 3};
  chain.tasks[0].Write(0x13800, run);
  Layout(chain);
  const Bytes bytes = Encode(chain).value();
  ASSERT_EQ(bytes.size(), 40u + 16u);
  EXPECT_EQ(bytes[40], 0x00);
  EXPECT_EQ(bytes[41], 0x38);
  EXPECT_EQ(bytes[42], 0x01);
  EXPECT_EQ(bytes[43], 2 << 2);
  EXPECT_EQ(Decode(bytes, Version(7))->tasks[0].Find(0x13804), 2u);
  EXPECT_FALSE(Decode(bytes, Version(7))->tasks[0].Find(0x1380c));
}

TEST(Version7, LayoutSetsPositionsPointersAndSizes) {
  Chain chain = OneTask();
  chain.tasks.resize(3);
  const std::vector<uint32_t> run(62, 7);
  for (Task& task : chain.tasks) task.Write(0x1f800, run);
  Layout(chain);
  EXPECT_EQ(V7PositionOf(chain.tasks[0]), kFirst);
  EXPECT_EQ(V7PositionOf(chain.tasks[1]), kMiddle);
  EXPECT_EQ(V7PositionOf(chain.tasks[2]), kLast);
  EXPECT_EQ(chain.tasks[1].offset, 0x200u);
  EXPECT_EQ(chain.tasks[0].header[kV7NextPointerWord], 0x200u);
  EXPECT_EQ(chain.tasks[2].header[kV7NextPointerWord], 0u);
  EXPECT_EQ(V7NextSize(chain.tasks[0]), 72u);
  EXPECT_EQ(V7NextSize(chain.tasks[2]), 0u);
  EXPECT_EQ(chain.size, 0x400u + 4 * 73);
}

TEST(Version7, NextPointersThatLoopOrLeaveAreErrorsWithTheirOffset) {
  for (const uint32_t next : {0x1000u, 3u}) {
    Bytes bytes(0x100, 0);
    bytes[28] = static_cast<uint8_t>(next);
    bytes[29] = static_cast<uint8_t>(next >> 8);
    const auto chain = Decode(bytes, Version(7), 0x4000);
    ASSERT_FALSE(chain.ok());
    EXPECT_EQ(chain.error().offset, 0x4000u + 28);
  }
  Bytes loop(0x200, 0);
  loop[29] = 1;             // task 0 to 0x100
  loop[0x100 + 28] = 0x40;  // and back
  EXPECT_FALSE(Decode(loop, Version(7)).ok());
}

TEST(Version7, RunsThatLeaveTheirTaskAreErrors) {
  Bytes bytes = FromWords({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0400c800, 1});
  EXPECT_FALSE(Decode(bytes, Version(7)).ok());
  bytes.resize(bytes.size() + 4);
  EXPECT_TRUE(Decode(bytes, Version(7)).ok());
}

TEST(Version7, RegistersHaveTheNamesOfTheList) {
  EXPECT_EQ(Register(Version(7), 0x1c).name, "Common.ConvCfg");
  EXPECT_EQ(Register(Version(7), 0x13838).name, "TileDMASrc.Fmt");
  EXPECT_EQ(Register(Version(7), 0x1f848).name, "KernelDMASrc.CoeffBaseAddr[0]");
  EXPECT_EQ(Register(Version(7), 0xc804).name, "NE.MACCfg");
  EXPECT_TRUE(Register(Version(7), 0x4).fields.empty());
  EXPECT_TRUE(Register(Version(7), 0x30000).fields.empty());
  EXPECT_EQ(HeaderWord(Version(7), 7).fields[0].name, "NextPointer");
}

// There are 258 fields from the register list and ten from the register map, each in one word.
TEST(Version7, FieldTableIsCompleteAndOrdered) {
  const auto fields = V7Fields();
  EXPECT_EQ(std::ranges::count(fields, FieldSource::kRegisterList, &V7Field::source), 258);
  EXPECT_EQ(std::ranges::count(fields, FieldSource::kRegisterMap, &V7Field::source), 10);
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].image_offset % 4, 0);
    EXPECT_GE(fields[i].width, 1);
    EXPECT_LE(fields[i].bit + fields[i].width, 32);
    if (i == 0 || fields[i].image_offset != fields[i - 1].image_offset) continue;
    EXPECT_GE(fields[i].bit, fields[i - 1].bit + fields[i - 1].width) << fields[i].name;
    EXPECT_EQ(fields[i].register_name, fields[i - 1].register_name);
  }
}

// If the two sources disagree, both readings are stored and printed.
TEST(Version7, ConflictsKeepBothReadings) {
  size_t differing = 0;
  size_t absent = 0;
  for (const V7Conflict& conflict : V7Conflicts()) {
    (conflict.list_width == 0 ? absent : differing) += 1;
  }
  EXPECT_EQ(absent, 1u);
  EXPECT_EQ(differing, 32u);  // 17 rows, one of them for 16 registers
  Chain chain = OneTask();
  const uint32_t run[] = {0x00033881};
  chain.tasks[0].Write(0x13800, run);
  Layout(chain);
  const Json json = ChainToJson(chain);
  const Json& entry = json["tasks"][0]["writes"][0]["registers"][0];
  EXPECT_EQ(entry["CacheHint"], 2);
  EXPECT_EQ(entry["derived"]["register_map_reading"]["CacheHint"], 8);
  EXPECT_NE(PrintChain(chain, 0).find("CacheHint=2 (CacheHint=8 by the register map)"),
            std::string::npos);
}

// Source: specification 000, table 23.8.
TEST(Version7, OpcodeWordsHaveTheirNames) {
  EXPECT_EQ(OpcodeName(0x5042a063), "Convolution");
  EXPECT_EQ(OpcodeName(0x5000a021), "Reduce-mean");
  EXPECT_EQ(OpcodeName(0x5000b021), "Matrix multiply");
  EXPECT_EQ(OpcodeName(0x5000a022), "");
  for (const uint32_t word : {0x5042a063u, 0x5000a021u, 0x5000b021u}) {
    Chain chain = OneTask();
    chain.tasks[0].Write(0x1c, std::span(&word, 1));
    Layout(chain);
    EXPECT_NE(PrintChain(chain, 0).find(OpcodeName(word)), std::string::npos);
  }
}

TEST(Version7, EditingOneFieldChangesOnlyItsBytes) {
  Chain chain = OneTask();
  const std::vector<uint32_t> run(16, 0x11111111);
  chain.tasks[0].Write(0x0, run);
  Layout(chain);
  const Bytes before = Encode(chain).value();
  Json json = ChainToJson(chain);
  Json& conv = json["tasks"][0]["writes"][0]["registers"][7];
  ASSERT_EQ(conv["register"], "Common.ConvCfg");
  conv["Kw"] = 3;
  const Bytes after = Encode(*ChainFromJson(json)).value();
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i] != before[i], i == 44 + 4 * 7) << i;
  }
  EXPECT_EQ(after[44 + 4 * 7] & 0x1f, 3);
}

// ---- later generations --------------------------------------------------------------------------

constexpr uint32_t kSize = 16;  // bits of the task size in word 0

TEST(DenseCoding, ReadsExtraCountAndWordAddress) {
  // Two values at word address 0x140, block L2 of H14.
  const Bytes bytes = FromWords({1, 0, 0, 0,                         //
                                 11u << kSize, 0, 0, 0, 0, 0, 0, 0,  //
                                 1u << 15 | 0x140, 0xaa, 0xbb});
  const Chain chain = Decode(bytes, Version(11)).value();
  ASSERT_EQ(chain.tasks.size(), 1u);
  EXPECT_EQ(chain.tasks[0].offset, 16u);
  EXPECT_EQ(chain.tasks[0].Find(0x500), 0xaau);
  EXPECT_EQ(chain.tasks[0].Find(0x504), 0xbbu);
  EXPECT_EQ(FindBlock(Version(11), 0x504)->name, "L2");
  EXPECT_EQ(Encode(chain).value(), bytes);
}

// Records of H14 and H15 are sparse too.
TEST(SparseCoding, AppliesToH14Too) {
  const Bytes bytes = FromWords({1, 0, 0, 0,                         //
                                 11u << kSize, 0, 0, 0, 0, 0, 0, 0,  //
                                 0x80000000 | 2u << 15 | 0x140, 1, 2});
  const Chain chain = Decode(bytes, Version(11)).value();
  EXPECT_EQ(chain.tasks[0].Find(0x500), 1u);
  EXPECT_EQ(chain.tasks[0].Find(0x508), 2u);
  EXPECT_EQ(Encode(chain).value(), bytes);
}

// If the lowest two bits of the last header word are set, an extra word precedes the stream.
TEST(ExtraWord, FollowsAHeaderThatAnnouncesIt) {
  const Bytes later = FromWords({1, 0, 0, 0,                           //
                                 11u << kSize, 0, 0, 0, 0, 0, 0, 0x3,  //
                                 0x77,                                 //
                                 0x140, 0xaa});
  const Chain chain = Decode(later, Version(11)).value();
  EXPECT_EQ(chain.tasks[0].extra_word, 0x77u);
  EXPECT_EQ(chain.tasks[0].Find(0x500), 0xaau);
  EXPECT_EQ(Encode(chain).value(), later);
  EXPECT_EQ(Encode(ChainFromJson(ChainToJson(chain)).value()).value(), later);

  const Bytes v7 = FromWords({0x02000000, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 0x77, 0x4800, 0xaa});
  const Chain real = Decode(v7, Version(7)).value();
  EXPECT_EQ(real.tasks[0].extra_word, 0x77u);
  EXPECT_EQ(real.tasks[0].Find(0x4800), 0xaau);
  EXPECT_EQ(Encode(real).value(), v7);
}

TEST(ExtraWord, EncodingFailsWithoutAnAnnouncedOne) {
  const Bytes v7 = FromWords({0x02000000, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 0x77, 0x4800, 0xaa});
  Chain chain = Decode(v7, Version(7)).value();
  chain.tasks[0].extra_word.reset();
  EXPECT_FALSE(Encode(chain).ok());
}

TEST(SparseCoding, TheFirstValueGoesToTheBaseAndMaskBitsPlaceTheOthers) {
  // Base word 0x1040 (L2 of H16), mask bits 0 and 4.
  const Bytes bytes = FromWords({1, 0, 0, 0,                            //
                                 13u << kSize, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                 0x80000000 | 0x11u << 15 | 0x1040, 1, 2, 3});
  const Chain chain = Decode(bytes, Version(17)).value();
  const Task& task = chain.tasks[0];
  EXPECT_EQ(task.Find(0x4100), 1u);
  EXPECT_EQ(task.Find(0x4104), 2u);
  EXPECT_EQ(task.Find(0x4114), 3u);
  EXPECT_FALSE(task.Find(0x4108));
  EXPECT_EQ(LastAddress(task.writes[0]), 0x4114u);
  EXPECT_EQ(Encode(chain).value(), bytes);
}

TEST(LaterGenerations, PaddingUnitsHaveNoRegistersAndAreWrittenBack) {
  const Bytes bytes = FromWords({1,
                                 0,
                                 0,
                                 0,  //
                                 8u << kSize,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,  //
                                 0,
                                 0,
                                 0,
                                 0,  //
                                 8u << kSize | 1,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0});
  const Chain chain = Decode(bytes, Version(8)).value();
  ASSERT_EQ(chain.tasks.size(), 2u);
  EXPECT_EQ(chain.tasks[1].padding, 1u);
  EXPECT_EQ(Encode(chain).value(), bytes);
  EXPECT_EQ(Encode(*ChainFromJson(ChainToJson(chain))).value(), bytes);
}

// The H16 register map lists ten header words, and the guide lists nine. The decoder accepts both
// sizes.
TEST(LaterGenerations, TheLongerHeaderIsReadIfTheShorterDoesNotFit) {
  const Bytes bytes = FromWords({1, 0, 0, 0,                                        //
                                 12u << kSize, 0, 0, 0, 0, 0, 0, 0, 0, 0x001f8000,  //
                                 0x1040, 5});
  const Chain chain = Decode(bytes, Version(17)).value();
  EXPECT_EQ(chain.header_words, 10);
  EXPECT_EQ(chain.tasks[0].Find(0x4100), 5u);
  EXPECT_EQ(Encode(chain).value(), bytes);
  EXPECT_NE(PrintChain(chain, 0).find("difference: headers of 10 words"), std::string::npos);
}

// A task that can be decoded in two ways. If there are nine header words, the tenth word begins the
// first write. If there are ten header words, the tenth word belongs to the header.
constexpr uint32_t kL2 = 0x1040;  // word address
const std::vector<uint32_t> kOpenTask = {12u << kSize,   0,   0, 0, 0, 0, 0, 0, 0,
                                         1u << 15 | kL2, kL2, 5};

Bytes Section(const std::vector<uint32_t>& task) {
  Bytes bytes = FromWords({1, 0, 0, 0});
  for (const uint32_t word : task) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  return bytes;
}

TEST(LaterGenerations, AHeaderThatReadsInTwoLengthsIsNamed) {
  const Chain chain = Decode(Section(kOpenTask), Version(17)).value();
  EXPECT_EQ(chain.header_words, 9);
  EXPECT_EQ(chain.other_header_words, 10);
  const std::vector<Violation> violations = VerifyChain(chain);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule->id, "td-header-open");
  EXPECT_TRUE(violations[0].IsWarning());
  EXPECT_NE(PrintChain(chain, 0).find("open: headers of 10 words"), std::string::npos);
  EXPECT_EQ(ChainToJson(chain)["derived"]["other_header_words"], 10);
}

TEST(LaterGenerations, TheLongerHeaderIsReadIfItsWritesFitTheBlocksBetter) {
  std::vector<uint32_t> task = kOpenTask;
  task[9] = 1u << 15 | 0x7000;  // a write of two values outside every block, or a header word
  const Chain chain = Decode(Section(task), Version(17)).value();
  EXPECT_EQ(chain.header_words, 10);
  EXPECT_EQ(chain.other_header_words, 0);
  EXPECT_EQ(chain.tasks[0].Find(4 * kL2), 5u);
}

// Two public sources place the blocks of H15 differently (facts source_conflicts.csv).
TEST(LaterGenerations, BothPublishedBasesOfH15AreBlocks) {
  EXPECT_EQ(FindBlock(Version(8), 0x4100)->name, "L2");
  EXPECT_EQ(FindBlock(Version(8), 0x500)->name, "L2");
  EXPECT_EQ(FindBlock(Version(8), 0x9000), nullptr);
  EXPECT_EQ(FindBlock(Version(11), 0x4100), nullptr);
}

TEST(LaterGenerations, WritesOutsideThePublishedBlocksWarn) {
  std::vector<uint32_t> task = kOpenTask;
  task[9] = 1u << 15 | 0x7000;
  task[10] = 0xfffff;  // no write can begin with this word
  const std::vector<Violation> violations = VerifyChain(Decode(Section(task), Version(17)).value());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule->id, "td-write-in-published-block");
  EXPECT_TRUE(violations[0].IsWarning());
}

// Source: more/crossgen_container.csv.
TEST(LaterGenerations, TheConvolutionWordIsNamed) {
  const Bytes bytes = Section({10u << kSize, 0, 0, 0, 0, 0, 0, 0, 0x5, 0x5042a0c3});
  const std::string text = PrintChain(Decode(bytes, Version(11)).value(), 0);
  EXPECT_NE(text.find("[public notes give H14 this convolution word]"), std::string::npos) << text;
}

TEST(BareSections, SayThatTheVersionIsGuessedAndWhichOthersDecode) {
  // One write to a register that each dense generation has.
  const Bytes bytes = Section({10u << kSize, 0, 0, 0, 0, 0, 0, 0, 0x5, 7});
  const Chain chain = DecodeAnyVersion(bytes).value();
  EXPECT_TRUE(chain.version_guessed);
  EXPECT_EQ(chain.generation->version, 11u);
  EXPECT_EQ(std::ranges::count(chain.other_generations, &Version(8)), 1);
  const auto violations = kFormat_td.verify(bytes).value();
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations[0].rule->id, "td-version-open");
  EXPECT_NE(kFormat_td.print(bytes)->find("also decode as td:8 (H15)"), std::string::npos);
  EXPECT_EQ((*kFormat_td.to_json(bytes))["derived"]["also_decodes_as"][0], 8);
}

TEST(BareSections, AreReadAsTheStatedVersion) {
  const Bytes bytes = Section({10u << kSize, 0, 0, 0, 0, 0, 0, 0, 0x5, 7});
  for (const Generation& generation : Generations()) {
    const Format& format = **FormatOfVersion(std::to_string(generation.version));
    EXPECT_EQ(format.name, "td:" + std::to_string(generation.version));
    const auto json = format.to_json(bytes);
    if (!json.ok()) continue;
    EXPECT_EQ((*json)["version"], generation.version);
    EXPECT_FALSE((*json)["derived"].contains("version_guessed"));
  }
  EXPECT_TRUE((*FormatOfVersion("8"))->verify(bytes)->empty());
  EXPECT_EQ((*(*FormatOfVersion("8"))->to_json(bytes))["version"], 8);
  EXPECT_FALSE(FormatOfVersion("10").ok());
  EXPECT_FALSE(FormatOfVersion("8x").ok());
  EXPECT_FALSE(FormatOfVersion("").ok());
}

TEST(LaterGenerations, RegistersCarryOverFromTaskToTask) {
  RegisterState state;
  EXPECT_EQ(Summarise(Version(17), state).in_format, 2u);  // float16 if never written
  EXPECT_EQ(Summarise(Version(11), state).in_format, 2u);
  EXPECT_FALSE(Summarise(Version(17), state).task_type);
  Task first;
  const uint32_t formats[] = {0x11, 5, 6};
  const uint32_t mac[] = {0x70};
  first.Write(0x0, formats);
  first.Write(4 * 15, mac);
  state.Apply(first);
  Task second;
  const uint32_t width[] = {9};
  second.Write(0x4, width);
  state.Apply(second);
  EXPECT_EQ(state.Get(0x4), 9u);
  EXPECT_EQ(state.Get(0x8), 6u);
  EXPECT_EQ(state.size(), 4u);
  const TaskSummary summary = Summarise(Version(17), state);
  EXPECT_EQ(summary.in_format, 1u);
  EXPECT_EQ(summary.out_format, 1u);
  EXPECT_EQ(summary.task_type, 7u);
  EXPECT_EQ(ElementFormatName(1), "uint8");
  EXPECT_EQ(ElementFormatName(3), "");
}

// ---- JSON ---------------------------------------------------------------------------------------

Json SampleJson() {
  Chain chain = OneTask();
  chain.tasks[0].Write(0x0, std::vector<uint32_t>(16, 1));
  Layout(chain);
  return ChainToJson(chain);
}

TEST(ChainJson, RefusesUnknownMembersByPath) {
  const std::pair<const char*, const char*> edits[] = {
      {"", "vversion"},
      {"/tasks/0", "tasks[0].wirtes"},
      {"/tasks/0/header", "tasks[0].header.NextPointr"},
      {"/tasks/0/writes/0", "tasks[0].writes[0].adress"},
      {"/tasks/0/writes/0/registers/0", "tasks[0].writes[0].registers[0].Wim"},
  };
  for (const auto& [place, path] : edits) {
    Json json = SampleJson();
    const std::string_view whole = path;
    json[JsonPointer(place)][std::string(whole.substr(whole.rfind('.') + 1))] = 1;
    const auto chain = ChainFromJson(json);
    ASSERT_FALSE(chain.ok()) << path;
    EXPECT_NE(chain.error().message.find(path), std::string::npos) << chain.error().message;
  }
}

TEST(ChainJson, RefusesTheJsonOfAnotherFormatByName) {
  const auto chain = ChainFromJson(Json{{"format", "hwx"}, {"commands", Json::array()}});
  ASSERT_FALSE(chain.ok());
  EXPECT_NE(chain.error().message.find("another format"), std::string::npos);
}

TEST(ChainJson, RefusesASizeThatItsWritesDoNotHave) {
  Json json = ChainToJson(Decode(Section(kOpenTask), Version(17)).value());
  json["tasks"][0]["header"]["TaskSize"] = 12;
  EXPECT_TRUE(ChainFromJson(json).ok());
  json["tasks"][0]["header"]["TaskSize"] = 13;
  EXPECT_FALSE(ChainFromJson(json).ok());
}

// 60 tasks, each with padding of 256 MiB less 16 bytes.
TEST(ChainJson, RefusesChainsAboveTheSizeLimit) {
  Json json = ChainToJson(Decode(Section(kOpenTask), Version(17)).value());
  const Json task = json["tasks"][0];
  for (int i = 0; i < 60; ++i) {
    json["tasks"].push_back(task);
    json["tasks"].back()["padding"] = 0xffffff;
  }
  const auto later = ChainFromJson(json);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().code, ErrorCode::kLimit);
  Json far = SampleJson();
  far["tasks"].push_back(far["tasks"][0]);
  far["tasks"].push_back(far["tasks"][0]);
  far["tasks"][0]["header"]["NextPointer"] = "0xfffffff0";
  far["tasks"][1]["header"]["NextPointer"] = 0x400;
  const auto early = ChainFromJson(far);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().code, ErrorCode::kLimit);
}

// ---- encoding -----------------------------------------------------------------------------------

TEST(Encode, RefusesUnencodableChains) {
  const uint32_t value[] = {1};
  Chain long_run = OneTask();
  long_run.tasks[0].Write(0, std::vector<uint32_t>(65, 1));
  Layout(long_run);
  EXPECT_FALSE(Encode(long_run).ok());
  Chain far_away = OneTask();
  far_away.tasks[0].Write(0x04000000, value);
  Layout(far_away);
  EXPECT_FALSE(Encode(far_away).ok());
  Chain overlap = OneTask();
  overlap.tasks.resize(2);
  Layout(overlap);
  overlap.tasks[1].offset = 4;
  EXPECT_FALSE(Encode(overlap).ok());
  Chain sparse = OneTask();
  sparse.tasks[0].WriteSparse(0, 0, value);
  Layout(sparse);
  EXPECT_FALSE(Encode(sparse).ok());
}

}  // namespace
}  // namespace anecheck::td
