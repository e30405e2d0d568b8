#include "harness/runners/exec_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_text.h"
#include "harness/formats/npz/npz.h"
#include "harness/graph/json.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/ops/op.h"
#include "harness/runners/exec_protocol.h"
#include "harness/runners/tensor_npz.h"
#include "harness/runners/wire.h"
#include "harness/verdict/stage.h"

namespace anecheck {
namespace {

constexpr std::string_view kRequestName = "request";

// The content of a request's files.
struct ProgramCase {
  std::string target, mil, netlist;
  std::vector<uint8_t> weights;
  Graph graph;
  std::vector<Tensor> inputs;
  std::string outputs;         // path
  std::vector<Tensor> again;   // inputs of a second execution
  std::string second_outputs;  // path; empty if the case is executed once
};

// The bytes of the file `name` beside the program; empty if there is none.
std::vector<uint8_t> WeightsBeside(const std::string& program, std::string_view name) {
  const std::string folder = program.substr(0, program.rfind('/'));
  auto bytes = ReadFile(fmt::format("{}/{}", folder, name));
  return bytes.ok() ? std::move(bytes).value() : std::vector<uint8_t>();
}

Result<ProgramCase> ReadCase(const Json& request) {
  using json_fields::String;
  using json_fields::StringOr;
  ProgramCase item;
  ANECHECK_ASSIGN(item.target, String(request, "target", kRequestName));
  ANECHECK_ASSIGN(item.outputs, String(request, "outputs", kRequestName));
  ANECHECK_ASSIGN(const std::string graph_path, String(request, "graph", kRequestName));
  ANECHECK_ASSIGN(const std::string graph, ReadTextFile(graph_path));
  ANECHECK_ASSIGN(item.graph, GraphFromText(graph, OpVocabulary(), graph_path));
  const std::string mil = StringOr(request, "mil", "");
  const std::string netlist = StringOr(request, "netlist", "");
  if (!mil.empty()) {
    ANECHECK_ASSIGN(item.mil, ReadTextFile(mil));
    item.weights = WeightsBeside(mil, kMilWeightFile);
  }
  if (!netlist.empty()) {
    ANECHECK_ASSIGN(item.netlist, ReadTextFile(netlist));
    item.weights = WeightsBeside(netlist, kNetlistWeightFile);
  }
  ANECHECK_ASSIGN(const std::string path, String(request, "inputs", kRequestName));
  ANECHECK_ASSIGN(item.inputs, ReadInputsNpz(path, item.graph));
  if (!request.contains("second")) return item;
  const Json& second = request["second"];
  ANECHECK_ASSIGN(item.second_outputs, String(second, "outputs", kRequestName));
  ANECHECK_ASSIGN(const std::string again, String(second, "inputs", kRequestName));
  ANECHECK_ASSIGN(item.again, ReadInputsNpz(again, item.graph));
  return item;
}

RunRequest RequestOf(const ProgramCase& item) {
  RunRequest request;
  request.target = item.target;
  request.mil = item.mil;
  request.graph = &item.graph;
  request.inputs = item.inputs;
  request.settings.repeat = !item.second_outputs.empty();
  request.again = item.again;
  if (item.netlist.empty()) {
    request.mil_weights = item.weights;
  } else {
    request.route = Route::kNetlist;
    request.netlist = item.netlist;
    request.netlist_weights = item.weights;
  }
  return request;
}

Status WriteOutputs(const Graph& graph, std::span<const std::vector<uint8_t>> outputs,
                    const std::string& path) {
  std::vector<npz::NamedArray> arrays;
  const auto ids = graph.outputs();
  for (size_t i = 0; i < ids.size() && i < outputs.size(); ++i) {
    ANECHECK_ASSIGN(npz::Array array, TensorToArray({graph.type(ids[i]), outputs[i]}));
    arrays.push_back({graph.value(ids[i]).name, std::move(array)});
  }
  return npz::WriteNpzFile(path, arrays);
}

// Writes the outputs of the first execution, and of the second, which follow them in `reply`.
Status WriteAllOutputs(const ProgramCase& item, const WireReply& reply) {
  const size_t count = std::min(item.graph.outputs().size(), reply.outputs.size());
  const std::span outputs(reply.outputs);
  ANECHECK_RETURN_IF_ERROR(WriteOutputs(item.graph, outputs.first(count), item.outputs));
  if (item.second_outputs.empty()) return {};
  return WriteOutputs(item.graph, outputs.subspan(count), item.second_outputs);
}

// Returns the protocol's stage for the step of a reply. A refusal at any other step counts as a
// refusal by the front end.
std::string_view StageOf(const WireReply& reply) {
  constexpr Step kNamed[] = {Step::kFrontend,  Step::kFloor,   Step::kHal,
                             Step::kValidator, Step::kCodegen, Step::kLoad};
  if (reply.status != RunStatus::kRejected) {
    return ToText(reply.step == Step::kNone ? Step::kRun : reply.step);
  }
  const bool named = std::ranges::find(kNamed, reply.step) != std::end(kNamed);
  return ToText(named ? reply.step : Step::kFrontend);
}

Json ReplyOf(const Json& id, const ProgramCase& item, const WireReply& given) {
  Json reply = {{"v", kNewestExecProtocol}, {"id", id}};
  if (given.no_kernel) {
    reply["status"] = "unsupported";
    reply["op"] = given.message;
    return reply;
  }
  reply["status"] = ToText(given.status);
  reply["compile_us"] = given.compile_us;
  reply["run_us"] = given.run_us;
  if (given.status != RunStatus::kOk) {
    reply["stage"] = StageOf(given);
    reply["message"] = given.message;
    return reply;
  }
  const Status written = WriteAllOutputs(item, given);
  if (written.ok()) return reply;
  reply["status"] = ToText(RunStatus::kFailed);
  reply["stage"] = ToText(Step::kRun);
  reply["message"] = written.error().message;
  return reply;
}

Json Hello() {
  return {{"v", kNewestExecProtocol},
          {"name", "e5rt"},
          {"engine", "ane"},
          {"batch", 16},
          {"second", true}};
}

Result<Json> AnswerTo(const Json& request, E5rtEngine& engine) {
  ANECHECK_ASSIGN(const ProgramCase item, ReadCase(request));
  ByteWriter writer;
  WriteRequest(RequestOf(item), writer);
  ByteReader reader(writer.bytes());
  ANECHECK_ASSIGN(const WireRequest wired, ReadRequest(reader));
  std::atomic<Step> step = Step::kNone;
  return ReplyOf(request.contains("id") ? request["id"] : Json(), item, engine.Run(wired, step));
}

// Answers each case of a line.
Status Answer(const Json& request, E5rtEngine& engine, std::ostream& out) {
  if (request.contains("hello")) {
    out << DumpJson(Hello()) << '\n' << std::flush;
    return {};
  }
  ANECHECK_ASSIGN(const std::vector<const Json*> cases,
                  json_fields::Array(request, "cases", kRequestName));
  for (const Json* const item : cases) {
    ANECHECK_ASSIGN(const Json answer, AnswerTo(*item, engine));
    out << DumpJson(answer) << '\n' << std::flush;
  }
  return {};
}

}  // namespace

int ServeExec(std::istream& in, std::ostream& out, E5rtEngine& engine) {
  for (std::string line; std::getline(in, line);) {
    const auto request = ParseJson(line, kRequestName);
    const Status answered = request.ok() ? Answer(*request, engine, out) : Status(request.error());
    if (!answered.ok()) {
      std::cerr << answered.error().message << '\n';
      return 2;
    }
  }
  return 0;
}

}  // namespace anecheck
