#include "harness/formats/pair/pair.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "harness/formats/e5/e5.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"

namespace anecheck::pair {
namespace {

using FactEvidence::kAssumed;

// A port of the container that has a window.
struct BoundPort {
  std::string_view name;
  uint64_t address = 0;
  uint64_t offset = 0;  // offset of its command in the file
  const hwx::Section* window = nullptr;
};

struct Procedure {
  std::string_view name;
  uint64_t offset = 0;
};

struct ContainerSide {
  std::vector<BoundPort> ports;
  std::vector<Procedure> procedures;
  // The ports with a window. The first part of a key is the kind of the window. The second part is
  // the whole name of the port in `by_name`, and the tensor in that name in `by_tensor`. If several
  // ports have the same key, the first is used.
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

// The values to compare, computed once.
struct Compared {
  explicit Compared(const Pair& pair)
      : program(pair.program),
        side(SideOf(*pair.container)),
        inferences(InferencesOf(pair.program)) {
    for (const e5::AneInferenceAttrs* inference : inferences) {
      called.insert(inference->procedure_name);
    }
  }

  bool IsEmpty() const {
    return program.input_ports.empty() && program.output_ports.empty() && inferences.empty();
  }

  // Returns the port called `name` whose window has kind `kind`, which determines the direction. A
  // state has one port in each direction. A container may have both x and x_ane, so a port with
  // exactly this name takes precedence over a port for the same tensor.
  const BoundPort* Find(std::string_view name, uint32_t kind) const {
    const auto exact = side.by_name.find(std::pair(kind, name));
    if (exact != side.by_name.end()) return exact->second;
    const auto found = side.by_tensor.find(std::pair(kind, TensorName(name)));
    return found == side.by_tensor.end() ? nullptr : found->second;
  }

  const e5::Program& program;
  ContainerSide side;
  std::vector<const e5::AneInferenceAttrs*> inferences;
  std::set<std::string_view> called;  // procedures
};

// Calls visit(port, the container's port or null) for the descriptor's ports of `kind`.
template <typename Visit>
void ForEachPort(const Compared& c, uint32_t kind, Visit visit) {
  const bool input = kind == hwx::kInputSection;
  for (const e5::Port& port : input ? c.program.input_ports : c.program.output_ports) {
    visit(port, c.Find(port.name, kind));
  }
}
template <typename Visit>
void ForEachPort(const Compared& c, Visit visit) {
  ForEachPort(c, hwx::kInputSection, visit);
  ForEachPort(c, hwx::kOutputSection, visit);
}

// Returns the offset of the first record of a kind, for reports of a missing record.
template <typename Record>
uint64_t FirstOffset(const std::vector<Record>& records) {
  return records.empty() ? 0 : records.front().offset;
}

template <uint32_t kKind>
void CheckPorts(const Compared& c, RuleReport& broken) {
  constexpr std::string_view kDirection = kKind == hwx::kInputSection ? "input" : "output";
  ForEachPort(c, kKind, [&](const e5::Port& port, const BoundPort* bound) {
    if (bound != nullptr) return;
    broken(FirstOffset(c.side.ports), "{} port \"{}\" of the descriptor has no {} window",
           kDirection, port.name, kDirection);
  });
}

constexpr std::string_view kPortsSource =
    "specification 000, window-binding load commands and table 23.3; the join is assumed";
constexpr std::string_view kWindowsSource =
    "specification 000, table 23.6; facts/e5_schema.md, table IOPort; the join is assumed";
constexpr std::string_view kProceduresSource =
    "facts/e5_schema.md, table AneInferenceAttrs; facts/hwx.md, thread command; the join is "
    "assumed";
constexpr std::string_view kProgramRule = "pair-program";

// Offsets are offsets in the container.
constexpr auto kRules = RulesOf<Compared>({
    {kProgramRule, "The descriptor holds ports and operations where e5.fbs expects them.",
     "assumed: e5.fbs, table Section", kAssumed,
     [](const Compared& c, RuleReport& broken) {
       if (!c.IsEmpty()) return;
       broken(0, "the descriptor's functions and ports do not belong to its first section");
     }},
    {"pair-input-ports", "Each input port of the descriptor is a port of an input window.",
     kPortsSource, kAssumed, CheckPorts<hwx::kInputSection>},
    {"pair-output-ports", "Each output port of the descriptor is a port of an output window.",
     kPortsSource, kAssumed, CheckPorts<hwx::kOutputSection>},
    {"pair-unbound-port", "Each port of the container is a port of the descriptor.", kPortsSource,
     kAssumed,
     [](const Compared& c, RuleReport& broken) {
       if (c.IsEmpty()) return;
       std::set<const BoundPort*> bound;
       ForEachPort(c, [&](const e5::Port&, const BoundPort* port) { bound.insert(port); });
       for (const BoundPort& port : c.side.ports) {
         if (bound.contains(&port)) continue;
         broken(port.offset, "port \"{}\" of the container is none of the descriptor's", port.name);
       }
     }},
    {"pair-port-sizes", "byte_size of a port is the size of its window.", kWindowsSource, kAssumed,
     [](const Compared& c, RuleReport& broken) {
       ForEachPort(c, [&](const e5::Port& port, const BoundPort* bound) {
         if (bound == nullptr || port.byte_size == bound->window->size) return;
         broken(bound->offset, "port \"{}\" has {} bytes, its window has {}", port.name,
                port.byte_size, bound->window->size);
       });
     }},
    {"pair-apertures", "aperture_va of a port is the address of its window.", kWindowsSource,
     kAssumed,
     [](const Compared& c, RuleReport& broken) {
       ForEachPort(c, [&](const e5::Port& port, const BoundPort* bound) {
         if (bound == nullptr || port.aperture_va == bound->address) return;
         broken(bound->offset, "port \"{}\" is at 0x{:x}, its window is at 0x{:x}", port.name,
                port.aperture_va, bound->address);
       });
     }},
    {"pair-procedures", "The procedure of each AneInference is one of the container's.",
     kProceduresSource, kAssumed,
     [](const Compared& c, RuleReport& broken) {
       for (const std::string_view name : c.called) {
         if (c.side.procedure_names.contains(name)) continue;
         broken(FirstOffset(c.side.procedures), "the container has no procedure \"{}\"", name);
       }
     }},
    {"pair-uncalled-procedure", "Each procedure of the container is called by an AneInference.",
     kProceduresSource, kAssumed,
     [](const Compared& c, RuleReport& broken) {
       for (const Procedure& procedure : c.side.procedures) {
         if (c.IsEmpty() || c.called.contains(procedure.name)) continue;
         broken(procedure.offset, "no operation calls procedure \"{}\"", procedure.name);
       }
     }},
});

template <typename Value>
Result<Value> Of(std::string_view part, Result<Value> result) {
  if (result.ok()) return result;
  Error error = result.error();
  error.message = fmt::format("{}: {}", part, error.message);
  return error;
}

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

std::string_view TensorName(std::string_view port) {
  for (const std::string_view suffix : {std::string_view("@output"), std::string_view("_ane")}) {
    if (port.ends_with(suffix) && port.size() > suffix.size()) port.remove_suffix(suffix.size());
  }
  return port;
}

bool IsComparable(std::span<const Violation> violations) {
  return std::ranges::none_of(
      violations, [](const Violation& violation) { return violation.rule->id == kProgramRule; });
}

Result<Pair> Join(ByteSpan descriptor, const hwx::Container& container) {
  ANECHECK_ASSIGN(e5::Program program, Of("descriptor", e5::Parse(descriptor)));
  return Pair{std::move(program), &container};
}

std::vector<Violation> Verify(const Pair& pair) { return kRules.Verify(Compared(pair)); }

Result<std::vector<Violation>> Verify(ByteSpan descriptor, ByteSpan container) {
  ANECHECK_ASSIGN(const hwx::Container parsed, Of("container", hwx::Parse(container)));
  ANECHECK_ASSIGN(const Pair pair, Join(descriptor, parsed));
  return Verify(pair);
}

std::string Print(const Pair& pair) {
  const ContainerSide side = SideOf(*pair.container);
  return fmt::format(
      "pair: {} input and {} output ports for {} windows, {} inferences for {} procedures\n",
      pair.program.input_ports.size(), pair.program.output_ports.size(), side.ports.size(),
      InferencesOf(pair.program).size(), side.procedures.size());
}

}  // namespace anecheck::pair
