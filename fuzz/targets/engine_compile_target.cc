// The simulated compiler as a parser of MIL text: it compiles or refuses with the stage that
// refused, and what it compiles runs on zeros.
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/mil/mil_generator.h"
#include "generators/graph_generator.h"
#include "harness/device/compile.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/lowering/graph_to_mil.h"

namespace anecheck::fuzz {
namespace {

// A program above this is legal and takes long; the fuzzer looks for what is wrong, not slow.
constexpr int64_t kMaxElements = 1 << 14;

bool IsSmall(const device::Executable& program) {
  int64_t elements = 0;
  for (const auto& value : program.values) elements += value.type.shape.Elements();
  return elements <= kMaxElements && program.nodes.size() <= 64;
}

void Run(const std::shared_ptr<const device::Executable>& program) {
  constexpr size_t kBehind = 16;
  std::vector<std::vector<uint64_t>> memory;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  const auto buffer = [&](const device::Port& port) {
    memory.emplace_back((static_cast<size_t>(port.type.Bytes()) + kBehind + 7) / 8);
    return memory.back().data();
  };
  memory.reserve(program->inputs.size() + program->outputs.size());
  for (const device::Port& port : program->inputs) inputs.push_back(buffer(port));
  for (const device::Port& port : program->outputs) outputs.push_back(buffer(port));
  device::Execution(program).Run(inputs, outputs);
}

bool Check(ByteSpan input) {
  device::CompileSettings settings;
  settings.target = device::FindTarget(input.size() % 2 == 0 ? "h13" : "h17s");
  settings.quirks.SetAll(device::QuirkState::kOff);
  settings.model = device::ResolveNumericModel(settings.quirks, settings.target->family);
  const auto programs = device::CompileProgram(std::string(input.begin(), input.end()), settings,
                                               device::Backend::kAne);
  if (!programs.ok()) {
    Require(programs.error().message.find(" @ ") != std::string::npos, "a refusal names its stage",
            programs.error().message);
    return true;
  }
  for (const auto& program : *programs) {
    if (IsSmall(*program)) Run(program);
  }
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  GeneratorOptions options;
  options.family = choices.Coin() ? 2 : 6;
  options.mode = static_cast<CaseMode>(choices.Below(5));
  options.max_nodes = static_cast<int>(1 + choices.Below(4));
  options.max_elements = 32;
  Graph graph;
  GenerateGraph(choices, options, graph);
  const std::string text = GraphToMil(graph).value();
  return {text.begin(), text.end()};
}

}  // namespace

extern const FuzzTarget kTarget_engine_compile;
const FuzzTarget kTarget_engine_compile = {.name = "engine_compile",
                                           .check = Check,
                                           .format = &kFormat_mil,
                                           .generator = &kGenerator_mil,
                                           .generate = Generate};

}  // namespace anecheck::fuzz
