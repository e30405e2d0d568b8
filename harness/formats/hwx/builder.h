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

// A tensor bound through a port and a window. Shape and byte strides are N, C, H, W.
struct TensorSpec {
  std::string name;
  bool output = false;
  uint32_t element_type = 5;  // catalog id; 5 is float16
  std::array<uint32_t, 4> shape = {1, 1, 1, 1};
  std::array<uint64_t, 4> strides = {64, 64, 64, 2};
};
// The strides of real files: rows are padded to 64 bytes, and planes and batches follow each other
// without gaps.
std::array<uint64_t, 4> PackedStrides(const std::array<uint32_t, 4>& shape, uint64_t element_bytes);

// A kernel. It has one tile per lane; each tile is padded to a multiple of 64 bytes. Each lane from
// the number of tiles up to `lanes` gets a sentinel. A table (`table` is true) has exactly one
// tile, and its name has no lane.
struct KernelSpec {
  std::string name;  // "K" and 64 hexadecimal digits
  std::vector<Bytes> tiles;
  uint32_t lanes = 0;
  bool table = false;
  uint32_t task = 0;  // the task that reads it
};

// A name for a place in ContainerSpec::constants, or in the kernel segment's data.
struct ConstantSymbol {
  std::string name;
  uint64_t offset = 0;
};

// A register of a task that holds an offset in the constants.
struct ConstantRegister {
  uint32_t task = 0;
  uint32_t address = 0;  // in bytes
};

// A segment without a special role in the builder: __DEBUG, or __DATA with a bss section.
struct ExtraSegment {
  std::string segname;
  std::string sectname;
  uint32_t section_flags = 0x25;
  uint64_t size = 0;  // the size of a section without file bytes; else the size of `data`
  Bytes data;
};

struct ContainerSpec {
  uint32_t cpusubtype = 4;
  std::string compiler_name = std::string(kAppleCompiler);
  std::string compiler = "4.2.1";
  std::vector<BannerModule> modules;  // compilers 7.6 and later; their texts must outlive Build
  std::vector<std::string> options = {"-t h13", "-i ./net.plist", "-o ./model.hwx"};
  std::string procedure = "net";
  std::vector<TensorSpec> tensors;
  td::Chain tasks;  // Build lays it out
  std::vector<KernelSpec> kernels;
  // A container may have these instead of kernels: constants that are already laid out, and the
  // registers that already hold the offsets of the constants.
  Bytes constants;
  std::vector<ConstantSymbol> constant_symbols;
  std::vector<ConstantRegister> constant_registers;
  uint64_t const_size = 0;  // least bytes of __TEXT,__const; kernels may need more
  // Slots of the table of base addresses. From H14 on a slot has 16 bytes, and tensors are numbered
  // in the order of their names (header_forms.md, 4). `first_tensor_slot` is an index of slots;
  // each slot takes `slot_step` times 8 bytes.
  uint32_t slot_step = 1;
  uint32_t first_tensor_slot = 4;
  bool slots_by_name = false;
  bool slots_in_order = false;  // inputs and outputs share the order of `tensors`
  bool kernel_segment = false;  // kernels in __KERN_0,__kern_0 (specification 000)
  // The finished content of the segment __KERN_0. If it is not empty, `kernels` must be empty.
  Bytes kernel_data;
  std::vector<ExtraSegment> extra_segments;  // placed before the windows and the text
  bool windows_first = false;                // compiler 9.509: windows before __TEXT
  bool wide_ports = false;                   // command 0x40 and the tables of compiler 7.6
  bool long_tensors = false;                 // tensor records of compiler 5 and later
  size_t catalog = 10;
  std::optional<std::string> source_note;  // compiler 5
  uint64_t base = kApertureBase;
};

// Builds the container: segments, sections, ports, threads, banner, symbols and relocations, with
// every size and offset laid out. Errors: kInvalid if a part contradicts another.
Result<Container> Build(ContainerSpec spec);
Result<Bytes> BuildBytes(ContainerSpec spec);

}  // namespace anecheck::hwx
