// Tests the places found in files of known layout, and the files that their edges make.
#include "generators/formats/boundary/boundary.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "harness/base/little_endian.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::boundary {
namespace {

Bytes Text(std::string_view text) { return {text.begin(), text.end()}; }
std::string AsText(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

void Store(Bytes& bytes, size_t at, uint64_t value, size_t width = 4) {
  for (size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

// A container of one segment with one section.
Bytes Container() {
  Bytes file(256, 0);
  Store(file, 0, 0xbeefface);
  Store(file, 16, 1);
  Store(file, 20, 152);
  Store(file, 32, 0x19);
  Store(file, 36, 152);
  Store(file, 32 + 64, 1);
  std::ranges::copy(std::string_view("__data"), file.begin() + 32 + 72);
  Store(file, 32 + 72 + 40, 16, 8);
  return file;
}

const Place* Find(const std::vector<Place>& places, std::string_view name) {
  const auto found = std::ranges::find(places, name, &Place::name);
  return found == places.end() ? nullptr : &*found;
}

// Returns the files that all edges of the place make.
std::set<Bytes> AllEdges(ByteSpan file, const Place& place) {
  std::set<Bytes> files;
  for (size_t edge = 0; edge < EdgeCount(place.role); ++edge) {
    files.insert(ApplyEdge(file, place, edge, 1 << 20));
  }
  return files;
}

TEST(Boundary, FieldsOfAContainerAreAtTheFormatsOffsets) {
  const std::vector<Place> places = PlacesOf("hwx", Container());
  const Place* size = Find(places, "section.size");
  ASSERT_NE(size, nullptr);
  EXPECT_EQ(size->offset, 32u + 72 + 40);
  EXPECT_EQ(size->width, 8u);
  const Place* count = Find(places, "segment.nsects");
  ASSERT_NE(count, nullptr);
  EXPECT_EQ(count->offset, 96u);
  EXPECT_EQ(count->unit, 80u);
}

TEST(Boundary, FieldsOfAnArchiveAreThoseOfTheFormat) {
  npz::ZipArchive archive;
  for (const char* name : {"a", "bc"}) {
    ASSERT_TRUE(npz::AddToZip(archive, name, Text("content"), false).ok());
  }
  ASSERT_TRUE(npz::FinishZip(archive).ok());
  const Bytes file = npz::WriteZip(archive);
  const std::vector<Place> places = PlacesOf("npz", file);
  const auto last = [&](std::string_view name) {
    uint64_t value = 0;
    for (const Place& place : places) {
      if (place.name == name) value = LoadLittle(file, place.offset, place.width);
    }
    return value;
  };
  EXPECT_EQ(last("local.crc32"), archive.entries[1].local.crc32);
  EXPECT_EQ(last("central.size"), 7u);
  EXPECT_EQ(last("central.name_length"), 2u);
  EXPECT_EQ(last("central.local_offset"), archive.entries[1].local_offset);
  EXPECT_EQ(last("end.entries"), 2u);
  EXPECT_EQ(last("end.directory_offset"), archive.directory_offset);
  EXPECT_EQ(last("central.name") & 0xffff, uint64_t{'b'} | uint64_t{'c'} << 8);
  EXPECT_EQ(Find(places, "end.entries_here")->unit, 46u);
  EXPECT_EQ(Find(places, "local.time"), nullptr) << "no reader computes with it";
}

TEST(Boundary, OneFieldChangesAndNothingElse) {
  const Bytes file = Container();
  const Place place = *Find(PlacesOf("hwx", file), "section.size");
  for (size_t edge = 0; edge < EdgeCount(place.role); ++edge) {
    const Bytes edited = ApplyEdge(file, place, edge, 1 << 20);
    if (edited.size() != file.size()) continue;  // cut at the place
    for (size_t i = 0; i < file.size(); ++i) {
      if (i >= place.offset && i < place.offset + place.width) continue;
      ASSERT_EQ(edited[i], file[i]) << EdgeText(place, edge) << " at " << i;
    }
  }
}

TEST(Boundary, SumsAndProductsWrapToSmallNumbers) {
  const Bytes file = Container();
  const std::vector<Place> places = PlacesOf("hwx", file);
  const auto has = [&](std::string_view name, uint64_t value) {
    const Place& place = *Find(places, name);
    Bytes wanted = file;
    Store(wanted, place.offset, value, place.width);
    return AllEdges(file, place).contains(wanted);
  };
  EXPECT_TRUE(has("segment.nsects", 0x100000000 / 80 + 1)) << "sections of 80 bytes";
  EXPECT_TRUE(has("section.size", (uint64_t{1} << 32) + 16)) << "the low 32 bits are right";
  EXPECT_TRUE(has("section.size", (uint64_t{1} << 32) - 16));
  EXPECT_TRUE(has("command.cmdsize", 0));
  EXPECT_TRUE(has("segment.nsects", 17));
  EXPECT_TRUE(has("header.sizeofcmds", 0x80000000));
}

TEST(Boundary, TheFileEndsBeforeInsideAndAfterAPlace) {
  const Bytes file = Container();
  const Place place = *Find(PlacesOf("hwx", file), "section.size");
  std::set<size_t> sizes;
  for (const Bytes& edited : AllEdges(file, place)) sizes.insert(edited.size());
  EXPECT_EQ(sizes, (std::set<size_t>{place.offset, place.offset + 4u, place.offset + 8u, 256}));
}

TEST(Boundary, NumbersQuotationsAndBracketsOfATextArePlaces) {
  const Bytes file = Text(R"({"shape": [-12, 3.5e+7], "a\"b": x1})");
  std::vector<std::string> found;
  for (const Place& place : PlacesOf("mil", file)) {
    if (place.role == Role::kEnd) continue;
    found.push_back(
        AsText({file.begin() + place.offset, file.begin() + place.offset + place.width}));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"{", "shape", "[", "-12", "3.5e+7", R"(a\"b)"}));
}

TEST(Boundary, NumbersOfATextAreNamedByTheCharacterBeforeThem) {
  std::set<std::string> names;
  for (const Place& place : PlacesOf("mil", Text("tensor<fp16, [1, 64]> x = add(y = 3.5, -2);"))) {
    if (place.role == Role::kDigits) names.emplace(place.name);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"number behind [", "number behind ,", "number behind ="}));
}

TEST(Boundary, TagsNestAndTheirTextsChange) {
  const Bytes file = Text("<plist><array><integer>12</integer></array></plist>");
  const std::vector<Place> places = PlacesOf("netlist", file);
  const Place* number = Find(places, "number");
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(
      AllEdges(file, *number)
          .count(Text("<plist><array><integer>9223372036854775808</integer></array></plist>")),
      1u);
  const Place* tag = Find(places, "tag");
  ASSERT_NE(tag, nullptr);
  size_t deepest = 0;
  for (const Bytes& edited : AllEdges(file, *tag)) deepest = std::max(deepest, edited.size());
  EXPECT_GT(deepest, 100000u);
}

// A container whose text is a chain of three tasks at 0x100, 0x140 and 0x180. A link is an offset
// from the text.
Bytes ChainOfTasks() {
  Bytes file = Container();
  file.resize(0x200);
  std::ranges::copy(std::string_view("__text"), file.begin() + 32 + 72);
  Store(file, 32 + 72 + 48, 0x100);
  Store(file, 0x11c, 0x40);
  Store(file, 0x15c, 0x80);
  return file;
}

std::vector<Place> TaskLinks(ByteSpan file) {
  std::vector<Place> links = PlacesOf("hwx", file);
  std::erase_if(links, [](const Place& place) { return place.name != "task.next"; });
  return links;
}

TEST(Boundary, AChainOfRecordsBecomesARing) {
  const Bytes file = ChainOfTasks();
  const std::vector<Place> links = TaskLinks(file);
  ASSERT_EQ(links.size(), 3u);
  const auto linked = [&](uint32_t at, uint64_t value) {
    Bytes wanted = file;
    Store(wanted, at, value);
    return wanted;
  };
  EXPECT_TRUE(AllEdges(file, links[1]).contains(linked(0x15c, 0x40))) << "the task links to itself";
  EXPECT_TRUE(AllEdges(file, links[2]).contains(linked(0x19c, 0x80)));
  EXPECT_TRUE(AllEdges(file, links[0]).contains(linked(0x11c, 0x80))) << "skips the second task";
}

TEST(Boundary, AnEdgeOfANeighbourThatDoesNotExistChangesNothing) {
  const Bytes file = ChainOfTasks();
  const std::vector<Place> links = TaskLinks(file);
  const auto edited = [&](const Place& place, std::string_view id) {
    for (size_t edge = 0; edge < EdgeCount(place.role); ++edge) {
      if (EdgeText(place, edge).ends_with(id)) return ApplyEdge(file, place, edge, 1 << 20);
    }
    return Bytes();
  };
  EXPECT_EQ(edited(links.front(), "the same field of the record before"), file);
  EXPECT_EQ(edited(links.back(), "the same field of the record behind"), file);
}

TEST(Boundary, AValueBetweenTagsGetsEveryType) {
  const Bytes file = Text("<plist><array><integer>12</integer></array></plist>");
  const std::vector<Place> places = PlacesOf("netlist", file);
  const Place* element = Find(places, "element");
  ASSERT_NE(element, nullptr);
  const std::set<Bytes> edited = AllEdges(file, *element);
  EXPECT_TRUE(edited.contains(Text("<plist><array><real>nan</real></array></plist>")));
  EXPECT_TRUE(edited.contains(Text("<plist><array></array></plist>")));
}

// Readers find the parts behind the header by offset, so the header must keep its size.
TEST(Boundary, PaddingOfAnArrayHeaderKeepsItsSize) {
  const Bytes archive = Text("PK\x03\x04\x93NUMPY\x01\x01\x40\x01{'shape': (12, 4), }" +
                             std::string(44, ' ') + "\nDATA");
  const std::vector<Place> places = PlacesOf("npz", archive);
  const auto number = std::ranges::find_if(
      places, [](const Place& place) { return place.role == Role::kDigits && place.width == 2; });
  ASSERT_NE(number, places.end());
  std::set<std::string> texts;
  for (size_t edge = 0; edge < EdgeCount(Role::kDigits); ++edge) {
    const Bytes edited = ApplyEdge(archive, *number, edge, 1 << 20);
    if (edited.size() != archive.size()) continue;
    EXPECT_TRUE(AsText(edited).ends_with("\nDATA"));
    texts.insert(AsText(edited));
  }
  EXPECT_GT(texts.size(), 40u) << "every edge whose text fits into the padding";
}

TEST(Boundary, NoEditExceedsTheLargestSize) {
  const Bytes file = Text("<plist><array><integer>12</integer></array></plist>");
  for (const Place& place : PlacesOf("netlist", file)) {
    for (size_t edge = 0; edge < EdgeCount(place.role); ++edge) {
      EXPECT_LE(ApplyEdge(file, place, edge, 100).size(), 100u);
    }
  }
}

// Places lie inside of the file for any bytes.
TEST(Boundary, PlacesOfAnyBytesLieInsideTheFile) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Bytes file =
        seed % 2 == 0 ? Container() : Text("PK\x03\x04 bplist00 <a>\"1\" \x93NUMPY {'a': 3}");
    uint32_t state = seed * 2654435761u + 1;
    for (int i = 0; i < 12; ++i) {
      state = state * 1664525 + 1013904223;
      file[state % file.size()] = static_cast<uint8_t>(state >> 24);
    }
    file.resize(1 + state % file.size());
    for (const char* format : {"hwx", "npz", "netlist", "e5", "mil", "td", "vmfb"}) {
      for (const Place& place : PlacesOf(format, file)) {
        ASSERT_LE(uint64_t{place.offset} + place.width, file.size()) << format;
        ApplyEdge(file, place, state % EdgeCount(place.role), 1 << 12);
      }
    }
  }
}

}  // namespace
}  // namespace anecheck::boundary
