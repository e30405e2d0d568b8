// Editing one field of the JSON form changes that field's bytes and nothing else: for every format,
// over the fields of generated files. Where more must follow, the table below says what.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generators/formats/registry/registry.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

using Pointer = Json::json_pointer;

// The widest field of any format has 8 bytes; the edits of texts below change one character.
constexpr size_t kFieldBytes = 8;
constexpr uint64_t kSeeds = 3;
constexpr int kEditsPerField = 2;  // of fields of one name in one file

struct Follows {
  std::string_view format;
  std::string_view field;  // the end of its path, without numbers
  std::string_view magic;  // with which the files begin
  std::string_view what;   // changes with it
};

constexpr Follows kFollows[] = {
    {"hwx", "/count", "", "the words that the command holds"},
    {"hwx", "/segname", "", "the names of the segment in its sections"},
    {"hwx", "/fileoff", "", "the sections of the segment, which move with it"},
    {"hwx", "/filesize", "", "the end of the segment"},
    {"hwx", "/addr", "", "what points to the section"},
    {"hwx", "/vmaddr", "", "what points into the segment"},
    {"hwx", "/section_header", "", "the tasks behind the header"},
    {"hwx", "/padding", "", "the tasks behind the padding"},
    {"hwx", "/tensor_stab/id", "", "the strings behind one that grows"},
    {"milweights", "/offset", "", "the record, which moves"},
    {"milweights", "/data_offset", "", "the data, which move"},
    {"netlist", "", "bplist", "objects that were shared, and the table of all"},
    {"netweights", "/table", "", "the table before the data"},
    {"npz", "/array/major", "", "the width of the header's length"},
    {"npz", "/array/fortran_order", "", "the header's text behind the word"},
    {"npz", "/array/padding", "", "the data behind the padding"},
    {"td", "/section_header", "", "the tasks behind the header"},
    {"td", "/padding", "", "the tasks behind the padding"},
};

// Keys whose values are places of objects, or spellings that carry no meaning: an edit of them is
// one of the layout and moves what it places.
constexpr std::array<std::string_view, 4> kLayoutKeys = {"@", "vtables", "layout", "size"};

void CollectFields(const Json& json, const Pointer& at, std::vector<Pointer>* fields) {
  if (!json.is_structured()) {
    fields->push_back(at);
    return;
  }
  if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) CollectFields(json[i], at / i, fields);
    return;
  }
  for (const auto& [key, value] : json.items()) {
    // What follows from the rest stands there for readers only.
    if (key == "derived" || (at.empty() && key == "format")) continue;
    if (std::ranges::find(kLayoutKeys, key) != kLayoutKeys.end()) continue;
    CollectFields(value, at / key, fields);
  }
}

// A path without its numbers: the fields of one name.
std::string NameOf(const Pointer& at) {
  std::string name = at.to_string();
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

// Another value of the same kind and length, or nothing where there is none.
std::optional<Json> OtherValue(const Json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number_unsigned()) return value.get<uint64_t>() ^ 1;
  if (value.is_number_integer()) return value.get<int64_t>() ^ 1;
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return std::nullopt;
  auto text = value.get<std::string>();
  // The end of a base64 text is padding.
  char& c = text.back() == '=' ? text.front() : text.back();
  c = c == '1' ? '2' : c >= '0' && c <= '9' ? '1' : c == 'a' ? 'b' : 'a';
  return text;
}

// The number of bytes from the first that differs to the last; for files of one size.
size_t ChangedSpan(ByteSpan one, ByteSpan other) {
  size_t first = 0;
  while (first < one.size() && one[first] == other[first]) ++first;
  size_t end = one.size();
  while (end > first && one[end - 1] == other[end - 1]) --end;
  return end - first;
}

class FieldEditTest : public ::testing::TestWithParam<const DescriptorGenerator*> {
 protected:
  // One edit; counts accepted ones.
  void Check(const Bytes& bytes, const Json& json, const Pointer& at) {
    const std::optional<Json> other = OtherValue(json[at]);
    if (!other) return;
    Json edited = json;
    edited[at] = *other;
    const Result<Bytes> written = format_.from_json(edited);
    if (!written.ok()) {
      EXPECT_FALSE(written.error().message.empty());
      return;
    }
    const std::string edit =
        fmt::format("{}: {} to {}", at.to_string(), json[at].dump(), other->dump());
    ++accepted_;
    EXPECT_NE(*written, bytes) << edit << " is lost";
    if (written->size() == bytes.size() && ChangedSpan(bytes, *written) <= kFieldBytes) return;
    const std::string name = NameOf(at);
    const auto row = std::ranges::find_if(kFollows, [&](const Follows& follows) {
      return follows.format == format_.name && name.ends_with(follows.field) &&
             std::equal(follows.magic.begin(), follows.magic.end(), bytes.begin());
    });
    if (row == std::end(kFollows)) {
      ADD_FAILURE() << edit << " changes more than its field";
    } else {
      used_.insert(row->what);
    }
  }

  const Format& format_ = *FindFormat(GetParam()->format).value();
  int accepted_ = 0;
  std::set<std::string_view> used_;
};

TEST_P(FieldEditTest, ChangesTheFieldsBytesAndNothingElse) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes bytes = GetParam()->generate(choices);
    const Json json = format_.to_json(bytes).value();
    std::vector<Pointer> fields;
    CollectFields(json, Pointer(), &fields);
    std::map<std::string, int> edits;
    for (const Pointer& at : fields) {
      if (edits[NameOf(at)]++ < kEditsPerField) Check(bytes, json, at);
    }
  }
  EXPECT_GE(accepted_, 10);
  for (const Follows& row : kFollows) {
    if (row.format != format_.name) continue;
    EXPECT_TRUE(used_.contains(row.what)) << row.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FieldEditTest,
                         ::testing::ValuesIn(AllGenerators().begin(), AllGenerators().end()),
                         [](const auto& row) { return std::string(row.param->format); });

}  // namespace
}  // namespace anecheck
