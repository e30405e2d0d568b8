// Tests the lines of the exec protocol. Each member is read, or refused with its name.
#include "harness/runners/exec_protocol.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/runners/testing/word_cases.h"

namespace anecheck {
namespace {

using testing::WordCases;

TEST(ExecProtocol, TheRequestIsOneLineOfJson) {
  const WordCases words({"a"});
  const ExecCase cases[] = {
      {&words.all()[0], 7, {.graph = "/c/graph.json", .mil = "/c/model.mil", .outputs = "/c/o"}},
      {&words.all()[0],
       8,
       {.graph = "/d/graph.json", .second_inputs = "/i", .second_outputs = "/o"}}};
  EXPECT_EQ(ExecRequestLine({cases, 1}, 1),
            "{\"v\":1,\"id\":7,\"target\":\"h13\",\"route\":\"mil\",\"graph\":\"/c/graph.json\","
            "\"mil\":\"/c/model.mil\",\"outputs\":\"/c/o\"}");
  EXPECT_EQ(ExecRequestLine(cases, 2),
            "{\"v\":2,\"cases\":[{\"id\":7,\"target\":\"h13\",\"route\":\"mil\",\"graph\":"
            "\"/c/graph.json\",\"mil\":\"/c/model.mil\",\"outputs\":\"/c/o\"},{\"id\":8,\"target\":"
            "\"h13\",\"route\":\"mil\",\"graph\":\"/d/graph.json\",\"second\":{\"inputs\":\"/i\","
            "\"outputs\":\"/o\"}}]}");
  EXPECT_EQ(ExecHelloLine(), "{\"v\":1,\"hello\":true,\"versions\":[1,2]}");
}

TEST(ExecProtocol, TheAnswerToTheHelloChoosesTheVersion) {
  const auto old = ReadExecHello(R"({"v": 1, "name": "a", "batch": 8, "second": true})");
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old->protocol, 1);
  EXPECT_EQ(old->batch, 1u) << "version 1 ignores the member batch";
  const auto both = ReadExecHello(R"({"v": 2, "name": "a", "batch": 8, "second": true})");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(both->protocol, 2);
  EXPECT_EQ(both->batch, 8u);
  EXPECT_TRUE(both->second);
  const auto problem = [](const char* line) { return ReadExecHello(line).error().message; };
  EXPECT_EQ(problem(R"({"v": 3, "name": "a"})"), "v: must be 1 or 2");
  EXPECT_EQ(problem(R"({"v": 2, "name": "a", "batch": 65})"), "batch: must be from 1 to 64");
  EXPECT_EQ(problem(R"({"v": 2, "name": "a", "batch": 0})"), "batch: must be from 1 to 64");
  EXPECT_EQ(problem(R"({"v": 2, "name": "a", "second": 1})"), "second: must be true or false");
}

TEST(ExecProtocol, RepliesAreReadMemberByMember) {
  const auto reply = ReadExecReply(
      R"({"v": 1, "id": 7, "status": "ok", "backend": "ane", "proof": "/p", "compile_us": 3,)"
      R"( "run_us": 4, "more": [1]})",
      7);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->status, RunStatus::kOk);
  EXPECT_EQ(reply->backend, "ane");
  EXPECT_EQ(reply->proof, "/p");
  EXPECT_EQ(reply->compile_us, 3u);
  EXPECT_EQ(reply->run_us, 4u);
  const std::pair<const char*, const char*> kBroken[] = {
      {R"({"id": 7, "status": "ok"})", "v: is missing"},
      {R"({"v": 3, "id": 7, "status": "ok"})", "v: must be 1 or 2"},
      {R"({"v": 1, "status": "ok"})", "id: is missing"},
      {R"({"v": 1, "id": "7", "status": "ok"})", "id: is \"7\", the request has 7"},
      {R"({"v": 1, "id": 7, "status": 3})", "status: must be a string"},
      {R"({"v": 1, "id": 7, "status": "ok", "run_us": -1})", "run_us: must be a whole number"},
      {R"({"v": 1, "id": 7, "status": "failed", "stage": "hal"})", "stage: \"hal\" is none of"},
  };
  for (const auto& [line, message] : kBroken) {
    const auto broken = ReadExecReply(line, 7);
    ASSERT_FALSE(broken.ok()) << line;
    EXPECT_NE(broken.error().message.find(message), std::string::npos) << broken.error().message;
  }
}

TEST(ExecProtocol, TheHelloNamesTheEngineAndItsOperations) {
  const auto plain = ReadExecHello(R"({"v": 1, "name": "a"})");
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  EXPECT_TRUE(plain->is_ane);
  EXPECT_TRUE(plain->ops.empty());
  const auto other =
      ReadExecHello(R"({"v": 1, "name": "a", "engine": "other", "ops": ["add", "conv"]})");
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_FALSE(other->is_ane);
  EXPECT_EQ(other->ops, (std::vector<std::string>{"add", "conv"}));
  EXPECT_TRUE(ReadExecHello(R"({"v": 1, "name": "a", "engine": "ane"})")->is_ane);
  EXPECT_EQ(ReadExecHello(R"({"v": 1, "name": "a", "engine": "gpu"})").error().message,
            "engine: must be \"ane\" or \"other\"");
  EXPECT_EQ(ReadExecHello(R"({"v": 1, "name": "a", "ops": "add"})").error().message,
            "ops: must be a list of strings");
}

TEST(ExecProtocol, TheHelloMayAskForPackagesAndForALeastSaving) {
  const auto hello =
      ReadExecHello(R"({"v": 1, "name": "a", "models": ["mlpackage"], "least_saving_us": 250})");
  ASSERT_TRUE(hello.ok()) << hello.error().message;
  EXPECT_TRUE(hello->wants_package);
  EXPECT_EQ(hello->least_saving_us, 250u);
  EXPECT_EQ(ReadExecHello(R"({"v": 1, "name": "a", "models": ["onnx"]})").error().message,
            "models: \"onnx\" is no mlpackage");
}

TEST(ExecProtocol, APlanNamesTheDeviceOfEachOperation) {
  const auto reply = ReadExecReply(
      R"({"v": 1, "id": 7, "status": "ok", "cpu_outputs": "/c/cpu.npz", "plan": [)"
      R"({"op": "conv", "name": "y", "device": "ane", "cost": 0.5}, {"op": "sin", "device": "cpu"}]})",
      7);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_EQ(reply->cpu_outputs, "/c/cpu.npz");
  ASSERT_EQ(reply->plan.size(), 2u);
  EXPECT_EQ(reply->plan[0].name, "y");
  EXPECT_EQ(reply->plan[0].cost, 0.5);
  EXPECT_EQ(reply->plan[1].device, Device::kCpu);
  EXPECT_EQ(reply->plan[1].cost, std::nullopt);
  const std::pair<const char*, const char*> kBroken[] = {
      {R"("plan": {})", "plan: must be a list of objects"},
      {R"("plan": [1])", "plan: must be a list of objects"},
      {R"("plan": [{"device": "ane"}])", "plan: an operation has no \"op\""},
      {R"("plan": [{"op": "a"}])", "device: \"\" is none of ane, cpu, gpu"},
      {R"("plan": [{"op": "a", "device": "tpu"}])", "device: \"tpu\" is none of ane, cpu, gpu"},
      {R"("plan": [{"op": "a", "device": "ane", "cost": 2}])",
       "cost: must be a number from 0 to 1"},
      {R"("container": "/c/x", "cpu_outputs": "/c/y")", "container: is only allowed"},
  };
  for (const auto& [member, message] : kBroken) {
    const auto broken =
        ReadExecReply(std::string(R"({"v": 1, "id": 7, "status": "ok", )") + member + "}", 7);
    ASSERT_FALSE(broken.ok()) << member;
    EXPECT_NE(broken.error().message.find(message), std::string::npos) << broken.error().message;
  }
  EXPECT_EQ(
      ReadExecReply(
          R"({"v": 1, "id": 7, "status": "rejected", "stage": "hal", "cpu_outputs": "/c/y"})", 7)
          .error()
          .message,
      "cpu_outputs: is only allowed with the status ok");
}

TEST(ExecProtocol, AnUnsupportedGraphNamesItsOperation) {
  const auto reply =
      ReadExecReply(R"({"v": 1, "id": 7, "status": "unsupported", "op": "lstm"})", 7);
  ASSERT_TRUE(reply.ok()) << reply.error().message;
  EXPECT_TRUE(reply->unsupported);
  EXPECT_EQ(reply->status, RunStatus::kRejected);
  EXPECT_EQ(reply->message, "the runner does not support lstm");
  EXPECT_EQ(ReadExecReply(R"({"v": 1, "id": 7, "status": "unsupported"})", 7).error().message,
            "op: is missing: the operation that is not supported");
}

TEST(ExecProtocol, AnIdIsReadFromAFaultyReply) {
  EXPECT_EQ(ExecReplyId(R"({"v": 1, "id": 9, "status": "splendid"})"), 9u);
  for (const char* line : {"", "9", "no JSON", R"({"v": 1})", R"({"v": 1, "id": "9"})",
                           R"({"v": 1, "id": -9})", R"({"v": 3, "id": 9})"}) {
    EXPECT_EQ(ExecReplyId(line), std::nullopt) << line;
  }
}

RC_GTEST_PROP(ExecProtocol, APrefixOfAReplyIsNoReply, (uint64_t id, std::string message)) {
  Json reply = {{"v", 1}, {"id", id}, {"status", "ok"}, {"message", message}};
  const std::string line = DumpJson(reply);
  RC_ASSERT(ReadExecReply(line, id).ok());
  const auto size = *rc::gen::inRange<size_t>(0, line.size());
  RC_ASSERT(!ReadExecReply(line.substr(0, size), id).ok());
}

}  // namespace
}  // namespace anecheck
