// Makes the records of a hardware container from tensors, tasks and weights. Used by the simulated
// compiler, the generators and the tests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/td/td.h"

namespace anecheck::hwx {

// A tensor that is bound through a port and a window. Shape and byte strides are N, C, H, W.
struct TensorSpec {
  std::string name;
  bool output = false;
  uint32_t element_type = 5;  // catalog id; 5 is float16
  std::array<uint32_t, 4> shape = {1, 1, 1, 1};
  std::array<uint64_t, 4> strides = {64, 64, 64, 2};
};
// Returns strides in bytes as real files have them. Rows are padded to 64 bytes, and planes and
// batches follow each other without gaps.
std::array<uint64_t, 4> PackedStrides(const std::array<uint32_t, 4>& shape, uint64_t element_bytes);

// A kernel, which has one tile per lane. Build pads each tile to a multiple of 64 bytes. Each lane
// from the number of tiles up to `lanes` gets a sentinel. A table (`table` is true) has exactly one
// tile, and the name of its symbol has no lane.
struct KernelSpec {
  std::string name;  // "K" and 64 hexadecimal digits
  std::vector<Bytes> tiles;
  uint32_t lanes = 0;
  bool table = false;
  uint32_t task = 0;  // the task that reads it
};

// A name for an offset in ContainerSpec::constants or in the kernel segment's data.
struct ConstantSymbol {
  std::string name;
  uint64_t offset = 0;
};

// A register of a task. Its value is an offset in the constants.
struct ConstantRegister {
  uint32_t task = 0;
  uint32_t address = 0;  // in bytes
};

// An additional segment, such as __DEBUG, or __DATA with a bss section.
struct ExtraSegment {
  std::string segname;
  std::string sectname;
  uint32_t section_flags = 0x25;
  uint64_t size = 0;  // for a section without file bytes; otherwise the size of `data`
  Bytes data;
};

struct ContainerSpec {
  uint32_t cpusubtype = 4;
  std::string compiler_name = std::string(kAppleCompiler);
  std::string compiler = "4.2.1";
  std::vector<BannerModule> modules;  // compilers 7.6 and later; refers to texts of the caller
  std::vector<std::string> options = {"-t h13", "-i ./net.plist", "-o ./model.hwx"};
  std::string procedure = "net";
  std::vector<TensorSpec> tensors;
  td::Chain tasks;  // Build sets its offsets and sizes
  std::vector<KernelSpec> kernels;
  // An alternative to `kernels`: constants that are already laid out, and the registers that
  // already contain the offsets of the constants.
  Bytes constants;
  std::vector<ConstantSymbol> constant_symbols;
  std::vector<ConstantRegister> constant_registers;
  uint64_t const_size = 0;  // minimum size of __TEXT,__const; kernels may need more
  // The slots of the table of base addresses. A slot has 8 * `slot_step` bytes. `first_tensor_slot`
  // is the index of a slot. From H14 on a slot has 16 bytes, and tensors have slots in the order of
  // their names (header_forms.md, 4).
  uint32_t slot_step = 1;
  uint32_t first_tensor_slot = 4;
  bool slots_by_name = false;
  bool slots_in_order = false;  // slots in the order of `tensors`, not outputs or inputs first
  bool kernel_segment = false;  // kernels in __KERN_0,__kern_0 (specification 000)
  // The complete content of the segment __KERN_0. If it is not empty, `kernels` must be empty.
  Bytes kernel_data;
  std::vector<ExtraSegment> extra_segments;  // placed before the windows and the text
  bool windows_first = false;                // compiler 9.509: windows before __TEXT
  bool wide_ports = false;                   // command 0x40 and the aperture table of compiler 7.6
  bool long_tensors = false;                 // tensor records of compiler 5 and later
  size_t catalog = 10;
  std::optional<std::string> source_note;  // compiler 5
  uint64_t base = kApertureBase;
};

// Builds the segments, sections, ports, threads, banner, symbols and relocations, and sets every
// size and offset. Errors: kInvalid if two parts of `spec` contradict each other.
Result<Container> Build(ContainerSpec spec);
Result<Bytes> BuildBytes(ContainerSpec spec);

}  // namespace anecheck::hwx
