// `anecheck exec`: runs a hardware container in the emulator. Inputs have the names of its ports.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/file_name.h"
#include "harness/cli/with_file.h"
#include "harness/emulator/program.h"
#include "harness/encoder/ane_file.h"
#include "harness/formats/npz/npz.h"
#include "harness/verdict/provenance.h"

namespace anecheck {
namespace {

using emulator::Port;
using emulator::Program;
using Arrays = std::vector<npz::NamedArray>;

struct ExecFlags {
  std::string container;
  std::string inputs;
  std::string out;
  std::string arithmetic = "exact";
  bool json = false;
};

std::string Shape(std::span<const uint64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::vector<uint64_t> ShapeOf(const Port& port) {
  return std::vector<uint64_t>(port.shape.begin(), port.shape.end());
}

std::string PortNames(const Program& program) {
  std::string names;
  for (const Port& port : program.ports) {
    if (port.output) continue;
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", port.name, Shape(ShapeOf(port)));
  }
  return names;
}

// Leading axes of extent 1 may be left out or added.
bool SameShape(std::span<const uint64_t> given, std::span<const uint64_t> wanted) {
  while (!given.empty() && given.front() == 1) given = given.subspan(1);
  while (!wanted.empty() && wanted.front() == 1) wanted = wanted.subspan(1);
  return std::ranges::equal(given, wanted);
}

// A port with 1-byte elements holds bools, because no known container has other tensors of bytes.
npz::ElementType TypeOf(const Port& port) {
  return port.element == 1 ? npz::ElementType::kBool : npz::ElementType::kFloat16;
}

Status WriteInput(Program& program, const Port& port, const npz::Array& array) {
  const npz::ElementType wanted_type = TypeOf(port);
  if (array.type != wanted_type) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("input {}: elements are {}; the port takes {}", port.name,
                                 npz::ElementDescr(array.type),
                                 port.element == 1 ? "bool (|b1)" : "float16 (<f2)"));
  }
  const std::vector<uint64_t> wanted = ShapeOf(port);
  if (!SameShape(array.shape, wanted)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("input {}: shape {}; the port has {}", port.name,
                                 Shape(array.shape), Shape(wanted)));
  }
  std::vector<uint16_t> values(array.data.size() / port.element);
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], &array.data[i * port.element], port.element);
  }
  return program.WritePort(port.name, values);
}

Status WriteInputs(Program& program, const Arrays& arrays) {
  for (const npz::NamedArray& array : arrays) {
    const Port* port = program.FindPort(array.name);
    if (port != nullptr && !port->output) continue;
    return MakeError(ErrorCode::kInvalid, fmt::format("the container has no input {}; it has {}",
                                                      array.name, PortNames(program)));
  }
  for (const Port& port : program.ports) {
    if (port.output) continue;
    const auto given = std::ranges::find(arrays, port.name, &npz::NamedArray::name);
    if (given == arrays.end()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("no array for input {} {}", port.name, Shape(ShapeOf(port))));
    }
    ANECHECK_RETURN_IF_ERROR(WriteInput(program, port, given->array));
  }
  return {};
}

Result<Arrays> ReadOutputs(const Program& program) {
  Arrays outputs;
  for (const Port& port : program.ports) {
    if (!port.output) continue;
    ANECHECK_ASSIGN(const std::vector<uint16_t> values, program.ReadPort(port.name));
    npz::NamedArray& array = outputs.emplace_back();
    array.name = port.name;
    array.array.type = TypeOf(port);
    array.array.shape = ShapeOf(port);
    array.array.data.resize(values.size() * port.element);
    for (size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&array.array.data[i * port.element], &values[i], port.element);
    }
  }
  return outputs;
}

Result<Json> Execute(const ExecFlags& flags) {
  ANECHECK_ASSIGN(Bytes read, ReadFile(flags.container));
  std::vector<std::string> warnings;
  ANECHECK_ASSIGN(const Bytes bytes, encoder::AsContainer(std::move(read), &warnings));
  ANECHECK_ASSIGN(Program program, emulator::LoadProgram(bytes));
  ANECHECK_ASSIGN(const Arrays inputs, npz::ReadNpzFile(flags.inputs));
  ANECHECK_RETURN_IF_ERROR(WriteInputs(program, inputs));
  emulator::RunOptions options;
  if (flags.arithmetic == "family") {
    options.arithmetic.model = &emulator::FamilyModel(program.version);
  }
  ANECHECK_ASSIGN(const emulator::RunReport report, emulator::RunProgram(program, options));
  warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
  ANECHECK_ASSIGN(const Arrays outputs, ReadOutputs(program));
  ANECHECK_RETURN_IF_ERROR(npz::WriteNpzFile(flags.out, outputs));
  Json json = {{"container", flags.container},
               {"generation", emulator::GenerationName(program.generation)},
               {"provenance", ToText(Provenance::kEmulated)},
               {"arithmetic", flags.arithmetic},
               {"tasks", report.tasks},
               {"out", flags.out},
               {"outputs", Json::array()},
               {"warnings", warnings}};
  for (const npz::NamedArray& output : outputs) {
    json["outputs"].push_back({{"name", output.name}, {"shape", output.array.shape}});
  }
  return json;
}

std::string Text(const Json& json) {
  std::string text = fmt::format(
      "EMULATED: {} of {}, {} arithmetic; wrote {}\n",
      Counted(json["tasks"].get<uint32_t>(), "task"), json["generation"].get<std::string>(),
      json["arithmetic"].get<std::string>(), json["out"].get<std::string>());
  for (const Json& output : json["outputs"]) {
    text += fmt::format("  {}: {}\n", output["name"].get<std::string>(), output["shape"].dump());
  }
  for (const Json& warning : json["warnings"]) {
    text += fmt::format("warning: {}\n", warning.get<std::string>());
  }
  return text;
}

int Run(const ExecFlags& flags) {
  const auto json = Execute(flags);
  if (!json.ok()) return Fail(WithFile(flags.container, json.error()));
  flags.json ? Print(DumpJson(*json, 2)) : PrintText(Text(*json));
  return kExitClean;
}

}  // namespace

void AddExecCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("exec", "Run a hardware container on the CPU, task by task");
  auto flags = std::make_shared<ExecFlags>();
  command
      .AddOption("container", flags->container,
                 "A hardware container (.hwx), or a model of the Linux driver (.ane)")
      .Required()
      .Check(FileName());
  command
      .AddOption("--inputs", flags->inputs,
                 "An .npz with one array for each input port, by its name: float16, or bool")
      .Required()
      .Check(FileName());
  command.AddOption("--out", flags->out, "The .npz to write, one array for each output port")
      .Required()
      .Check(FileName());
  command
      .AddOption("--arithmetic", flags->arithmetic,
                 "exact: fp64, rounded once per task; family: rounded as by the chip's engine")
      .OneOf({"exact", "family"})
      .ShowDefault();
  command.AddFlag("--json", flags->json, "Print a summary as JSON");
  command.Footer("Example: anecheck exec model.hwx --inputs in.npz --out out.npz");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
