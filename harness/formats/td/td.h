// Task descriptors in the text section of a hardware container. They form a chain of tasks, and
// each task has a header and a stream of register writes. Used by the hwx codec, the emulator and
// the lowering.
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

// The coding of a generation's register stream.
enum class Coding : uint8_t {
  kByteAddress,  // H13: [31:26] count - 1, [25:0] byte address (facts/hwx.md, real files)
  // H14 and later: [14:0] word address; [20:15] count - 1. If bit 31 is set, [30:15] are a mask of
  // 16 bits in place of the count. Otherwise, if bit 29 is set, [28:21] are the number of a base
  // address, and the values are offsets from that address (header_forms.md, confirmed by 46 records
  // of H14 to H18).
  kWordAddress,
};

// The registers of one unit of the engine. Addresses are in bytes.
struct RegisterBlock {
  std::string_view name;
  uint32_t byte_address;
  uint16_t registers;
};

// The descriptor layout of one silicon generation. `alternate_header_words` and `alternate_blocks`
// are the values of a second source. They are 0 and empty if there is no second source.
// `convolution_word` and `aperture_stride` (bytes of a record in the container's aperture table)
// are from more/crossgen_container.csv. They are 0 if that file has no value.
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

// Errors: kUnsupported, with the version, if its coding is unknown (5, 6) or not in files (10).
Result<const Generation*> GenerationOfVersion(uint32_t version);
// Returns the generation of a container's cpusubtype (facts/hwx.md, later generations).
Result<const Generation*> GenerationOfSubtype(uint32_t cpusubtype);

// Returns the block with a register according to the first or second source, or nullptr.
const RegisterBlock* FindBlock(const Generation& generation, uint32_t byte_address);

inline constexpr uint32_t kMaxHeaderWords = 10;
inline constexpr uint32_t kV7TaskStep = 0x100;  // facts/hwx.md: sizes are rounded up to this
inline constexpr uint32_t kPaddingUnit = 16;    // public guide: alignment of tasks from H14
inline constexpr uint32_t kSectionHeaderWords = 4;

// One instruction of a register stream. Its `count` values begin at index `first` of the task's
// values. A dense write sets consecutive registers. A sparse write sets the base register with its
// first value, and register base + k + 1 with the value for each set bit k of the mask.
struct RegisterWrite {
  uint32_t byte_address = 0;
  uint32_t first = 0;
  uint16_t count = 0;
  uint16_t mask = 0;
  uint16_t reserved = 0;  // bits [30:21] of a dense write from H14 on; see kAddressPacket
  bool sparse = false;
};

// If this bit of `reserved` is set, the values are offsets from base address `reserved & 0xff`.
inline constexpr uint16_t kAddressPacket = 0x100;

// Returns the byte address of the highest register that a write sets.
uint32_t LastAddress(const RegisterWrite& write);

// A task. `offset` counts from the start of the text section.
struct Task {
  uint32_t offset = 0;
  uint32_t size = 0;     // header and stream, without padding
  uint32_t padding = 0;  // the number of 16-byte zero units before this task, from H14 on
  std::array<uint32_t, kMaxHeaderWords> header = {};
  // A word between header and stream, present if AnnouncesExtraWord is true. It identifies the task
  // that wrote the surface of the coefficients (register_semantics.csv, header_forms.md).
  std::optional<uint32_t> extra_word;
  std::vector<RegisterWrite> writes;
  std::vector<uint32_t> values;

  std::span<const uint32_t> ValuesOf(const RegisterWrite& write) const {
    return {values.data() + write.first, write.count};
  }
  // Appends a dense write. Precondition: 1 to 64 values.
  void Write(uint32_t byte_address, std::span<const uint32_t> run);
  // Appends a sparse write. Precondition: `run` has one value more than `mask` has set bits.
  void WriteSparse(uint32_t byte_address, uint16_t mask, std::span<const uint32_t> run);
  // Returns the last value that this task's own stream writes to a register, or nothing.
  std::optional<uint32_t> Find(uint32_t byte_address) const;
};

// Returns whether an extra word follows a header of `header_words` words. It follows if the lowest
// two bits of the header's last word are set.
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

// Version-7 header fields that decoding and layout use (td_v7_fields.json, facts/hwx.md).
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
  std::optional<std::array<uint32_t, kSectionHeaderWords>> section_header;  // occurs from H14 on
  std::vector<Task> tasks;
  uint32_t size = 0;  // bytes of the text section

  // Other ways to decode the bytes. `other_header_words` is a second header length that fits the
  // blocks equally well. `other_generations` are other generations as which a section without a
  // container decodes.
  uint8_t other_header_words = 0;
  bool version_guessed = false;
  std::vector<const Generation*> other_generations;
};

// Decodes a text section of a known version. `base` is the absolute offset of text[0], for
// messages. Errors: kMalformed if the chain has a loop, if a write extends past its task, or if
// bytes remain.
Result<Chain> Decode(ByteSpan text, const Generation& generation, uint64_t base = 0);
// Decodes a section that is not in a container and so does not contain its version. Chooses the
// version that fits the bytes best. Lists the other versions as which the bytes decode.
Result<Chain> DecodeAnyVersion(ByteSpan text);
// Returns the number of writes of `chain` that are not inside one block of its generation.
size_t WritesOutsideBlocks(const Chain& chain);
// Returns the formats `td:<version>`, in the order of Generations().
std::span<const Format> VersionFormats();
// Returns the format `td:<version>`, which reads every section as that version. Errors:
// kUnsupported or kNotFound if there is no such format.
Result<const Format*> FormatOfVersion(std::string_view version);

// The inverse of Decode. Errors: kInvalid if tasks overlap or a write has an impossible length.
Result<Bytes> Encode(const Chain& chain);

// Places tasks and sets the values that follow from their order: offsets, sizes, next pointers,
// next sizes and, for version 7, position bytes.
void Layout(Chain& chain);
// Returns the offset that Layout gives to the task after `previous`.
uint32_t NextOffset(const Chain& chain, const Task& previous);
// Returns the size of the header and stream of `task`, in bytes.
uint32_t TaskBytes(const Chain& chain, const Task& task);

// The registers of the engine while tasks run in order. A register keeps its value from task to
// task (public guide, stateful carry-over).
class RegisterState {
 public:
  void Apply(const Task& task);
  std::optional<uint32_t> Get(uint32_t byte_address) const;
  size_t size() const { return values_.size(); }

 private:
  std::map<uint32_t, uint32_t> values_;
};

// Returns whether the generation has the registers of the task type and the formats at the
// addresses of H14 and H15. Later generations use other addresses (h14_registers.csv,
// h15_registers.csv, h16_registers.csv).
bool PlacesAsH14(const Generation& generation);

// The values of the register state after a task that the public guide explains (generations from
// H14): the task type, and the input and output element formats. The formats have their defaults if
// no task wrote them.
struct TaskSummary {
  std::optional<uint32_t> task_type;
  uint32_t in_format = 0;
  uint32_t out_format = 0;
};
TaskSummary Summarise(const Generation& generation, const RegisterState& state);
// Returns "int8", "uint8" or "float16", or "" for other codes (more/hwx_stream_rules.csv).
std::string_view ElementFormatName(uint32_t code);

// Returns the image offset of a version-7 register, or 0 if the register is in no block.
uint32_t V7ImageOffset(uint32_t byte_address);
// Returns the operation of an opcode word in specification 000, table 23.8, or an empty string.
std::string_view OpcodeName(uint32_t word);

// Convert a chain to JSON and back, for the td and hwx formats. ChainFromJson(ChainToJson(c))
// encodes to the same bytes as c. The JSON may leave out values that follow from other fields.
Json ChainToJson(const Chain& chain);
Result<Chain> ChainFromJson(const Json& json);

// Returns the evidence for the fields of ChainToJson (see Format::fields) under the member
// `prefix`. An empty `prefix` means the top level. `coding` is the evidence for the generation's
// coding. `version` is the row for the field "version", without its path.
std::vector<FieldFact> ChainFacts(const std::string& prefix, FactEvidence coding,
                                  const FieldFact& version);

// Returns the chain as text for users, with `indent` spaces before every line.
std::string PrintChain(const Chain& chain, int indent);
// Appends the text to `text` without a copy. The text is many times larger than the chain.
void PrintChain(const Chain& chain, int indent, std::string& text);

// Returns the violations of the rules of kFormat_td, in file order.
std::vector<Violation> VerifyChain(const Chain& chain);
// Adds the violations of a chain that begins at offset `base` of its file.
void VerifyChain(const Chain& chain, uint64_t base, ViolationList& violations);

// Claims words with named fields as typed, other words that are zero as fill, and all remaining
// words as opaque. `base` is the offset of the text section in the file of `map`. The zeros between
// tasks stay unclaimed.
void ClaimChain(const Chain& chain, uint64_t base, ByteKindMap* map);

}  // namespace anecheck::td

namespace anecheck {
extern const Format kFormat_td;
}  // namespace anecheck
