// Generated dispatch descriptors follow the specification and are rewritten with the same bytes.
// The project accepts the same descriptors as the FlatBuffers library. For each rule, a mutation
// breaks that rule.
#include "generators/formats/e5/e5_generator.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <rapidcheck/gtest.h>

#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "generators/formats/testing/absent_members.h"
#include "harness/base/json.h"
#include "harness/formats/flatbuffer/shape.h"

namespace anecheck {
namespace {

Bytes Generate(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_e5.generate(choices);
}

e5::Outline SmallOutline() {
  e5::Outline outline;
  outline.inputs = {
      {.name = "x", .shape = {1, 64, 1, 1}, .byte_size = 4096, .aperture_va = 0x30000000}};
  outline.outputs = {
      {.name = "y", .shape = {1, 64, 1, 1}, .byte_size = 4096, .aperture_va = 0x30004000}};
  outline.anehash = "00112233";
  return outline;
}

Bytes WriteOutline(const e5::Outline& outline) {
  return e5::Write(e5::MakeProgram(outline)).value();
}

size_t Count(const e5::Program& program, e5::OpType type) {
  size_t count = 0;
  for (const auto& operation : program.functions.at(0).blocks.at(0).operations) {
    count += operation.type == type ? 1 : 0;
  }
  return count;
}

// Specification 000, tables 23.1 and 23.2, and the public dump of facts/e5_schema.md.
TEST(E5LawTest, BeginsAsRealDescriptorsDo) {
  const Bytes bytes = WriteOutline(SmallOutline());
  const Bytes head = {0x14, 0, 0, 0, 0,    0, 0,    0, 0x0c, 0, 0x14, 0,
                      4,    0, 8, 0, 0x0c, 0, 0x10, 0, 0x0c, 0, 0,    0};
  ASSERT_GE(bytes.size(), head.size());
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(head.size())), head);
  EXPECT_EQ(bytes[0x14 + 16], 4);  // format_version, inline at object offset 16
}

TEST(E5LawTest, EveryGeneratedDescriptorBeginsWithTheVTable) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Bytes bytes = Generate(seed);
    const Bytes head(bytes.begin() + 8, bytes.begin() + 16);
    EXPECT_EQ(head, (Bytes{0x0c, 0, 0x14, 0, 4, 0, 8, 0})) << seed;
  }
}

TEST(E5LawTest, FusedGraphIsCastInferenceCast) {
  const e5::Program program = e5::MakeProgram(SmallOutline());
  const auto& operations = program.functions.at(0).blocks.at(0).operations;
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0].name, "Op0_Cast");
  EXPECT_EQ(operations[1].name, "Op1_AneInference");
  EXPECT_EQ(operations[2].name, "Op2_Cast");
  EXPECT_EQ(program.sections.size(), 6u);
}

TEST(E5LawTest, EachBridgeCutAddsOneInference) {
  size_t size_before = 0;
  for (uint32_t segments = 1; segments <= 4; ++segments) {
    e5::Outline outline = SmallOutline();
    outline.segments = segments;
    const e5::Program program = e5::MakeProgram(outline);
    EXPECT_EQ(Count(program, e5::OpType::kAneInference), segments);
    EXPECT_EQ(Count(program, e5::OpType::kCast), 2u);
    const size_t size = WriteOutline(outline).size();
    EXPECT_GT(size, size_before);
    size_before = size;
  }
}

TEST(E5LawTest, FiveStatesGiveSixCastsEachWay) {
  e5::Outline outline = SmallOutline();
  for (int i = 0; i < 5; ++i) {
    outline.states.push_back({.name = fmt::format("s{}", i), .byte_size = 0x4000});
  }
  const e5::Program program = e5::MakeProgram(outline);
  EXPECT_EQ(Count(program, e5::OpType::kCast), 12u);
  EXPECT_EQ(Count(program, e5::OpType::kAneInference), 1u);
  ASSERT_EQ(program.alias_symbols.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(program.alias_symbols[i].addr_offset, i * 0x4000);
}

TEST(E5MutationTest, TakesFilesThatLackAMember) {
  EXPECT_GT(testing::MutateWithoutEachMember(kFormat_e5, kGenerator_e5, 4), 100u);
}

RC_GTEST_PROP(E5LawTest, SizeDoesNotDependOnTheComputeShape, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  e5::Outline outline = GenerateE5Outline(choices);
  const size_t size = WriteOutline(outline).size();
  for (auto* tensors : {&outline.inputs, &outline.outputs, &outline.states}) {
    for (auto& tensor : *tensors) {
      for (uint64_t& extent : tensor.shape) extent = choices.Below(4096);
      tensor.byte_size = choices.Word();
    }
  }
  RC_ASSERT(WriteOutline(outline).size() == size);
}

RC_GTEST_PROP(E5ProgramTest, ParseInvertsWrite, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const e5::Program program = e5::MakeProgram(GenerateE5Outline(choices));
  const Bytes bytes = e5::Write(program).value();
  RC_ASSERT(e5::Parse(bytes).value() == program);
  RC_ASSERT(e5::Write(e5::Parse(bytes).value()).value() == bytes);
}

TEST(E5ProgramTest, RefusesAProgramWithoutOperations) {
  e5::Program program;
  program.input_ports = {{"x", 64, 0}};
  const Result<Bytes> bytes = e5::Write(program);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kInvalid);
}

// Readers find a section by its name, which consists of the operation's name and a suffix.
TEST(E5ProgramTest, RefusesTwoOperationsWithOneName) {
  e5::Program program = e5::MakeProgram(SmallOutline());
  std::vector<e5::Operation>& operations = program.functions[0].blocks[0].operations;
  ASSERT_GE(operations.size(), 2u);
  EXPECT_TRUE(e5::Write(program).ok());
  operations[1].name = operations[0].name;
  const Result<Bytes> bytes = e5::Write(program);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kInvalid);
  EXPECT_NE(bytes.error().message.find('"' + operations[0].name + '"'), std::string::npos);
}

// The kind of an operation determines the union member of its attribute section.
TEST(E5ProgramTest, RefusesAbsentAttributesAndThoseOfAnotherKind) {
  e5::Program program = e5::MakeProgram(SmallOutline());
  for (e5::Operation& operation : program.functions[0].blocks[0].operations) {
    const e5::OpType type = operation.type;
    operation.type = e5::OpType::kBarrier;
    const Result<Bytes> bytes = e5::Write(program);
    ASSERT_FALSE(bytes.ok());
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalid);
    operation.type = type;
    // Write refuses absent attributes, because readers would read them as zeros.
    const auto attrs = std::exchange(operation.attrs, e5::OpaqueAttrs());
    EXPECT_FALSE(e5::Write(program).ok());
    operation.attrs = attrs;
  }
  EXPECT_TRUE(e5::Write(program).ok());
}

TEST(E5ProgramTest, ReadsSectionsOfADescriptorWithoutFunctions) {
  e5::Program program;
  program.symbol_names = {"a"};
  program.sections = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(e5::Parse(e5::Write(program).value()).value(), program);
}

RC_GTEST_PROP(E5FormatTest, GeneratedDescriptorsAreValidAndRoundTrip, (uint64_t seed)) {
  const Bytes bytes = Generate(seed);
  const auto violations = kFormat_e5.verify(bytes).value();
  if (!violations.empty()) RC_FAIL(violations[0].message);
  RC_ASSERT(kFormat_e5.rewrite(bytes).value() == bytes);
  RC_ASSERT(kFormat_e5.from_json(kFormat_e5.to_json(bytes).value()).value() == bytes);
  RC_ASSERT(kFormat_e5.recognise(bytes, "") == 90);
  RC_ASSERT(kFormat_e5.print(bytes).ok());
}

// Sections may share one buffer of attributes. The JSON form preserves this.
TEST(E5FormatTest, SectionsThatShareAttributesSurviveTheJsonForm) {
  Json json = kFormat_e5.to_json(WriteOutline(SmallOutline())).value();
  Json& sections = json["root"]["sections"];
  const Json attributes = sections[1]["attrs"], place = sections[1]["@"]["attrs"];
  const size_t other = sections.size() - 1;
  ASSERT_NE(sections[other]["@"]["attrs"], place);
  sections[other]["attrs"] = attributes;
  sections[other]["@"]["attrs"] = place;
  const Bytes shared = kFormat_e5.from_json(json).value();
  const Json again = kFormat_e5.to_json(shared).value();
  EXPECT_EQ(again["root"]["sections"][1]["@"]["attrs"],
            again["root"]["sections"][other]["@"]["attrs"]);
  EXPECT_EQ(again["root"]["sections"][other]["attrs"], attributes);
  EXPECT_EQ(kFormat_e5.from_json(again).value(), shared);
}

TEST(E5FormatTest, TypesEveryByteExceptAlignment) {
  const Bytes bytes = Generate(1);
  const ByteCounts coverage = kFormat_e5.count_bytes(bytes).value();
  EXPECT_EQ(coverage.total, bytes.size());
  EXPECT_EQ(coverage.typed + coverage.fill, bytes.size());
  EXPECT_GT(coverage.typed, coverage.fill);
  Bytes padded = bytes;
  padded.insert(padded.end(), 100, 0x55);
  EXPECT_EQ(kFormat_e5.count_bytes(padded).value().typed, coverage.typed);
  EXPECT_EQ(kFormat_e5.count_bytes(padded).value().Opaque(), 100u);
}

TEST(E5FormatTest, RecognisesOtherBytesByTheirSuffixAtMost) {
  EXPECT_EQ(kFormat_e5.recognise(Bytes(64, 0), "a.hwx"), 0);
  EXPECT_EQ(kFormat_e5.recognise(Bytes(64, 0xff), "a.e5"), 20);
}

TEST(E5MutationTest, ReplaysFromItsData) {
  ASSERT_GE(kGenerator_e5.mutations.size(), 12u);
  for (const MutationKind& kind : kGenerator_e5.mutations) {
    ChoiceStream choices = ChoiceStream::FromSeed(11);
    const Bytes bytes = kGenerator_e5.generate(choices);
    const auto mutation = kind.propose(bytes, choices);
    if (!mutation) continue;
    EXPECT_EQ(mutation->kind, kind.id);
    EXPECT_EQ(kind.apply(bytes, *mutation).value(), kind.apply(bytes, *mutation).value());
    EXPECT_FALSE(kind.apply(bytes, {"other", {0, 0}}).ok());
  }
}

bool LibraryAccepts(const Bytes& bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return e5::wire::VerifyE5ProgramBuffer(verifier);
}

// The project and the library may differ only in the checks that IsStricterThanLibrary names.
// shape.h gives the reason for each.
RC_GTEST_PROP(E5DifferentialTest, AgreesWithTheLibraryOnMutatedDescriptors, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Bytes bytes = kGenerator_e5.generate(choices);
  const auto& kind = kGenerator_e5.mutations[choices.Below(kGenerator_e5.mutations.size())];
  if (const auto mutation = kind.propose(bytes, choices)) {
    bytes = kind.apply(bytes, *mutation).value();
  }
  for (uint64_t edits = choices.Below(3); edits > 0 && !bytes.empty(); --edits) {
    bytes[choices.Below(bytes.size())] = static_cast<uint8_t>(choices.Word());
  }
  const auto error = flatbuffer::CheckShape(e5::WireSchema(), bytes);
  if (LibraryAccepts(bytes)) {
    if (error && !flatbuffer::IsStricterThanLibrary(error->check)) RC_FAIL(error->error.message);
  } else {
    RC_ASSERT(error.has_value());
  }
  if (!error) {
    const auto rewritten = kFormat_e5.rewrite(bytes);
    if (rewritten.ok()) RC_ASSERT(*rewritten == bytes);
    RC_ASSERT(kFormat_e5.verify(bytes).ok());
    (void)e5::Parse(bytes);
  }
}

TEST(E5GoldenTest, PrintsAsBefore) {
  const std::string path = std::string(ANECHECK_SOURCE_DIR) + "/generators/formats/e5/golden.txt";
  const std::string printed = kFormat_e5.print(WriteOutline(SmallOutline())).value();
  std::ifstream in(path);
  const std::string golden((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(printed, golden) << "if the change is meant, write this text to " << path;
}

}  // namespace
}  // namespace anecheck
