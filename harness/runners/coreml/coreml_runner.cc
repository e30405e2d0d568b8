#include "harness/runners/coreml/coreml_runner.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include <utility>

#include "harness/base/json_text.h"
#include "harness/runners/exec_protocol.h"
#include "harness/targets/chip_names.h"
#include "harness/verdict/run_status.h"

namespace anecheck::coreml {
namespace {

using Clock = std::chrono::steady_clock;
using Arrays = std::vector<npz::NamedArray>;

uint64_t MicrosecondsSince(Clock::time_point start) {
  const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  return static_cast<uint64_t>(spent.count());
}

// The folder of a compiled model. The destructor removes it.
class CompiledFolder {
 public:
  explicit CompiledFolder(std::string path) : path_(std::move(path)) {}
  ~CompiledFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  CompiledFolder(const CompiledFolder&) = delete;
  CompiledFolder& operator=(const CompiledFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The result of a run on one set of compute units: outputs, or the failed step and its error.
struct Ran {
  Arrays outputs;
  Step step = Step::kNone;
  Error error = {};
  uint64_t load_us = 0, run_us = 0;
  bool ok() const { return step == Step::kNone; }
};

Ran RunOn(Framework& framework, const std::string& compiled, Units units, const Arrays& inputs) {
  Ran ran;
  const Clock::time_point start = Clock::now();
  auto model = framework.Load(compiled, units);
  ran.load_us = MicrosecondsSince(start);
  if (!model.ok()) {
    ran.step = Step::kLoad;
    ran.error = model.error();
    return ran;
  }
  const Clock::time_point loaded = Clock::now();
  auto outputs = (*model)->Predict(inputs);
  ran.run_us = MicrosecondsSince(loaded);
  if (!outputs.ok()) {
    ran.step = Step::kRun;
    ran.error = outputs.error();
    return ran;
  }
  ran.outputs = std::move(*outputs);
  return ran;
}

std::string TextOf(const Json& request, const char* member) {
  const auto found = request.find(member);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

Json Failed(Json reply, RunStatus status, Step step, std::string message) {
  reply["status"] = ToText(status);
  reply["stage"] = ToText(step);
  reply["message"] = std::move(message);
  return reply;
}

Json Unsupported(Json reply, std::string_view what) {
  reply["status"] = "unsupported";
  reply["op"] = what;
  return reply;
}

// Reads pairs of an option and its value.
bool ReadSettings(std::span<char* const> words, Settings& settings) {
  for (size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return false;
    const std::string_view option = words[i], value = words[i + 1];
    if (option == "--target") {
      settings.target = value;
    } else if (option == "--least-saving") {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), settings.least_saving_us);
      if (error != std::errc() || end != value.data() + value.size()) return false;
    } else {
      return false;
    }
  }
  return true;
}

// Returns "; the CPU alone runs it", or a text with the step at which the CPU fails too.
std::string CpuBeside(const Ran& cpu) {
  if (cpu.ok()) return "; the CPU alone runs it";
  return fmt::format("; the CPU alone fails at {} too: {}", cpu.step, cpu.error.message);
}

void AddMessage(Json& reply, const std::string& message) {
  const std::string before = TextOf(reply, "message");
  reply["message"] = before.empty() ? message : before + "; " + message;
}

void AddPlan(Framework& framework, const std::string& compiled, Json& reply) {
  const auto ops = framework.Plan(compiled);
  if (ops.ok()) {
    reply["plan"] = PlanOf(*ops);
  } else {
    AddMessage(reply, fmt::format("no plan: {}", ops.error().message));
  }
}

// Writes the outputs of a run on the CPU to the folder of the case and adds them to the reply.
void AddCpuRun(const Ran& cpu, const std::string& outputs, Json& reply) {
  if (!cpu.ok()) {
    AddMessage(reply, fmt::format("the CPU alone fails at {}: {}", cpu.step, cpu.error.message));
    return;
  }
  const std::string path =
      (std::filesystem::path(outputs).parent_path() / "cpu_outputs.npz").string();
  const Status written = npz::WriteNpzFile(path, cpu.outputs);
  if (written.ok()) {
    reply["cpu_outputs"] = path;
  } else {
    AddMessage(reply, fmt::format("the CPU's outputs: {}", written.error().message));
  }
}

Json Answer(Json reply, Framework& framework, const CompiledFolder& compiled, const Arrays& inputs,
            const std::string& outputs) {
  const Ran engine = RunOn(framework, compiled.path(), Units::kEngine, inputs);
  const Ran cpu = RunOn(framework, compiled.path(), Units::kCpu, inputs);
  // MLMultiArray lacks the array's element type, so the engine did not run.
  if (!engine.ok() && engine.error.code == ErrorCode::kUnsupported) {
    return Unsupported(std::move(reply), engine.error.message);
  }
  reply["compile_us"] = reply["compile_us"].get<uint64_t>() + engine.load_us;
  AddPlan(framework, compiled.path(), reply);
  if (!engine.ok()) {
    return Failed(std::move(reply), RunStatus::kFailed, engine.step,
                  engine.error.message + CpuBeside(cpu));
  }
  const Status written = npz::WriteNpzFile(outputs, engine.outputs);
  if (!written.ok()) {
    return Failed(std::move(reply), RunStatus::kFailed, Step::kRun, written.error().message);
  }
  reply["status"] = ToText(RunStatus::kOk);
  reply["run_us"] = engine.run_us;
  AddCpuRun(cpu, outputs, reply);
  return reply;
}

}  // namespace

Result<Json> HelloOf(const Machine& machine, const Settings& settings) {
  const std::vector<std::string> targets = settings.target.empty()
                                               ? TargetsOfChip(machine.chip)
                                               : std::vector<std::string>{settings.target};
  if (targets.empty()) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("chip \"{}\": no table names its target; give --target NAME", machine.chip));
  }
  constexpr std::string_view kMaker = "Apple ";
  const std::string chip =
      machine.chip.starts_with(kMaker) ? machine.chip.substr(kMaker.size()) : machine.chip;
  return Json{{"v", kExecProtocolVersion},
              {"name", "coreml"},
              {"version", machine.core_ml},
              {"engine", "ane"},
              {"targets", targets},
              {"chip", chip},
              {"os", machine.os},
              {"compiler_version", machine.core_ml},
              {"models", Json::array({"mlpackage"})},
              {"least_saving_us", settings.least_saving_us}};
}

Json PlanOf(std::span<const ProgramOp> ops) {
  Json plan = Json::array();
  for (const ProgramOp& op : ops) {
    if (!op.preferred) continue;
    // The operation's name comes after the name of the opset, as in "ios17.conv".
    const size_t dot = op.operator_name.rfind('.');
    Json& row = plan.emplace_back(
        Json{{"op", dot == std::string::npos ? op.operator_name : op.operator_name.substr(dot + 1)},
             {"device", ToText(*op.preferred)}});
    if (!op.first_output.empty()) row["name"] = op.first_output;
    if (op.cost && std::isfinite(*op.cost)) row["cost"] = std::clamp(*op.cost, 0.0, 1.0);
  }
  return plan;
}

std::vector<uint8_t> InOrder(const uint8_t* data, std::span<const uint64_t> shape,
                             std::span<const int64_t> strides, uint64_t size) {
  uint64_t count = 1;
  for (const uint64_t extent : shape) count *= extent;
  std::vector<uint8_t> bytes;
  bytes.reserve(count * size);
  std::vector<uint64_t> at(shape.size());
  for (uint64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      offset += static_cast<int64_t>(at[axis]) * strides[axis];
    }
    const uint8_t* const element = data + offset * static_cast<int64_t>(size);
    bytes.insert(bytes.end(), element, element + size);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
  return bytes;
}

Json ReplyTo(const Json& request, Framework& framework) {
  Json reply = {{"v", kExecProtocolVersion},
                {"id", request.contains("id") ? request["id"] : Json()}};
  const std::string package = TextOf(request, "mlpackage");
  if (package.empty()) return Unsupported(std::move(reply), "network descriptions");
  const auto inputs = npz::ReadNpzFile(TextOf(request, "inputs"));
  if (!inputs.ok()) {
    return Failed(std::move(reply), RunStatus::kFailed, Step::kRun, inputs.error().message);
  }
  const Clock::time_point start = Clock::now();
  const auto path = framework.Compile(package);
  reply["compile_us"] = MicrosecondsSince(start);
  if (!path.ok()) {
    return Failed(std::move(reply), RunStatus::kRejected, Step::kFrontend, path.error().message);
  }
  const CompiledFolder compiled(*path);
  return Answer(std::move(reply), framework, compiled, *inputs, TextOf(request, "outputs"));
}

int Serve(std::istream& in, const std::function<void(const std::string& line)>& answer,
          Framework& framework, const Settings& settings) {
  for (std::string line; std::getline(in, line);) {
    const auto request = ParseJson(line, "request");
    if (!request.ok() || !request->is_object()) {
      std::cerr << "coreml runner: a line is no JSON object\n";
      return 2;
    }
    if (!request->contains("hello")) {
      answer(DumpJson(ReplyTo(*request, framework)));
      continue;
    }
    const auto hello = HelloOf(framework.Describe(), settings);
    if (!hello.ok()) {
      std::cerr << "coreml runner: " << hello.error().message << '\n';
      return 2;
    }
    answer(DumpJson(*hello));
  }
  return 0;
}

int RunnerMain(int argc, char** argv, Framework& framework) {
  Settings settings;
  if (!ReadSettings({argv + 1, argv + argc}, settings)) {
    std::cerr << "usage: " << argv[0] << " [--target NAME] [--least-saving MICROSECONDS]\n";
    return 2;
  }
  const int own = dup(STDOUT_FILENO);
  std::FILE* out = own < 0 ? nullptr : fdopen(own, "w");
  if (out != nullptr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::fclose(out);
    out = nullptr;
  }
  if (out == nullptr) {
    std::cerr << "coreml runner: the standard output cannot be kept for replies\n";
    return 2;
  }
  const auto answer = [out](const std::string& line) {
    std::fwrite((line + "\n").data(), 1, line.size() + 1, out);
    std::fflush(out);
  };
  const int code = Serve(std::cin, answer, framework, settings);
  std::fclose(out);
  return code;
}

}  // namespace anecheck::coreml
