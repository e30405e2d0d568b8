// The JSON form of a task chain. A register is an object with its fields by name. Bits that no
// source names are under "rest", so every bit occurs exactly once.
#include "harness/base/json.h"

#include <bit>
#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/formats/message.h"
#include "harness/formats/record/json_fields.h"
#include "harness/formats/td/layout.h"
#include "harness/formats/td/td.h"

namespace anecheck::td {
namespace {

constexpr uint32_t kMaxText = 1u << 28;

bool IsV7(const Chain& chain) { return chain.generation->coding == Coding::kByteAddress; }

// Adds the fields of `word` to `object`, skipping those for which `derived` is true.
template <typename Derived>
void AddFields(Json& object, const WordLayout& layout, uint32_t word, Derived derived) {
  for (const WordField& field : layout.fields) {
    if (!derived(field.name)) object[std::string(field.name)] = ExtractField(word, field);
  }
}

// Reads the bits of a word that belong to no field. Refuses bits of a field, because the value
// under the field's name would replace them.
uint32_t ReadRest(JsonFields& fields, std::string_view key, const WordLayout& layout) {
  const uint32_t rest = fields.U32Or(key, 0);
  const uint32_t named = rest & NamedBits(layout);
  if (named != 0) fields.Fail(key, fmt::format("bits 0x{:x} belong to named fields", named));
  return rest;
}

uint32_t ReadFields(JsonFields& fields, const WordLayout& layout, uint32_t word) {
  for (const WordField& field : layout.fields) {
    if (!fields.Has(field.name)) continue;
    const uint32_t mask = FieldMask(field.width);
    const uint32_t value = static_cast<uint32_t>(fields.Uint(field.name, mask));
    word = (word & ~(mask << field.bit)) | (value << field.bit);
  }
  return word;
}

// The header fields whose values equal those that Layout would set.
struct DerivedHeader {
  bool next_pointer = false;
  bool next_size = false;
  bool task_size = false;

  bool Has(std::string_view name) const {
    return (name == "NextPointer" && next_pointer) || (name == "NextSize" && next_size) ||
           (name == "TaskSize" && task_size);
  }
};

Json HeaderToJson(const Chain& chain, const Task& task, const DerivedHeader& derived) {
  Json header = Json::object();
  Json rest = Json::object();
  for (uint32_t i = 0; i < chain.header_words; ++i) {
    const WordLayout layout = HeaderWord(*chain.generation, i);
    AddFields(header, layout, task.header[i],
              [&](std::string_view name) { return derived.Has(name); });
    const uint32_t left = task.header[i] & ~NamedBits(layout);
    if (left != 0) rest[fmt::format("{}", i)] = HexNumber(left);
  }
  if (!rest.empty()) header["rest"] = std::move(rest);
  return header;
}

Json RegisterToJson(const Generation& generation, uint32_t byte_address, uint32_t value) {
  const WordLayout layout = Register(generation, byte_address);
  if (layout.fields.empty()) return HexNumber(value);
  Json object = {{"register", layout.name}};
  AddFields(object, layout, value, [](std::string_view) { return false; });
  const uint32_t left = value & ~NamedBits(layout);
  if (left != 0) object["rest"] = HexNumber(left);
  Json other = Json::object();
  for (const WordField& field : layout.fields) {
    if (field.other_width == 0) continue;
    const WordField reading = {field.name, field.other_bit, field.other_width};
    const uint32_t second = ExtractField(value, reading);
    if (second != ExtractField(value, field)) other[std::string(field.name)] = second;
  }
  if (!other.empty()) object["derived"]["register_map_reading"] = std::move(other);
  return object;
}

// Returns the byte address of the register to which value `index` of a write goes.
uint32_t AddressOf(const RegisterWrite& write, size_t index) {
  if (!write.sparse || index == 0) {
    return write.byte_address + 4 * static_cast<uint32_t>(index);
  }
  uint32_t seen = 0;
  for (uint32_t bit = 0; bit < 16; ++bit) {
    if ((write.mask >> bit & 1) != 0 && ++seen == index) return write.byte_address + 4 * (bit + 1);
  }
  return write.byte_address;
}

Json WriteToJson(const Generation& generation, const Task& task, const RegisterWrite& write) {
  Json object = Json::object();
  const RegisterBlock* block = FindBlock(generation, write.byte_address);
  if (block != nullptr) object["derived"]["block"] = block->name;
  object["address"] = HexNumber(write.byte_address);
  if (write.sparse) object["mask"] = HexNumber(write.mask);
  if (write.reserved != 0) object["reserved"] = HexNumber(write.reserved);
  Json registers = Json::array();
  const auto values = task.ValuesOf(write);
  for (size_t i = 0; i < values.size(); ++i) {
    registers.push_back(RegisterToJson(generation, AddressOf(write, i), values[i]));
  }
  object["registers"] = std::move(registers);
  return object;
}

DerivedHeader DerivedOf(const Chain& chain, size_t index) {
  const Task& task = chain.tasks[index];
  if (!IsV7(chain)) return {.task_size = true};
  const bool last = index + 1 == chain.tasks.size();
  const uint32_t next = last ? 0 : NextOffset(chain, task);
  const uint32_t next_size = last ? 0 : (TaskBytes(chain, chain.tasks[index + 1]) / 4 - 1) & 0x1ff;
  return {.next_pointer = task.header[kV7NextPointerWord] == next,
          .next_size = V7NextSize(task) == next_size};
}

Json TaskToJson(const Chain& chain, size_t index) {
  const Task& task = chain.tasks[index];
  Json object = Json::object();
  if (task.padding != 0) object["padding"] = task.padding;
  object["derived"] = {{"offset", HexNumber(task.offset)}, {"size", HexNumber(task.size)}};
  object["header"] = HeaderToJson(chain, task, DerivedOf(chain, index));
  if (task.extra_word) object["extra_word"] = HexNumber(*task.extra_word);
  Json writes = Json::array();
  for (const RegisterWrite& write : task.writes) {
    writes.push_back(WriteToJson(*chain.generation, task, write));
  }
  object["writes"] = std::move(writes);
  return object;
}

void HeaderFromJson(Chain& chain, Task& task, JsonFields header) {
  JsonFields rest(header.Object("rest"), header.Path("rest"), header.status());
  for (uint32_t i = 0; i < chain.header_words; ++i) {
    const WordLayout layout = HeaderWord(*chain.generation, i);
    task.header[i] = ReadFields(header, layout, ReadRest(rest, fmt::format("{}", i), layout));
  }
  rest.RefuseOthers();
  header.RefuseOthers();
}

uint32_t RegisterFromJson(const Generation& generation, uint32_t byte_address, const Json& json,
                          const std::string& path, Status* status) {
  if (!json.is_object()) {
    uint64_t value = 0;
    if (!ReadJsonUint(json, UINT32_MAX, value) && status->ok()) {
      *status = MakeError(ErrorCode::kInvalid, path + ": must be a 32-bit number or an object");
    }
    return static_cast<uint32_t>(value);
  }
  JsonFields fields(json, path, status);
  const WordLayout layout = Register(generation, byte_address);
  const std::string name = fields.TextOr("register", layout.name);
  if (name != layout.name) {
    fields.Fail("register", fmt::format("'{}' is not the register at 0x{:x}, that is '{}'",
                                        Shown(name), byte_address, layout.name));
  }
  const uint32_t word = ReadFields(fields, layout, ReadRest(fields, "rest", layout));
  fields.RefuseOthers();
  return word;
}

void WriteFromJson(const Chain& chain, Task& task, JsonFields fields) {
  RegisterWrite write;
  write.byte_address = fields.U32("address");
  write.sparse = fields.Has("mask");
  write.mask = fields.U16Or("mask", 0);
  write.reserved = static_cast<uint16_t>(fields.UintOr("reserved", 0, 0x3ff));
  const Json& registers = fields.Array("registers");
  const size_t most = write.sparse ? 1 + static_cast<size_t>(std::popcount(write.mask)) : 64;
  const size_t least = write.sparse ? most : 1;
  if (registers.size() < least || registers.size() > most) {
    fields.Fail("registers",
                fmt::format("{} values, a write has {} to {}", registers.size(), least, most));
    return;
  }
  write.first = static_cast<uint32_t>(task.values.size());
  write.count = static_cast<uint16_t>(registers.size());
  for (size_t i = 0; i < registers.size(); ++i) {
    task.values.push_back(RegisterFromJson(*chain.generation, AddressOf(write, i), registers[i],
                                           fields.Path(fmt::format("registers[{}]", i)),
                                           fields.status()));
  }
  fields.RefuseOthers();
  task.writes.push_back(write);
}

Task TaskFromJson(Chain& chain, const Json& json, size_t index, Status* status) {
  JsonFields fields(json, fmt::format("tasks[{}]", index), status);
  Task task;
  task.padding = static_cast<uint32_t>(fields.UintOr("padding", 0, 0xffffff));
  HeaderFromJson(chain, task, JsonFields(fields.Object("header"), fields.Path("header"), status));
  if (fields.Has("extra_word")) task.extra_word = fields.U32("extra_word");
  const Json& writes = fields.Array("writes");
  for (size_t i = 0; i < writes.size(); ++i) {
    WriteFromJson(chain, task,
                  JsonFields(writes[i], fields.Path(fmt::format("writes[{}]", i)), status));
  }
  fields.RefuseOthers();
  const uint32_t words = TaskBytes(chain, task) / 4 & 0x7ff;
  if (!IsV7(chain) && fields.Object("header").contains("TaskSize") &&
      (task.header[0] >> 16 & 0x7ff) != words) {
    fields.Fail("header.TaskSize", fmt::format("must be {}, the words of the task", words));
  }
  return task;
}

// Sets the offsets of version-7 tasks and the header fields that follow from these offsets.
void PlaceV7(Chain& chain, const Json& tasks) {
  uint32_t offset = 0;
  for (size_t i = 0; i < chain.tasks.size(); ++i) {
    Task& task = chain.tasks[i];
    Status ignored;
    const Json& header = JsonFields(tasks[i], "", &ignored).Object("header");
    const bool last = i + 1 == chain.tasks.size();
    task.offset = offset;
    task.size = TaskBytes(chain, task);
    if (!header.contains("NextPointer")) {
      task.header[kV7NextPointerWord] = last ? 0 : NextOffset(chain, task);
    }
    if (!header.contains("NextSize")) {
      SetV7NextSize(task, last ? 0 : TaskBytes(chain, chain.tasks[i + 1]) / 4 - 1);
    }
    offset = task.header[kV7NextPointerWord];
  }
}

// Sets task offsets for versions other than 7. Returns false if padding makes them too large.
bool PlaceSequential(Chain& chain) {
  uint32_t offset = chain.section_header ? 4 * kSectionHeaderWords : 0;
  for (Task& task : chain.tasks) {
    if (offset + uint64_t{task.padding} * kPaddingUnit > kMaxText) return false;
    task.offset = offset + task.padding * kPaddingUnit;
    task.size = TaskBytes(chain, task);
    task.header[0] = (task.header[0] & ~0x07ff0000u) | ((task.size / 4 & 0x7ff) << 16);
    offset = NextOffset(chain, task);
  }
  return true;
}

}  // namespace

Json ChainToJson(const Chain& chain) {
  Json object = {{"version", chain.generation->version},
                 {"derived",
                  {{"family", chain.generation->family},
                   {"evidence", FactEvidenceName(chain.generation->evidence)}}}};
  if (chain.other_header_words != 0) {
    object["derived"]["other_header_words"] = chain.other_header_words;
  }
  if (chain.version_guessed) {
    Json others = Json::array();
    for (const Generation* other : chain.other_generations) others.push_back(other->version);
    object["derived"]["version_guessed"] = true;
    object["derived"]["also_decodes_as"] = std::move(others);
  }
  if (chain.section_header) object["section_header"] = true;
  if (chain.header_words != chain.generation->header_words) {
    object["header_words"] = chain.header_words;
  }
  Json tasks = Json::array();
  for (size_t i = 0; i < chain.tasks.size(); ++i) tasks.push_back(TaskToJson(chain, i));
  object["tasks"] = std::move(tasks);
  const Task& last = chain.tasks.back();
  if (chain.size != last.offset + last.size) object["size"] = HexNumber(chain.size);
  return object;
}

Result<Chain> ChainFromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  if (fields.TextOr("format", "td") != "td") {
    fields.Fail("format", "is not td: this is the JSON of another format");
  }
  const uint32_t version = fields.U32("version");
  if (!status.ok()) return status.error();
  Chain chain;
  ANECHECK_ASSIGN(chain.generation, GenerationOfVersion(version));
  const uint64_t words = fields.UintOr("header_words", chain.generation->header_words, 10);
  if (words != chain.generation->header_words &&
      (words == 0 || words != chain.generation->alternate_header_words)) {
    fields.Fail("header_words",
                fmt::format("version {} has no header of {} words", version, words));
  }
  chain.header_words = static_cast<uint8_t>(words);
  if (fields.BoolOr("section_header", false)) chain.section_header = {{1, 0, 0, 0}};
  const Json& tasks = fields.Array("tasks");
  if (tasks.empty()) fields.Fail("tasks", "a chain has at least one task");
  for (size_t i = 0; i < tasks.size() && status.ok(); ++i) {
    chain.tasks.push_back(TaskFromJson(chain, tasks[i], i, &status));
  }
  if (!status.ok()) return status.error();
  bool small = true;
  if (IsV7(chain)) {
    PlaceV7(chain, tasks);
  } else {
    small = PlaceSequential(chain);
  }
  const Task& last = chain.tasks.back();
  chain.size = fields.U32Or("size", last.offset + last.size);
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  for (const Task& task : chain.tasks) small = small && task.offset <= kMaxText;
  if (chain.size > kMaxText || !small) {
    return MakeError(ErrorCode::kLimit, "size: a text section of more than 256 MiB is not written");
  }
  return chain;
}

}  // namespace anecheck::td
