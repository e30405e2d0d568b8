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

// The files of a request, read.
struct ProgramCase {
  std::string target, mil, netlist;
  std::vector<uint8_t> weights;
  Graph graph;
  std::vector<Tensor> inputs;
  std::string outputs;  // path
};

// The file of that name beside the program; nothing if there is none.
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
  return item;
}

RunRequest RequestOf(const ProgramCase& item) {
  RunRequest request;
  request.target = item.target;
  request.mil = item.mil;
  request.graph = &item.graph;
  request.inputs = item.inputs;
  if (item.netlist.empty()) {
    request.mil_weights = item.weights;
  } else {
    request.route = Route::kNetlist;
    request.netlist = item.netlist;
    request.netlist_weights = item.weights;
  }
  return request;
}

Status WriteOutputs(const ProgramCase& item, const WireReply& reply) {
  std::vector<npz::NamedArray> arrays;
  const auto ids = item.graph.outputs();
  for (size_t i = 0; i < ids.size() && i < reply.outputs.size(); ++i) {
    ANECHECK_ASSIGN(npz::Array array, TensorToArray({item.graph.type(ids[i]), reply.outputs[i]}));
    arrays.push_back({item.graph.value(ids[i]).name, std::move(array)});
  }
  return npz::WriteNpzFile(item.outputs, arrays);
}

// The stage that the protocol has for the step; a refusal that names none is the front end's.
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
  Json reply = {{"v", kExecProtocolVersion}, {"id", id}};
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
  const Status written = WriteOutputs(item, given);
  if (written.ok()) return reply;
  reply["status"] = ToText(RunStatus::kFailed);
  reply["stage"] = ToText(Step::kRun);
  reply["message"] = written.error().message;
  return reply;
}

Result<Json> AnswerTo(const Json& request, E5rtEngine& engine) {
  if (request.contains("hello")) {
    return Json{{"v", kExecProtocolVersion}, {"name", "e5rt"}, {"engine", "ane"}};
  }
  ANECHECK_ASSIGN(const ProgramCase item, ReadCase(request));
  ByteWriter writer;
  WriteRequest(RequestOf(item), writer);
  ByteReader reader(writer.bytes());
  ANECHECK_ASSIGN(const WireRequest wired, ReadRequest(reader));
  std::atomic<Step> step = Step::kNone;
  return ReplyOf(request.contains("id") ? request["id"] : Json(), item, engine.Run(wired, step));
}

}  // namespace

int ServeExec(std::istream& in, std::ostream& out, E5rtEngine& engine) {
  for (std::string line; std::getline(in, line);) {
    const auto request = ParseJson(line, kRequestName);
    const auto answer = request.ok() ? AnswerTo(*request, engine) : request;
    if (!answer.ok()) {
      std::cerr << answer.error().message << '\n';
      return 2;
    }
    out << DumpJson(*answer) << '\n' << std::flush;
  }
  return 0;
}

}  // namespace anecheck
