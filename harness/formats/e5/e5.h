// The dispatch descriptor (.e5), which has the chain of operations that the runtime submits to run
// a hardware container. The simulated compiler, the round trip and the e5rt runner use Program,
// Write and Parse. `anecheck inspect` uses kFormat_e5.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/flatbuffer/schema.h"
#include "harness/formats/format.h"

namespace anecheck::e5 {

// All operations of specification 000, listing 23.1. The numbers are assumed (e5.fbs).
enum class OpType : uint8_t {
  kCast,
  kAneInference,
  kEirInference,
  kCpuInference,
  kBnnsCpuInference,
  kMlcCpuInference,
  kMpsGraphInference,
  kE5MinimalCpu,
  kQuant,
  kDequant,
  kBarrier,
  kJitCall,
};
inline constexpr int kOpTypeCount = 12;
// Returns the name in symbols, for example "AneInference", or "" if `type` is above kJitCall.
std::string_view OpTypeName(OpType type);

// Source: facts/e5_schema.md. The numbers are assumed (e5.fbs).
enum class TensorDataType : int32_t {
  kInvalid,
  kFloat16,
  kFloat32,
  kInt8,
  kUInt8,
  kInt16,
  kInt32,
  kInt4,
  kBool,
  kE4M3,
  kE5M2,
};

inline constexpr int32_t kFormatVersion = 4;      // specification 000, table 23.2
inline constexpr uint64_t kStateStride = 0x4000;  // specification 000: 16-kilobyte strides

struct BuildInfoEntry {
  std::string key;
  std::string value;
  friend bool operator==(const BuildInfoEntry&, const BuildInfoEntry&) = default;
};

// Dimensions are in elements, strides in bytes. Source: specification 000, listing 23.2.
struct TensorDescriptor {
  std::array<uint64_t, 4> dim{};
  std::array<uint64_t, 4> stride{};
  uint64_t width = 0;
  uint64_t height = 0;
  uint64_t channels = 0;
  uint64_t batch_number = 0;
  uint64_t sequence_length = 0;
  uint64_t stride_width = 0;
  uint64_t stride_height = 0;
  uint64_t stride_channels = 0;
  uint64_t stride_batch_number = 0;
  uint64_t stride_sequence_length = 0;
  TensorDataType storage_type = TensorDataType::kFloat16;
  int32_t component_pack = 0;  // public notes only
  friend bool operator==(const TensorDescriptor&, const TensorDescriptor&) = default;
};

struct CastAttrs {
  TensorDataType src_dtype = TensorDataType::kFloat16;
  TensorDataType dst_dtype = TensorDataType::kFloat16;
  int32_t component_pack = 0;
  friend bool operator==(const CastAttrs&, const CastAttrs&) = default;
};

struct AneInferenceAttrs {
  std::string procedure_name;
  std::string anehash;
  std::string program_symbol;
  uint32_t intermediate_buffer_handle = 0;
  std::string compiler_options;
  friend bool operator==(const AneInferenceAttrs&, const AneInferenceAttrs&) = default;
};

// The other ten attribute tables. Their fields are unknown, so Write makes empty tables.
struct OpaqueAttrs {
  friend bool operator==(const OpaqueAttrs&, const OpaqueAttrs&) = default;
};

struct Operation {
  std::string name;  // "Op0_Cast"
  OpType type = OpType::kCast;
  std::vector<uint32_t> inputs;            // indices of Program::symbol_names
  std::vector<uint32_t> outputs;           // indices of Program::symbol_names
  std::vector<TensorDescriptor> operands;  // inputs, then outputs
  std::variant<OpaqueAttrs, CastAttrs, AneInferenceAttrs> attrs;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Block {
  std::string name;
  std::vector<Operation> operations;
  friend bool operator==(const Block&, const Block&) = default;
};

struct Function {
  std::string name;  // "main"
  std::string anehash_path;
  std::vector<Block> blocks;
  friend bool operator==(const Function&, const Function&) = default;
};

struct Port {
  std::string name;
  uint64_t byte_size = 0;
  uint64_t aperture_va = 0;
  friend bool operator==(const Port&, const Port&) = default;
};

// A state: an output bound to the buffer of an input, `addr_offset` bytes into the state area.
struct AliasSymbol {
  std::string name;
  uint32_t symbol_index = 0;  // index of Program::symbol_names
  uint32_t addr_offset = 0;
  friend bool operator==(const AliasSymbol&, const AliasSymbol&) = default;
};

struct Section {
  std::string name;
  int32_t kind = 0;
  friend bool operator==(const Section&, const Section&) = default;
};

struct Program {
  std::vector<std::string> symbol_names;
  std::vector<BuildInfoEntry> build_info;
  std::vector<Function> functions;
  std::vector<Port> input_ports;
  std::vector<Port> output_ports;
  std::vector<AliasSymbol> alias_symbols;
  // The sections that Parse read. For a program with functions, Write ignores them and makes two
  // sections per operation.
  std::vector<Section> sections;
  int32_t format_version = kFormatVersion;
  friend bool operator==(const Program&, const Program&) = default;
};

// Returns two sections per operation, its argument frame and its attributes (specification 000).
std::vector<Section> SectionsOf(const Program& program);

// Returns the bytes of a descriptor. Like public dumps of real descriptors, they begin with the
// root offset 0x14, four zero bytes and the vtable 0c00 1400 0400 0800 0c00 1000. The size depends
// only on names and counts. Errors: kInvalid if there are ports, aliases or functions but no
// operation (a reader reaches them through an operation's sections), if an operation has attributes
// of another kind, and if two operations have the same name (a reader finds sections by name).
Result<Bytes> Write(const Program& program);

// Reads a descriptor of any writer. Does not read objects to which sections refer in another way
// than e5.fbs assumes. Errors: those of the shape check, with the offset in the file.
Result<Program> Parse(ByteSpan bytes);

// The bytes of an operation's attributes, and the number of distinct values among them.
struct AttributeBytes {
  std::string_view section;  // a part of the file
  size_t bytes = 0;
  size_t values = 0;
};

// Returns one entry per section with attributes, in file order. Leaves out a section if the sum of
// the bytes would exceed eight times the size of the file. Precondition: Parse accepted the file.
std::vector<AttributeBytes> CountAttributes(ByteSpan bytes);

// The properties of a program from which a compiler makes its descriptor.
struct Outline {
  struct Tensor {
    std::string name;
    std::array<uint64_t, 4> shape{1, 1, 1, 1};  // batch, channels, height, width
    TensorDataType dtype = TensorDataType::kFloat16;
    uint64_t byte_size = 0;  // the size of the bound buffer
    uint64_t aperture_va = 0;
  };
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Tensor> states;  // each is an input and an output
  uint32_t segments = 1;       // the number of bridge cuts plus one
  std::string anehash;         // the hash of the hardware container
  std::vector<BuildInfoEntry> build_info;
};

// Makes the canonical chain of specification 000. It has one Cast per input or state, one
// AneInference per segment, and one Cast per output or state. The stride of states is 16 KiB.
Program MakeProgram(const Outline& outline);

// The schema that flatc compiled from e5.fbs.
const flatbuffer::Schema& WireSchema();

}  // namespace anecheck::e5

namespace anecheck {
extern const Format kFormat_e5;
}
