// Compiles for the simulated engine without quirks and runs programs on it, for fuzz targets.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/device/compile.h"
#include "harness/formats/format.h"

namespace anecheck::fuzz {

// Precondition: the engine knows `target`.
inline device::CompileSettings ConformingSettings(std::string_view target) {
  device::CompileSettings settings;
  settings.target = device::FindTarget(target);
  settings.quirks.SetAll(device::QuirkState::kOff);
  settings.model = device::ResolveNumericModel(settings.quirks, settings.target->family);
  return settings;
}

// Runs the program and returns the bytes of each output port. Inputs that `inputs` lacks are zeros.
// Precondition: each given input has the size of its port.
inline std::vector<Bytes> RunProgram(const std::shared_ptr<const device::Executable>& program,
                                     std::span<const ByteSpan> inputs) {
  // zeros behind each buffer, because kernels may read whole vectors
  constexpr size_t kBehind = 16;
  std::vector<std::vector<uint64_t>> memory;
  memory.reserve(program->inputs.size() + program->outputs.size());
  const auto buffer = [&](const device::Port& port) -> uint64_t* {
    memory.emplace_back((static_cast<size_t>(port.type.Bytes()) + kBehind + 7) / 8);
    return memory.back().data();
  };
  std::vector<const void*> from;
  for (size_t i = 0; i < program->inputs.size(); ++i) {
    uint64_t* place = buffer(program->inputs[i]);
    if (i < inputs.size() && !inputs[i].empty()) {
      std::memcpy(place, inputs[i].data(), inputs[i].size());
    }
    from.push_back(place);
  }
  std::vector<void*> to;
  for (const device::Port& port : program->outputs) to.push_back(buffer(port));
  device::Execution(program).Run(from, to);
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < to.size(); ++i) {
    const auto* bytes = static_cast<const uint8_t*>(to[i]);
    outputs.emplace_back(bytes, bytes + program->outputs[i].type.Bytes());
  }
  return outputs;
}

}  // namespace anecheck::fuzz
