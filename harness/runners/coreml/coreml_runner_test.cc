// Tests the whole Core ML runner except the calls to Apple's framework.
#include "harness/runners/coreml/coreml_runner.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/runners/exec_protocol.h"

namespace anecheck::coreml {
namespace {

// A framework whose models return their input under another name. Each step can be set to fail.
class Fake final : public Framework {
 public:
  class Copy final : public LoadedModel {
   public:
    explicit Copy(bool fails) : fails_(fails) {}
    Result<std::vector<npz::NamedArray>> Predict(std::span<const npz::NamedArray> inputs) override {
      if (fails_) return MakeError(ErrorCode::kInvalid, "no prediction");
      std::vector<npz::NamedArray> outputs(inputs.begin(), inputs.end());
      outputs[0].name = "y";
      return outputs;
    }

   private:
    bool fails_;
  };

  explicit Fake(std::string folder) : folder_(std::move(folder)) {}
  Machine Describe() override { return machine; }
  Result<std::string> Compile(const std::string&) override {
    if (fails_to_compile) return MakeError(ErrorCode::kInvalid, "no compilation");
    const std::string compiled = folder_ + "/a.mlmodelc";
    EXPECT_TRUE(MakeDirectories(compiled).ok());
    return compiled;
  }
  Result<std::unique_ptr<LoadedModel>> Load(const std::string&, Units units) override {
    if (units == fails_to_load) return MakeError(ErrorCode::kInvalid, "no load");
    return std::unique_ptr<LoadedModel>(new Copy(units == fails_to_predict));
  }
  Result<std::vector<ProgramOp>> Plan(const std::string&) override {
    if (!has_plan) return MakeError(ErrorCode::kUnsupported, "no such class");
    return std::vector<ProgramOp>{{"ios17.relu", "y", Device::kAne, 1.0}};
  }

  Machine machine = {"Apple M1", "macOS 15.5.0", "3500.1"};
  bool fails_to_compile = false, has_plan = true;
  std::optional<Units> fails_to_load, fails_to_predict;

 private:
  std::string folder_;
};

class CoreMlRunner : public ::testing::Test {
 protected:
  CoreMlRunner() : folder_(*TempDirectory::Create("anecheck-coreml-test-")), fake(folder_.path()) {
    const npz::NamedArray x = {"x", {npz::ElementType::kFloat16, {2}, {0, 0x3c, 0, 0x40}}};
    EXPECT_TRUE(npz::WriteNpzFile(folder_.File("inputs.npz"), {&x, 1}).ok());
  }

  Json Request() const {
    return {{"v", 1},
            {"id", 7},
            {"mlpackage", folder_.File("model.mlpackage")},
            {"inputs", folder_.File("inputs.npz")},
            {"outputs", folder_.File("outputs.npz")}};
  }
  // Returns the reply, which must follow the protocol.
  Json Reply() {
    Json reply = ReplyTo(Request(), fake);
    const auto read = ReadExecReply(DumpJson(reply), 7);
    EXPECT_TRUE(read.ok()) << DumpJson(reply) << read.error().message;
    return reply;
  }
  bool CompiledIsLeft() const { return std::filesystem::exists(folder_.File("a.mlmodelc")); }

  TempDirectory folder_;
  Fake fake;
};

TEST_F(CoreMlRunner, TheHelloHasTheTargetsOfTheChip) {
  const auto hello = HelloOf(fake.machine, {});
  ASSERT_TRUE(hello.ok()) << hello.error().message;
  const auto read = ReadExecHello(DumpJson(*hello));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->targets, (std::vector<std::string>{"h13"}));
  EXPECT_EQ(read->chip, "M1");
  EXPECT_TRUE(read->is_ane);
  EXPECT_TRUE(read->wants_package);
  EXPECT_EQ(read->least_saving_us, 250u);
}

TEST_F(CoreMlRunner, AnUnknownChipNeedsATarget) {
  fake.machine.chip = "Apple Z9";
  EXPECT_EQ(HelloOf(fake.machine, {}).error().message,
            "chip \"Apple Z9\": no table names its target; give --target NAME");
  EXPECT_EQ((*HelloOf(fake.machine, {.target = "h17s"}))["targets"][0], "h17s");
}

TEST_F(CoreMlRunner, ARunHasOutputsOfTheEngineAndTheCpuAndAPlan) {
  const Json reply = Reply();
  EXPECT_EQ(reply["status"], "ok");
  EXPECT_EQ(reply["plan"][0]["op"], "relu");
  EXPECT_EQ(reply["plan"][0]["device"], "ane");
  for (const std::string& path :
       {folder_.File("outputs.npz"), reply["cpu_outputs"].get<std::string>()}) {
    const auto outputs = npz::ReadNpzFile(path);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    EXPECT_EQ((*outputs)[0].name, "y");
  }
  EXPECT_FALSE(CompiledIsLeft());
}

TEST_F(CoreMlRunner, EachFailureHasItsStage) {
  fake.fails_to_predict = Units::kEngine;
  Json reply = Reply();
  EXPECT_EQ(reply["status"], "failed");
  EXPECT_EQ(reply["stage"], "run");
  EXPECT_EQ(reply["message"], "no prediction; the CPU alone runs it");
  fake.fails_to_load = Units::kEngine;
  reply = Reply();
  EXPECT_EQ(reply["status"], "failed");
  EXPECT_EQ(reply["stage"], "load");
  EXPECT_EQ(reply["message"], "no load; the CPU alone runs it");
  fake.fails_to_compile = true;
  reply = Reply();
  EXPECT_EQ(reply["status"], "rejected");
  EXPECT_EQ(reply["stage"], "frontend");
  EXPECT_EQ(reply["message"], "no compilation");
  EXPECT_FALSE(CompiledIsLeft());
}

TEST_F(CoreMlRunner, AMissingCpuRunOrPlanIsReportedButNoFailure) {
  fake.fails_to_load = Units::kCpu;
  fake.has_plan = false;
  const Json reply = Reply();
  EXPECT_EQ(reply["status"], "ok");
  EXPECT_FALSE(reply.contains("plan"));
  EXPECT_FALSE(reply.contains("cpu_outputs"));
  EXPECT_EQ(reply["message"], "no plan: no such class; the CPU alone fails at load: no load");
}

TEST_F(CoreMlRunner, ARequestWithoutAPackageIsUnsupported) {
  Json request = Request();
  request.erase("mlpackage");
  const Json reply = ReplyTo(request, fake);
  EXPECT_EQ(reply["status"], "unsupported");
  EXPECT_EQ(reply["op"], "network descriptions");
}

TEST_F(CoreMlRunner, ServesEachLine) {
  std::istringstream in(DumpJson(Json{{"v", 1}, {"hello", true}}) + "\n" + DumpJson(Request()) +
                        "\n");
  std::vector<std::string> lines;
  const auto keep = [&](const std::string& line) { lines.push_back(line); };
  EXPECT_EQ(Serve(in, keep, fake, {}), 0);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(ReadExecHello(lines[0]).ok());
  EXPECT_TRUE(ReadExecReply(lines[1], 7).ok());
  std::istringstream broken("[1]\n");
  EXPECT_EQ(Serve(broken, keep, fake, {}), 2);
}

TEST(CoreMlPlan, HasMilNamesAndLeavesConstantsOut) {
  const ProgramOp ops[] = {{"const", "c", {}, {}},
                           {"ios17.conv", "y", Device::kAne, 1.5},
                           {"relu", "", Device::kCpu, std::numeric_limits<double>::quiet_NaN()},
                           {"ios18.sin", "z", Device::kGpu, {}}};
  EXPECT_EQ(DumpJson(PlanOf(ops)),
            R"([{"op":"conv","device":"ane","name":"y","cost":1.0},)"
            R"({"op":"relu","device":"cpu"},{"op":"sin","device":"gpu","name":"z"}])");
}

TEST(CoreMlArrays, StridedElementsComeInOrder) {
  // Rows of two elements, eight bytes apart.
  const std::vector<uint8_t> padded = {1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8};
  const uint64_t shape[] = {2, 2};
  const int64_t strides[] = {4, 1};
  EXPECT_EQ(InOrder(padded.data(), shape, strides, 2),
            (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(InOrder(padded.data(), {}, {}, 2), (std::vector<uint8_t>{1, 2}));
  const uint64_t none[] = {2, 0};
  EXPECT_TRUE(InOrder(padded.data(), none, strides, 2).empty());
}

}  // namespace
}  // namespace anecheck::coreml
