#include "generators/formats/pair/pair_generator.h"

#include <array>
#include <fmt/format.h>
#include <variant>

#include "generators/formats/hwx/hwx_generator.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/pair/pair.h"

namespace anecheck {
namespace {

const hwx::Section* WindowOf(const hwx::Container& container, const hwx::Port& port) {
  for (const hwx::Section& section : container.sections) {
    if (hwx::IsWindow(section) && section.addr == port.vmaddr) return &section;
  }
  return nullptr;
}

// Returns the descriptor that a compiler would write together with `container`.
e5::Program DescriptorOf(const hwx::ContainerSpec& spec, const hwx::Container& container,
                         ChoiceStream& choices) {
  e5::Outline outline;
  for (const hwx::Port& port : container.ports) {
    const hwx::Section* window = WindowOf(container, port);
    if (window == nullptr) continue;
    e5::Outline::Tensor tensor{.name = std::string(pair::TensorName(port.name)),
                               .byte_size = window->size,
                               .aperture_va = port.vmaddr};
    for (const hwx::TensorSpec& from : spec.tensors) {
      if (from.name == port.name)
        tensor.shape = {from.shape[0], from.shape[1], from.shape[2], from.shape[3]};
    }
    const bool output = hwx::KindOf(*window) == hwx::kOutputSection;
    (output ? outline.outputs : outline.inputs).push_back(std::move(tensor));
  }
  outline.segments = 1 + static_cast<uint32_t>(choices.Below(2));
  outline.anehash = fmt::format("{:016x}", choices.Word());
  e5::Program program = e5::MakeProgram(outline);
  for (e5::Operation& operation : program.functions[0].blocks[0].operations) {
    auto* attrs = std::get_if<e5::AneInferenceAttrs>(&operation.attrs);
    if (attrs != nullptr) attrs->procedure_name = spec.procedure;
  }
  return program;
}

e5::AneInferenceAttrs* PickInference(e5::Program& program, uint64_t choice) {
  std::vector<e5::AneInferenceAttrs*> found;
  for (e5::Operation& operation : program.functions[0].blocks[0].operations) {
    auto* attrs = std::get_if<e5::AneInferenceAttrs>(&operation.attrs);
    if (attrs != nullptr) found.push_back(attrs);
  }
  return found.empty() ? nullptr : found[choice % found.size()];
}

e5::Port* PickPort(std::vector<e5::Port>& ports, uint64_t choice) {
  return ports.empty() ? nullptr : &ports[choice % ports.size()];
}

e5::Port& AnyPort(e5::Program& program, uint64_t choice) {
  const bool output = program.input_ports.empty() || (choice & 1) != 0;
  return *PickPort(output ? program.output_ports : program.input_ports, choice / 2);
}

bool LoseProgram(e5::Program& program, uint64_t) {
  program.functions.clear();
  program.input_ports.clear();
  program.output_ports.clear();
  program.alias_symbols.clear();
  return true;
}

bool AddInput(e5::Program& program, uint64_t) {
  program.input_ports.push_back({"a_stranger", 64, 0x7fff0000});
  return true;
}

bool AddOutput(e5::Program& program, uint64_t) {
  program.output_ports.push_back({"a_stranger", 64, 0x7fff0000});
  return true;
}

bool DropPort(e5::Program& program, uint64_t choice) {
  std::vector<e5::Port>& ports = (choice & 1) != 0 ? program.output_ports : program.input_ports;
  ports.erase(ports.begin() + static_cast<ptrdiff_t>(choice / 2 % ports.size()));
  return true;
}

bool GrowPort(e5::Program& program, uint64_t choice) {
  AnyPort(program, choice).byte_size += 64;
  return true;
}

bool MovePort(e5::Program& program, uint64_t choice) {
  AnyPort(program, choice).aperture_va += hwx::kPage;
  return true;
}

// Adds a call to a procedure that does not exist. The right call remains, so only one rule breaks.
bool CallAnother(e5::Program& program, uint64_t choice) {
  auto& operations = program.functions[0].blocks[0].operations;
  e5::AneInferenceAttrs* inference = PickInference(program, choice);
  if (inference == nullptr) return false;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].type != e5::OpType::kAneInference) continue;
    e5::Operation stranger = operations[i];
    stranger.name += "_too";  // its attributes are in a separate section
    std::get<e5::AneInferenceAttrs>(stranger.attrs).procedure_name = "elsewhere";
    operations.insert(operations.begin() + static_cast<ptrdiff_t>(i), std::move(stranger));
    return true;
  }
  return false;
}

bool CallNone(e5::Program& program, uint64_t) {
  for (e5::Operation& operation : program.functions[0].blocks[0].operations) {
    if (std::holds_alternative<e5::AneInferenceAttrs>(operation.attrs)) {
      operation.type = e5::OpType::kBarrier;
      operation.attrs = e5::OpaqueAttrs();
    }
  }
  return true;
}

constexpr auto kEdits = std::to_array<PairEdit>({
    {"lose-program", "pair-program", LoseProgram},
    {"add-input", "pair-input-ports", AddInput},
    {"add-output", "pair-output-ports", AddOutput},
    {"drop-port", "pair-unbound-port", DropPort},
    {"grow-port", "pair-port-sizes", GrowPort},
    {"move-port", "pair-apertures", MovePort},
    {"call-another-procedure", "pair-procedures", CallAnother},
    {"call-no-procedure", "pair-uncalled-procedure", CallNone},
});

}  // namespace

FilePair GeneratePair(ChoiceStream& choices) {
  const hwx::ContainerSpec spec = GenerateContainerSpec(choices);
  FilePair pair{.descriptor = {}, .container = hwx::BuildBytes(spec).value()};
  const hwx::Container container = hwx::Parse(pair.container).value();
  pair.descriptor = e5::Write(DescriptorOf(spec, container, choices)).value();
  return pair;
}

std::span<const PairEdit> PairEdits() { return kEdits; }

std::optional<FilePair> ApplyPairEdit(const PairEdit& edit, const FilePair& pair, uint64_t choice) {
  Result<e5::Program> program = e5::Parse(pair.descriptor);
  if (!program.ok() || !edit.edit(*program, choice)) return std::nullopt;
  Result<Bytes> descriptor = e5::Write(*program);
  if (!descriptor.ok()) return std::nullopt;
  return FilePair{std::move(*descriptor), pair.container};
}

}  // namespace anecheck
