#include "generators/formats/hwx/hwx_generator.h"

#include <array>
#include <fmt/format.h>

#include "generators/formats/hwx/hwx_mutations.h"
#include "generators/formats/td/td_generator.h"
#include "harness/formats/hwx/banner.h"

namespace anecheck {
namespace {

using hwx::ContainerSpec;
using hwx::KernelSpec;
using hwx::TensorSpec;

// The form in which one compiler writes containers. The rows are from facts/hwx.md.
struct Dialect {
  std::string_view compiler;
  bool wide_ports;
  bool long_tensors;
  bool windows_first;
  bool source_note;
  bool bss;
  bool debug;
  bool kernel_segment;
  size_t catalog;
};
constexpr auto kDialects = std::to_array<Dialect>({
    {.compiler = "4.2.1", .catalog = 10},
    {.compiler = "5.4.1", .long_tensors = true, .source_note = true, .catalog = 15},
    {.compiler = "7.6.4", .wide_ports = true, .long_tensors = true, .bss = true, .catalog = 15},
    {.compiler = "9.509.0",
     .wide_ports = true,
     .long_tensors = true,
     .windows_first = true,
     .debug = true,
     .catalog = 23},
    // The container of specification 000.
    {.compiler = "9.509.0",
     .wide_ports = true,
     .long_tensors = true,
     .windows_first = true,
     .debug = true,
     .kernel_segment = true,
     .catalog = 24},
});

constexpr std::array<uint32_t, 8> kExtents = {1, 2, 3, 16, 64, 77, 512, 16384};

std::string DrawKernelName(ChoiceStream& choices) {
  std::string name = "K";
  for (int i = 0; i < 64; ++i) name += "0123456789ABCDEF"[choices.Below(16)];
  return name;
}

TensorSpec DrawTensor(ChoiceStream& choices, bool output, uint64_t number) {
  TensorSpec tensor;
  constexpr std::array<std::string_view, 4> kStems = {"image", "t", "a_long_tensor_name", "x"};
  tensor.name = fmt::format("{}{}{}", choices.Pick(kStems), number, output ? "@output" : "");
  tensor.output = output;
  tensor.shape = {static_cast<uint32_t>(1 + choices.Below(2)), choices.Pick(kExtents),
                  static_cast<uint32_t>(1 + choices.Below(16)),
                  static_cast<uint32_t>(1 + choices.Below(300))};
  tensor.strides = hwx::PackedStrides(tensor.shape, 2);
  return tensor;
}

Bytes DrawTile(ChoiceStream& choices, size_t size) {
  Bytes tile(size);
  for (uint64_t i = choices.Below(size); i > 0; --i) {
    tile[choices.Below(size)] = static_cast<uint8_t>(choices.Below(256));
  }
  return tile;
}

KernelSpec DrawKernel(ChoiceStream& choices, uint32_t task) {
  KernelSpec kernel;
  kernel.name = DrawKernelName(choices);
  kernel.task = task;
  kernel.table = choices.Chance(1, 4);
  const uint64_t lanes = kernel.table ? 1 : 1 + choices.Below(16);
  // 0x40 and 0xc0 are the strides of specification 000, table 23.10.
  constexpr std::array<size_t, 5> kTileSizes = {0x40, 0xc0, 0x80, 0x200, 0x72};
  const size_t size = choices.Pick(kTileSizes);
  for (uint64_t i = 0; i < lanes; ++i) kernel.tiles.push_back(DrawTile(choices, size));
  if (!kernel.table && choices.Coin()) kernel.lanes = 16;
  return kernel;
}

void DrawTasks(ContainerSpec& spec, ChoiceStream& choices) {
  // Draws H13 more often than any other generation, because all known real files are of H13. Does
  // not draw the last generation (H18g and H19), whose containers have another form.
  const auto generations = td::Generations().first(td::Generations().size() - 1);
  const uint64_t draw = choices.Below(2 * generations.size() - 3);
  const td::Generation& generation = generations[draw < generations.size() ? draw : 0];
  spec.cpusubtype = generation.cpusubtype;
  if (generation.version != 7) {
    spec.tasks = GenerateChain(generation, choices);
    return;
  }
  spec.tasks.generation = &generation;
  spec.tasks.header_words = generation.header_words;
  const uint64_t count = 1 + choices.Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    spec.tasks.tasks.push_back(GenerateWholeV7Task(choices));
    spec.tasks.tasks.back().header[0] = static_cast<uint32_t>(i);
    if (choices.Coin()) spec.kernels.push_back(DrawKernel(choices, static_cast<uint32_t>(i)));
  }
}

void DrawExtras(ContainerSpec& spec, const Dialect& dialect, ChoiceStream& choices) {
  if (dialect.debug && choices.Coin()) {
    spec.extra_segments.push_back({.segname = "__DEBUG",
                                   .sectname = "__debug",
                                   .section_flags = 0x32,
                                   .data = DrawTile(choices, 1 + choices.Below(200))});
    spec.extra_segments.back().data[0] |= 1;
  }
  if (dialect.bss && choices.Coin()) {
    spec.extra_segments.push_back({.segname = "__DATA",
                                   .sectname = "__bss",
                                   .section_flags = 0x25,
                                   .size = 0x40 * (1 + choices.Below(1000))});
  }
  if (dialect.source_note && choices.Coin()) spec.source_note = "./model.espresso.net";
}

// Draws the module list that real files of compilers 7.6 and later contain.
void DrawModules(ContainerSpec& spec, const Dialect& dialect, ChoiceStream& choices) {
  if (!dialect.wide_ports || !choices.Coin()) return;
  spec.modules = {
      {.name = "0",
       .bundle = "com.apple.EspressoFramework",
       .version = "3520.15.1.14.2",
       .method = "V1"},
      {.name = "ANEC", .bundle = "com.apple.ANECompilerFramework", .version = dialect.compiler}};
}

void DrawOptions(ContainerSpec& spec, ChoiceStream& choices) {
  const std::string_view family = spec.tasks.generation->family;
  spec.options = {fmt::format("-t h{}{}", family.substr(1), choices.Coin() ? "g" : "")};
  for (const std::string& option : hwx::SpecificationOptions()) {
    if (option.starts_with("--") && choices.Coin()) spec.options.push_back(option);
  }
  spec.options.emplace_back("-i ./net.plist");
  spec.options.emplace_back("-o ./model.hwx");
}

Bytes Generate(ChoiceStream& choices) {
  const Result<Bytes> bytes = hwx::BuildBytes(GenerateContainerSpec(choices));
  return bytes.ok() ? *bytes : Bytes();
}

}  // namespace

ContainerSpec GenerateContainerSpec(ChoiceStream& choices) {
  ContainerSpec spec;
  const Dialect& dialect = choices.Pick(kDialects);
  spec.compiler = dialect.compiler;
  spec.wide_ports = dialect.wide_ports;
  spec.long_tensors = dialect.long_tensors;
  spec.windows_first = dialect.windows_first;
  spec.kernel_segment = dialect.kernel_segment;
  spec.catalog = dialect.catalog;
  spec.procedure = choices.Chance(1, 4) ? "main_ane" : "net";
  DrawTasks(spec, choices);
  const uint64_t inputs = 1 + choices.Below(3);
  const uint64_t outputs = 1 + choices.Below(2);
  for (uint64_t i = 0; i < inputs + outputs; ++i) {
    spec.tensors.push_back(DrawTensor(choices, i >= inputs, i));
  }
  // Real files always have a const section, but the segment map of the specification has none.
  const bool needs_const = spec.kernels.empty() && !dialect.kernel_segment;
  if (needs_const || choices.Chance(1, 4)) spec.const_size = 0x4000;
  DrawExtras(spec, dialect, choices);
  DrawOptions(spec, choices);
  DrawModules(spec, dialect, choices);
  return spec;
}

ContainerSpec WeightContainerSpec(uint64_t weight_bytes) {
  ContainerSpec spec;
  ChoiceStream none = ChoiceStream::FromBytes({});
  spec.tasks.generation = &td::Generations().front();
  spec.tasks.header_words = spec.tasks.generation->header_words;
  spec.tasks.tasks.push_back(GenerateWholeV7Task(none));
  spec.tensors = {{.name = "image", .shape = {1, 512, 1, 1}, .strides = {32768, 64, 64, 2}},
                  {.name = "probs@output",
                   .output = true,
                   .shape = {1, 512, 1, 1},
                   .strides = {32768, 64, 64, 2}}};
  KernelSpec kernel;
  kernel.name = "K" + std::string(64, '0');
  ChoiceStream values = ChoiceStream::FromSeed(1);
  for (int lane = 0; lane < 16; ++lane) {
    Bytes tile(weight_bytes / 16);
    for (uint8_t& byte : tile) byte = static_cast<uint8_t>(values.Word());
    kernel.tiles.push_back(std::move(tile));
  }
  spec.kernels.push_back(std::move(kernel));
  return spec;
}

const DescriptorGenerator kGenerator_hwx = {"hwx", Generate, kHwxMutations};

}  // namespace anecheck
