// An edit of one field of the JSON form changes only the field's bytes and the bytes that depend on
// them. The test covers every field of generated files of every format. If an edit is refused, has
// no effect or changes other bytes, an entry of the tables below must state the reason. The test
// fails if no file needs an entry.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "generators/formats/registry/registry.h"
#include "harness/base/json.h"
#include "harness/base/json_pointer.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

using Pointer = JsonPointer;

// The widest field of any format has 8 bytes. The edits of texts below change one character.
constexpr size_t kFieldBytes = 8;
constexpr uint64_t kSeeds = 4;
constexpr int kEditsPerField = 2;  // total for all fields of one name in one file

struct Row {
  std::string_view format;
  std::string_view field;  // the end of its path, without numbers
  std::string_view reason;
  std::string_view magic = "";  // the first bytes of the files; empty for all files
  std::string_view also = "";   // names of other fields whose values change too
};

// Fields with runs of undescribed bytes. If a run moves, it may merge with another run.
constexpr std::string_view kOpaqueRuns =
    "/calls//struct_in/device_open/opaque "
    "/calls//struct_in/device_open/opaque//bytes "
    "/calls//struct_in/program_prepare/opaque "
    "/calls//struct_in/program_prepare/opaque//bytes "
    "/calls//struct_in/program_unprepare/opaque "
    "/calls//struct_in/program_unprepare/opaque//bytes "
    "/calls//struct_in/program_destroy/opaque "
    "/calls//struct_in/program_destroy/opaque//bytes "
    "/calls//struct_out/device_info/opaque "
    "/calls//struct_out/device_info/opaque//bytes "
    "/calls//struct_out/program_reply/opaque "
    "/calls//struct_out/program_reply/opaque//bytes";

// Fields whose edit changes more than their own bytes. All other fields must keep their values, but
// their offsets may change.
constexpr Row kFollows[] = {
    {"e5", "/size", "the end of the buffer", "", "/size"},
    {"espresso", "/alpha", "the digits of a number"},
    {"hwx", "/count", "the words that the command holds"},
    {"hwx", "/segname", "the names of the segment in its sections"},
    {"hwx", "/fileoff", "the sections of the segment, which move with it"},
    {"hwx", "/filesize", "the end of the segment"},
    {"hwx", "/addr", "the pointers to the section"},
    {"hwx", "/vmaddr", "the pointers into the segment"},
    {"hwx", "/section_header", "the tasks after the header"},
    {"hwx", "/padding", "the tasks after the padding"},
    {"hwx", "/tensor_stab/id", "the strings after one that grows"},
    {"mil", "/gaps//text", "the tokens after the gap"},
    {"milweights", "/offset", "the record, which moves", "", "/blobs /gaps"},
    {"milweights", "/data_offset", "the data, which move"},
    {"netlist", "/encoding", "all of the file, in the other encoding"},
    {"netlist", "", "the objects after it, and the references to them", "bplist"},
    {"netweights", "/table", "the table before the data", "", "/blobs"},
    {"npz", "/array/major", "the width of the header's length"},
    {"npz", "/array/fortran_order", "the header's text after the word"},
    {"npz", "/array/padding", "the data after the padding"},
    {"submission", "/opaque//offset", "the bytes of the run, which move", "", kOpaqueRuns},
    {"td", "/section_header", "the tasks after the header"},
    {"td", "/padding", "the tasks after the padding"},
    {"tdv10", "/form", "the header that one form has and another has not", "", "/lead"},
    {"vmfb", "/module/size", "the end of the buffer"},
};

// Fields that accept no other value. Every edit is refused.
constexpr Row kFixed[] = {
    {"activation", "/view", "the words belong to one view"},
    {"e5", "/attrs_type", "the table next to it has one kind"},
    {"firmware", "/form", "the members next to it belong to one form"},
    {"hwx", "/header/magic", "the number that makes the file one of the format"},
    {"hwx", "/cmd", "the members next to it belong to one command"},
    {"hwx", "/id", "the members next to it belong to one command"},
    {"hwx", "/flavor", "the members next to it belong to one flavour"},
    {"hwx", "/count", "the members next to it belong to as many words"},
    {"hwx", "/header/TSR", "both low bits of the last header word announce a further word"},
    {"hwx", "/header/TDE", "both low bits of the last header word announce a further word"},
    {"hwx", "/tasks/version", "the tasks have the encoding of one version"},
    {"hwx", "/writes//address", "it names the registers after it"},
    {"hwx", "/register", "the address names it"},
    {"mil", "/gaps//before", "elsewhere it would join two tokens"},
    {"netweights", "/table", "the blobs of a table have numbers"},
    {"npz", "/container", "the members next to it belong to one container"},
    {"td", "/header/TSR", "both low bits of the last header word announce a further word"},
    {"td", "/header/TDE", "both low bits of the last header word announce a further word"},
    {"td", "/version", "the tasks have the encoding of one version"},
    {"td", "/writes//address", "it names the registers after it"},
    {"td", "/writes//mask", "it gives the number of registers"},
    {"td", "/register", "the address names it"},
    {"submission", "/opaque//offset", "the bytes around it belong to named fields"},
    {"tdv10", "/form", "the members next to it belong to one form"},
    {"tdv10", "/image/opaque//offset", "the bytes around it belong to named fields"},
    {"vmfb", "/form", "the tables of the module belong to one form"},
    {"vmfb", "/container", "the members next to it belong to one container"},
    {"vmfb", "/location_table_type/", "the table next to it has one kind"},
};

// Fields for which some different values give the same bytes.
constexpr Row kSilent[] = {
    {"espresso", "/spaced_empty", "a document without empty containers has none to space"},
    {"td", "/version", "versions 17 and 19 are coded alike"},
    {"vmfb", "/form", "two forms have the same tables; the identifier tells them apart"},
};

// Keys whose values are offsets that determine the layout. An edit moves the object or is refused.
// The object at the new offset need not be valid.
constexpr std::array<std::string_view, 3> kPlaceKeys = {"@", "vtables", "layout"};

bool IsUnder(const Pointer& at, std::span<const std::string_view> keys) {
  for (Pointer step = at; !step.empty(); step = step.parent()) {
    if (std::ranges::find(keys, step.back()) != keys.end()) return true;
  }
  return false;
}

// The key of derived values. They are only for display.
constexpr std::array<std::string_view, 1> kDerivedKey = {"derived"};

void CollectFields(const Json& json, const Pointer& at, std::vector<Pointer>* fields) {
  if (!json.is_structured()) {
    fields->push_back(at);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) CollectFields(json[i], at / i, fields);
  } else {
    for (const auto& [key, value] : json.items()) {
      // The name of the format chooses the function that reads the rest.
      if (!at.empty() || key != "format") CollectFields(value, at / key, fields);
    }
  }
}

// Returns the path without array indices. All fields of one kind have the same name.
std::string NameOf(const Pointer& at) {
  std::string name = at.to_string();
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  return name;
}

using Pool =
    std::map<std::string, std::set<std::string>>;  // for each field name, the texts of its fields

// Returns the offsets of the last three letters or digits of a text, and of the first letter or
// digit that is not part of "0x".
std::vector<size_t> PlacesToEdit(std::string_view text) {
  constexpr std::string_view kAll =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<size_t> places;
  size_t at = text.find_last_of(kAll);
  for (; at != std::string_view::npos && places.size() < 3; --at) {
    places.push_back(at);
    if (at == 0) break;
    at = text.find_last_of(kAll, at - 1) + 1;
    if (at == 0) break;
  }
  const size_t first = text.find_first_of(kAll, text.starts_with("0x") ? 2 : 0);
  if (first != std::string_view::npos) places.push_back(first);
  return places;
}

// Returns other values of the same kind. Values that the field probably accepts come first.
std::vector<Json> OtherValues(const Json& value, const std::set<std::string>& seen) {
  if (value.is_boolean()) return {!value.get<bool>()};
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return {number ^ 1, number ^ 2, number + 64};
  }
  if (value.is_number_integer()) return {value.get<int64_t>() ^ 1};
  if (value.is_number_float()) return {value.get<double>() + 1};
  if (!value.is_string()) return {0, false, ""};
  std::vector<Json> values;
  const auto text = value.get<std::string>();
  for (const size_t at : PlacesToEdit(text)) {
    std::string edited = text;
    char& c = edited[at];
    c = c == '1' ? '2' : c >= '0' && c <= '9' ? '1' : c == 'a' ? 'b' : 'a';
    values.emplace_back(edited);
  }
  // The first other texts are a byte in hexadecimal digits, a byte in base64, white space and a
  // letter. Then follow names that the format knows, and numbers instead of a text.
  for (const char* other : {"00", "AA==", "  ", "a"}) values.emplace_back(other);
  for (const std::string& other : seen) values.emplace_back(other);
  for (const int other : {1, 2}) values.emplace_back(other);
  std::erase(values, value);
  return values;
}

// The number of bytes from the first to the last difference. Precondition: equal sizes.
size_t ChangedSpan(ByteSpan one, ByteSpan other) {
  size_t first = 0;
  while (first < one.size() && one[first] == other[first]) ++first;
  size_t end = one.size();
  while (end > first && one[end - 1] == other[end - 1]) --end;
  return end - first;
}

// Collects the names of the fields in which two JSON forms differ. For arrays of different lengths,
// collects the name of the array.
void CollectDifferences(const Json& one, const Json& other, const Pointer& at,
                        std::set<std::string>* names) {
  if (one == other) return;
  const bool arrays = one.is_array() && other.is_array() && one.size() == other.size();
  if (arrays) {
    for (size_t i = 0; i < one.size(); ++i) CollectDifferences(one[i], other[i], at / i, names);
  } else if (one.is_object() && other.is_object()) {
    for (const auto& [key, value] : one.items()) {
      const auto found = other.find(key);
      CollectDifferences(value, found == other.end() ? Json() : *found, at / key, names);
    }
    for (const auto& [key, value] : other.items()) {
      if (!one.contains(key)) CollectDifferences(Json(), value, at / key, names);
    }
  } else if (!IsUnder(at, kDerivedKey) && !IsUnder(at, kPlaceKeys)) {
    names->insert(NameOf(at));
  }
}

class FieldEditTest : public ::testing::TestWithParam<const DescriptorGenerator*> {
 protected:
  const Row* Find(std::span<const Row> rows, const std::string& name, ByteSpan bytes) {
    const auto row = std::ranges::find_if(rows, [&](const Row& row) {
      return row.format == format_.name && name.ends_with(row.field) &&
             std::ranges::equal(row.magic, bytes.first(std::min(row.magic.size(), bytes.size())),
                                [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
    });
    if (row == rows.end()) return nullptr;
    used_.insert(&*row);
    return &*row;
  }

  // Reports each kind of fault only once per field.
  void Fault(const std::string& name, std::string_view what, const std::string& example) {
    if (faults_.insert(name + std::string(what)).second) {
      ADD_FAILURE() << name << " " << what << ": " << example;
    }
  }

  // Sets the field to the first value that from_json accepts, and checks the result.
  void Check(const Bytes& bytes, const Json& json, const Pointer& at, const Pool& pool) {
    const std::string name = NameOf(at);
    const auto seen = pool.find(name);
    std::string why;
    for (const Json& other :
         OtherValues(json[at], seen == pool.end() ? std::set<std::string>() : seen->second)) {
      Json edited = json;
      edited[at] = other;
      const Result<Bytes> written = format_.from_json(edited);
      const bool same_in_digits =
          written.ok() && *written == bytes && json[at].is_string() && other.is_number();
      if (same_in_digits) continue;
      if (written.ok()) return CheckWritten(bytes, edited, *written, at, json[at]);
      EXPECT_FALSE(written.error().message.empty());
      if (why.empty()) why = written.error().message;
    }
    if (IsUnder(at, kPlaceKeys)) return;
    if (Find(kFixed, name, bytes) == nullptr) Fault(name, "takes no other value", why);
  }

  void CheckWritten(const Bytes& bytes, const Json& edited, const Bytes& written, const Pointer& at,
                    const Json& before) {
    const std::string name = NameOf(at);
    const std::string edit =
        fmt::format("{}: {} to {}", at.to_string(), before.dump(), edited[at].dump());
    ++accepted_;
    if (IsUnder(at, kDerivedKey)) {
      if (written != bytes) Fault(name, "is derived, and is read", edit);
      return;
    }
    if (written == bytes) {
      if (Find(kSilent, name, bytes) == nullptr) Fault(name, "is lost", edit);
      return;
    }
    if (written.size() == bytes.size() && ChangedSpan(bytes, written) <= kFieldBytes) return;
    if (IsUnder(at, kPlaceKeys)) return;
    // A byte added to an empty text moves the data after it. An edit of a field of kFollows also
    // moves data. All other fields must keep their values.
    const bool grows = before == "" && written.size() > bytes.size();
    const Row* row = grows ? nullptr : Find(kFollows, name, bytes);
    if (row == nullptr && !grows) return Fault(name, "changes more than its field", edit);
    const Result<Json> reread = format_.to_json(written);
    if (!reread.ok()) return;
    std::set<std::string> names;
    CollectDifferences(edited, *reread, Pointer(), &names);
    for (const std::string& other : names) {
      const bool listed =
          row != nullptr &&
          fmt::format(" {} ", row->also).find(" " + other + " ") != std::string::npos;
      if (!listed && other != name) Fault(name, "changes " + other, edit);
    }
  }

  void ExpectUsed(std::span<const Row> rows) {
    for (const Row& row : rows) {
      if (row.format != format_.name) continue;
      EXPECT_TRUE(used_.contains(&row)) << row.field << " needs no row: " << row.reason;
    }
  }

  const Format& format_ = *FindFormat(GetParam()->format).value();
  int accepted_ = 0;
  std::set<const Row*> used_;
  std::set<std::string> faults_;
};

TEST_P(FieldEditTest, ChangesTheFieldsBytesAndDependentOnes) {
  struct File {
    Bytes bytes;
    Json json;
    std::vector<Pointer> fields;
  };
  std::vector<File> files;
  Pool pool;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    File file{GetParam()->generate(choices), {}, {}};
    file.json = format_.to_json(file.bytes).value();
    CollectFields(file.json, Pointer(), &file.fields);
    for (const Pointer& at : file.fields) {
      if (file.json[at].is_string()) pool[NameOf(at)].insert(file.json[at].get<std::string>());
    }
    files.push_back(std::move(file));
  }
  for (const File& file : files) {
    std::map<std::string, int> edits;
    for (const Pointer& at : file.fields) {
      if (edits[NameOf(at)]++ < kEditsPerField) Check(file.bytes, file.json, at, pool);
    }
  }
  EXPECT_GE(accepted_, 10);
  ExpectUsed(kFollows);
  ExpectUsed(kFixed);
  ExpectUsed(kSilent);
}

INSTANTIATE_TEST_SUITE_P(Formats, FieldEditTest,
                         ::testing::ValuesIn(AllGenerators().begin(), AllGenerators().end()),
                         [](const auto& row) { return std::string(row.param->format); });

}  // namespace
}  // namespace anecheck
