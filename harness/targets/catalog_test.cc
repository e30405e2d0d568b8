// Tests the set of targets: names, families under both orders, unknown values, limits, and
// replacement at run time.

#include "harness/targets/catalog.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/targets/newest_table.h"

namespace anecheck {
namespace {

const Target& Named(std::string_view name) { return **FindTarget(name); }

TEST(Targets, Are30WithDistinctNames) {
  std::set<std::string> names;
  for (const Target& target : AllTargets()) names.insert(target.name);
  EXPECT_EQ(names.size(), 30u);
  EXPECT_EQ(AllTargets().size(), 30u);
}

TEST(Targets, AreFoundInEitherCase) {
  for (const Target& target : AllTargets()) {
    EXPECT_EQ(*FindTarget(target.name), &target);
    EXPECT_EQ(*FindTarget(target.compiler_name), &target);
  }
}

TEST(Targets, AnUnknownNameIsAnErrorWithNearNames) {
  const Result<const Target*> found = FindTarget("h17x");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_NE(found.error().message.find("h17x"), std::string::npos);
  EXPECT_NE(found.error().message.find("h17"), std::string::npos)
      << "names are in lower case, as commands write them";
  EXPECT_NE(found.error().message.find("anecheck targets"), std::string::npos);
  const Result<const Target*> far = FindTarget("zzzzzzzzzz");
  ASSERT_FALSE(far.ok());
  EXPECT_NE(far.error().message.find("anecheck targets"), std::string::npos);
  EXPECT_FALSE(FindTarget("").ok());
}

TEST(Targets, NamesTheCompilerKnowsElsewhereSayWhy) {
  const Result<const Target*> found = FindTarget("H15p");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("outside the 30"), std::string::npos);
}

TEST(Targets, ListsTakeAllAndCommasAndDropRepeats) {
  const TargetCatalog& catalog = TargetCatalog::Builtin();
  EXPECT_EQ(catalog.FindList("all")->size(), 30u);
  const std::vector<const Target*> pair = *catalog.FindList("h13,H17s,h13");
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_EQ(pair[0]->name, "H13");
  EXPECT_EQ(pair[1]->name, "H17s");
  EXPECT_FALSE(catalog.FindList("h13,").ok());
}

TEST(Families, SpecificationOrdersTheGenerations) {
  const std::pair<const char*, Family> rows[] = {
      {"H11", Family::kA11Legacy}, {"H12", Family::kA12}, {"H13", Family::kA13},
      {"H14", Family::kA14},       {"H15", Family::kA15}, {"H16", Family::kA16},
      {"H17", Family::kA17},       {"H18", Family::kA18}, {"M11", Family::kA15},
      {"H18g", Family::kA18},      {"H19", Family::kA18}};
  for (const auto& [name, family] : rows) EXPECT_EQ(Named(name).family().value(), family) << name;
}

TEST(Families, PublicGuideOrdersByHardwareVersion) {
  const std::pair<const char*, Family> rows[] = {
      {"H15", Family::kA15},  {"H16", Family::kA15},  {"H16s", Family::kA15}, {"H17", Family::kA16},
      {"H17d", Family::kA16}, {"H17s", Family::kA17}, {"H18", Family::kA17}};
  for (const auto& [name, family] : rows) {
    EXPECT_EQ(Named(name).family(FamilyOrder::kPublicGuide).value(), family) << name;
  }
  EXPECT_FALSE(Named("M11").family(FamilyOrder::kPublicGuide).known());
}

TEST(UnknownValues, AreUnknownAndNever0) {
  EXPECT_FALSE(Named("T0").ne_cores.known());
  EXPECT_FALSE(Named("M9").family().known());
  EXPECT_FALSE(Named("U1").family().known());
  EXPECT_FALSE(Named("U1").cpu_subtype.known());
  // No source states the byte of range normalization (facts/hal_capability_bytes.csv).
  for (const Target& target : AllTargets()) {
    EXPECT_FALSE(target.hal.Capability(0x818).known()) << target.name;
    EXPECT_FALSE(target.hal.Capability(0x818).unknown_reason().empty());
  }
  EXPECT_FALSE(Named("U2").hal.Capability("texture_engine").known());
  EXPECT_FALSE(Limit(Named("U2"), "max_rank").known());
  EXPECT_FALSE(Limit(Named("H13"), "no_such_limit").known());
}

TEST(Sources, EveryStatementHasOne) {
  for (const Target& target : AllTargets()) {
    for (const auto& [name, known] : target.limits) {
      for (const auto& statement : known.statements()) EXPECT_FALSE(statement.source.empty());
    }
    for (const HalField& field : HalLayout::Get().fields()) {
      EXPECT_FALSE(field.source.empty()) << field.name;
      for (const auto& statement : target.hal.Scalar(field.offset).statements()) {
        EXPECT_FALSE(statement.source.empty()) << field.name;
      }
      for (const auto& statement : target.hal.Capability(field.offset).statements()) {
        EXPECT_FALSE(statement.source.empty()) << field.name;
      }
    }
  }
}

// The catalog keeps both values, the stronger first (facts/source_conflicts.csv).
TEST(Conflicts, KeepEveryValue) {
  EXPECT_EQ(Named("H13").td_version.values(), (std::vector<uint64_t>{7, 10, 5}));
  EXPECT_EQ(Named("H17").td_version.values(), (std::vector<uint64_t>{19, 20}));
  const Known<uint64_t> width = Limit(Named("H17s"), "max_kernel_w_fp16_large");
  EXPECT_TRUE(width.conflicting());
  EXPECT_EQ(width.values(), (std::vector<uint64_t>{15, 16}));
  EXPECT_EQ(Limit(Named("H14"), "max_kernel_w_fp16_large").values(),
            (std::vector<uint64_t>{16, 13}));
  EXPECT_FALSE(Limit(Named("H13"), "max_kernel_w_fp16_large").conflicting());
  EXPECT_EQ(Limit(Named("H13"), "max_transpose_wh").values(),
            (std::vector<uint64_t>{16384, 8388607}));
  EXPECT_EQ(Limit(Named("H13"), "max_tensor_c").values(), (std::vector<uint64_t>{65536, 16384}));
  EXPECT_EQ(Limit(Named("M9"), "matmul_working_set_bytes").values(),
            (std::vector<uint64_t>{1048576, 2097152}));
  EXPECT_TRUE(Named("H14").chips.conflicting());
}

// The numbers are those of facts/limits.csv.
TEST(Limits, FollowTheTable) {
  EXPECT_EQ(Limit(Named("H13"), "max_kernel_w_default_large").value(), 29u);
  EXPECT_EQ(Limit(Named("H14"), "max_kernel_w_default_large").value(), 32u);
  EXPECT_EQ(Limit(Named("U1"), "max_kernel_w_default_large").value(), 1023u);
  EXPECT_EQ(Limit(Named("H11"), "max_tensor_n").value(), 4096u);
  EXPECT_EQ(Limit(Named("H13"), "max_tensor_n").value(), 65536u);
  EXPECT_EQ(Limit(Named("H12"), "group_conv_decompose_limit").value(), 64u);
  EXPECT_EQ(Limit(Named("M9"), "matmul_working_set_bytes").value(), 1048576u);
  EXPECT_EQ(Limit(Named("H13"), "context_switch_live_tensors").value(), 2u);
  EXPECT_EQ(Limit(Named("H14"), "context_switch_live_tensors").value(), kUnlimited);
  EXPECT_EQ(Limit(Named("U3"), "max_tensor_wh").value(), 65535u);
  EXPECT_FALSE(Limit(Named("H11"), "reduction_to_transpose_threshold").known());
  EXPECT_EQ(LimitList(Named("H13"), "stride_factor_list").value(),
            (std::vector<uint64_t>{2, 3, 4, 8}));
  EXPECT_FALSE(Limit(Named("H13"), "stride_factor_list").known());
  EXPECT_EQ(Limit(Named("H13"), "max_kernel_section_bytes").value(), 134217728u);
}

TEST(InterchangeFormats, CountsMatchTheTableWord) {
  for (const Target& target : AllTargets()) {
    ASSERT_TRUE(target.interchange.known()) << target.name;
    EXPECT_EQ(target.interchange.value().count, target.hal.Scalar(0x668).value()) << target.name;
  }
  const InterchangeFormats& a13 = Named("T1").interchange.value();
  EXPECT_TRUE(a13.complete);
  EXPECT_EQ(a13.tags, (std::vector<std::string>{"&BGA", "&L0h", "&L16"}));
  EXPECT_FALSE(Named("H14").interchange.value().complete);
}

// facts/more/interchange_tags.csv.
TEST(ImageTags, AreAPrefixAndABase) {
  const TargetCatalog& catalog = TargetCatalog::Builtin();
  EXPECT_EQ(catalog.FindImageTag("&BGA")->base.code, 0x11u);
  EXPECT_EQ(catalog.FindImageTag("/RhA")->packing.code, 2u);
  EXPECT_EQ(catalog.FindImageTag("|L0h")->base.code, 0x07u);
  EXPECT_FALSE(catalog.FindImageTag("BGA").ok());
  EXPECT_FALSE(catalog.FindImageTag("&BGAx").ok());
  for (const Target& target : AllTargets()) {
    for (const std::string& tag : target.interchange.value().tags) {
      EXPECT_TRUE(catalog.FindImageTag(tag).ok()) << tag;
    }
  }
}

TEST(Floors, ResizeHasTwoReadings) {
  const Known<Family> floor = TargetCatalog::Builtin().Floor("resize");
  EXPECT_EQ(floor.values(), (std::vector<Family>{Family::kA13, Family::kA14}));
}

TEST(Names, CompilerAndRuntime) {
  EXPECT_EQ(Named("H13g").compiler_name, "h13g");  // specification 000, listing 23.4: -t h13g
  EXPECT_EQ(Named("H17s").runtime_name.value(), "h17s");
  EXPECT_FALSE(Named("H17c").runtime_name.known());
  EXPECT_EQ(Named("H13").cpu_subtype.value(), 4u);  // specification 000, table 23.9
  EXPECT_EQ(Named("H18").cpu_subtype.value(), 10u);
}

std::vector<uint8_t> BlobWith(uint32_t offset, uint64_t value, uint32_t width) {
  std::vector<uint8_t> blob(kHalSize, 0);
  for (uint32_t i = 0; i < width; ++i) blob[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  return blob;
}

TEST(Replacement, ABlobOverwritesTheTableAndLimitsThatRestateIt) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  std::vector<uint8_t> blob = BlobWith(0x238, 12, 8);
  blob[0x81d] = 1;
  blob[0x200] = 0x34;
  blob[0x490] = 1;
  ASSERT_TRUE(catalog.ReplaceHal("h13", blob, "dump.bin").ok());
  const Target& target = **catalog.Find("H13");
  EXPECT_EQ(target.hal.Scalar("num_nes").value(), 12u);
  EXPECT_EQ(target.hal.Scalar("num_nes").source(), "dump.bin");
  EXPECT_EQ(target.ne_cores.value(), 12u);
  EXPECT_TRUE(target.hal.Capability("texture_engine").value());
  EXPECT_TRUE(target.hal.Capability(0x490).value());  // an unnamed byte of the capability region
  EXPECT_TRUE(target.hal.Capability(0x818).known());
  EXPECT_EQ(Limit(target, "texture_engine").value(), 1u);
  EXPECT_EQ(Limit(target, "kernel_memory_bytes").value(), 0x34u);
  EXPECT_FALSE(target.hal.Capability(0x600).known());
  EXPECT_EQ(Named("H13").ne_cores.value(), 16u) << "the built-in catalog does not change";
}

// In the newest compiler, fields have the same names but other offsets
// (facts/silicon/targets_new.csv).
TEST(Replacement, ATableOfTheNewestCompilerIsReadByItsOwnOffsets) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  std::vector<uint8_t> blob(0xa10, 0);
  blob[0x240] = 16;    // instruction_alignment, 0x218 before
  blob[0x218] = 0x77;  // max_l2_destination_stride here
  ASSERT_TRUE(catalog.ReplaceHal("h18g", blob, "dump.bin").ok());
  const Target& target = **catalog.Find("H18g");
  EXPECT_EQ(target.hal.Scalar(0x218).value(), 16u);
  EXPECT_EQ(target.hal.Scalar(0x218).source(), "dump.bin");
  EXPECT_EQ(Limit(target, "instruction_alignment_bytes").value(), 16u);
}

// A table of the newest compiler also states the fields that the older layout lacks.
TEST(Replacement, ATableOfTheNewestCompilerStatesEachOfItsFields) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  std::vector<uint8_t> blob(0xa10, 0);
  blob[0x888] = 0x55;  // fifo_bytes
  blob[0x5f7] = 0xfe;  // double_rate, a flag
  ASSERT_TRUE(catalog.ReplaceHal("h18g", blob, "dump.bin").ok());
  const Target& target = **catalog.Find("H18g");
  EXPECT_EQ(catalog.Newest(*FindNewestField("fifo_bytes"), target).value(), 0x55u);
  EXPECT_EQ(catalog.Newest(*FindNewestField("double_rate"), target).value(), 0u);
  for (const NewestField& field : NewestFields()) {
    EXPECT_EQ(catalog.Newest(field, target).source(), "dump.bin") << field.name;
  }
  EXPECT_EQ(catalog.Newest(*FindNewestField("fifo_bytes"), **catalog.Find("h19")).value(),
            2u << 20);
}

uint64_t Newest(std::string_view field, std::string_view target) {
  const auto known = TargetCatalog::Builtin().Newest(*FindNewestField(field), Named(target));
  return known ? known.value() : ~uint64_t{0};
}

TEST(NewestTable, HoldsTheValuesOfTheNotes) {
  EXPECT_EQ(Newest("fifo_bytes", "H18g"), 2u << 20);
  EXPECT_EQ(Newest("double_int8_mode", "H18"), 1u);
  EXPECT_EQ(Newest("double_int8_mode", "H17"), 0u);
  EXPECT_EQ(Newest("ne_cores", "H16c"), 16u);
  EXPECT_EQ(Newest("ne_cores", "H13"), 16u);
  EXPECT_EQ(FindNewestField("max_tensor_width")->offset, 0x158u);
  for (const NewestField& field : NewestFields()) EXPECT_FALSE(field.source.empty()) << field.name;
}

TEST(Replacement, ABlobOfAnotherSizeIsRefused) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  const Status status = catalog.ReplaceHal("h13", std::vector<uint8_t>(0x348), "short.bin");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("0x938"), std::string::npos);
  EXPECT_FALSE(catalog.ReplaceHal("h99", std::vector<uint8_t>(kHalSize), "x").ok());
}

TEST(Replacement, AUsersFileStatesValuesAndTargets) {
  TargetCatalog catalog = TargetCatalog::Builtin();
  const char* text = R"({
    "targets": [{"name": "H99", "tier": "A18", "compiler_name": "h99",
                 "family_specification": [{"value": 7, "source": "guess"}]},
                {"name": "h13", "chips": [{"value": "mine", "source": "label"}]}],
    "fields": [{"offset": "0x218", "values": [{"value": 32, "targets": ["A13"], "source": "probe"}]},
               {"offset": "0x580", "text_values": [{"value": "Mine", "targets": ["H13"]}]}],
    "limits": [{"name": "max_rank", "values": [{"value": 6, "targets": ["H13"]}]}],
    "floors": [{"op": "softmax", "floor": 3, "source": "probe"}],
    "sets": [{"targets": ["H13"], "count": 1, "tags": ["&BGA"]}]})";
  const Status status = catalog.ApplyUserFile(text, "mine.json");
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(catalog.targets().size(), 31u);
  EXPECT_EQ((*catalog.Find("H99"))->family().value(), Family::kA18);
  const Target& h13 = **catalog.Find("H13");
  EXPECT_EQ(h13.chips.values(), std::vector<std::string>{"mine"});
  EXPECT_EQ(h13.hal.Scalar(0x218).values(), std::vector<uint64_t>{32});
  EXPECT_EQ(h13.hal.Scalar(0x218).source(), "mine.json: probe");
  EXPECT_EQ(Limit(h13, "instruction_alignment_bytes").value(), 32u);
  EXPECT_EQ(h13.hal.Text(0x580).value(), "Mine");
  EXPECT_EQ(Limit(h13, "max_rank").value(), 6u);
  EXPECT_EQ(h13.interchange.value().count, 1u);
  EXPECT_EQ(catalog.Floor("softmax").values(), std::vector<Family>{Family::kA14});
  EXPECT_EQ((*catalog.Find("T1"))->hal.Scalar(0x218).value(), 32u);
  EXPECT_EQ((*catalog.Find("H14"))->hal.Scalar(0x218).value(), 16u);
}

TEST(Replacement, AFaultyUsersFileChangesNothingAndNamesThePlace) {
  const std::pair<const char*, const char*> rows[] = {
      {"[]", "not a JSON object"},
      {"{\"fields\": [{\"offset\": \"0x239\", \"values\": []}]}", "no field begins at 0x239"},
      {"{\"fields\": [{\"offset\": \"0x940\", \"values\": []}]}", "no field begins at 0x940"},
      {"{\"fields\": [{\"offset\": \"0x238\", \"values\": [{\"value\": 1, \"targets\": "
       "[\"H99\"]}]}]}",
       "\"H99\" is neither a target nor a tier"},
      {"{\"fields\": [{\"offset\": \"0x81d\", \"values\": [{\"value\": 2, \"targets\": "
       "[\"H13\"]}]}]}",
       "cannot hold 2"},
      {"{\"fields\": [{\"offset\": \"0x748\", \"values\": [{\"value\": 2, \"targets\": "
       "[\"H13\"]}]}]}",
       "is a pointer"},
      {"{\"limits\": [{\"name\": \"max_rank\", \"values\": [{\"value\": 6, \"targets\": "
       "[\"H13\"]}]}, {\"name\": \"max_rnk\"}]}",
       "no limit is named max_rnk"},
      {"{\"targets\": [{\"name\": \"H98\", \"tier\": \"A18\"}, {\"name\": \"H97\"}]}",
       "needs a string \"tier\""},
      {"{\"targets\": [{\"name\": \"H13\", \"family_specification\": [{\"value\": 8, "
       "\"source\": \"s\"}]}]}",
       "8 is no family index"},
      {"{\"targets\": [{\"name\": \"H13\", \"ne_cores\": [{\"value\": -1, \"source\": "
       "\"s\"}]}]}",
       "needs a number of 0 or more"},
  };
  for (const auto& [text, message] : rows) {
    TargetCatalog catalog = TargetCatalog::Builtin();
    const Status status = catalog.ApplyUserFile(text, "bad.json");
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_NE(status.error().message.find(message), std::string::npos) << status.error().message;
    EXPECT_EQ(catalog.targets().size(), 30u) << text;
    EXPECT_EQ(Limit(**catalog.Find("H13"), "max_rank").value(), 5u) << text;
  }
}

void CollectScalars(Json& json, std::vector<Json*>& found) {
  if (!json.is_structured()) found.push_back(&json);
  if (json.is_structured()) {
    for (auto& item : json) CollectScalars(item, found);
  }
}

TEST(Replacement, OddValuesAreRefusedOrAcceptedButNeverThrow) {
  Json document = ParseJson(R"({
    "targets": [{"name": "H13", "tier": "A13", "chips": [{"value": "c", "source": "s"}],
                 "td_version": [{"value": 7, "source": "s"}]}],
    "fields": [{"offset": "0x218", "values": [{"value": 1, "targets": ["A13"], "source": "s"}],
                "text_values": []}],
    "limits": [{"name": "max_rank", "values": [{"value": [1, 2], "targets": ["H13"]}]}],
    "sets": [{"targets": ["H13"], "count": 1, "tags": ["&BGA"], "description": "d"}],
    "floors": [{"op": "sin", "floor": 3, "source": "s"}],
    "prefixes": [{"tag": "&", "code": 0, "meaning": "m"}]})")
                      .value();
  EXPECT_TRUE(TargetCatalog(TargetCatalog::Builtin()).ApplyUserFile(document.dump(), "f").ok());
  std::vector<Json*> scalars;
  CollectScalars(document, scalars);
  int refused = 0;
  for (Json* scalar : scalars) {
    const Json kept = *scalar;
    for (const Json& odd : {Json(nullptr), Json(-3), Json(1.5), Json("odd"), Json::array({1}),
                            Json::object(), Json(true)}) {
      *scalar = odd;
      TargetCatalog catalog = TargetCatalog::Builtin();
      refused += catalog.ApplyUserFile(document.dump(), "f").ok() ? 0 : 1;
    }
    *scalar = kept;
  }
  EXPECT_GT(refused, 50);
}

RC_GTEST_PROP(TargetNames, RefusesAnyOtherText, (const std::string& text)) {
  const Result<const Target*> found = FindTarget(text);
  bool is_name = false;
  for (const Target& target : AllTargets()) {
    is_name |= text.size() == target.name.size() &&
               std::equal(text.begin(), text.end(), target.name.begin(), [](char a, char b) {
                 return std::tolower(static_cast<unsigned char>(a)) ==
                        std::tolower(static_cast<unsigned char>(b));
               });
  }
  RC_ASSERT(found.ok() == is_name);
}

RC_GTEST_PROP(HalBlobs, EveryScalarReadsBackFromABlob, ()) {
  const auto bytes =
      *rc::gen::container<std::vector<uint8_t>>(kHalSize, rc::gen::arbitrary<uint8_t>());
  Hal hal;
  RC_ASSERT(hal.LoadBlob(bytes, "random").ok());
  for (uint32_t offset = 0; offset < kHalSize; ++offset) {
    const Known<bool>& flag = hal.Capability(offset);
    RC_ASSERT(flag.known() == HalLayout::Get().MayBeFlag(offset));
    if (flag.known()) RC_ASSERT(flag.value() == ((bytes[offset] & 1) != 0));
  }
}

}  // namespace
}  // namespace anecheck
