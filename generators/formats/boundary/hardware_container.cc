// Places of a hardware container, in its header, load commands, sections, symbols, relocations and
// tasks. The places of records are derived from the record descriptions of the format.
#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "generators/formats/boundary/places.h"
#include "harness/formats/hwx/records.h"

namespace anecheck::boundary {
namespace {

using hwx::kCommandHead;
using hwx::kCommandRecord;
using hwx::kHeaderRecord;
using hwx::kRelocationRecord;
using hwx::kSectionRecord;
using hwx::kSegmentRecord;
using hwx::kSymbolRecord;
using hwx::kSymtabRecord;

constexpr uint32_t kMostCommands = 64, kMostSections = 64, kMostRecords = 3, kMostTasks = 4;

// For each count, the size in bytes of the records that it counts.
constexpr std::pair<std::string_view, uint32_t> kUnits[] = {{"nsects", kSectionRecord.kSize},
                                                            {"nreloc", kRelocationRecord},
                                                            {"nsyms", kSymbolRecord.kSize}};

// The number and name fields of a record, as places. The magic number of the file is left out,
// because with another value readers would not recognise the file as a container.
template <const auto& kRecord>
std::span<const Field> FieldsOf(std::string_view record) {
  static constexpr auto kAll = kRecord.Fields();
  static std::array<std::string, kAll.size()> names;
  static const std::vector<Field> fields = [&] {
    std::vector<Field> made;
    for (size_t i = 0; i < kAll.size(); ++i) {
      const RecordField& field = kAll[i];
      const bool is_name = field.width == sizeof(hwx::Name16);
      if ((field.width > 8 && !is_name) || field.name == "magic") continue;
      names[i] = fmt::format("{}.{}", record, field.name);
      const auto unit =
          std::ranges::find(kUnits, field.name, &std::pair<std::string_view, uint32_t>::first);
      made.push_back({names[i], field.offset, field.width, is_name ? Role::kName : Role::kNumber,
                      unit == std::end(kUnits) ? 1 : unit->second});
    }
    return made;
  }();
  return fields;
}

constexpr auto kRelocationFields =
    std::to_array<Field>({{"relocation.address", 0}, {"relocation.info", 4}});
constexpr auto kTaskFields = std::to_array<Field>({{"task.words", 0},
                                                   {"task.header", 4},
                                                   {"task.word 2", 8},
                                                   {"task.word 3", 12},
                                                   {"task.next", 0x1c},
                                                   {"task.stream", 40}});
// Fields of the commands in which a name follows the integers (ports, thread commands, banner).
constexpr auto kNamedFields = std::to_array<Field>({{"command.word 2", 8},
                                                    {"command.word 3", 12},
                                                    {"command.word 4", 16},
                                                    {"command.word 5", 20}});

uint64_t Load(ByteSpan file, uint64_t at, uint32_t width) {
  if (at > file.size() || file.size() - at < width) return 0;
  uint64_t value = 0;
  for (uint32_t i = width; i > 0; --i) value = value << 8 | file[at + i - 1];
  return value;
}

class ContainerWalk {
 public:
  ContainerWalk(ByteSpan file, std::vector<Place>& places) : file_(file), places_(places) {}

  void Run() {
    Add(FieldsOf<kHeaderRecord>("header"), 0);
    const uint64_t commands =
        std::min<uint64_t>(Load(file_, kHeaderRecord.OffsetOf("ncmds"), 4), kMostCommands);
    uint64_t at = kHeaderRecord.kSize;
    for (uint64_t i = 0; i < commands && at + 8 <= file_.size(); ++i) {
      const uint64_t size = Load(file_, at + 4, 4);
      Command(at, size);
      if (size < 8 || size > file_.size() - at) break;
      at += size;
    }
  }

 private:
  template <typename Fields>
  void Add(const Fields& fields, uint64_t at) {
    AddRecord(fields, at, file_, places_);
  }

  void Command(uint64_t at, uint64_t size) {
    Add(FieldsOf<kCommandRecord>("command"), at);
    switch (Load(file_, at, 4)) {
      case hwx::kSegmentCommand:
        return Segment(at, size);
      case hwx::kSymtabCommand:
        return Symtab(at);
      default:
        return Named(at, size);
    }
  }

  void Segment(uint64_t at, uint64_t size) {
    constexpr uint64_t kHead = kCommandHead + kSegmentRecord.kSize;
    Add(FieldsOf<kSegmentRecord>("segment"), at + kCommandHead);
    const uint64_t fitting = size < kHead ? 0 : (size - kHead) / kSectionRecord.kSize;
    const uint64_t stated = Load(file_, at + kCommandHead + kSegmentRecord.OffsetOf("nsects"), 4);
    const uint64_t count = std::min({stated, fitting, uint64_t{kMostSections}});
    for (uint64_t i = 0; i < count; ++i) Section(at + kHead + i * kSectionRecord.kSize);
  }

  void Section(uint64_t at) {
    Add(FieldsOf<kSectionRecord>("section"), at);
    const uint64_t table = Load(file_, at + kSectionRecord.OffsetOf("reloff"), 4);
    const uint64_t nreloc = Load(file_, at + kSectionRecord.OffsetOf("nreloc"), 4);
    const uint64_t count = std::min<uint64_t>(nreloc, kMostRecords);
    for (uint64_t i = 0; i < count; ++i) Add(kRelocationFields, table + i * kRelocationRecord);
    if (at + 6 <= file_.size() && std::memcmp(file_.data() + at, "__text", 6) == 0) {
      Tasks(Load(file_, at + kSectionRecord.OffsetOf("offset"), 4));
    }
  }

  void Tasks(uint64_t text) {
    uint64_t at = text;
    for (uint32_t i = 0; i < kMostTasks; ++i) {
      Add(kTaskFields, at);
      const uint64_t next = Load(file_, at + 0x1c, 4);
      if (next == 0 || text + next <= at) return;
      at = text + next;
    }
  }

  void Symtab(uint64_t at) {
    const uint64_t record = at + kCommandHead;
    Add(FieldsOf<kSymtabRecord>("symtab"), record);
    const uint64_t symbols = Load(file_, record + kSymtabRecord.OffsetOf("symoff"), 4);
    const uint64_t count = Load(file_, record + kSymtabRecord.OffsetOf("nsyms"), 4);
    for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostRecords); ++i) {
      Add(FieldsOf<kSymbolRecord>("symbol"), symbols + i * kSymbolRecord.kSize);
    }
    if (count > kMostRecords)
      Add(FieldsOf<kSymbolRecord>("symbol"), symbols + (count - 1) * kSymbolRecord.kSize);
    // The zero byte that ends the last string and the string table.
    const uint64_t end = Load(file_, at + 16, 4) + Load(file_, at + 20, 4);
    if (end >= 16 && end <= file_.size()) {
      places_.push_back({.role = Role::kName,
                         .offset = static_cast<uint32_t>(end - 16),
                         .width = 16,
                         .name = "strings.end"});
    }
  }

  void Named(uint64_t at, uint64_t size) {
    const uint64_t words = std::min<uint64_t>(size / 4, 6);
    for (const Field& field : kNamedFields) {
      if (field.offset / 4 < words) Add(std::array{field}, at);
    }
    if (size >= 24 && size <= file_.size() - std::min<uint64_t>(at, file_.size())) {
      places_.push_back({.role = Role::kName,
                         .offset = static_cast<uint32_t>(at + size - 8),
                         .width = 8,
                         .name = "command.end of the name"});
    }
  }

  ByteSpan file_;
  std::vector<Place>& places_;
};

}  // namespace

void WalkHardwareContainer(ByteSpan file, std::vector<Place>& places) {
  ContainerWalk(file, places).Run();
}

}  // namespace anecheck::boundary
