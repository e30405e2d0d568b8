// Tests the search for methods of table 23.14 and of the two clients by selector and size, and the
// file format of captures.

#include "harness/formats/submission/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"

namespace anecheck::submission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string_view> Names(Client client, uint32_t selector, uint32_t struct_in) {
  const auto rows = FindMethods(client, selector, struct_in);
  return rows.ok() ? MethodNames(*rows) : std::vector<std::string_view>{};
}

// Source: specification 000, table 23.14, row by row.
TEST(Table2314, EveryRowIsFoundBySelectorAndSize) {
  const struct {
    uint32_t selector;
    const char* method;
    uint32_t in;
    uint32_t out;  // kUnstated if the table says "pointer"
  } rows[] = {
      {0, "ANE_DeviceOpen", 104, 104},
      {2, "ANE_ProgramSendRequest", 2376, 40},
      {3, "ANE_ProgramCreate", 32, 0},
      {3, "ANE_ProgramOutputSetEnqueue", 40, 0},
      {4, "ANE_ProgramPrepare", 56, kUnstated},
      {4, "ANE_ProgramInputsReady", 3104, 0},
      {5, "ANE_MemoryMapRequest", 0, 2080},
      {6, "ANE_ProgramDestroy", 16, 0},
      {8, "ANE_ProgramCreateInstance", 32, 0},
      {8, "ANE_ProgramChainingSetActiveProcedure", 32, 0},
      {9, "ANE_ProgramChainingPrepare", 16, kUnstated},
  };
  for (const auto& row : rows) {
    const auto found = FindMethods(Client::kMerged, row.selector, row.in);
    ASSERT_TRUE(found.ok()) << row.method;
    bool seen = false;
    for (const Method* method : *found) {
      seen |= method->name == row.method && method->client == Client::kMerged &&
              method->struct_out == row.out;
    }
    EXPECT_TRUE(seen) << row.method;
  }
}

TEST(Methods, TheSameSelectorWithAnotherSizeIsAnotherMethod) {
  EXPECT_THAT(Names(Client::kMerged, 3, 32), ElementsAre("ANE_ProgramCreate"));
  EXPECT_THAT(Names(Client::kMerged, 3, 40), ElementsAre("ANE_ProgramOutputSetEnqueue"));
  EXPECT_THAT(Names(Client::kMerged, 4, 56), ElementsAre("ANE_ProgramPrepare"));
  EXPECT_THAT(Names(Client::kMerged, 4, 3104), ElementsAre("ANE_ProgramInputsReady"));
  EXPECT_THAT(Names(Client::kMerged, 6, 16), ElementsAre("ANE_ProgramDestroy"));
  EXPECT_THAT(Names(Client::kMerged, 6, 2080), ElementsAre("ANE_MemoryUnMapRequest"));
}

// Table 23.14 has selector 8 with 32 bytes twice. Only the client distinguishes the two methods.
TEST(Methods, SelectorEightIsAmbiguousWithoutItsClient) {
  EXPECT_THAT(Names(Client::kMerged, 8, 32),
              ElementsAre("ANE_ProgramCreateInstance", "ANE_ProgramChainingSetActiveProcedure"));
  EXPECT_THAT(Names(Client::kControl, 8, 32), ElementsAre("ANE_ProgramCreateInstance"));
  EXPECT_THAT(Names(Client::kDirect, 8, 32), ElementsAre("ANE_ProgramChainingSetActiveProcedure"));
}

TEST(Methods, AnUnknownPairIsAnErrorWithTheKnownSizes) {
  EXPECT_THAT(FindMethods(Client::kMerged, 3, 36).error().message, HasSubstr("only 32, 40"));
  EXPECT_THAT(FindMethods(Client::kDirect, 3, 32).error().message, HasSubstr("only 40"));
  EXPECT_THAT(FindMethods(Client::kMerged, 99, 0).error().message, HasSubstr("selector 99"));
}

// facts/more/iokit_selectors.csv has 17 methods of the control client and 9 of the direct client.
TEST(Methods, HaveAllRowsOfBothClients) {
  int counts[3] = {};
  for (const Method& method : Methods()) ++counts[static_cast<int>(method.client)];
  EXPECT_EQ(counts[0], 11 + 2);
  EXPECT_EQ(counts[1], 17);
  EXPECT_EQ(counts[2], 9);
  EXPECT_THAT(Names(Client::kMerged, 21, 3104), ElementsAre("ANE_ProgramInputsReady"));
}

TEST(ReturnCodes, KeepBothNamesIfSourcesDiffer) {
  EXPECT_EQ(ReturnCodeText(0), "kIOReturnSuccess");
  EXPECT_EQ(ReturnCodeText(0xe00002c7), "kIOReturnUnsupported");
  EXPECT_EQ(ReturnCodeText(0xe0000001), "kIOReturnError or kIOReturnInvalid");
  EXPECT_EQ(ReturnCodeText(0xe00002d0), "kIOReturnNotReady or kIOReturnNotAligned");
  EXPECT_EQ(ReturnCodeText(5), "0x5");
}

Call Open() {
  Call call;
  call.struct_in.resize(104);
  call.struct_out.resize(104);
  return call;
}

TEST(Capture, WritesTheDocumentedLayout) {
  Capture capture;
  capture.calls.push_back(Open());
  capture.calls[0].scalars_in = {0x1122};
  const Bytes bytes = Write(capture);
  EXPECT_EQ(bytes.size(), 12u + 28 + 8 + 104 + 104);
  EXPECT_EQ(bytes[8], 1);     // count
  EXPECT_EQ(bytes[20], 1);    // scalars in
  EXPECT_EQ(bytes[24], 104);  // structure in
  EXPECT_EQ(bytes[40], 0x22);
  EXPECT_EQ(Write(Parse(bytes).value()), bytes);
}

TEST(Capture, HostileCountsDoNotAllocate) {
  Bytes bytes(kMagic.begin(), kMagic.end());
  bytes.insert(bytes.end(), 4, 0xff);
  EXPECT_THAT(Parse(bytes).error().message, HasSubstr("capture-complete"));
  Bytes call = Write({{Open()}});
  for (const size_t at : {20u, 24u, 28u, 32u}) {
    Bytes damaged = call;
    damaged[at + 3] = 0xff;
    EXPECT_THAT(Parse(damaged).error().message, HasSubstr("capture-complete")) << at;
  }
  EXPECT_THAT(Parse(Bytes(7)).error().message, HasSubstr("capture-magic"));
}

TEST(Format, RecognisesItsMagic) {
  EXPECT_EQ(kFormat_submission.recognise(Write({}), ""), 100);
  EXPECT_EQ(kFormat_submission.recognise(Bytes(12), "x"), 0);
  EXPECT_EQ(kFormat_submission.recognise({}, ""), 0);
}

// In device open, 25 of the 104 input bytes and 48 of the 104 output bytes have a name.
TEST(Format, OnlyFieldsThatASourceNamesAreTyped) {
  Call call = Open();
  EXPECT_EQ(kFormat_submission.count_bytes(Write({{call}}))->typed, 12u + 28 + 25 + 48);
  call.scalars_in = {1, 2};
  EXPECT_EQ(kFormat_submission.count_bytes(Write({{call}}))->typed, 12u + 28 + 25 + 48)
      << "no source gives the meaning of a scalar";
}

Call Request() {
  Call call;
  call.client = static_cast<uint32_t>(Client::kDirect);
  call.selector = 2;
  call.scalars_in = {1};
  call.struct_in.resize(2376);
  call.struct_out.resize(40);
  Store(program_request::kToken, call.struct_in, 0x1234);
  Store(program_reply::kToken, call.struct_out, 0x1234);
  return call;
}

// Source: public guide, chapter 27, the measured layout of the request and of its reply.
TEST(Structures, ARequestHasTheMeasuredLayout) {
  Call call = Request();
  call.struct_in[0x08] = 1;
  call.struct_in[0x10] = 5;
  call.struct_in[0x14] = 21;
  call.struct_in[0x1c] = 2;
  call.struct_in[0x20] = 77;
  call.struct_in[2375] = 1;
  call.struct_out[0x20] = 3;
  const Json json = kFormat_submission.to_json(Write({{call}})).value();
  const Json& request = json["calls"][0]["struct_in"]["program_request"];
  EXPECT_EQ(request["program_token"], "0x1234");
  EXPECT_EQ(request["sequence"], 1);
  EXPECT_EQ(request["quality_of_service"], 5);
  EXPECT_EQ(request["priority"], 21);
  EXPECT_EQ(request["io_category"], 2);
  EXPECT_EQ(request["surfaces"].dump(), "{\"0\":77,\"585\":16777216}");
  EXPECT_EQ(request["opaque"].size(), 0u);
  const Json& reply = json["calls"][0]["struct_out"]["program_reply"];
  EXPECT_EQ(reply["program_token"], "0x1234");
  EXPECT_EQ(reply["status"], 3);
}

TEST(Structures, AnEditedFieldOfTheJsonChangesItsBytes) {
  Json json = kFormat_submission.to_json(Write({{Request()}})).value();
  json["calls"][0]["struct_in"]["program_request"]["priority"] = 0x01020304;
  const Bytes bytes = kFormat_submission.from_json(json).value();
  EXPECT_EQ(Load(program_request::kPriority, Parse(bytes)->calls[0].struct_in), 0x01020304u);
}

TEST(Structures, FieldsLieInOrderInsideTheirStructure) {
  for (const Structure& structure : Structures()) {
    EXPECT_LE(structure.fields.size(), structure.sources.size()) << structure.name;
    uint32_t end = 0;
    for (const RecordField& field : structure.fields) {
      EXPECT_GE(field.offset, end) << structure.name << " " << field.name;
      end = field.offset + field.width;
    }
    EXPECT_LE(end, structure.size) << structure.name;
    EXPECT_EQ(StructureOfName(structure.name), &structure);
    bool method = false;
    for (const Method& row : Methods()) {
      const uint32_t size = structure.direction == Direction::kIn ? row.struct_in : row.struct_out;
      method |= row.name == structure.method && size == structure.size;
    }
    EXPECT_TRUE(method) << structure.name << " belongs to no method";
  }
}

TEST(Structures, BadJsonNamesTheStructureAndTheField) {
  const Json good = kFormat_submission.to_json(Write({{Request()}})).value();
  const auto message = [&](Json struct_in) {
    Json json = good;
    json["calls"][0]["struct_in"] = std::move(struct_in);
    return kFormat_submission.from_json(json).error().message;
  };
  EXPECT_THAT(message({{"request", Json::object()}}), HasSubstr("no structure \"request\""));
  EXPECT_THAT(message(Json::object()), HasSubstr("one member"));
  EXPECT_THAT(message({{"program_request", Json::object()}}),
              HasSubstr("struct_in.program_token: is missing"));
  EXPECT_THAT(message(5), HasSubstr("struct_in"));
}

TEST(Verify, AReplyRepeatsTheTokenOfItsRequest) {
  Call call = Request();
  EXPECT_TRUE(kFormat_submission.verify(Write({{Open(), call}}))->empty());
  Store(program_reply::kToken, call.struct_out, 0x1235);
  const Bytes bytes = Write({{Open(), call}});
  const auto violations = kFormat_submission.verify(bytes).value();
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule->id, "reply-token");
  EXPECT_EQ(LoadLittle(bytes, violations[0].offset, 2), 0x1235u) << "the place of the token";
}

TEST(Verify, FailedCallsMayReturnNothing) {
  Call call = Open();
  call.struct_out.clear();
  EXPECT_EQ(kFormat_submission.verify(Write({{call}}))->size(), 1u);
  call.result = 0xe00002c1;
  EXPECT_TRUE(kFormat_submission.verify(Write({{call}}))->empty());
}

TEST(Format, UnknownPairsAreKeptAndReported) {
  Call call = Open();
  call.struct_in.resize(105);
  const Bytes bytes = Write({{call}});
  const auto violations = kFormat_submission.verify(bytes).value();
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule->id, "known-method");
  EXPECT_EQ(*kFormat_submission.from_json(*kFormat_submission.to_json(bytes)), bytes);
}

RC_GTEST_PROP(Format, RoundTripsAnyCalls, ()) {
  Capture capture;
  const size_t count = *rc::gen::inRange<size_t>(0, 4);
  for (size_t i = 0; i < count; ++i) {
    Call call;
    call.client = *rc::gen::inRange<uint32_t>(0, 5);
    call.selector = *rc::gen::inRange<uint32_t>(0, 30);
    call.result = *rc::gen::arbitrary<uint32_t>();
    call.scalars_in = *rc::gen::arbitrary<std::vector<uint64_t>>();
    call.struct_in = *rc::gen::arbitrary<Bytes>();
    call.scalars_out = *rc::gen::arbitrary<std::vector<uint64_t>>();
    call.struct_out = *rc::gen::arbitrary<Bytes>();
    capture.calls.push_back(call);
  }
  const Bytes bytes = Write(capture);
  RC_ASSERT(*kFormat_submission.rewrite(bytes) == bytes);
  RC_ASSERT(*kFormat_submission.from_json(*kFormat_submission.to_json(bytes)) == bytes);
}

}  // namespace
}  // namespace anecheck::submission
