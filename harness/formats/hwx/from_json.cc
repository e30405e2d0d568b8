#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/message.h"
#include "harness/formats/stabs/stabs.h"
#include "harness/formats/td/json_fields.h"

namespace anecheck::hwx {
namespace {

// What a document may ask for beyond the bytes that it spells: zeros, words, padding and room.
constexpr uint64_t kBudget = uint64_t{256} << 20;
constexpr uint64_t kMaxSize = uint64_t{1} << 30;

// Builds records from JSON. Values that follow from others are laid out afterwards, in the order
// in which they depend on each other, unless the JSON gives them.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  Result<Container> Run() {
    JsonFields fields(json_, "", &status_);
    if (fields.TextOr("format", "hwx") != "hwx") {
      fields.Fail("format", "is not hwx: this is the JSON of another format");
    }
    ReadHeader(fields);
    const Json& commands = fields.Array("commands");
    for (size_t i = 0; i < commands.size() && status_.ok(); ++i) {
      ReadCommand(JsonFields(commands[i], fmt::format("commands[{}]", i), &status_));
    }
    const Json& regions = fields.Array("unclaimed");
    for (size_t i = 0; i < regions.size() && status_.ok(); ++i) {
      JsonFields region(regions[i], fmt::format("unclaimed[{}]", i), &status_);
      c_.regions.push_back({region.Uint("offset"), c_.Own(region.HexBytesOr("bytes"))});
      region.RefuseOthers();
    }
    fields.ReadElsewhere({"file_size"});
    fields.RefuseOthers();
    if (!status_.ok()) return status_.error();
    Lay(fields, commands);
    if (!status_.ok()) return status_.error();
    return std::move(c_);
  }

 private:
  // Whether `bytes` more fit in what is left of the budget; the error names the member.
  bool Take(JsonFields& fields, std::string_view key, uint64_t bytes) {
    if (bytes > budget_) {
      fields.Fail(key, "asks, with what stands before it, for more than 256 MiB of zeros and room");
      return false;
    }
    budget_ -= bytes;
    return status_.ok();
  }

  Name16 Name(JsonFields& fields, std::string_view key) {
    const std::string text = fields.Text(key);
    if (text.size() > 16) fields.Fail(key, "is longer than 16 bytes");
    return MakeName16(text);
  }

  void ReadHeader(JsonFields& fields) {
    JsonFields object(fields.Object("header"), "header", &status_);
    Header& header = c_.header;
    header.magic = object.U32("magic");
    if (status_.ok() && header.magic != kMagic) {
      object.Fail("magic", fmt::format("must be 0x{:x}", kMagic));
    }
    header.cputype = object.U32("cputype");
    header.cpusubtype = object.U32("cpusubtype");
    header.filetype = object.U32("filetype");
    header.flags = object.U32("flags");
    header.reserved = object.U32Or("reserved", 0);
    object.ReadElsewhere({"sizeofcmds"});
    object.RefuseOthers();
  }

  void ReadCommand(JsonFields fields) {
    Command command;
    command.cmd = fields.U32("id");
    const std::string kind = fields.Text("cmd");
    command.trailing = c_.Own(fields.HexBytesOr("trailing"));
    command.opaque = kind == "opaque";
    if (command.opaque) {
      command.index = static_cast<uint32_t>(c_.opaque_commands.size());
      c_.opaque_commands.push_back({c_.Own(fields.HexBytesOr("body")), {}});
    } else if (kind.empty() || kind != CommandName(command.cmd)) {
      fields.Fail("cmd",
                  fmt::format("'{}' is not the kind of command 0x{:x}", Shown(kind), command.cmd));
    } else {
      command.index = ReadBody(fields, command.cmd);
    }
    fields.ReadElsewhere({"cmdsize"});
    fields.RefuseOthers();
    c_.commands.push_back(command);
  }

  uint32_t ReadBody(JsonFields& fields, uint32_t cmd) {
    switch (cmd) {
      case kSegmentCommand:
        return ReadSegment(fields);
      case kShortPortCommand:
      case kPortCommand:
        return ReadPort(fields, cmd == kPortCommand ? UINT64_MAX : UINT32_MAX);
      case kThreadCommand:
        return ReadThread(fields);
      case kBuildInfoCommand:
        return ReadBuildInfo(fields);
      case kNoteCommand:
        c_.notes.push_back(
            {Name(fields, "owner"), fields.Uint("offset"), 0, c_.Own(fields.HexBytesOr("bytes"))});
        c_.notes.back().size = c_.notes.back().data.size();
        return static_cast<uint32_t>(c_.notes.size() - 1);
      default:
        return ReadSymtab(fields);
    }
  }

  uint32_t ReadSegment(JsonFields& fields) {
    Segment segment;
    segment.segname = Name(fields, "segname");
    segment.vmaddr = fields.Uint("vmaddr");
    segment.vmsize = fields.Uint("vmsize");
    segment.fileoff = fields.Uint("fileoff");
    segment.filesize = fields.Uint("filesize");
    segment.maxprot = fields.U32("maxprot");
    segment.initprot = fields.U32("initprot");
    segment.flags = fields.U32("flags");
    segment.first_section = static_cast<uint32_t>(c_.sections.size());
    const Json& sections = fields.Array("sections");
    segment.nsects = static_cast<uint32_t>(sections.size());
    for (size_t i = 0; i < sections.size(); ++i) {
      ReadSection(segment,
                  JsonFields(sections[i], fields.Path(fmt::format("sections[{}]", i)), &status_));
    }
    c_.segments.push_back(segment);
    return static_cast<uint32_t>(c_.segments.size() - 1);
  }

  void ReadSection(const Segment& segment, JsonFields fields) {
    Section section;
    section.sectname = Name(fields, "sectname");
    section.segname = fields.Has("segname") ? Name(fields, "segname") : segment.segname;
    section.addr = fields.Uint("addr");
    section.align = fields.U32("align");
    section.flags = fields.U32("flags");
    const Json& reserved = fields.Array("reserved");
    if (reserved.size() > 3) fields.Fail("reserved", "must be three 32-bit numbers");
    for (size_t i = 0; i < std::min<size_t>(3, reserved.size()); ++i) {
      uint64_t value = 0;
      if (!ReadJsonUint(reserved[i], UINT32_MAX, value)) {
        fields.Fail("reserved", "must be three 32-bit numbers");
      }
      section.reserved[i] = static_cast<uint32_t>(value);
    }
    section.in_file = fields.Has("tasks") || fields.Has("data");
    if (fields.Has("tasks")) {
      ReadTasks(section, fields);
    } else if (section.in_file) {
      section.data = ReadData(fields);
    } else {
      section.size = fields.Uint("size");
    }
    const Json& relocations = fields.Array("relocations");
    for (size_t i = 0; i < relocations.size(); ++i) {
      section.relocations.push_back(ReadRelocation(
          JsonFields(relocations[i], fields.Path(fmt::format("relocations[{}]", i)), &status_)));
    }
    fields.ReadElsewhere({"offset", "reloff"});
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
    const Json& chunks = fields.Array("data");
    for (size_t i = 0; i < chunks.size(); ++i) {
      JsonFields chunk(chunks[i], fields.Path(fmt::format("data[{}]", i)), &status_);
      const Bytes bytes = chunk.HexBytesOr("bytes");
      data.insert(data.end(), bytes.begin(), bytes.end());
      const uint64_t zeros = chunk.UintOr("zeros", 0);
      chunk.RefuseOthers();
      if (!Take(chunk, "zeros", zeros)) return {};
      data.resize(data.size() + zeros);
    }
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

  uint32_t ReadPort(JsonFields& fields, uint64_t max_address) {
    Port port;
    port.name = OwnName(fields, "name", fields.Text("name"));
    port.vmaddr = fields.Uint("vmaddr", max_address);
    port.reserved = fields.U32Or("reserved", 0);
    port.name_offset = max_address == UINT64_MAX ? 24 : 20;
    if (max_address == UINT64_MAX && fields.Has("byte_size"))
      port.byte_size = fields.U32("byte_size");
    c_.ports.push_back(port);
    return static_cast<uint32_t>(c_.ports.size() - 1);
  }

  uint32_t ReadThread(JsonFields& fields) {
    Thread thread;
    thread.flavor = fields.U32("flavor");
    const uint64_t count = fields.Uint("count", 0x100000);
    if (Take(fields, "count", 4 * count)) thread.words.resize(count);
    const Json& names = fields.Array("names");
    for (const Json& name : names) {
      const std::string spelled = name.is_string() ? name.get<std::string>() : std::string();
      auto text = UnescapeText(spelled);
      if (!name.is_string() || !text.ok()) fields.Fail("names", "must be strings");
      thread.names.push_back(OwnName(fields, "names", text.ok() ? *text : std::string()));
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
    c_.threads.push_back(std::move(thread));
    return static_cast<uint32_t>(c_.threads.size() - 1);
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

  // A member that is an object of decimal indices and numbers.
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
      std::vector<std::string> options;
      for (const Json& option : fields.Array("options")) {
        auto plain = option.is_string() ? UnescapeText(option.get<std::string>())
                                        : Result<std::string>(MakeError(ErrorCode::kInvalid, ""));
        if (!plain.ok()) {
          fields.Fail("options", "must be strings");
          break;
        }
        options.push_back(*plain);
      }
      text = MakeBanner(kAppleCompiler, fields.Text("version"), options);
    }
    c_.build_infos.push_back({OwnName(fields, "text", text)});
    return static_cast<uint32_t>(c_.build_infos.size() - 1);
  }

  uint32_t ReadSymtab(JsonFields& fields) {
    Symtab table;
    const Json& symbols = fields.Array("symbols");
    for (size_t i = 0; i < symbols.size() && status_.ok(); ++i) {
      table.symbols.push_back(
          ReadSymbol(JsonFields(symbols[i], fields.Path(fmt::format("symbols[{}]", i)), &status_),
                     !fields.Has("strings")));
    }
    table.strings_in_order = !fields.Has("strings");
    fields.ReadElsewhere({"symoff", "stroff", "strsize"});
    if (!table.strings_in_order) {
      Bytes strings;
      for (const Json& piece : fields.Array("strings")) {
        auto text = piece.is_string() ? UnescapeText(piece.get<std::string>())
                                      : Result<std::string>(MakeError(ErrorCode::kInvalid, ""));
        if (!text.ok()) {
          fields.Fail("strings", "must be strings");
          break;
        }
        if (&piece != &fields.Array("strings").front()) strings.push_back(0);
        strings.insert(strings.end(), text->begin(), text->end());
      }
      table.strings = c_.Own(std::move(strings));
    }
    c_.symtabs.push_back(std::move(table));
    return static_cast<uint32_t>(c_.symtabs.size() - 1);
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
    // Where names stand in order their places follow from them.
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

  // Values that the JSON leaves out, each from those before it.
  void Lay(JsonFields& fields, const Json& commands) {
    LayThreads(commands);
    LayCommands(commands);
    if (!status_.ok()) return;
    JsonFields header(fields.Object("header"), "header", &status_);
    c_.header.ncmds = static_cast<uint32_t>(c_.commands.size());
    c_.header.sizeofcmds = header.U32Or("sizeofcmds", LaidSizeofcmds(c_));
    LaySections(commands);
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      const Command& command = c_.commands[i];
      if (command.opaque || command.cmd != kSymtabCommand) continue;
      JsonFields object(commands[i], fmt::format("commands[{}]", i), &status_);
      LaySymtab(c_.symtabs[command.index], object);
    }
    LayRelocations(commands);
    c_.file_size = fields.UintOr("file_size", LaidFileSize(c_), kMaxSize);
    const uint64_t content = ContentSize();
    Take(fields, "file_size", c_.file_size > content ? c_.file_size - content : 0);
  }

  // The bytes that sections, commands, notes and regions fill.
  uint64_t ContentSize() const {
    uint64_t sum = kHeaderSize + c_.header.sizeofcmds;
    for (const Section& section : c_.sections) sum += section.data.size();
    for (const Note& note : c_.notes) sum += note.data.size();
    for (const Region& region : c_.regions) sum += region.data.size();
    return sum;
  }

  void LayThreads(const Json& commands) {
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      if (c_.commands[i].opaque || c_.commands[i].cmd != kThreadCommand) continue;
      Thread& thread = c_.threads[c_.commands[i].index];
      for (const ThreadWord& word : ThreadWords(thread.flavor)) {
        if (!Applies(word, thread) || commands[i].contains(std::string(word.name))) continue;
        const auto laid = LaidThreadWord(c_, thread, word.index);
        if (laid) SetThreadValue(thread, word, *laid);
      }
    }
  }

  void LayCommands(const Json& commands) {
    uint64_t offset = kHeaderSize;
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      JsonFields object(commands[i], fmt::format("commands[{}]", i), &status_);
      c_.commands[i].cmdsize = static_cast<uint32_t>(
          object.UintOr("cmdsize", LaidCmdSize(c_, c_.commands[i]), kMaxSize));
      const uint32_t room = c_.commands[i].cmdsize;
      const uint32_t laid = LaidCmdSize(c_, c_.commands[i]);
      if (!Take(object, "cmdsize", room > laid ? room - laid : 0)) return;
      c_.commands[i].offset = offset;
      offset += c_.commands[i].cmdsize;
    }
  }

  // Calls visit(segment, section, section index, fields) for every section.
  template <typename Visit>
  void ForEachSection(const Json& commands, Visit visit) {
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      if (c_.commands[i].opaque || c_.commands[i].cmd != kSegmentCommand) continue;
      const Segment& segment = c_.segments[c_.commands[i].index];
      for (uint32_t k = 0; k < segment.nsects; ++k) {
        const size_t index = segment.first_section + k;
        visit(segment, c_.sections[index], index,
              JsonFields(commands[i]["sections"][k], fmt::format("commands[{}].sections[{}]", i, k),
                         &status_));
      }
    }
  }

  void LaySections(const Json& commands) {
    symoff_ = LaidSymoff(c_);
    ForEachSection(commands,
                   [](const Segment& segment, Section& section, size_t, JsonFields fields) {
                     if (section.in_file) section.size = LaidSectionSize(section);
                     section.offset = fields.U32Or("offset", LaidSectionOffset(segment, section));
                   });
  }

  void LayRelocations(const Json& commands) {
    ForEachSection(commands,
                   [this, before = static_cast<const Section*>(nullptr)](
                       const Segment&, Section& section, size_t, JsonFields fields) mutable {
                     section.nreloc = static_cast<uint32_t>(section.relocations.size());
                     section.reloff = fields.U32Or("reloff", LaidReloff(c_, before, section));
                     if (!section.relocations.empty()) before = &section;
                   });
  }

  void LaySymtab(Symtab& table, JsonFields& object) {
    table.nsyms = static_cast<uint32_t>(table.symbols.size());
    table.symoff = object.U32Or("symoff", symoff_);
    table.stroff = object.U32Or("stroff", LaidStroff(table));
    table.strsize = object.U32Or("strsize", LaidStrsize(table));
    if (!table.strings_in_order) return;
    const std::vector<uint32_t> places = LaidStrx(table);
    for (size_t i = 0; i < places.size(); ++i) table.symbols[i].strx = places[i];
  }

  const Json& json_;
  Status status_;
  Container c_;
  uint64_t budget_ = kBudget;
  uint32_t symoff_ = 0;
};

}  // namespace

Result<Container> FromJson(const Json& json) { return Reader(json).Run(); }

}  // namespace anecheck::hwx
