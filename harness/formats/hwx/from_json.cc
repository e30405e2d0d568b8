#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/records.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/message.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {
namespace {

// The maximum number of bytes that a document may require but does not contain, such as zeros,
// words, padding and space for sections.
constexpr uint64_t kBudget = uint64_t{256} << 20;

// Builds records from JSON. Afterwards computes the derived values that the JSON leaves out, in the
// order of their dependencies.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  Result<Container> Run() {
    JsonFields fields(json_, "", &status_);
    if (fields.TextOr("format", "hwx") != "hwx") {
      fields.Fail("format", "is not hwx: this is the JSON of another format");
    }
    ReadHeader(fields.In("header"));
    fields.ForEach("commands", [&](JsonFields command) { ReadCommand(std::move(command)); });
    fields.ForEach("unclaimed", [&](JsonFields region) {
      c_.regions.push_back({region.Uint("offset"), c_.Own(region.HexBytesOr("bytes"))});
      region.RefuseOthers();
    });
    fields.ReadElsewhere({"file_size"});
    fields.RefuseOthers();
    if (!status_.ok()) return status_.error();
    Layout(c_, json_, status_);
    TakeRoom();
    if (!status_.ok()) return status_.error();
    return std::move(c_);
  }

 private:
  // Subtracts `bytes` from the budget. If the budget is too small, returns false and reports an
  // error that names the member.
  bool Take(JsonFields& fields, std::string_view key, uint64_t bytes) {
    if (bytes > budget_) {
      fields.Fail(key, "needs, with the parts before it, more than 256 MiB of zeros and room");
      return false;
    }
    budget_ -= bytes;
    return status_.ok();
  }

  void ReadHeader(JsonFields object) {
    kHeaderRecord.FromJson(object, c_.header);
    if (status_.ok() && c_.header.magic != kMagic) {
      object.Fail("magic", fmt::format("must be 0x{:x}", kMagic));
    }
    object.RefuseOthers();
  }

  void ReadCommand(JsonFields fields) {
    Command command;
    kCommandRecord.FromJson(fields, command);
    command.cmd = fields.U32("id");
    const std::string kind = fields.Text("cmd");
    command.trailing = c_.Own(fields.HexBytesOr("trailing"));
    command.opaque = kind == "opaque";
    if (command.opaque) {
      command.index = Add(c_.opaque_commands, {c_.Own(fields.HexBytesOr("body")), {}});
    } else if (kind.empty() || kind != CommandName(command.cmd)) {
      fields.Fail("cmd",
                  fmt::format("'{}' is not the kind of command 0x{:x}", Shown(kind), command.cmd));
    } else {
      command.index = ReadBody(fields, command.cmd);
    }
    fields.RefuseOthers();
    c_.commands.push_back(command);
  }

  uint32_t ReadBody(JsonFields& fields, uint32_t cmd) {
    switch (cmd) {
      case kSegmentCommand:
        return ReadSegment(fields);
      case kShortPortCommand:
        return ReadPort(fields, kShortPortRecord);
      case kPortCommand:
        return ReadPort(fields, kPortRecord);
      case kThreadCommand:
        return ReadThread(fields);
      case kBuildInfoCommand:
        return ReadBuildInfo(fields);
      case kNoteCommand:
        return ReadNote(fields);
      default:
        return ReadSymtab(fields);
    }
  }

  // Adds the record and returns its index.
  template <typename Record>
  static uint32_t Add(std::vector<Record>& records, std::type_identity_t<Record> record) {
    records.push_back(std::move(record));
    return static_cast<uint32_t>(records.size() - 1);
  }

  uint32_t ReadNote(JsonFields& fields) {
    Note note;
    kNoteRecord.FromJson(fields, note);
    note.data = c_.Own(fields.HexBytesOr("bytes"));
    note.size = note.data.size();
    return Add(c_.notes, note);
  }

  uint32_t ReadSegment(JsonFields& fields) {
    Segment segment;
    kSegmentRecord.FromJson(fields, segment);
    segment.first_section = static_cast<uint32_t>(c_.sections.size());
    segment.nsects = static_cast<uint32_t>(fields.Array("sections").size());
    fields.ForEach("sections",
                   [&](JsonFields section) { ReadSection(segment, std::move(section)); });
    return Add(c_.segments, segment);
  }

  void ReadSection(const Segment& segment, JsonFields fields) {
    Section section;
    kSectionRecord.FromJson(fields, section);
    section.segname = segment.segname;
    if (fields.Has("segname")) {
      record::FromJson(fields, "segname", RecordKind::kNumber, section.segname = {});
    }
    section.in_file = fields.Has("tasks") || fields.Has("data");
    if (fields.Has("tasks")) {
      ReadTasks(section, fields);
    } else if (section.in_file) {
      section.data = ReadData(fields);
    } else {
      section.size = fields.Uint("size");
    }
    fields.ForEach("relocations", [&](JsonFields relocation) {
      section.relocations.push_back(ReadRelocation(std::move(relocation)));
    });
    fields.RefuseOthers();
    c_.sections.push_back(std::move(section));
  }

  void ReadTasks(Section& section, JsonFields& fields) {
    auto chain = td::ChainFromJson(fields.Object("tasks"));
    if (!chain.ok()) {
      fields.Fail("tasks", chain.error().message);
      return;
    }
    if (!Take(fields, "tasks", chain->size)) return;
    auto text = td::Encode(*chain);
    if (!text.ok()) {
      fields.Fail("tasks", text.error().message);
      return;
    }
    section.data = c_.Own(std::move(text).value());
    section.tasks = std::make_unique<td::Chain>(std::move(chain).value());
  }

  ByteSpan ReadData(JsonFields& fields) {
    Bytes data;
    fields.ForEach("data", [&](JsonFields chunk) {
      const Bytes bytes = chunk.HexBytesOr("bytes");
      data.insert(data.end(), bytes.begin(), bytes.end());
      const uint64_t zeros = chunk.UintOr("zeros", 0);
      chunk.RefuseOthers();
      if (Take(chunk, "zeros", zeros)) data.resize(data.size() + zeros);
    });
    return c_.Own(std::move(data));
  }

  static Relocation ReadRelocation(JsonFields fields) {
    const Relocation relocation = {
        .address = static_cast<int32_t>(fields.U32("address")),
        .symbolnum = static_cast<uint32_t>(fields.Uint("section", 0xffffff)),
        .pc_relative = fields.BoolOr("pc_relative", false),
        .length = static_cast<uint8_t>(fields.UintOr("length", 0, 3)),
        .external = fields.BoolOr("external", false),
        .type = static_cast<uint8_t>(fields.UintOr("type", 0, 15))};
    fields.RefuseOthers();
    return relocation;
  }

  std::string_view OwnName(JsonFields& fields, std::string_view key, const std::string& text) {
    if (text.find('\0') != std::string::npos) fields.Fail(key, "must not hold a zero byte");
    return c_.OwnText(text);
  }

  template <typename PortRecord>
  uint32_t ReadPort(JsonFields& fields, const PortRecord& record) {
    Port port;
    port.name = OwnName(fields, "name", fields.Text("name"));
    record.FromJson(fields, port);
    if (record.kSize == kPortRecord.kSize && fields.Has("byte_size")) {
      port.byte_size = fields.U32("byte_size");
    }
    return Add(c_.ports, port);
  }

  uint32_t ReadThread(JsonFields& fields) {
    ThreadHead head;
    kThreadRecord.FromJson(fields, head);
    Thread thread;
    thread.flavor = head.flavor;
    if (Take(fields, "count", uint64_t{4} * head.count)) thread.words.resize(head.count);
    for (const std::string& name : fields.Texts("names")) {
      thread.names.push_back(OwnName(fields, "names", name));
    }
    ReadWords(fields, thread);
    if (!IsApertureTable(thread) && fields.Has("base_slots")) {
      fields.Fail("count",
                  fmt::format("of {} words leaves no place for base_slots", thread.words.size()));
    }
    if (status_.ok() && IsApertureTable(thread)) {
      ReadIndexed(fields, "base_slots", kBaseSlots, UINT64_MAX, [&](size_t i, uint64_t value) {
        SetPair(thread, static_cast<uint32_t>(2 * i), value);
      });
    }
    for (const ThreadWord& word : ThreadWords(thread.flavor)) {
      if (!status_.ok() || !fields.Has(word.name)) continue;
      if (!Applies(word, thread)) {
        fields.Fail("count", fmt::format("of {} words leaves no place for {}", thread.words.size(),
                                         word.name));
        continue;
      }
      SetThreadValue(thread, word,
                     fields.Uint(word.name, word.words == 2 ? UINT64_MAX : UINT32_MAX));
    }
    return Add(c_.threads, std::move(thread));
  }

  static void ReadWords(JsonFields& fields, Thread& thread) {
    for (const Json& pair : fields.Array("words")) {
      uint64_t index = 0;
      uint64_t value = 0;
      if (!pair.is_array() || pair.size() != 2 || thread.words.empty() ||
          !ReadJsonUint(pair[0], thread.words.size() - 1, index) ||
          !ReadJsonUint(pair[1], UINT32_MAX, value)) {
        fields.Fail("words", fmt::format("must be pairs of an index below {} and a 32-bit number",
                                         thread.words.size()));
        return;
      }
      thread.words[index] = static_cast<uint32_t>(value);
    }
  }

  // Reads a member that is an object from decimal indices to numbers.
  template <typename Set>
  void ReadIndexed(JsonFields& fields, std::string_view key, size_t count, uint64_t max, Set set) {
    for (const auto& [index, value] : fields.Object(key).items()) {
      uint64_t place = 0;
      uint64_t number = 0;
      const bool digits =
          !index.empty() && index.size() < 8 &&
          std::all_of(index.begin(), index.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (digits) place = std::stoul(index);
      if (!digits || place >= count || !ReadJsonUint(value, max, number)) {
        fields.Fail(
            key, fmt::format("'{}' must be an index below {} with a number", Shown(index), count));
        return;
      }
      set(place, number);
    }
  }

  uint32_t ReadBuildInfo(JsonFields& fields) {
    std::string text;
    if (fields.Has("text")) {
      text = fields.Text("text");
    } else {
      text = MakeBanner(kAppleCompiler, fields.Text("version"), fields.Texts("options"));
    }
    return Add(c_.build_infos, {OwnName(fields, "text", text)});
  }

  uint32_t ReadSymtab(JsonFields& fields) {
    Symtab table;
    kSymtabRecord.FromJson(fields, table);
    table.strings_in_order = !fields.Has("strings");
    fields.ForEach("symbols", [&](JsonFields symbol) {
      table.symbols.push_back(ReadSymbol(std::move(symbol), table.strings_in_order));
    });
    if (!table.strings_in_order) {
      const std::string strings =
          fmt::format("{}", fmt::join(fields.Texts("strings"), std::string_view("\0", 1)));
      table.strings = c_.Own(Bytes(strings.begin(), strings.end()));
    }
    return Add(c_.symtabs, std::move(table));
  }

  Symbol ReadSymbol(JsonFields fields, bool names_in_order) {
    Symbol symbol;
    symbol.type = static_cast<uint8_t>(fields.Uint("type", UINT8_MAX));
    std::string name;
    uint16_t laid_desc = 0;
    if (fields.Has("tensor_stab")) {
      const auto stab = ReadTensorStab(
          JsonFields(fields.Object("tensor_stab"), fields.Path("tensor_stab"), &status_), name);
      laid_desc = static_cast<uint16_t>(stab.id % 32);
    } else if (fields.Has("type_stab")) {
      ReadTypeStab(JsonFields(fields.Object("type_stab"), fields.Path("type_stab"), &status_),
                   name);
    } else {
      name = fields.Text("name");
    }
    symbol.name = OwnName(fields, "name", name);
    symbol.desc = fields.U16Or("desc", laid_desc);
    symbol.sect = static_cast<uint8_t>(fields.UintOr("sect", 0, UINT8_MAX));
    symbol.value = fields.UintOr("value", 0);
    // If the names are in order, their offsets follow from them.
    if (!names_in_order) symbol.strx = fields.U32Or("strx", 0);
    fields.RefuseOthers();
    return symbol;
  }

  static stabs::TensorStab ReadTensorStab(JsonFields fields, std::string& text) {
    stabs::TensorStab stab;
    const std::string name = fields.Text("name");
    stab.name = name;
    stab.id = fields.U32("id");
    stab.element_type = fields.U32("element_type");
    const Json& axes = fields.Array("axes");
    if (axes.empty() || axes.size() > stabs::kMaxAxes) fields.Fail("axes", "must be 1 to 8 axes");
    for (size_t i = 0; i < std::min(axes.size(), stabs::kMaxAxes); ++i) {
      JsonFields object(axes[i], fields.Path(fmt::format("axes[{}]", i)), fields.status());
      stabs::Axis& axis = stab.axes[stab.axis_count++];
      const std::string letter = object.Text("axis");
      if (letter.size() != 1 || letter[0] < 'a' || letter[0] > 'z') {
        object.Fail("axis", "must be one lower-case letter");
      } else {
        axis.axis = letter[0];
      }
      axis.index = object.U32Or("index", 1);
      axis.low = object.IntOr("low", 0);
      axis.extent = object.IntOr("extent", 0);
      axis.id = object.U32("id");
      axis.stride = object.Uint("stride");
      object.RefuseOthers();
    }
    fields.RefuseOthers();
    text = stabs::Print(stab);
    stab.name = {};
    return stab;
  }

  static void ReadTypeStab(JsonFields fields, std::string& text) {
    stabs::TypeStab stab;
    const std::string name = fields.Text("name");
    stab.name = name;
    stab.id = fields.U32("id");
    if (fields.Has("alias")) {
      stab.kind = stabs::TypeStab::Kind::kAlias;
      stab.base = fields.U32("alias");
    } else if (fields.Has("range")) {
      JsonFields range(fields.Object("range"), fields.Path("range"), fields.status());
      stab.kind = stabs::TypeStab::Kind::kRange;
      stab.base = range.U32("base");
      stab.low = range.IntOr("low", 0);
      stab.high = range.IntOr("high", 0);
      range.RefuseOthers();
    }
    fields.RefuseOthers();
    text = stabs::Print(stab);
  }

  // Returns the number of bytes that sections, commands, notes and regions contain.
  uint64_t ContentSize() const {
    uint64_t sum = kHeaderSize + c_.header.sizeofcmds;
    for (const Section& section : c_.sections) sum += section.data.size();
    for (const Note& note : c_.notes) sum += note.data.size();
    for (const Region& region : c_.regions) sum += region.data.size();
    return sum;
  }

  // Subtracts from the budget the bytes that the stated sizes require in addition to the contents.
  void TakeRoom() {
    for (size_t i = 0; i < c_.commands.size() && status_.ok(); ++i) {
      const Command& command = c_.commands[i];
      JsonFields fields(json_["commands"][i], fmt::format("commands[{}]", i), &status_);
      if (!fields.Has("cmdsize")) continue;
      const uint32_t laid = LaidCmdSize(c_, command);
      Take(fields, "cmdsize", command.cmdsize > laid ? command.cmdsize - laid : 0);
    }
    JsonFields fields(json_, "", &status_);
    const uint64_t content = ContentSize();
    Take(fields, "file_size", c_.file_size > content ? c_.file_size - content : 0);
  }

  Container c_;
  const Json& json_;
  Status status_;
  uint64_t budget_ = kBudget;
};

}  // namespace

Result<Container> FromJson(const Json& json) { return Reader(json).Run(); }

}  // namespace anecheck::hwx
