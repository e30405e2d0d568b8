// Fuzzes the reader of the lines that an external runner writes. A greeting or reply is read, or
// refused with a message. Each text in a greeting or reply is one line. If an accepted line is
// written and read again, the content is the same.
#include <algorithm>
#include <iterator>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "fuzz/targets/json_text_format.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/runners/exec_protocol.h"
#include "harness/targets/catalog.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "texts are one line", "a runner has a name",
                                "a written line can be read again", "read(write(hello)) is hello",
                                "a reply has a status of the protocol", "a refusal names its stage",
                                "read(write(reply)) is reply", "a reply answers one request",
                                "a reply's id can be read without the rest");
using Laws = LawBook<kLaws>;

constexpr uint64_t kId = 7;

void RequireOneLine(std::string_view text) {
  const bool control = std::ranges::any_of(text, [](unsigned char c) { return c < ' '; });
  Laws::Require(!control, "texts are one line", text);
}

std::string HelloLine(const ExecHello& hello) {
  return DumpJson(Json{{"v", hello.protocol},
                       {"batch", hello.batch},
                       {"second", hello.second},
                       {"name", hello.name},
                       {"version", hello.version},
                       {"targets", hello.targets},
                       {"chip", hello.chip},
                       {"os", hello.os},
                       {"compiler_version", hello.compiler_version},
                       {"models", hello.wants_package ? Json::array({"mlpackage"}) : Json::array()},
                       {"least_saving_us", hello.least_saving_us}});
}

std::string ReplyLine(const ExecReply& reply) {
  Json json = {{"v", kExecProtocolVersion},      {"id", kId},
               {"status", ToText(reply.status)}, {"message", reply.message},
               {"backend", reply.backend},       {"proof", reply.proof},
               {"compile_us", reply.compile_us}, {"run_us", reply.run_us}};
  for (const PlannedOp& planned : reply.plan) {
    Json& item = json["plan"].emplace_back(
        Json{{"op", planned.op}, {"name", planned.name}, {"device", ToText(planned.device)}});
    if (planned.cost) item["cost"] = *planned.cost;
  }
  if (!reply.cpu_outputs.empty()) json["cpu_outputs"] = reply.cpu_outputs;
  if (reply.status != RunStatus::kOk) json["stage"] = ToText(reply.step);
  return DumpJson(json);
}

void CheckHello(std::string_view line, bool again) {
  const auto hello = ReadExecHello(line);
  if (!hello.ok()) return RequireGoodError(hello.error(), line.size());
  Laws::Require(!hello->name.empty(), "a runner has a name");
  for (const std::string* text :
       {&hello->name, &hello->version, &hello->chip, &hello->os, &hello->compiler_version}) {
    RequireOneLine(*text);
  }
  if (!again) return;
  const auto reread = ReadExecHello(HelloLine(*hello));
  Laws::Require(reread.ok(), "a written line can be read again",
                reread.ok() ? "" : reread.error().message);
  Laws::Require(HelloLine(*reread) == HelloLine(*hello), "read(write(hello)) is hello", line);
}

void CheckReply(std::string_view line, bool again) {
  const auto reply = ReadExecReply(line, kId);
  if (!reply.ok()) return RequireGoodError(reply.error(), line.size());
  Laws::Require(ExecReplyId(line) == kId, "a reply's id can be read without the rest", line);
  const bool known = reply->status == RunStatus::kOk || reply->status == RunStatus::kRejected ||
                     reply->status == RunStatus::kFailed;
  Laws::Require(known, "a reply has a status of the protocol", line);
  Laws::Require(reply->status == RunStatus::kOk || reply->step != Step::kNone,
                "a refusal names its stage", line);
  for (const std::string* text : {&reply->message, &reply->backend, &reply->proof}) {
    RequireOneLine(*text);
  }
  if (!again) return;
  const auto reread = ReadExecReply(ReplyLine(*reply), kId);
  Laws::Require(reread.ok(), "a written line can be read again",
                reread.ok() ? "" : reread.error().message);
  Laws::Require(ReplyLine(*reread) == ReplyLine(*reply), "read(write(reply)) is reply", line);
  Laws::Require(!ReadExecReply(line, kId + 1).ok(), "a reply answers one request", line);
}

bool Check(ByteSpan input) {
  const bool again = MeetsReaderLaws(input);
  CheckHello(AsText(input), again);
  CheckReply(AsText(input), again);
  return true;
}

WordTables Words() {
  WordTable statuses = {"statuses"};
  for (const RunStatus status : {RunStatus::kOk, RunStatus::kRejected, RunStatus::kFailed}) {
    statuses.Text(ToText(status));
  }
  WordTable targets = {"targets"};
  for (const Target& target : anecheck::AllTargets()) targets.Text(target.compiler_name);
  return {statuses, targets};
}

std::string DrawText(ChoiceStream& choices) {
  static const std::vector<std::string> kTexts = {"", "M1", "kernel too large", "two\nlines",
                                                  "\"\\"};
  return choices.Chance(1, 16) ? std::string(1200, 'x') : choices.Pick(kTexts);
}

std::string DrawHello(ChoiceStream& choices) {
  ExecHello hello;
  hello.name = "runner" + DrawText(choices);
  hello.version = DrawText(choices);
  hello.chip = DrawText(choices);
  hello.os = DrawText(choices);
  hello.compiler_version = DrawText(choices);
  hello.targets.assign(choices.Below(3), "h13");
  return HelloLine(hello);
}

std::string DrawReply(ChoiceStream& choices) {
  static const std::vector<Step> kRejected = {Step::kFrontend,  Step::kFloor,   Step::kHal,
                                              Step::kValidator, Step::kCodegen, Step::kLoad};
  static const std::vector<Step> kFailed = {Step::kCompile, Step::kLoad, Step::kRun};
  ExecReply reply;
  switch (choices.Below(3)) {
    case 0:
      reply.status = RunStatus::kOk;
      break;
    case 1:
      reply.status = RunStatus::kRejected;
      reply.step = choices.Pick(kRejected);
      break;
    default:
      reply.status = RunStatus::kFailed;
      reply.step = choices.Pick(kFailed);
  }
  reply.message = DrawText(choices);
  if (choices.Chance(1, 2)) reply.plan.push_back({"conv", "y", Device::kCpu, 0.5});
  reply.backend = DrawText(choices);
  reply.proof = DrawText(choices);
  reply.compile_us = choices.Below(1 << 20);
  reply.run_us = choices.Below(1 << 20);
  return ReplyLine(reply);
}

// Breaks the protocol. Removes one member of a line, empties the member or changes its kind.
std::string Damage(const std::string& line, ChoiceStream& choices) {
  Json json = ParseJson(line).value();
  auto member = json.begin();
  std::advance(member, static_cast<long>(choices.Below(json.size())));
  const std::string key = member.key();
  switch (choices.Below(5)) {
    case 0:
      json.erase(key);
      break;
    case 1:
      json[key] = nullptr;
      break;
    case 2:
      json[key] = -1;
      break;
    case 3:
      json[key] = Json::array({3});
      break;
    default:
      json[key] = "none of these";
  }
  return choices.Chance(1, 8) ? DumpJson(Json::array({json})) : DumpJson(json);
}

Bytes Generate(ChoiceStream& choices) {
  const std::string line = choices.Coin() ? DrawHello(choices) : DrawReply(choices);
  return AsBytes(choices.Coin() ? Damage(line, choices) : line);
}

}  // namespace

extern const FuzzTarget kTarget_exec_protocol;
const FuzzTarget kTarget_exec_protocol = {.name = "exec_protocol",
                                          .check = Check,
                                          .laws = kLaws,
                                          .words = Words,
                                          .format = &kJsonTextFormat,
                                          .generate = Generate};

}  // namespace anecheck::fuzz
