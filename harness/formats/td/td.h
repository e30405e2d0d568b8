// Task descriptors as the text section of a hardware container stores them: a chain of tasks, each
// a header and a stream of register writes. Used by the hwx codec, the emulator and the lowering.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format.h"
#include "harness/formats/violation_list.h"

namespace anecheck::td {

// How a generation writes its register stream.
enum class Coding : uint8_t {
  kByteAddress,  // H13: [31:26] count - 1, [25:0] byte address (facts/hwx.md, real files)
  // H14 and later: [14:0] word address; [20:15] count - 1, or with bit 31 a mask of 16 in [30:15].
  // [28:21] are the number of a base address where bit 29 is set: the values are offsets in it
  // (header_forms.md: 46 records of H14 to H18 are read so).
  kWordAddress,
};

// One engine unit's registers. Addresses count in bytes.
struct RegisterBlock {
  std::string_view name;
  uint32_t byte_address;
  uint16_t registers;
};

// One silicon generation's descriptor layout. `alternate_header_words` and `alternate_blocks` are
// those of a second source; 0 and none without one. `convolution_word` and `aperture_stride` (bytes
// of a record of the container's aperture table) are of more/crossgen_container.csv; 0 where it has
// none.
struct Generation {
  uint32_t version;
  std::string_view family;
  uint32_t cpusubtype;
  Coding coding;
  uint8_t header_words;
  uint8_t alternate_header_words;
  std::span<const RegisterBlock> blocks;
  std::span<const RegisterBlock> alternate_blocks;
  uint32_t convolution_word;
  uint32_t aperture_stride;
  FactEvidence evidence;
  std::string_view source;
};

// The generations whose coding is known: versions 7, 11, 8, 17, 19, 20 and 24.
std::span<const Generation> Generations();

// kUnsupported, naming the version, where the coding is unknown (5, 6) or is no stored form (10).
Result<const Generation*> GenerationOfVersion(uint32_t version);
// The generation of a container's cpusubtype (facts/hwx.md, later generations).
Result<const Generation*> GenerationOfSubtype(uint32_t cpusubtype);

// The block that holds a register by either source, or nullptr.
const RegisterBlock* FindBlock(const Generation& generation, uint32_t byte_address);

inline constexpr uint32_t kMaxHeaderWords = 10;
inline constexpr uint32_t kV7TaskStep = 0x100;  // facts/hwx.md: sizes are rounded up to this
inline constexpr uint32_t kPaddingUnit = 16;    // public guide: alignment of tasks from H14
inline constexpr uint32_t kSectionHeaderWords = 4;

// One instruction of a register stream: `count` values of the task from `first` on. Dense writes
// go to consecutive registers; a sparse write's first value goes to the base and the value of mask
// bit k to base + k + 1.
struct RegisterWrite {
  uint32_t byte_address = 0;
  uint32_t first = 0;
  uint16_t count = 0;
  uint16_t mask = 0;
  uint16_t reserved = 0;  // dense header bits [30:21] from H14: see kAddressPacket
  bool sparse = false;
};

// In `reserved`: the values are offsets behind base address `reserved & 0xff`.
inline constexpr uint16_t kAddressPacket = 0x100;

// The highest register that a write sets.
uint32_t LastAddress(const RegisterWrite& write);

// A task. `offset` counts from the start of the text section.
struct Task {
  uint32_t offset = 0;
  uint32_t size = 0;     // header and stream, without padding
  uint32_t padding = 0;  // from H14: 16-byte zero units before this task
  std::array<uint32_t, kMaxHeaderWords> header = {};
  // A word between header and stream, where the header announces one (AnnouncesExtraWord): the task
  // that wrote the surface of the coefficients (register_semantics.csv, header_forms.md).
  std::optional<uint32_t> extra_word;
  std::vector<RegisterWrite> writes;
  std::vector<uint32_t> values;

  std::span<const uint32_t> ValuesOf(const RegisterWrite& write) const {
    return {values.data() + write.first, write.count};
  }
  // Appends a dense write. Precondition: 1 to 64 values.
  void Write(uint32_t byte_address, std::span<const uint32_t> run);
  // Appends a sparse write. Precondition: one value more than `mask` has bits.
  void WriteSparse(uint32_t byte_address, uint16_t mask, std::span<const uint32_t> run);
  // The last value written to a register by this task's own stream.
  std::optional<uint32_t> Find(uint32_t byte_address) const;
};

// Whether the last word of a header of `header_words` words announces an extra word: its lowest two
// bits are set.
bool AnnouncesExtraWord(const Task& task, uint8_t header_words);

// Calls visit(byte_address, value) for every register that a write sets, in order.
template <typename Visit>
void ForEachRegister(const Task& task, const RegisterWrite& write, Visit visit) {
  const auto values = task.ValuesOf(write);
  if (!write.sparse) {
    for (size_t i = 0; i < values.size(); ++i) {
      visit(write.byte_address + 4 * static_cast<uint32_t>(i), values[i]);
    }
    return;
  }
  visit(write.byte_address, values[0]);
  size_t next = 1;
  for (uint32_t bit = 0; bit < 16; ++bit) {
    if ((write.mask >> bit & 1) != 0) visit(write.byte_address + 4 * (bit + 1), values[next++]);
  }
}

// Version-7 header fields that the chain itself needs (td_v7_fields.json, facts/hwx.md).
inline constexpr uint32_t kV7HeaderWords = 10;
inline constexpr uint32_t kV7NextPointerWord = 7;
inline constexpr uint32_t kV7PositionShift = 24;  // word 0, byte 3
enum V7Position : uint8_t { kFirst = 0, kMiddle = 1, kSingle = 2, kLast = 3 };
uint8_t V7PositionOf(const Task& task);
uint32_t V7NextSize(const Task& task);
void SetV7NextSize(Task& task, uint32_t words_minus_one);
std::string_view V7PositionName(uint8_t position);

struct Chain {
  const Generation* generation = nullptr;
  uint8_t header_words = 0;
  std::optional<std::array<uint32_t, kSectionHeaderWords>> section_header;  // from H14
  std::vector<Task> tasks;
  uint32_t size = 0;  // bytes of the text section

  // The questions that the bytes leave open: another length of the headers under which as many
  // writes lie in blocks, and the generations that a bare section can be read as just as
  // completely.
  uint8_t other_header_words = 0;
  bool version_guessed = false;
  std::vector<const Generation*> other_generations;
};

// Decodes a text section of a known version. `base` is the absolute offset of text[0], for
// messages. kMalformed where a chain loops, a run leaves its task or bytes are left over.
Result<Chain> Decode(ByteSpan text, const Generation& generation, uint64_t base = 0);
// Decodes under the version that fits the bytes best (a bare section does not carry it) and lists
// the others under which they decode.
Result<Chain> DecodeAnyVersion(ByteSpan text);
// The writes of `chain` that do not lie in one block of its generation.
size_t WritesOutsideBlocks(const Chain& chain);
// The formats `td:<version>`, in the order of Generations().
std::span<const Format> VersionFormats();
// The format `td:<version>`, which reads every section as of that version. kUnsupported or
// kNotFound where there is none.
Result<const Format*> FormatOfVersion(std::string_view version);

// The exact inverse of Decode. kInvalid where tasks overlap or a run has an impossible length.
Result<Bytes> Encode(const Chain& chain);

// Places tasks and sets the values that follow from their order: offsets, sizes, next pointers,
// next sizes and, for version 7, position bytes.
void Layout(Chain& chain);
// The offset at which the task after `previous` goes where nothing says otherwise.
uint32_t NextOffset(const Chain& chain, const Task& previous);
// Header and stream of `task` in bytes.
uint32_t TaskBytes(const Chain& chain, const Task& task);

// The registers of the engine as tasks are applied in order: values stay from task to task
// (public guide, stateful carry-over).
class RegisterState {
 public:
  void Apply(const Task& task);
  std::optional<uint32_t> Get(uint32_t byte_address) const;
  size_t size() const { return values_.size(); }

 private:
  std::map<uint32_t, uint32_t> values_;
};

// H14 and H15 place the task type and the formats one way, later generations another
// (h14_registers.csv, h15_registers.csv, h16_registers.csv).
bool PlacesAsH14(const Generation& generation);

// The request of the state after a task to the engine, as far as the public guide names it
// (generations from H14): the task type, and input and output element formats with the defaults
// that hold if no task wrote them.
struct TaskSummary {
  std::optional<uint32_t> task_type;
  uint32_t in_format = 0;
  uint32_t out_format = 0;
};
TaskSummary Summarise(const Generation& generation, const RegisterState& state);
// "int8", "uint8", "float16"; empty for other codes (more/hwx_stream_rules.csv).
std::string_view ElementFormatName(uint32_t code);

// The image offset of a version-7 register, 0 where the register is in no block.
uint32_t V7ImageOffset(uint32_t byte_address);
// Specification 000, table 23.8: the operation named for an opcode word, or an empty string.
std::string_view OpcodeName(uint32_t word);

// JSON of a chain and back, for the td and hwx formats. ChainFromJson(ChainToJson(c)) encodes to
// the same bytes; values that follow from other fields may be left out.
Json ChainToJson(const Chain& chain);
Result<Chain> ChainFromJson(const Json& json);

// The evidence for the fields of ChainToJson (see Format::fields) under the member `prefix` (empty:
// at the top): `coding` is the evidence of how the generation is coded, `version` the row of the
// version's own field without its path.
std::vector<FieldFact> ChainFacts(const std::string& prefix, FactEvidence coding,
                                  const FieldFact& version);

// For people; `indent` spaces before every line.
std::string PrintChain(const Chain& chain, int indent);
// Appends the same to a text: the text of a long chain takes many times the chain's bytes.
void PrintChain(const Chain& chain, int indent, std::string& text);

// Broken rules of kFormat_td, in file order.
std::vector<Violation> VerifyChain(const Chain& chain);
// The same for a chain that begins at `base` of its file.
void VerifyChain(const Chain& chain, uint64_t base, ViolationList& violations);

// Claims the words of the chain that have named fields as typed; of the others zeros as fill and
// the rest as opaque. `base` is the place of the text section in the map's file. The zeros between
// tasks stay unclaimed.
void ClaimChain(const Chain& chain, uint64_t base, ByteKindMap* map);

}  // namespace anecheck::td

namespace anecheck {
extern const Format kFormat_td;
}  // namespace anecheck
