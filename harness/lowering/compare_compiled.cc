// Reads a program's two files back and compares them with its outline.
#include <algorithm>
#include <fmt/format.h>

#include "harness/base/round_up.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/pair/pair.h"
#include "harness/formats/stabs/stabs.h"
#include "harness/lowering/compiled_program.h"

namespace anecheck {
namespace {

// The register addresses of a task's extents in td_v7_fields.json.
constexpr uint32_t kInDimAt = 0x0;
constexpr uint32_t kCinAt = 0xc;
constexpr uint32_t kCoutAt = 0x10;
constexpr uint32_t kOutDimAt = 0x14;

std::string BrokenRule(std::string_view file, const Result<std::vector<Violation>>& found) {
  if (!found.ok()) return fmt::format("{}: {}", file, found.error().message);
  if (found->empty()) return {};
  return fmt::format("{}: breaks rule {}: {}", file, found->front().rule->id,
                     found->front().message);
}

std::string CompareChain(const CompiledProgram& program, const e5::Program& descriptor) {
  if (descriptor.functions.size() != 1 || descriptor.functions[0].blocks.size() != 1) {
    return "program.e5: not one function of one block";
  }
  std::vector<e5::OpType> expected(program.inputs.size(), e5::OpType::kCast);
  expected.insert(expected.end(), program.inferences.begin(), program.inferences.end());
  expected.insert(expected.end(), program.outputs.size(), e5::OpType::kCast);
  const auto& operations = descriptor.functions[0].blocks[0].operations;
  if (operations.size() != expected.size()) {
    return fmt::format("program.e5: {} operations, the plan has {}", operations.size(),
                       expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (operations[i].type != expected[i]) {
      return fmt::format("program.e5: operation {} is {}, the plan has {}", i,
                         e5::OpTypeName(operations[i].type), e5::OpTypeName(expected[i]));
    }
  }
  return {};
}

std::string ComparePorts(const std::vector<CompiledTensor>& tensors,
                         const std::vector<e5::Port>& ports, std::string_view side) {
  if (ports.size() != tensors.size()) {
    return fmt::format("program.e5: {} {} ports, the plan has {}", ports.size(), side,
                       tensors.size());
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name != tensors[i].name) {
      return fmt::format("program.e5: {} port {} is {}, the plan has {}", side, i, ports[i].name,
                         tensors[i].name);
    }
    if (ports[i].byte_size < static_cast<uint64_t>(tensors[i].type.ByteSize())) {
      return fmt::format("program.e5: port {} has {} bytes, its tensor {}", ports[i].name,
                         ports[i].byte_size, tensors[i].type.ByteSize());
    }
  }
  return {};
}

std::string CompareStates(const CompiledProgram& program, const e5::Program& descriptor) {
  if (descriptor.alias_symbols.size() != program.states.size()) {
    return fmt::format("program.e5: {} held states, the plan has {}",
                       descriptor.alias_symbols.size(), program.states.size());
  }
  for (size_t i = 0; i < program.states.size(); ++i) {
    const e5::AliasSymbol& alias = descriptor.alias_symbols[i];
    if (alias.name != program.states[i].input || alias.addr_offset != program.states[i].offset) {
      return fmt::format("program.e5: state {} at {:#x}, the plan has {} at {:#x}", alias.name,
                         alias.addr_offset, program.states[i].input, program.states[i].offset);
    }
  }
  return {};
}

// Rows must start at multiples of 64 bytes; planes and batches must follow each other without gaps
// (facts/hwx.md).
std::string CompareFrame(const CompiledTensor& tensor, const stabs::TensorStab& stab) {
  const auto shape = ToEngineShape(tensor.type.shape);
  const uint64_t element = static_cast<uint64_t>(DTypeBits(tensor.type.dtype)) / 8;
  const uint64_t row = RoundUp((*shape)[3] * element, 64);
  const std::array<uint64_t, 4> strides = {row * (*shape)[2] * (*shape)[1], row * (*shape)[2], row,
                                           element};
  for (size_t i = 0; i < 4; ++i) {
    const stabs::Axis* axis = stab.Find("nchw"[i]);
    if (axis == nullptr || axis->extent != (*shape)[i] || axis->stride != strides[i]) {
      return fmt::format("model.hwx: tensor {}: axis {} is not {} elements at stride {}",
                         tensor.name, "nchw"[i], (*shape)[i], strides[i]);
    }
  }
  return {};
}

std::string CompareTensors(const std::vector<CompiledTensor>& tensors,
                           const hwx::Container& container) {
  for (const CompiledTensor& tensor : tensors) {
    bool found = false;
    for (const hwx::Symbol& symbol : container.symtabs.front().symbols) {
      if (symbol.type != hwx::kTensorStabSymbol) continue;
      const auto stab = stabs::ParseTensor(symbol.name);
      if (!stab || stab->name != tensor.name) continue;
      found = true;
      std::string difference = CompareFrame(tensor, *stab);
      if (!difference.empty()) return difference;
    }
    if (!found) return fmt::format("model.hwx: no frame for tensor {}", tensor.name);
  }
  return {};
}

std::string CompareTasks(const CompiledProgram& program, const hwx::Container& container) {
  const hwx::Section* text = container.Text();
  if (text == nullptr || text->tasks == nullptr) return "model.hwx: its text has no tasks";
  if (text->tasks->tasks.size() != program.tasks.size()) {
    return fmt::format("model.hwx: {} tasks, the plan has {}", text->tasks->tasks.size(),
                       program.tasks.size());
  }
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const td::Task& task = text->tasks->tasks[i];
    const CompiledTask& plan = program.tasks[i];
    const std::pair<uint32_t, uint32_t> expected[] = {{kInDimAt, plan.in[2] << 16 | plan.in[3]},
                                                      {kCinAt, plan.in[1]},
                                                      {kCoutAt, plan.out[1]},
                                                      {kOutDimAt, plan.out[2] << 16 | plan.out[3]}};
    for (const auto& [address, value] : expected) {
      if (task.Find(address) != value) {
        return fmt::format("model.hwx: task {} ({}): register {:#x} is not {:#x}", i, plan.layer,
                           address, value);
      }
    }
  }
  return {};
}

// Compares the kernel's bytes with its tiles. A tile holds one lane's share of the bytes; the
// padding behind the share is not compared.
std::string CompareKernel(const CompiledKernel& kernel, std::span<const hwx::Tile> tiles) {
  const size_t channel = kernel.bytes.size() / static_cast<size_t>(kernel.channels);
  const size_t share = channel * static_cast<size_t>((kernel.channels + 15) / 16);
  Bytes decoded;
  for (const hwx::Tile& tile : tiles) {
    if (tile.sentinel) continue;
    const size_t wanted = std::min(share, kernel.bytes.size() - decoded.size());
    if (tile.data.size() < wanted) {
      return fmt::format("model.hwx: tile {} has {} bytes, its share is {}", tile.symbol->name,
                         tile.data.size(), wanted);
    }
    decoded.insert(decoded.end(), tile.data.begin(),
                   tile.data.begin() + static_cast<ptrdiff_t>(wanted));
  }
  if (decoded != kernel.bytes) {
    return fmt::format("model.hwx: the tiles of task {} do not decode to its kernel", kernel.task);
  }
  return {};
}

std::string CompareKernels(const CompiledProgram& program, const hwx::Container& container) {
  std::vector<std::pair<std::string_view, std::vector<hwx::Tile>>> kernels;
  for (size_t number = 1; number <= container.sections.size(); ++number) {
    std::vector<hwx::Tile> tiles = hwx::TilesOf(container, number);
    std::ranges::sort(tiles, {}, &hwx::Tile::order);
    for (const hwx::Tile& tile : tiles) {
      if (tile.lane < 0) continue;  // a symbol of a port's window
      if (kernels.empty() || kernels.back().first != tile.kernel) {
        kernels.emplace_back(tile.kernel, std::vector<hwx::Tile>());
      }
      kernels.back().second.push_back(tile);
    }
  }
  if (kernels.size() != program.kernels.size()) {
    return fmt::format("model.hwx: {} kernels, the plan has {}", kernels.size(),
                       program.kernels.size());
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    std::string difference = CompareKernel(program.kernels[i], kernels[i].second);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string CompareContainer(const CompiledProgram& program, const CompiledFiles& files,
                             const ComparedParts& parts) {
  const auto container = hwx::Parse(files.container);
  if (!container.ok()) return "model.hwx: " + container.error().message;
  std::string difference = BrokenRule("model.hwx", kFormat_hwx.verify(files.container));
  const auto rewritten = hwx::Write(*container);
  if (difference.empty() && (!rewritten.ok() || *rewritten != files.container)) {
    difference = "model.hwx: changes when it is written again";
  }
  if (difference.empty()) difference = CompareTensors(program.inputs, *container);
  if (difference.empty()) difference = CompareTensors(program.outputs, *container);
  if (difference.empty() && parts.tasks) difference = CompareTasks(program, *container);
  if (difference.empty() && parts.tasks) difference = CompareKernels(program, *container);
  if (difference.empty()) {
    difference = BrokenRule("the pair", pair::Verify(files.descriptor, files.container));
  }
  return difference;
}

}  // namespace

std::string CompareCompiledFiles(const CompiledProgram& program, const CompiledFiles& files,
                                 const ComparedParts& parts) {
  const auto descriptor = e5::Parse(files.descriptor);
  if (!descriptor.ok()) return "program.e5: " + descriptor.error().message;
  std::string difference = BrokenRule("program.e5", kFormat_e5.verify(files.descriptor));
  const auto rewritten = e5::Write(*descriptor);
  if (difference.empty() && (!rewritten.ok() || *rewritten != files.descriptor)) {
    difference = "program.e5: changes when it is written again";
  }
  if (difference.empty() && parts.chain) difference = CompareChain(program, *descriptor);
  if (difference.empty())
    difference = ComparePorts(program.inputs, descriptor->input_ports, "input");
  if (difference.empty()) {
    difference = ComparePorts(program.outputs, descriptor->output_ports, "output");
  }
  if (difference.empty()) difference = CompareStates(program, *descriptor);
  if (!difference.empty() || files.container.empty()) return difference;
  return CompareContainer(program, files, parts);
}

}  // namespace anecheck
