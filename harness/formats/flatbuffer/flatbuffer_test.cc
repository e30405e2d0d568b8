// Tests that the shape check agrees with the verifier of the FlatBuffers library, that Encode
// returns the bytes from which a Document was decoded, and that the JSON form is lossless and can
// be edited.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generated/flatbuffer_schemas/flatbuffer_test_schema/sample_bfbs_generated.h"
#include "generated/flatbuffer_schemas/flatbuffer_test_schema/sample_generated.h"
#include "generators/choice_stream.h"
#include "harness/base/json.h"
#include "harness/formats/flatbuffer/document.h"
#include "harness/formats/flatbuffer/document_json.h"
#include "harness/formats/flatbuffer/quick_shape.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/flatbuffer/shape.h"

namespace anecheck::flatbuffer {
namespace {

const Schema& SampleSchema() {
  static const Schema schema = [] {
    using Embedded = sample::SampleBinarySchema;
    return SchemaFromReflection({Embedded::data(), Embedded::size()}).value();
  }();
  return schema;
}

std::string RandomText(ChoiceStream& choices) {
  return std::string(choices.Below(9), static_cast<char>('a' + choices.Below(26)));
}

sample::ChoiceUnion RandomChoice(ChoiceStream& choices) {
  sample::ChoiceUnion choice;
  if (choices.Coin()) {
    sample::LeafT leaf;
    leaf.text = RandomText(choices);
    leaf.number = choices.Word();
    choice.Set(std::move(leaf));
  } else {
    sample::OtherT other;
    other.code = static_cast<int32_t>(choices.Word());
    choice.Set(std::move(other));
  }
  return choice;
}

Bytes RandomNested(ChoiceStream& choices) {
  flatbuffers::FlatBufferBuilder builder;
  sample::InnerT inner;
  for (uint64_t i = choices.Below(4); i > 0; --i) {
    inner.values.push_back(static_cast<uint16_t>(choices.Word()));
  }
  inner.big = choices.Word();
  builder.Finish(sample::CreateInner(builder, &inner));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// Returns a buffer with random optional parts, made by the library's own builder.
Bytes RandomSample(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  sample::SampleT value;
  value.name = RandomText(choices);
  value.colour = choices.Pick(std::array{sample::Colour::Red, sample::Colour::Green});
  value.count = static_cast<uint32_t>(choices.Word());
  value.wide = static_cast<int64_t>(choices.Word());
  if (choices.Coin()) {
    value.leaf = std::make_unique<sample::LeafT>();
    value.leaf->text = RandomText(choices);
  }
  for (uint64_t i = choices.Below(4); i > 0; --i) {
    value.leaves.push_back(std::make_unique<sample::LeafT>());
    value.leaves.back()->number = choices.Word();
    value.names.push_back(RandomText(choices));
    value.bytes.push_back(static_cast<uint8_t>(choices.Word()));
    value.numbers.push_back(static_cast<int64_t>(choices.Word()));
    value.pairs.push_back(sample::Pair(static_cast<int32_t>(choices.Word()),
                                       static_cast<int16_t>(choices.Word()), choices.Coin()));
    value.choices.push_back(RandomChoice(choices));
  }
  if (choices.Coin()) value.choice = RandomChoice(choices);
  if (choices.Coin()) value.inner = RandomNested(choices);
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(choices.Coin());
  builder.Finish(sample::CreateSample(builder, &value), sample::SampleIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

bool LibraryAccepts(const Bytes& bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return sample::VerifySampleBuffer(verifier);
}

Result<Document> DecodeSample(const Bytes& bytes) {
  return Decode(SampleSchema(), bytes, static_cast<uint32_t>(bytes.size()), {},
                SampleSchema().root);
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const Document document,
                  DocumentFromJson(SampleSchema(), json, SampleSchema().root));
  return Encode(document);
}

Json ToJson(const Bytes& bytes) {
  return DocumentToJson(SampleSchema(), DecodeSample(bytes).value()).value();
}

// Removes the layout, so that the JSON is like one that a person wrote.
void DropPlaces(Json* json) {
  if (json->is_object()) {
    for (const char* key : {"@", "size", "vtables", "unknown", "overlapping"}) json->erase(key);
  }
  for (Json& child : *json) {
    if (child.is_structured()) DropPlaces(&child);
  }
}

TEST(SchemaTest, HoldsTheDeclarationsOfTheSchemaFile) {
  const Schema& schema = SampleSchema();
  EXPECT_EQ(schema.identifier, "SMPL");
  const TableType& root = schema.tables[schema.root];
  EXPECT_EQ(root.name, "Sample");
  EXPECT_TRUE(root.FindField("name")->required);
  EXPECT_EQ(root.FindField("wide")->evidence, "assumed");
  EXPECT_EQ(root.FindField("count")->evidence, "");
  EXPECT_EQ(root.FindField("inner")->nested, schema.FindTable("Inner"));
  EXPECT_EQ(root.FindField("pairs")->element, FieldKind::kStruct);
  EXPECT_EQ(root.FindField("pairs")->element_width, 8u);
  EXPECT_EQ(schema.enums[root.FindField("colour")->type].ByValue(7)->name, "Blue");
  EXPECT_EQ(root.FindField("nothing"), nullptr);
}

TEST(SchemaTest, RefusesBytesThatAreNoSchema) {
  const Bytes noise(64, 0x5a);
  EXPECT_FALSE(SchemaFromReflection(noise).ok());
}

RC_GTEST_PROP(ShapeTest, AcceptsTheBuffersOfTheLibrary, (uint64_t seed)) {
  const Bytes bytes = RandomSample(seed);
  const auto error = CheckShape(SampleSchema(), bytes);
  if (error) RC_FAIL(error->error.message);
}

bool IsQuick(const Bytes& bytes) {
  const Schema& schema = SampleSchema();
  return IsQuicklySound(schema, schema.root, bytes, {}, schema.identifier);
}

// No other test fails if the quick check accepts no buffer.
RC_GTEST_PROP(QuickShapeTest, AcceptsTheBuffersOfTheLibrary, (uint64_t seed)) {
  RC_ASSERT(IsQuick(RandomSample(seed)));
}

RC_GTEST_PROP(QuickShapeTest, RefusesAllThatTheLibraryRefuses, (uint64_t seed)) {
  Bytes bytes = RandomSample(seed);
  ChoiceStream choices = ChoiceStream::FromSeed(~seed);
  for (uint64_t i = 1 + choices.Below(3); i > 0; --i) {
    bytes[choices.Below(bytes.size())] = static_cast<uint8_t>(
        choices.Pick(std::array<uint64_t, 6>{0, 1, 4, 0x7f, 0xff, choices.Below(256)}));
  }
  bytes.resize(bytes.size() - choices.Below(bytes.size() / 4));
  if (IsQuick(bytes)) RC_ASSERT(LibraryAccepts(bytes));
}

RC_GTEST_PROP(ShapeTest, AgreesWithTheLibraryOnEditedBytes, (uint64_t seed)) {
  Bytes bytes = RandomSample(seed % 64);
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  for (uint64_t edits = 1 + choices.Below(3); edits > 0; --edits) {
    bytes[choices.Below(bytes.size())] = choices.Pick(std::array<uint8_t, 5>{0, 1, 4, 0x7f, 0xff});
  }
  if (choices.Chance(1, 8)) bytes.resize(choices.Below(bytes.size()));
  const auto error = CheckShape(SampleSchema(), bytes);
  if (LibraryAccepts(bytes)) {
    if (error && !IsStricterThanLibrary(error->check)) RC_FAIL(error->error.message);
  } else {
    RC_ASSERT(error.has_value());
  }
}

RC_GTEST_PROP(DocumentTest, WritesBackTheSameBytes, (uint64_t seed)) {
  const Bytes bytes = RandomSample(seed);
  RC_ASSERT(Encode(DecodeSample(bytes).value()).value() == bytes);
  RC_ASSERT(FromJson(ToJson(bytes)).value() == bytes);
}

RC_GTEST_PROP(DocumentTest, WritesBackEditedBytesThatStillParse, (uint64_t seed)) {
  Bytes bytes = RandomSample(seed % 64);
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  bytes[choices.Below(bytes.size())] = static_cast<uint8_t>(choices.Word());
  const Result<Document> document = DecodeSample(bytes);
  if (!document.ok()) return;
  RC_ASSERT(Encode(*document).value() == bytes);
  const Result<Json> json = DocumentToJson(SampleSchema(), *document);
  if (json.ok()) RC_ASSERT(FromJson(*json).value() == bytes);
}

RC_GTEST_PROP(DocumentTest, JsonWithoutPlacesGivesTheSameValues, (uint64_t seed)) {
  const Bytes bytes = RandomSample(seed);
  Json json = ToJson(bytes);
  DropPlaces(&json);
  const Result<Bytes> written = FromJson(json);
  if (!written.ok()) RC_FAIL(written.error().message + "\n" + json.dump(1));
  const Bytes& rebuilt = *written;
  RC_ASSERT(LibraryAccepts(rebuilt));
  Json again = ToJson(rebuilt);
  DropPlaces(&again);
  RC_ASSERT(again["root"].dump() == json["root"].dump());
}

TEST(DocumentTest, KeepsBytesThatNoFieldCovers) {
  Bytes bytes = RandomSample(3);
  bytes.insert(bytes.end(), {0, 0, 0, 0, 0xde, 0xad});
  const Document document = DecodeSample(bytes).value();
  ASSERT_EQ(document.raw.size(), 1u);
  EXPECT_EQ(document.raw[0].bytes, (Bytes{0xde, 0xad}));
  EXPECT_EQ(FromJson(ToJson(bytes)).value(), bytes);
  ByteKindMap map(bytes);
  ClaimDocument(document, 0, &map);
  const ByteCounts coverage = std::move(map).Count();
  EXPECT_EQ(coverage.Opaque(), 2u);
  EXPECT_GE(coverage.fill, 4u);
  EXPECT_GT(coverage.typed, coverage.fill);
}

TEST(DocumentTest, EditingAScalarChangesItsBytesOnly) {
  const Bytes bytes = RandomSample(5);
  Json json = ToJson(bytes);
  json["root"]["count"] = 0x01020304;
  const Bytes edited = FromJson(json).value();
  ASSERT_EQ(edited.size(), bytes.size());
  size_t changed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) changed += bytes[i] != edited[i] ? 1 : 0;
  EXPECT_LE(changed, 4u);
  EXPECT_GE(changed, 1u);
  EXPECT_EQ(sample::GetSample(edited.data())->count(), 0x01020304u);
}

TEST(DocumentTest, GrowingAStringMovesLaterObjectsAndKeepsAlignment) {
  const Bytes bytes = RandomSample(5);
  Json json = ToJson(bytes);
  json["root"]["name"] = std::string(41, 'x');
  const Bytes edited = FromJson(json).value();
  EXPECT_TRUE(LibraryAccepts(edited));
  EXPECT_EQ(sample::GetSample(edited.data())->name()->str(), std::string(41, 'x'));
  Json expected = json;
  Json actual = ToJson(edited);
  DropPlaces(&expected);
  DropPlaces(&actual);
  EXPECT_EQ(actual["root"], expected["root"]);
}

TEST(DocumentTest, AddsAndRemovesFields) {
  flatbuffers::FlatBufferBuilder builder;
  sample::SampleT value;
  value.name = "n";
  value.wide = 9;
  builder.Finish(sample::CreateSample(builder, &value), sample::SampleIdentifier());
  const Bytes bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  Json json = ToJson(bytes);
  json["root"].erase("wide");
  json["root"]["names"] = {"one", "two"};
  json["root"]["leaf"] = {{"text", "t"}, {"number", 77}};
  const Bytes edited = FromJson(json).value();
  ASSERT_TRUE(LibraryAccepts(edited));
  const sample::Sample* root = sample::GetSample(edited.data());
  EXPECT_EQ(root->wide(), 0);
  EXPECT_EQ(root->names()->Get(1)->str(), "two");
  EXPECT_EQ(root->leaf()->number(), 77u);
  EXPECT_EQ(root->name()->str(), "n");
}

TEST(DocumentTest, RefusesJsonThatDoesNotFit) {
  const Json sound = ToJson(RandomSample(5));
  const auto message = [&](auto edit) {
    Json json = sound;
    edit(json);
    const Result<Bytes> bytes = FromJson(json);
    return bytes.ok() ? std::string() : bytes.error().message;
  };
  EXPECT_EQ(message([](Json& json) { json["root"]["nmae"] = 1; }),
            "root: \"nmae\" is no field of Sample");
  EXPECT_EQ(message([](Json& json) { json["root"]["count"] = -1; }),
            "root.count: number is too small for the field");
  EXPECT_EQ(message([](Json& json) { json["root"]["bytes"] = "0g"; }),
            "root.bytes: no hexadecimal digit at character 1");
  EXPECT_EQ(message([](Json& json) { json["root"]["name"] = 3; }), "root.name: must be text");
  EXPECT_EQ(message([](Json& json) { json["size"] = uint64_t{1} << 40; }),
            "size: must be an unsigned 32-bit number");
  EXPECT_EQ(message([](Json& json) { json.erase("root"); }), ": needs an object with \"root\"");
}

// The size of a table has 16 bits, so rounding it up after adding a field may overflow.
TEST(DocumentTest, RefusesATableWhoseRoundedSizeHasMoreThan16Bits) {
  for (const uint32_t size : {65531u, 65532u, 65533u, 65535u}) {
    const Json json = {
        {"root", {{"@", {{"table", 100}, {"vtable", 64}}}, {"colour", "Red"}}},
        {"vtables", Json::array({{{"@", 64}, {"table_size", size}, {"fields", Json::array()}}})}};
    const auto document = DocumentFromJson(SampleSchema(), json, SampleSchema().root);
    ASSERT_EQ(document.ok(), size < 65532) << size;
    if (!document.ok()) EXPECT_EQ(document.error().message, "root: has too many fields");
  }
}

TEST(ShapeTest, NamesThePathAndThePlace) {
  Bytes bytes = RandomSample(5);
  const Json json = ToJson(bytes);
  const uint32_t at = json["root"]["@"]["name"].get<uint32_t>();
  bytes[at + 3] = 0x7f;
  const auto error = CheckShape(SampleSchema(), bytes, {.base = 0x1000});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->check, ShapeCheck::kRange);
  EXPECT_EQ(error->error.offset, 0x1000u + at);
  EXPECT_EQ(error->error.message,
            fmt::format("name: vector longer than the buffer at 0x{:x} of {} bytes", 0x1000 + at,
                        bytes.size()));
}

TEST(ShapeTest, ReadsSharedObjectsOnce) {
  // All elements of one vector refer to the same table, and all elements of another to the same
  // string. A document that repeated them would have 40000 objects.
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("t");
  const auto name = builder.CreateString("n");
  std::vector<flatbuffers::Offset<flatbuffers::String>> names(20000, text);
  std::vector<flatbuffers::Offset<sample::Leaf>> leaves(20000,
                                                        sample::CreateLeaf(builder, text, 1));
  const auto names_vector = builder.CreateVector(names);
  const auto leaves_vector = builder.CreateVector(leaves);
  sample::SampleBuilder root(builder);
  root.add_name(name);
  root.add_names(names_vector);
  root.add_leaves(leaves_vector);
  builder.Finish(root.Finish(), sample::SampleIdentifier());
  const ByteSpan bytes(builder.GetBufferPointer(), builder.GetSize());
  const auto error = CheckShape(SampleSchema(), bytes);
  EXPECT_FALSE(error.has_value());
  const Result<Document> document =
      Decode(SampleSchema(), bytes, static_cast<uint32_t>(bytes.size()), {}, SampleSchema().root);
  ASSERT_TRUE(document.ok());
  EXPECT_LT(document->objects.size(), 20u);
}

}  // namespace
}  // namespace anecheck::flatbuffer
