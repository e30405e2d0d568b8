// Tests the builder, loading, rebasing, and edits of the JSON form. An edit changes only the edited
// value and the values that follow from it.
#include "harness/formats/hwx/builder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_pointer.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

td::Task WholeTask(uint32_t id) {
  td::Task task;
  task.header[0] = id;
  task.header[2] = 0x422;
  task.Write(0x1f800, std::vector<uint32_t>(62, 0));
  task.Write(0x0, std::vector<uint32_t>(16, 1));
  task.Write(0xc800, std::vector<uint32_t>(5, 2));
  return task;
}

ContainerSpec SmallSpec() {
  ContainerSpec spec;
  spec.tensors = {
      {.name = "image", .shape = {1, 3, 1, 1}, .strides = PackedStrides({1, 3, 1, 1}, 2)},
      {.name = "probs@output",
       .output = true,
       .shape = {1, 2, 1, 1},
       .strides = PackedStrides({1, 2, 1, 1}, 2)}};
  spec.tasks.generation = *td::GenerationOfVersion(7);
  spec.tasks.header_words = td::kV7HeaderWords;
  spec.tasks.tasks = {WholeTask(0), WholeTask(1)};
  spec.kernels = {{.name = "K" + std::string(64, '1'),
                   .tiles = {Bytes(10, 3), Bytes(70, 4)},
                   .lanes = 4,
                   .task = 1}};
  return spec;
}

// ---- ports and apertures that real files do not have --------------------------------------------

// A port of specification 000 has the form {byteSize, apertureVA, nameRef}.
TEST(SpecificationPort, IsReadPrintedAndWrittenWithAWarning) {
  ContainerSpec spec = SmallSpec();
  spec.wide_ports = true;
  Container container = Build(spec).value();
  for (Port& port : container.ports) port.byte_size = 0x4000;
  const Bytes file = Write(container).value();
  const Container again = Parse(file).value();
  ASSERT_EQ(again.ports.size(), 2u);
  EXPECT_EQ(again.ports[0].byte_size, 0x4000u);
  EXPECT_EQ(again.ports[0].name, container.ports[0].name);
  const std::vector<Violation> violations = Verify(again);
  ASSERT_EQ(violations.size(), 2u);
  for (const Violation& violation : violations) {
    EXPECT_EQ(violation.rule->id, "port-form");
    EXPECT_TRUE(violation.IsWarning());
  }
  EXPECT_NE(kFormat_hwx.print(file)->find("byte size 0x4000 (assumed)"), std::string::npos);
  EXPECT_EQ(*kFormat_hwx.from_json(*kFormat_hwx.to_json(file)), file);
}

// Source: more/crossgen_container.csv, which has records of 16 bytes from H14 on.
TEST(LaterApertures, AcceptSlotsOfEightAndSixteenBytesAndWarnOfOthers) {
  Container container = Build(SmallSpec()).value();
  Thread& table = *std::ranges::find_if(container.threads, IsApertureTable);
  const std::vector<uint32_t> words = table.words;
  for (uint32_t slot = kBaseSlots / 2 - 1; slot > 0; --slot) {
    const uint64_t base = Pair(table, 2 * slot);
    SetPair(table, 2 * slot, 0);
    SetPair(table, 4 * slot, base);
  }
  EXPECT_FALSE(Verify(container).empty());
  container.header.cpusubtype = 5;
  const auto apertures = [&] {
    return std::ranges::count_if(Verify(container), [](const Violation& violation) {
      return violation.rule->id.starts_with("aperture");
    });
  };
  EXPECT_EQ(apertures(), 0);
  table.words = words;
  EXPECT_EQ(apertures(), 0);
  SetPair(table, 0, 0x1234);
  EXPECT_EQ(apertures(), 1);
  for (const Violation& violation : Verify(container)) {
    if (violation.rule->id == "aperture-later") EXPECT_TRUE(violation.IsWarning());
  }
}

TEST(Tiles, AllTilesEqualsTheTilesOfEachSection) {
  const Container container = Build(SmallSpec()).value();
  const auto all = AllTiles(container);
  ASSERT_EQ(all.size(), container.sections.size());
  size_t found = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<Tile> tiles = TilesOf(container, i + 1);
    ASSERT_EQ(tiles.size(), all[i].size());
    for (size_t k = 0; k < tiles.size(); ++k) {
      EXPECT_EQ(tiles[k].symbol, all[i][k].symbol);
      EXPECT_EQ(tiles[k].data.data(), all[i][k].data.data());
      EXPECT_EQ(tiles[k].data.size(), all[i][k].data.size());
      ++found;
    }
  }
  EXPECT_GT(found, 2u);
}

// ---- builder ------------------------------------------------------------------------------------

TEST(Builder, MakesAContainerWithoutAViolation) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Container container = Parse(file).value();
  EXPECT_TRUE(Verify(container).empty()) << Verify(container).front().message;
  EXPECT_EQ(container.Text()->relocations.size(), 2u);
  EXPECT_EQ(container.Text()->tasks->tasks[1].Find(0x1f84c), 0x40u);
  EXPECT_EQ(container.Text()->tasks->tasks[1].Find(0x1f808), 1u);
}

// A real container of compiler 9.509 has symbols of this type for its buffers in L2.
TEST(Stabs, ATypeSymbolMayDescribeABuffer) {
  Container container = Parse(BuildBytes(SmallSpec()).value()).value();
  Symbol& frame = container.symtabs[0].symbols.back();
  ASSERT_EQ(frame.type, kTensorStabSymbol);
  frame.type = kTypeStabSymbol;
  EXPECT_TRUE(Verify(container).empty()) << Verify(container).front().message;
}

TEST(Builder, TensorRecordHoldsShapeStridesAndExtents) {
  const Container container = Build(SmallSpec()).value();
  const Thread& output = container.threads[2];
  const TensorRecord record = TensorOf(output);
  EXPECT_EQ(record.name, "probs@output");
  EXPECT_EQ(record.direction, kOutput);
  EXPECT_EQ(record.shape, (std::array<uint32_t, 4>{1, 2, 1, 1}));
  EXPECT_EQ(record.strides, (std::array<uint64_t, 4>{128, 64, 64, 2}));
  EXPECT_EQ(Pair(output, kByteSizeWord), 128u);
  EXPECT_EQ(Pair(output, kByteExtentWord), 66u);  // one plane and one element
}

// In the real sigmoid file, the 77 fp16 numbers of a row take three units of 64 bytes.
TEST(Builder, PadsRowsToMultiplesOf64Bytes) {
  EXPECT_EQ(PackedStrides({1, 1, 1, 77}, 2), (std::array<uint64_t, 4>{192, 192, 192, 2}));
  EXPECT_EQ(PackedStrides({2, 3, 4, 32}, 2), (std::array<uint64_t, 4>{768, 256, 64, 2}));
}

// Returns the error message of Build for SmallSpec() after `change`, or "" if Build succeeds.
std::string RefusalAfter(void (*change)(ContainerSpec&)) {
  ContainerSpec spec = SmallSpec();
  spec.kernels[0].name = "K";
  change(spec);
  const auto built = Build(std::move(spec));
  return built.ok() ? "" : built.error().message;
}

TEST(Builder, RefusesPartsThatContradictEachOther) {
  const std::pair<void (*)(ContainerSpec&), const char*> rows[] = {
      {[](ContainerSpec&) {}, ""},
      {[](ContainerSpec& spec) { spec.tasks.tasks.clear(); },
       "tasks: a container runs at least one task"},
      {[](ContainerSpec& spec) { spec.cpusubtype = 5; }, "tasks: version 7 is not of cpusubtype 5"},
      {[](ContainerSpec& spec) { spec.catalog = 11; }, "catalog: no catalog has 11 entries"},
      {[](ContainerSpec& spec) { spec.base = 0x30000040; }, "base: must be a multiple of 0x4000"},
      {[](ContainerSpec& spec) { spec.kernels[0].task = 2; }, "kernel K: there is no task 2"},
      {[](ContainerSpec& spec) { spec.tasks.tasks[1] = td::Task{}; },
       "kernel K: task 1 does not write coefficient base 0"},
      {[](ContainerSpec& spec) { spec.kernels[0].tiles.clear(); },
       "kernel K: has 0 tiles; a table must have 1, other kernels 1 to 16"},
      {[](ContainerSpec& spec) { spec.kernels[0].tiles.resize(17); },
       "kernel K: has 17 tiles; a table must have 1, other kernels 1 to 16"},
  };
  for (const auto& [change, refusal] : rows) EXPECT_EQ(RefusalAfter(change), refusal);
}

// ---- loading and re-basing ----------------------------------------------------------------------

TEST(Load, MapsSegmentsAndResolvesRelocations) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Container container = Parse(file).value();
  const MemoryImage image = Load(container, file).value();
  ASSERT_EQ(image.segments.size(), container.segments.size());
  const Section& text = *container.FindSection("__text");
  const Section& kernel = *container.FindSection("__const");
  EXPECT_EQ(image.At(text.addr, 4).size(), 4u);
  EXPECT_EQ(image.At(text.addr, 4)[0], file[text.offset]);
  ASSERT_EQ(image.words.size(), 2u);
  EXPECT_EQ(image.words[0].target, kernel.addr);
  EXPECT_EQ(image.words[1].target, kernel.addr + 0x40);
  EXPECT_EQ(image.At(image.words[1].target, 70)[69], 4);
  EXPECT_TRUE(image.At(0x10, 1).empty());  // the guard segment has no bytes
  EXPECT_FALSE(Load(container, ByteSpan(file).first(100)).ok());
}

TEST(Rebase, MovesEveryAddressAndBack) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  Container container = Parse(file).value();
  ASSERT_TRUE(RebaseAll(container, 0x5000c000).ok());
  const Bytes moved = Write(container).value();
  EXPECT_NE(moved, file);
  const Container again = Parse(moved).value();
  EXPECT_TRUE(Verify(again).empty()) << Verify(again).front().message;
  EXPECT_EQ(again.FindSection("__text")->addr, 0x5000c000u);
  EXPECT_EQ(again.segments[0].vmaddr, 0u);
  const Container original = Parse(file).value();
  constexpr uint64_t kDistance = 0x5000c000 - kApertureBase;
  ASSERT_EQ(again.segments.size(), original.segments.size());
  for (size_t i = 1; i < original.segments.size(); ++i) {
    EXPECT_EQ(again.segments[i].vmaddr, original.segments[i].vmaddr + kDistance) << i;
  }
  ASSERT_EQ(again.sections.size(), original.sections.size());
  for (size_t i = 0; i < original.sections.size(); ++i) {
    EXPECT_EQ(again.sections[i].addr, original.sections[i].addr + kDistance) << i;
  }
  ASSERT_EQ(again.ports.size(), original.ports.size());
  for (size_t i = 0; i < original.ports.size(); ++i) {
    EXPECT_EQ(again.ports[i].vmaddr, original.ports[i].vmaddr + kDistance) << i;
  }
  // The written file has the same program.
  EXPECT_TRUE(
      std::ranges::equal(again.FindSection("__text")->data, container.FindSection("__text")->data));
  ASSERT_TRUE(RebaseAll(container, kApertureBase).ok());
  EXPECT_EQ(Write(container).value(), file);
}

TEST(Rebase, PutsEachSegmentAtTheGivenAddress) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  Container container = Parse(file).value();
  // These addresses reverse the order of text, input and output.
  const std::vector<uint64_t> addresses = {0, 0x40008000, 0x40004000, 0x40000000};
  ASSERT_TRUE(Rebase(container, addresses).ok());
  const Bytes moved = Write(container).value();
  const Container again = Parse(moved).value();
  EXPECT_TRUE(Verify(again).empty()) << Verify(again).front().message;
  EXPECT_EQ(again.ports[0].vmaddr, 0x40004000u);
  EXPECT_EQ(again.ports[1].vmaddr, 0x40000000u);
}

// The address in a port of command 0x06 has 32 bits.
TEST(Rebase, RefusesAddressesThatShortPortsCannotHold) {
  for (const bool wide : {false, true}) {
    ContainerSpec spec = SmallSpec();
    spec.wide_ports = wide;
    const Bytes file = BuildBytes(spec).value();
    Container container = Parse(file).value();
    EXPECT_EQ(RebaseAll(container, uint64_t{1} << 32).ok(), wide);
    EXPECT_FALSE(RebaseAll(container, UINT64_MAX - 0x3fff).ok());
    container.ports[0].vmaddr = uint64_t{1} << 40;
    EXPECT_EQ(Write(container).ok(), wide);
  }
}

TEST(Rebase, RefusesWrongAddresses) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  Container container = Parse(file).value();
  EXPECT_FALSE(Rebase(container, std::vector<uint64_t>{0, 0x40000000}).ok());
  EXPECT_FALSE(
      Rebase(container, std::vector<uint64_t>{0, 0x40000000, 0x40004001, 0x40008000}).ok());
  EXPECT_FALSE(
      Rebase(container, std::vector<uint64_t>{0, 0x40000000, 0x40000000, 0x40008000}).ok());
  EXPECT_EQ(Write(container).value(), file);
}

TEST(Rebase, RealFilesVerifyAtOtherApertures) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("hwx"))) {
    const auto bytes = ReadFile(path).value();
    Container container = Parse(bytes).value();
    ASSERT_TRUE(RebaseAll(container, 0x70000000).ok()) << path;
    const Bytes moved = Write(container).value();
    EXPECT_TRUE(Verify(Parse(moved).value()).empty()) << path;
    EXPECT_TRUE(Load(Parse(moved).value(), moved).ok()) << path;
  }
}

// ---- edits of the JSON form ---------------------------------------------------------------------

// Returns the JSON without the values that follow from its other members.
Json WithoutDerived(Json json) {
  if (json.is_object()) json.erase("derived");
  for (Json& item : json) {
    if (item.is_structured()) item = WithoutDerived(item);
  }
  return json;
}

// Applies `edit` to the JSON of a container and writes the container. Expects that its JSON equals
// the edited JSON, so that nothing else changed. Returns the new file.
template <typename EditJson>
Bytes Edited(ByteSpan file, EditJson edit) {
  Json json = kFormat_hwx.to_json(file).value();
  edit(json);
  const auto bytes = kFormat_hwx.from_json(json);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  EXPECT_EQ(WithoutDerived(kFormat_hwx.to_json(*bytes).value()), WithoutDerived(json));
  return *bytes;
}

Json& CommandOf(Json& json, std::string_view kind) {
  for (Json& command : json["commands"]) {
    if (command["cmd"] == kind) return command;
  }
  return json["commands"].back();
}

std::vector<size_t> ChangedBytes(ByteSpan a, ByteSpan b) {
  std::vector<size_t> changed;
  EXPECT_EQ(a.size(), b.size());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) changed.push_back(i);
  }
  return changed;
}

TEST(JsonEdit, AnEditedFieldOfFixedSizeChangesOnlyItsBytes) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Bytes edited = Edited(file, [](Json& json) { json["header"]["flags"] = "0x200001"; });
  EXPECT_EQ(ChangedBytes(file, edited), (std::vector<size_t>{24}));
}

TEST(JsonEdit, AnEditedRegisterChangesOnlyItsBytes) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Container container = Parse(file).value();
  const Bytes edited = Edited(file, [](Json& json) {
    Json& tasks = json["commands"][1]["sections"][0]["tasks"]["tasks"];
    tasks[0]["writes"][1]["registers"][0]["Hin"] = 0x55;
  });
  const uint64_t at = container.FindSection("__text")->offset + 0x128 + 2;
  EXPECT_EQ(ChangedBytes(file, edited), (std::vector<size_t>{at}));
}

TEST(JsonEdit, ALongerPortNameMovesLaterRecords) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Bytes edited = Edited(
      file, [](Json& json) { CommandOf(json, "port")["name"] = "a_name_of_twenty_four_by"; });
  const Container before = Parse(file).value();
  const Container after = Parse(edited).value();
  EXPECT_EQ(after.ports[0].name, "a_name_of_twenty_four_by");
  EXPECT_EQ(after.header.sizeofcmds, before.header.sizeofcmds + 16);
  EXPECT_EQ(after.symtabs[0].symoff, before.symtabs[0].symoff + 16);
  EXPECT_EQ(after.Text()->reloff, before.Text()->reloff + 16);
  EXPECT_EQ(after.FindSection("__const")->offset, before.FindSection("__const")->offset);
}

TEST(JsonEdit, ASymbolNameOfAnotherLengthMovesLaterStrings) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Bytes edited = Edited(
      file, [](Json& json) { CommandOf(json, "symtab")["symbols"][0]["name"] = "Kshort_ne_0"; });
  const Container after = Parse(edited).value();
  EXPECT_EQ(after.symtabs[0].symbols[0].name, "Kshort_ne_0");
  EXPECT_EQ(after.symtabs[0].symbols[1].strx, 1u + 12);
  EXPECT_TRUE(after.symtabs[0].strings_in_order);
}

TEST(JsonEdit, AddsASymbolThatDescribesABuffer) {
  const Json buffer = {{"type", "0x80"},
                       {"tensor_stab",
                        {{"name", "probs/conv_l2"},
                         {"id", 200},
                         {"axes", {{{"axis", "w"}, {"extent", 1}, {"stride", 1}, {"id", 201}}}},
                         {"element_type", 0}}},
                       {"value", "0x10000860"}};
  const Bytes edited = Edited(BuildBytes(SmallSpec()).value(), [&](Json& json) {
    Json& symbols = CommandOf(json, "symtab")["symbols"];
    // Between the symbols of other tensors, as compiler 9.509 places it.
    symbols.insert(symbols.end() - 1, buffer);
  });
  const Container after = Parse(edited).value();
  EXPECT_TRUE(Verify(after).empty()) << Verify(after).front().message;
  const Symbol& symbol = after.symtabs[0].symbols.end()[-2];
  EXPECT_EQ(symbol.name, "probs/conv_l2:t200=ar1;0;1;201=s1w:0");
  EXPECT_EQ(symbol.desc, 200 % 32);
  Json printed = ToJson(after);
  const Json& symbols = CommandOf(printed, "symtab")["symbols"];
  EXPECT_EQ(symbols[symbols.size() - 2]["tensor_stab"], buffer["tensor_stab"]);
}

TEST(JsonEdit, AnAddedTaskIsCountedAndChained) {
  ContainerSpec spec = SmallSpec();
  spec.kernels.clear();
  spec.const_size = 0;
  const Bytes file = BuildBytes(std::move(spec)).value();
  const Bytes edited = Edited(file, [](Json& json) {
    Json& tasks = json["commands"][1]["sections"][0]["tasks"]["tasks"];
    tasks.push_back(tasks[1]);
    tasks[1]["header"]["LNID"] = 1;  // a middle task: byte 3 is 1
    tasks[1]["header"]["EON"] = 0;
    tasks[2]["header"]["TID"] = 2;
  });
  const Container after = Parse(edited).value();
  EXPECT_TRUE(Verify(after).empty()) << Verify(after).front().message;
  EXPECT_EQ(after.threads[0].words[kTaskCountWord], 3u);
  EXPECT_EQ(after.Text()->tasks->tasks.size(), 3u);
}

// Puts `count` tasks before the last one of a chain of two.
void AddTasks(Json& json, int count) {
  Json& tasks = json["commands"][1]["sections"][0]["tasks"]["tasks"];
  Json last = tasks[1];
  tasks[1]["header"]["LNID"] = 1;  // a middle task: byte 3 is 1
  tasks[1]["header"]["EON"] = 0;
  for (int i = 1; i < count; ++i) {
    tasks.push_back(tasks[1]);
    tasks.back()["header"]["TID"] = 1 + i;
  }
  last["header"]["TID"] = 1 + count;
  tasks.push_back(std::move(last));
}

// Applies the changes in an error message, which have the form "commands[1].vmsize from 0x4000 to
// 0x8000". Returns their number.
int ApplyMovedPlaces(Json& json, const std::string& message) {
  static const std::regex kChange("([a-z_0-9.\\[\\]]+) from 0x([0-9a-f]+) to 0x([0-9a-f]+)");
  int changes = 0;
  for (std::sregex_iterator it(message.begin(), message.end(), kChange), end; it != end; ++it) {
    std::string path = "/" + it->str(1);
    std::erase(path, ']');
    std::ranges::replace_if(path, [](char c) { return c == '.' || c == '['; }, '/');
    Json& member = json[JsonPointer(path)];
    EXPECT_EQ(member, "0x" + it->str(2)) << path;
    member = "0x" + it->str(3);
    ++changes;
  }
  return changes;
}

TEST(JsonEdit, AnAddedTaskWithoutRoomNamesTheSectionsToMove) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  for (const int count : {1, 40}) {
    Json json = kFormat_hwx.to_json(file).value();
    AddTasks(json, count);
    const auto refused = kFormat_hwx.from_json(json);
    ASSERT_FALSE(refused.ok());
    const std::string message = refused.error().message;
    EXPECT_NE(message.find("commands[1].sections[1].addr from 0x"), std::string::npos) << message;
    EXPECT_GT(ApplyMovedPlaces(json, message), 3) << message;
    const auto moved = kFormat_hwx.from_json(json);
    ASSERT_TRUE(moved.ok()) << moved.error().message;
    const Container after = Parse(*moved).value();
    EXPECT_TRUE(Verify(after).empty()) << Verify(after).front().message;
  }
}

TEST(MakeRoom, MovesTheSectionsAndPagesAfterTheTasks) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Container before = Parse(file).value();
  for (const int count : {1, 60}) {
    Json json = kFormat_hwx.to_json(file).value();
    AddTasks(json, count);
    Container container = FromJson(json).value();
    MakeRoom(container);
    const Bytes roomy = Write(container).value();
    const Container after = Parse(roomy).value();
    EXPECT_TRUE(Verify(after).empty()) << Verify(after).front().message;
    EXPECT_EQ(after.Text()->tasks->tasks.size(), 2U + static_cast<size_t>(count));
    const bool grew = count == 60;
    EXPECT_EQ(after.ports[0].vmaddr > before.ports[0].vmaddr, grew);
    EXPECT_TRUE(std::ranges::equal(after.FindSection("__const")->data,
                                   before.FindSection("__const")->data));
    EXPECT_EQ(TilesOf(after, 2).size(), TilesOf(before, 2).size());
    EXPECT_TRUE(std::ranges::equal(TilesOf(after, 2)[1].data, TilesOf(before, 2)[1].data));
  }
}

TEST(MakeRoom, LeavesAContainerWithRoomUnchanged) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  Container container = Parse(file).value();
  MakeRoom(container);
  EXPECT_EQ(Write(container).value(), file);
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  for (const std::string& path : testing::FilesUnder(testing::RealDataPath("hwx"))) {
    const auto bytes = ReadFile(path).value();
    Container real = Parse(bytes).value();
    MakeRoom(real);
    EXPECT_EQ(Write(real).value(), bytes) << path;
  }
}

TEST(JsonEdit, RefusesUnknownMembersByName) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Json json = *kFormat_hwx.to_json(file);
  ASSERT_EQ(*kFormat_hwx.from_json(json), file);
  int objects = 0;
  // Adds one member to each object in turn. Skips objects under "derived" and "rest", and visits
  // only the first three elements of an array.
  const auto visit = [&](const auto& self, const JsonPointer& at) -> void {
    const Json& value = json[at];
    if (value.is_object()) {
      Json changed = json;
      changed[at]["mispelt"] = 1;
      const auto bytes = kFormat_hwx.from_json(changed);
      EXPECT_FALSE(bytes.ok()) << at.to_string();
      if (!bytes.ok()) EXPECT_NE(bytes.error().message.find("mispelt"), std::string::npos);
      ++objects;
      for (const auto& [key, member] : value.items()) {
        if (key != "derived" && key != "rest") self(self, at / key);
      }
    } else if (value.is_array()) {
      for (size_t i = 0; i < std::min<size_t>(value.size(), 3); ++i) self(self, at / i);
    }
  };
  visit(visit, JsonPointer(""));
  EXPECT_GT(objects, 30);
}

// All members of a document together may require at most 256 MiB of zeros and space.
TEST(JsonEdit, RefusesDocumentsThatRequireTooMuchMemory) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const Json whole = *kFormat_hwx.to_json(file);
  const auto refused = [](const Json& json) {
    const auto bytes = kFormat_hwx.from_json(json);
    return !bytes.ok() && bytes.error().message.find("256 MiB") != std::string::npos;
  };
  const auto with = [&](std::string_view cmd, auto edit) {
    Json json = whole;
    for (Json& command : json["commands"]) {
      if (command["cmd"] == cmd) edit(command);
    }
    return json;
  };
  EXPECT_TRUE(refused(with("segment", [](Json& command) {
    for (Json& section : command["sections"]) {
      if (section.contains("data"))
        for (int i = 0; i < 3; ++i) section["data"].push_back({{"zeros", 100 << 20}});
    }
  })));
  EXPECT_TRUE(refused(with("port", [](Json& command) { command["cmdsize"] = 200 << 20; })));
  Json threads = whole;
  for (int i = 0; i < 65; ++i) {
    threads["commands"].push_back({{"cmd", "thread"},
                                   {"id", 4},
                                   {"flavor", 9},
                                   {"count", 0x100000},
                                   {"names", Json::array()}});
  }
  EXPECT_TRUE(refused(threads));
  Json room = whole;
  room["file_size"] = 0x3fffffff;
  EXPECT_TRUE(refused(room));
}

TEST(JsonEdit, RefusesUnwritableValues) {
  const Bytes file = BuildBytes(SmallSpec()).value();
  const auto refused = [&](auto edit) {
    Json json = kFormat_hwx.to_json(file).value();
    edit(json);
    const auto bytes = kFormat_hwx.from_json(json);
    return bytes.ok() ? std::string() : bytes.error().message;
  };
  EXPECT_NE(refused([](Json& json) { json["header"].erase("cputype"); }).find("header.cputype"),
            std::string::npos);
  EXPECT_NE(refused([](Json& json) { json["header"]["flags"] = -1; }).find("header.flags"),
            std::string::npos);
  EXPECT_NE(refused([](Json& json) {
              json["commands"][1]["segname"] = std::string(17, 'x');
            }).find("commands[1].segname"),
            std::string::npos);
  EXPECT_NE(
      refused([](Json& json) { json["commands"][2]["cmd"] = "port"; }).find("commands[2].cmd"),
      std::string::npos);
  // A section that overlaps another section with different bytes.
  EXPECT_NE(refused([](Json& json) {
              json["commands"][1]["sections"][1]["offset"] = "0x4000";
            }).find("section[1].data: overlaps"),
            std::string::npos);
  EXPECT_NE(refused([](Json& json) { json["file_size"] = 100; }).find("do not fit"),
            std::string::npos);
  // The number of words determines the fields that exist. So the message names the edited number
  // instead of the missing fields.
  EXPECT_NE(refused([](Json& json) {
              for (Json& command : json["commands"]) {
                if (command.contains("byte_size")) command["count"] = kTensorCountOld + 1;
              }
            }).find("count: of 31 words leaves no place for byte_size"),
            std::string::npos);
  EXPECT_FALSE(refused([](Json& json) { json = Json::array(); }).empty());
}

// ---- the text form ------------------------------------------------------------------------------

TEST(Print, GoldenText) {
  const std::string text = kFormat_hwx.print(BuildBytes(SmallSpec()).value()).value();
  const auto golden = ReadTextFile(testing::SourcePath("harness/formats/hwx/testdata/small.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

}  // namespace
}  // namespace anecheck::hwx
