#include "harness/encoder/ane_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <span>
#include <utility>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/round_up.h"
#include "harness/emulator/field_table.h"
#include "harness/encoder/task.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/record/typed_record.h"
#include "harness/formats/td/td.h"

namespace anecheck::encoder {
namespace {

constexpr uint64_t kHeaderBytes = 0x800;
constexpr uint64_t kCompilersHeaderBytes = 0x1000;  // the header of anecc, as in real files
constexpr uint32_t kBars = 32;
constexpr uint64_t kPage = 0x4000;
constexpr uint64_t kGranule = 16;
constexpr uint32_t kVersion7 = 7;
// Numbers of base addresses on H13 (layout.md): constants, scratch, and the first tensor.
constexpr uint32_t kConstantsBar = 1, kScratchBar = 3, kFirstTensorBar = 4;
constexpr uint32_t kFp16Type = 5;
constexpr uint32_t kBssSection = 0x25;
// Registers of streams (register_semantics.csv): the enable bit, and the offset in the constants.
constexpr uint32_t kStreamConfig = 0x1f808, kStreamBase = 0x1f848;
constexpr uint32_t kKernelWord = 9, kKernelOfConstants = 0x20 | kConstantsBar;
constexpr uint64_t kMostBytes = uint64_t{1} << 31;

// Returns the number of pages for the product of `factors`, in bytes. Error: kLimit if the number
// does not fit the header.
Result<uint32_t> Pages(std::initializer_list<uint64_t> factors) {
  const auto bytes = CheckedProduct<uint64_t>(std::span(factors.begin(), factors.end()));
  const auto rounded = bytes ? CheckedRoundUp(*bytes, kPage) : std::nullopt;
  if (rounded && *rounded / kPage <= UINT32_MAX) return static_cast<uint32_t>(*rounded / kPage);
  return MakeError(ErrorCode::kLimit,
                   fmt::format("{} bytes behind one base address: the file of the driver counts "
                               "pages in 32 bits, give the address less",
                               fmt::join(factors, " x ")));
}

struct TensorEntry {
  std::array<uint64_t, 4> shape = {};
  uint64_t plane = 0, row = 0;
};

struct Header {
  uint64_t bytes = 0;
  uint32_t first_task = 0, tasks = 0;
  uint64_t text = 0, constants = 0;
  uint32_t inputs = 0, outputs = 0;
  std::array<uint32_t, kBars> pages = {};
  std::array<TensorEntry, kBars> tensors = {};
  uint64_t text_at = kHeaderBytes;  // not a field of the file
};
constexpr auto kHeaderRecord = RecordOf<Header>(
    "github eiln/ane, libane/ane.h", FactEvidence::kPublicNotes, Field{"size", &Header::bytes},
    Field{"td_size", &Header::first_task}, Field{"td_count", &Header::tasks},
    Field{"tsk_size", &Header::text}, Field{"krn_size", &Header::constants},
    Field{"src_count", &Header::inputs}, Field{"dst_count", &Header::outputs},
    Field{"tiles", &Header::pages}, Field{"nchw", &Header::tensors});
constexpr uint64_t kTextAt = kHeaderRecord.OffsetOf("tsk_size");
constexpr uint64_t kInputsAt = kHeaderRecord.OffsetOf("src_count");
constexpr uint64_t kPagesAt = kHeaderRecord.OffsetOf("tiles");

Bytes WriteHeader(const Header& header) {
  ByteWriter writer;
  kHeaderRecord.Write(header, writer);
  Bytes bytes = std::move(writer).Take();
  bytes.resize(kHeaderBytes);
  return bytes;
}

// Returns the offset of the task words. The padding of a header is all zeros, but no task is.
uint64_t TextPlace(ByteSpan bytes) {
  if (bytes.size() <= kCompilersHeaderBytes) return kHeaderBytes;
  const ByteSpan padding = bytes.subspan(kHeaderBytes, kCompilersHeaderBytes - kHeaderBytes);
  const bool zeros = std::ranges::all_of(padding, [](uint8_t byte) { return byte == 0; });
  return zeros ? kCompilersHeaderBytes : kHeaderBytes;
}

Result<Header> ReadHeader(ByteSpan bytes) {
  ByteReader reader(bytes);
  Header header;
  kHeaderRecord.Read(reader, header);
  ANECHECK_RETURN_IF_ERROR(reader.status());
  const auto malformed = [](std::string what, uint64_t offset) {
    return MakeError(ErrorCode::kMalformed, std::move(what), offset);
  };
  if (header.text == 0 || header.text > kMostBytes || header.constants > kMostBytes) {
    return malformed(
        fmt::format("{} bytes of tasks and {} of constants", header.text, header.constants),
        kTextAt);
  }
  header.text_at = TextPlace(bytes);
  const uint64_t end = header.text_at + RoundUp(header.text, kGranule) + header.constants;
  if (end > bytes.size()) {
    return MakeError(
        ErrorCode::kTruncated,
        fmt::format("tasks and constants end at {}, the file has {} bytes", end, bytes.size()),
        kTextAt);
  }
  if (uint64_t{header.inputs} + header.outputs > kBars - kFirstTensorBar) {
    return malformed(fmt::format("{} inputs and {} outputs", header.inputs, header.outputs),
                     kInputsAt);
  }
  return header;
}

// Returns the section at an address of the aperture table, or null.
const hwx::Section* SectionAt(const hwx::Container& container, uint64_t address) {
  const auto found = std::ranges::find(container.sections, address, &hwx::Section::addr);
  return address == 0 || found == container.sections.end() ? nullptr : &*found;
}

struct Tensors {
  const hwx::Container& container;

  Result<TensorEntry> At(uint64_t address, bool& output) const {
    const auto port = std::ranges::find(container.ports, address, &hwx::Port::vmaddr);
    for (const hwx::Thread& thread : container.threads) {
      if (port == container.ports.end() || !hwx::IsTensor(thread)) continue;
      const hwx::TensorRecord record = hwx::TensorOf(thread);
      if (record.name != port->name) continue;
      if (record.element_type != kFp16Type) {
        return MakeError(ErrorCode::kUnsupported, fmt::format("{} is not fp16", port->name));
      }
      output = record.direction == hwx::kOutput;
      TensorEntry entry{.plane = record.strides[1], .row = record.strides[2]};
      std::ranges::copy(record.shape, entry.shape.begin());
      return entry;
    }
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("no tensor lies at base address 0x{:x}", address));
  }
};

Status PlaceTensors(const hwx::Container& container, const hwx::Thread& table, Header& header) {
  for (uint32_t bar = kFirstTensorBar; bar < kBars; ++bar) {
    const uint64_t address = hwx::Pair(table, 2 * bar);
    if (address == 0) break;
    bool output = false;
    ANECHECK_ASSIGN(header.tensors[bar], Tensors{container}.At(address, output));
    if (output && header.inputs > 0) {
      return MakeError(ErrorCode::kUnsupported,
                       "inputs in front of outputs: the driver takes outputs first");
    }
    ++(output ? header.outputs : header.inputs);
    const TensorEntry& tensor = header.tensors[bar];
    ANECHECK_ASSIGN(header.pages[bar], Pages({tensor.shape[0], tensor.shape[1], tensor.plane}));
  }
  return {};
}

}  // namespace

bool LooksLikeAne(ByteSpan bytes) {
  const auto header = ReadHeader(bytes);
  return header.ok() && header->tasks > 0 && header->pages[0] > 0 &&
         header->bytes + header->text_at <= bytes.size() &&
         header->bytes >= header->text + header->constants;
}

Result<Bytes> AneOfContainer(ByteSpan bytes) {
  ANECHECK_ASSIGN(const hwx::Container container, hwx::Parse(bytes));
  const auto table = std::ranges::find_if(container.threads, hwx::IsApertureTable);
  const hwx::Section* text = container.Text();
  if (table == container.threads.end() || text == nullptr || text->tasks == nullptr ||
      text->tasks->generation->version != kVersion7) {
    return MakeError(ErrorCode::kUnsupported, "the driver runs only tasks of H13");
  }
  const hwx::Section* constants = SectionAt(container, hwx::Pair(*table, 2 * hwx::kConstSlot));
  const hwx::Section* scratch = SectionAt(container, hwx::Pair(*table, 2 * hwx::kBssSlot));
  Header header;
  header.first_task = text->tasks->tasks.front().size;
  header.tasks = static_cast<uint32_t>(text->tasks->tasks.size());
  // Constants begin at a multiple of kLine, as streams do.
  header.text = RoundUp(text->data.size(), kLine);
  header.constants = constants == nullptr ? 0 : constants->data.size();
  header.bytes = header.text + header.constants;
  ANECHECK_ASSIGN(header.pages[0], Pages({header.bytes}));
  if (scratch != nullptr) {
    ANECHECK_ASSIGN(header.pages[kScratchBar], Pages({scratch->size}));
  }
  ANECHECK_RETURN_IF_ERROR(PlaceTensors(container, *table, header));
  Bytes file = WriteHeader(header);
  file.insert(file.end(), text->data.begin(), text->data.end());
  file.resize(kHeaderBytes + header.text);
  if (constants != nullptr) {
    file.insert(file.end(), constants->data.begin(), constants->data.end());
  }
  return file;
}

namespace {

Result<hwx::TensorSpec> PortOf(const TensorEntry& tensor, std::string name, bool output) {
  hwx::TensorSpec spec{.name = std::move(name), .output = output, .element_type = kFp16Type};
  for (size_t i = 0; i < spec.shape.size(); ++i) {
    if (tensor.shape[i] == 0 || tensor.shape[i] > kMaxChannels) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: an axis of {}", spec.name, tensor.shape[i]));
    }
    spec.shape[i] = static_cast<uint32_t>(tensor.shape[i]);
  }
  if (tensor.row < 2 * tensor.shape[3] || tensor.plane < tensor.row * tensor.shape[2] ||
      tensor.plane > kMostBytes / tensor.shape[1] / tensor.shape[0]) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: planes of {} and rows of {} bytes",
                                                        spec.name, tensor.plane, tensor.row));
  }
  spec.strides = {tensor.plane * tensor.shape[1], tensor.plane, tensor.row, 2};
  return spec;
}

// Returns the value of an H13 task's field, or `absent` if the task does not write its register.
uint32_t ValueOf(const td::Task& task, emulator::Field field, uint32_t absent) {
  using emulator::FieldTable;
  static const FieldTable& table = FieldTable::Of(emulator::Generation::kH13);
  const auto entry = std::ranges::find(table.entries(), field,
                                       [](const FieldTable::Entry& e) { return e.row->field; });
  const emulator::Place& place = entry->place;
  const uint32_t mask = (uint32_t{1} << place.width) - 1;
  if (place.kind == emulator::PlaceKind::kHeader) {
    return task.header[place.address] >> place.bit & mask;
  }
  const auto word = task.Find(place.address);
  return word ? *word >> place.bit & mask : absent;
}

struct BarUse {
  bool read = false, written = false;
};
using BarUses = std::array<BarUse, kBars>;

BarUses UsesOf(const td::Chain& chain) {
  using emulator::Field;
  constexpr std::array<std::pair<Field, Field>, 3> kReads = {
      {{Field::kSource1Bound, Field::kSource1Bar},
       {Field::kSource2Bound, Field::kSource2Bar},
       {Field::kKernelBound, Field::kKernelBar}}};
  BarUses uses;
  for (const td::Task& task : chain.tasks) {
    for (const auto& [bound, bar] : kReads) {
      if (ValueOf(task, bound, 0) != 0) uses[ValueOf(task, bar, 0)].read = true;
    }
    if (ValueOf(task, Field::kResultBound, 0) != 0 && ValueOf(task, Field::kResultEnable, 1) != 0) {
      uses[ValueOf(task, Field::kResultBar, 0)].written = true;
    }
  }
  return uses;
}

// Returns, for each base address from the first tensor's on, whether it is an output.
std::vector<bool> OutputsOf(const Header& header, const td::Chain& chain,
                            std::vector<std::string>* warnings) {
  const BarUses uses = UsesOf(chain);
  std::vector<bool> outputs(header.outputs, true);
  outputs.resize(header.outputs + header.inputs, false);
  const auto tensors = std::span(uses).subspan(kFirstTensorBar, outputs.size());
  if (std::ranges::none_of(tensors, &BarUse::written)) return outputs;
  std::vector<size_t> written, only_read;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool output = tensors[i].written || (outputs[i] && !tensors[i].read);
    if (output != outputs[i]) (output ? written : only_read).push_back(kFirstTensorBar + i);
    outputs[i] = output;
  }
  if (warnings == nullptr || (written.empty() && only_read.empty())) return outputs;
  std::string said;
  if (!written.empty()) {
    said = fmt::format("tasks write base address {}, which the header calls an input",
                       fmt::join(written, ", "));
  }
  if (!only_read.empty()) {
    said += fmt::format("{} base address {}, which the header calls an output",
                        said.empty() ? "tasks only read" : "; they only read",
                        fmt::join(only_read, ", "));
  }
  warnings->push_back(said + "; the tasks decide which are outputs");
  return outputs;
}

}  // namespace

Result<Bytes> ContainerOfAne(ByteSpan bytes, std::vector<std::string>* warnings) {
  ANECHECK_ASSIGN(const Header header, ReadHeader(bytes));
  ANECHECK_ASSIGN(const td::Generation* generation, td::GenerationOfVersion(kVersion7));
  hwx::ContainerSpec spec;
  spec.cpusubtype = generation->cpusubtype;
  spec.compiler_name = "anecheck";
  spec.options = {"-t h13", "-i model.ane", "-o model.hwx"};
  ANECHECK_ASSIGN(spec.tasks, td::Decode(bytes.subspan(header.text_at, header.text), *generation,
                                         header.text_at));
  const ByteSpan constants =
      bytes.subspan(header.text_at + RoundUp(header.text, kGranule), header.constants);
  spec.constants.assign(constants.begin(), constants.end());
  spec.slots_in_order = true;
  size_t inputs = 0, outputs = 0;
  for (const bool output : OutputsOf(header, spec.tasks, warnings)) {
    const TensorEntry& tensor = header.tensors[kFirstTensorBar + inputs + outputs];
    std::string name =
        output ? fmt::format("output_{}", outputs++) : fmt::format("input_{}", inputs++);
    ANECHECK_ASSIGN(hwx::TensorSpec port, PortOf(tensor, std::move(name), output));
    spec.tensors.push_back(std::move(port));
  }
  const uint32_t scratch = header.pages[kScratchBar];
  if (scratch > kMostBytes / kPage) {
    return MakeError(ErrorCode::kMalformed, fmt::format("{} pages of scratch", scratch), kPagesAt);
  }
  if (scratch > 0) {
    spec.extra_segments.push_back({.segname = "__DATA",
                                   .sectname = "__bss",
                                   .section_flags = kBssSection,
                                   .size = scratch * kPage});
  }
  for (uint32_t i = 0; i < spec.tasks.tasks.size() && !spec.constants.empty(); ++i) {
    const td::Task& task = spec.tasks.tasks[i];
    if ((task.header[kKernelWord] & 0x3f) != kKernelOfConstants) continue;
    for (uint32_t engine = 0; engine < kEngineCount; ++engine) {
      const auto config = task.Find(kStreamConfig + 4 * engine);
      if (config && (*config & 1) != 0) {
        spec.constant_registers.push_back({i, kStreamBase + 4 * engine});
      }
    }
  }
  return hwx::BuildBytes(std::move(spec));
}

Result<Bytes> AsContainer(Bytes bytes, std::vector<std::string>* warnings) {
  if (LooksLikeAne(bytes)) return ContainerOfAne(bytes, warnings);
  return bytes;
}

}  // namespace anecheck::encoder
