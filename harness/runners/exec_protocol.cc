#include "harness/runners/exec_protocol.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "harness/base/json_text.h"
#include "harness/verdict/stage.h"

namespace anecheck {
namespace {

constexpr Step kRejectedSteps[] = {Step::kFrontend,  Step::kFloor,   Step::kHal,
                                   Step::kValidator, Step::kCodegen, Step::kLoad};
constexpr Step kFailedSteps[] = {Step::kCompile, Step::kLoad, Step::kRun};
constexpr RunStatus kStatuses[] = {RunStatus::kOk, RunStatus::kRejected, RunStatus::kFailed};
// Messages are single lines in a table. A message with more bytes is truncated.
constexpr size_t kLongestMessage = 1000;

Error Wrong(std::string_view member, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", member, what));
}

Result<Json> ReadObject(std::string_view line, std::string_view name) {
  ANECHECK_ASSIGN(Json json, ParseJson(line, name));
  if (!json.is_object()) return MakeError(ErrorCode::kMalformed, "is no JSON object");
  const auto version = json.find("v");
  if (version == json.end()) return Wrong("v", "is missing");
  if (*version != kExecProtocolVersion && *version != kNewestExecProtocol) {
    return Wrong("v", fmt::format("must be {} or {}", kExecProtocolVersion, kNewestExecProtocol));
  }
  return json;
}

std::string ClippedToALine(std::string_view text) {
  std::string line(text.substr(0, kLongestMessage));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return line;
}

// Reads an optional string and makes it one line.
Status ReadString(const Json& json, const char* member, std::string& out) {
  const auto found = json.find(member);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_string()) return Wrong(member, "must be a string");
  out = ClippedToALine(found->text());
  return {};
}

// Reads an optional list of strings.
Status ReadStrings(const Json& json, const char* member, std::vector<std::string>& out) {
  const auto found = json.find(member);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_array()) return Wrong(member, "must be a list of strings");
  for (const Json& item : *found) {
    if (!item.is_string()) return Wrong(member, "must be a list of strings");
    out.push_back(item.get<std::string>());
  }
  return {};
}

Status ReadEngine(const Json& json, bool& is_ane) {
  std::string engine;
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "engine", engine));
  if (!engine.empty() && engine != "ane" && engine != "other") {
    return Wrong("engine", "must be \"ane\" or \"other\"");
  }
  is_ane = engine != "other";
  return {};
}

Status ReadCount(const Json& json, const char* member, uint64_t& out) {
  const auto found = json.find(member);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_number_unsigned()) return Wrong(member, "must be a whole number, 0 or more");
  out = found->get<uint64_t>();
  return {};
}

// Reads the members that version 2 adds to the hello.
Status ReadVersion2(const Json& json, ExecHello& hello) {
  ANECHECK_RETURN_IF_ERROR(ReadCount(json, "batch", hello.batch));
  if (hello.batch < 1 || hello.batch > kLargestExecBatch) {
    return Wrong("batch", fmt::format("must be from 1 to {}", kLargestExecBatch));
  }
  const auto second = json.find("second");
  if (second == json.end() || second->is_null()) return {};
  if (!second->is_boolean()) return Wrong("second", "must be true or false");
  hello.second = second->get<bool>();
  return {};
}

constexpr std::string_view kPackage = "mlpackage";

Status ReadModels(const Json& json, bool& wants_package) {
  std::vector<std::string> models;
  ANECHECK_RETURN_IF_ERROR(ReadStrings(json, "models", models));
  for (const std::string& model : models) {
    if (model != kPackage) return Wrong("models", fmt::format("\"{}\" is no {}", model, kPackage));
    wants_package = true;
  }
  return {};
}

// Reads a word, which must be one of `allowed`.
template <Word E>
Status ReadWord(const Json& json, const char* member, std::span<const E> allowed, E& out) {
  std::string text;
  ANECHECK_RETURN_IF_ERROR(ReadString(json, member, text));
  const auto found = std::ranges::find(allowed, FindWord<E>(text));
  if (found == allowed.end()) {
    return Wrong(member, fmt::format("\"{}\" is none of {}", text, fmt::join(allowed, ", ")));
  }
  out = *found;
  return {};
}

// The status of a reply from a compiler that has no engine.
constexpr std::string_view kCompiled = ToText(Stage::kCompiled);
// The status of a graph that the program does not try. It is no evidence about an engine.
constexpr std::string_view kUnsupported = "unsupported";

Status ReadUnsupported(const Json& json, ExecReply& reply) {
  std::string op;
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "op", op));
  if (op.empty()) return Wrong("op", "is missing: the operation that is not supported");
  reply.status = RunStatus::kRejected;
  reply.unsupported = true;
  reply.message = fmt::format("the runner does not support {}", op);
  return {};
}

Status ReadStatus(const Json& json, ExecReply& reply) {
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "container", reply.container));
  const auto status = json.find("status");
  if (status != json.end() && *status == kCompiled) {
    reply.status = RunStatus::kOk;
    return reply.container.empty() ? Wrong("container", "is missing") : Status{};
  }
  if (!reply.container.empty())
    return Wrong("container", "is only allowed with the status compiled");
  if (status != json.end() && *status == kUnsupported) return ReadUnsupported(json, reply);
  ANECHECK_RETURN_IF_ERROR(ReadWord<RunStatus>(json, "status", kStatuses, reply.status));
  if (reply.status == RunStatus::kOk) return {};
  const bool rejected = reply.status == RunStatus::kRejected;
  return ReadWord<Step>(
      json, "stage", rejected ? std::span<const Step>(kRejectedSteps) : kFailedSteps, reply.step);
}

// Reads the member "plan". It has an object for each operation of the compiled program, with "op",
// "device" and, if they are known, "name" and "cost".
Status ReadPlan(const Json& json, std::vector<PlannedOp>& plan) {
  const auto found = json.find("plan");
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_array()) return Wrong("plan", "must be a list of objects");
  for (const Json& item : *found) {
    if (!item.is_object()) return Wrong("plan", "must be a list of objects");
    PlannedOp planned;
    ANECHECK_RETURN_IF_ERROR(ReadString(item, "op", planned.op));
    if (planned.op.empty()) return Wrong("plan", "an operation has no \"op\"");
    ANECHECK_RETURN_IF_ERROR(ReadString(item, "name", planned.name));
    ANECHECK_RETURN_IF_ERROR(ReadWord<Device>(item, "device", AllWords<Device>(), planned.device));
    const auto cost = item.find("cost");
    if (cost != item.end() && !cost->is_null()) {
      if (!cost->is_number()) return Wrong("cost", "must be a number from 0 to 1");
      const auto share = cost->get<double>();
      if (!(share >= 0 && share <= 1)) return Wrong("cost", "must be a number from 0 to 1");
      planned.cost = share;
    }
    plan.push_back(std::move(planned));
  }
  return {};
}

}  // namespace

std::string ExecHelloLine() {
  return DumpJson(Json{{"v", kExecProtocolVersion},
                       {"hello", true},
                       {"versions", {kExecProtocolVersion, kNewestExecProtocol}}});
}

Result<ExecHello> ReadExecHello(std::string_view line) {
  ANECHECK_ASSIGN(const Json json, ReadObject(line, "hello"));
  ExecHello hello;
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "name", hello.name));
  if (hello.name.empty()) return Wrong("name", "is missing");
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "version", hello.version));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "chip", hello.chip));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "os", hello.os));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "compiler_version", hello.compiler_version));
  ANECHECK_RETURN_IF_ERROR(ReadEngine(json, hello.is_ane));
  ANECHECK_RETURN_IF_ERROR(ReadStrings(json, "targets", hello.targets));
  ANECHECK_RETURN_IF_ERROR(ReadStrings(json, "ops", hello.ops));
  ANECHECK_RETURN_IF_ERROR(ReadModels(json, hello.wants_package));
  ANECHECK_RETURN_IF_ERROR(ReadCount(json, "least_saving_us", hello.least_saving_us));
  hello.protocol = json["v"].get<int>();
  if (hello.protocol > kExecProtocolVersion) ANECHECK_RETURN_IF_ERROR(ReadVersion2(json, hello));
  return hello;
}

namespace {

void AddCase(const ExecCase& item, Json& json) {
  const ExecFiles& files = item.files;
  json["id"] = item.id;
  json["target"] = std::string(item.request->target);
  json["route"] = ToText(item.request->route);
  const std::pair<const char*, const std::string*> kFiles[] = {
      {"graph", &files.graph},           {"mil", &files.mil},
      {"ranged_mil", &files.ranged_mil}, {"netlist", &files.netlist},
      {"mlpackage", &files.mlpackage},   {"inputs", &files.inputs},
      {"outputs", &files.outputs}};
  for (const auto& [member, path] : kFiles) {
    if (!path->empty()) json[member] = *path;
  }
  if (!files.second_outputs.empty()) {
    json["second"] = {{"inputs", files.second_inputs}, {"outputs", files.second_outputs}};
  }
}

}  // namespace

std::string ExecRequestLine(std::span<const ExecCase> cases, int version) {
  Json json = {{"v", version}};
  if (version == kExecProtocolVersion) {
    AddCase(cases.front(), json);
    return DumpJson(json);
  }
  json["cases"] = Json::array();
  for (const ExecCase& item : cases) AddCase(item, json["cases"].emplace_back(Json::object()));
  return DumpJson(json);
}

Result<ExecReply> ReadExecReply(std::string_view line, uint64_t id) {
  ANECHECK_ASSIGN(const Json json, ReadObject(line, "reply"));
  const auto given = json.find("id");
  if (given == json.end()) return Wrong("id", "is missing");
  if (!given->is_number_unsigned() || *given != id) {
    return Wrong("id", fmt::format("is {}, the request has {}", DumpJson(*given), id));
  }
  ExecReply reply;
  ANECHECK_RETURN_IF_ERROR(ReadStatus(json, reply));
  if (!reply.unsupported) ANECHECK_RETURN_IF_ERROR(ReadString(json, "message", reply.message));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "backend", reply.backend));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "proof", reply.proof));
  ANECHECK_RETURN_IF_ERROR(ReadString(json, "cpu_outputs", reply.cpu_outputs));
  if (!reply.cpu_outputs.empty() && (reply.status != RunStatus::kOk || !reply.container.empty())) {
    return Wrong("cpu_outputs", "is only allowed with the status ok");
  }
  ANECHECK_RETURN_IF_ERROR(ReadPlan(json, reply.plan));
  ANECHECK_RETURN_IF_ERROR(ReadCount(json, "compile_us", reply.compile_us));
  ANECHECK_RETURN_IF_ERROR(ReadCount(json, "run_us", reply.run_us));
  return reply;
}

std::optional<uint64_t> ExecReplyId(std::string_view line) {
  const auto json = ReadObject(line, "reply");
  if (!json.ok()) return std::nullopt;
  const auto id = json->find("id");
  if (id == json->end() || !id->is_number_unsigned()) return std::nullopt;
  return id->get<uint64_t>();
}

}  // namespace anecheck
