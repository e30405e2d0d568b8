#include "harness/formats/pair/pair.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "harness/formats/e5/e5.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/message.h"
#include "harness/formats/violation_list.h"

namespace anecheck::pair {
namespace {

using FactEvidence::kAssumed;

enum RuleIndex : size_t {
  kProgram,
  kInputPorts,
  kOutputPorts,
  kUnboundPort,
  kSizes,
  kApertures,
  kProcedures,
  kUncalled,
  kRuleCount,
};

constexpr std::array<Rule, kRuleCount> kRules = {{
    {"pair-program", "The descriptor holds ports and operations where e5.fbs expects them.",
     "assumed: e5.fbs, table Section", kAssumed},
    {"pair-input-ports", "Each input port of the descriptor is a port of an input window.",
     "specification 000, window-binding load commands and table 23.3; the join is assumed",
     kAssumed},
    {"pair-output-ports", "Each output port of the descriptor is a port of an output window.",
     "specification 000, window-binding load commands and table 23.3; the join is assumed",
     kAssumed},
    {"pair-unbound-port", "Each port of the container is a port of the descriptor.",
     "specification 000, window-binding load commands and table 23.3; the join is assumed",
     kAssumed},
    {"pair-port-sizes", "byte_size of a port is the size of its window.",
     "specification 000, table 23.6; facts/e5_schema.md, table IOPort; the join is assumed",
     kAssumed},
    {"pair-apertures", "aperture_va of a port is the address of its window.",
     "specification 000, table 23.6; facts/e5_schema.md, table IOPort; the join is assumed",
     kAssumed},
    {"pair-procedures", "The procedure of each AneInference is one of the container's.",
     "facts/e5_schema.md, table AneInferenceAttrs; facts/hwx.md, thread command; the join is "
     "assumed",
     kAssumed},
    {"pair-uncalled-procedure", "Each procedure of the container is called by an AneInference.",
     "facts/e5_schema.md, table AneInferenceAttrs; facts/hwx.md, thread command; the join is "
     "assumed",
     kAssumed},
}};

// A port of the container and the window that it binds.
struct BoundPort {
  std::string_view name;
  uint64_t address = 0;
  uint64_t offset = 0;  // of its command in the file
  const hwx::Section* window = nullptr;
};

struct Procedure {
  std::string_view name;
  uint64_t offset = 0;
};

struct ContainerSide {
  std::vector<BoundPort> ports;
  std::vector<Procedure> procedures;
  // Ports with a window by its kind and, first, the whole of their name, second, the tensor that
  // they are named for: the first port of each.
  using ByName = std::map<std::pair<uint32_t, std::string_view>, const BoundPort*>;
  ByName by_name;
  ByName by_tensor;
  std::set<std::string_view> procedure_names;
};

ContainerSide SideOf(const hwx::Container& container) {
  ContainerSide side;
  std::map<uint64_t, const hwx::Section*> windows;
  for (const hwx::Section& section : container.sections) {
    if (hwx::IsWindow(section)) windows.emplace(section.addr, &section);
  }
  for (const hwx::Command& command : container.commands) {
    if (command.opaque) continue;
    if (command.cmd == hwx::kPortCommand || command.cmd == hwx::kShortPortCommand) {
      const hwx::Port& port = container.ports[command.index];
      const auto window = windows.find(port.vmaddr);
      side.ports.push_back({port.name, port.vmaddr, command.offset,
                            window == windows.end() ? nullptr : window->second});
    } else if (command.cmd == hwx::kThreadCommand) {
      const hwx::Thread& thread = container.threads[command.index];
      if (thread.flavor != hwx::kHeaderFlavor || thread.names.empty()) continue;
      side.procedures.push_back({thread.names.front(), command.offset});
      side.procedure_names.insert(thread.names.front());
    }
  }
  for (const BoundPort& port : side.ports) {
    if (port.window == nullptr) continue;
    const uint32_t kind = hwx::KindOf(*port.window);
    side.by_name.emplace(std::pair(kind, port.name), &port);
    side.by_tensor.emplace(std::pair(kind, TensorName(port.name)), &port);
  }
  return side;
}

std::vector<const e5::AneInferenceAttrs*> InferencesOf(const e5::Program& program) {
  std::vector<const e5::AneInferenceAttrs*> found;
  for (const e5::Function& function : program.functions) {
    for (const e5::Block& block : function.blocks) {
      for (const e5::Operation& operation : block.operations) {
        const auto* attrs = std::get_if<e5::AneInferenceAttrs>(&operation.attrs);
        if (attrs != nullptr) found.push_back(attrs);
      }
    }
  }
  return found;
}

class PairChecker {
 public:
  PairChecker(const e5::Program& program, const ContainerSide& side)
      : program_(program), side_(side) {}

  std::vector<Violation> Run() {
    const auto inferences = InferencesOf(program_);
    if (program_.input_ports.empty() && program_.output_ports.empty() && inferences.empty()) {
      Add(kProgram, 0, "the descriptor's functions and ports do not hang from its first section");
      return std::move(found_).Take();
    }
    for (const e5::Port& port : program_.input_ports) {
      CheckPort(port, kInputPorts, hwx::kInputSection, "input");
    }
    for (const e5::Port& port : program_.output_ports) {
      CheckPort(port, kOutputPorts, hwx::kOutputSection, "output");
    }
    for (const BoundPort& port : side_.ports) {
      if (!bound_.contains(&port)) {
        Add(kUnboundPort, port.offset, "port \"{}\" of the container is none of the descriptor's",
            port.name);
      }
    }
    CheckProcedures(inferences);
    return std::move(found_).Take();
  }

 private:
  template <typename... Args>
  void Add(RuleIndex rule, uint64_t at, fmt::format_string<Args...> text, const Args&... args) {
    found_.Add(kRules[rule], at, [&] {
      return fmt::format("{}: {} at 0x{:x} of the container", kRules[rule].id,
                         fmt::format(fmt::runtime(text), ShownText(args)...), at);
    });
  }

  uint64_t FirstPortOffset() const { return side_.ports.empty() ? 0 : side_.ports.front().offset; }
  uint64_t FirstProcedureOffset() const {
    return side_.procedures.empty() ? 0 : side_.procedures.front().offset;
  }

  // The port of that tensor in that direction: a held state is an input and an output. A container
  // may have both x and x_ane, so that the port of the very name comes first.
  const BoundPort* Find(std::string_view name, uint32_t kind) const {
    const auto exact = side_.by_name.find(std::pair(kind, name));
    if (exact != side_.by_name.end()) return exact->second;
    const auto found = side_.by_tensor.find(std::pair(kind, TensorName(name)));
    return found == side_.by_tensor.end() ? nullptr : found->second;
  }

  void CheckPort(const e5::Port& port, RuleIndex rule, uint32_t kind, std::string_view direction) {
    const BoundPort* bound = Find(port.name, kind);
    if (bound == nullptr) {
      Add(rule, FirstPortOffset(), "{} port \"{}\" of the descriptor has no {} window", direction,
          port.name, direction);
      return;
    }
    bound_.insert(bound);
    if (port.byte_size != bound->window->size) {
      Add(kSizes, bound->offset, "port \"{}\" has {} bytes, its window has {}", port.name,
          port.byte_size, bound->window->size);
    }
    if (port.aperture_va != bound->address) {
      Add(kApertures, bound->offset, "port \"{}\" is at 0x{:x}, its window is at 0x{:x}", port.name,
          port.aperture_va, bound->address);
    }
  }

  void CheckProcedures(const std::vector<const e5::AneInferenceAttrs*>& inferences) {
    std::set<std::string_view> called;
    for (const e5::AneInferenceAttrs* inference : inferences) {
      if (!called.insert(inference->procedure_name).second) continue;
      if (!side_.procedure_names.contains(inference->procedure_name)) {
        Add(kProcedures, FirstProcedureOffset(), "the container has no procedure \"{}\"",
            inference->procedure_name);
      }
    }
    for (const Procedure& procedure : side_.procedures) {
      if (called.contains(procedure.name)) continue;
      Add(kUncalled, procedure.offset, "no operation calls procedure \"{}\"", procedure.name);
    }
  }

  const e5::Program& program_;
  const ContainerSide& side_;
  std::set<const BoundPort*> bound_;
  ViolationList found_;
};

template <typename Value>
Result<Value> Of(std::string_view part, Result<Value> result) {
  if (result.ok()) return result;
  Error error = result.error();
  error.message = fmt::format("{}: {}", part, error.message);
  return error;
}

}  // namespace

std::span<const Rule> Rules() { return kRules; }

std::string_view TensorName(std::string_view port) {
  for (const std::string_view suffix : {std::string_view("@output"), std::string_view("_ane")}) {
    if (port.ends_with(suffix) && port.size() > suffix.size()) port.remove_suffix(suffix.size());
  }
  return port;
}

bool IsComparable(std::span<const Violation> violations) {
  return std::ranges::none_of(
      violations, [](const Violation& violation) { return violation.rule == &kRules[kProgram]; });
}

Result<std::vector<Violation>> Verify(ByteSpan descriptor, ByteSpan container) {
  ANECHECK_ASSIGN(const e5::Program program, Of("descriptor", e5::Parse(descriptor)));
  ANECHECK_ASSIGN(const hwx::Container parsed, Of("container", hwx::Parse(container)));
  const ContainerSide side = SideOf(parsed);
  return PairChecker(program, side).Run();
}

Result<std::string> Print(ByteSpan descriptor, ByteSpan container) {
  ANECHECK_ASSIGN(const e5::Program program, Of("descriptor", e5::Parse(descriptor)));
  ANECHECK_ASSIGN(const hwx::Container parsed, Of("container", hwx::Parse(container)));
  const ContainerSide side = SideOf(parsed);
  return fmt::format(
      "pair: {} input and {} output ports for {} windows, {} inferences for {} procedures\n",
      program.input_ports.size(), program.output_ports.size(), side.ports.size(),
      InferencesOf(program).size(), side.procedures.size());
}

}  // namespace anecheck::pair
