// Tests the table of quirks, and the change of behaviour by each switch.
#include "harness/device/quirk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/device/compile.h"
#include "harness/device/target.h"
#include "harness/device/testing/network_text.h"
#include "harness/device/testing/test_engine.h"
#include "harness/formats/hwx/container.h"

namespace anecheck::device::testing {
namespace {

TEST(Quirks, TableHasEveryRowOnce) {
  std::set<std::string_view> ids;
  for (size_t i = 0; i < Quirks().size(); ++i) {
    EXPECT_TRUE(ids.insert(Quirks()[i].id).second);
    EXPECT_EQ(FindQuirk(Quirks()[i].id), static_cast<int>(i));
  }
  EXPECT_EQ(ids.size(), 59u);  // 39 rows of known_defects.csv, 20 of defects_plus.csv
  for (const char* id : {"", "D00", "D40", "D1", "P00", "P21", "X01", "D0a"}) {
    EXPECT_EQ(FindQuirk(id), -1) << id;
  }
}

TEST(Quirks, EachFamilyHasItsQuirks) {
  const QuirkSwitches defaults;
  EXPECT_TRUE(defaults.IsOn("D01", kFamilyA13));
  EXPECT_FALSE(defaults.IsOn("D01", kFamilyA15));
  EXPECT_TRUE(defaults.IsOn("D01", kFamilyA17));
  EXPECT_TRUE(defaults.IsOn("D15", kFamilyA17));
  EXPECT_TRUE(defaults.IsOn("D15", kFamilyA14));
  EXPECT_FALSE(defaults.IsOn("D15", kFamilyA13));
  EXPECT_EQ(ResolveNumericModel(defaults, kFamilyA17).store_rounding, Rounding::kNearestAway);
  EXPECT_TRUE(ResolveNumericModel(defaults, kFamilyA13).mac_tile_lattice);
  EXPECT_FALSE(ResolveNumericModel(defaults, kFamilyA14).mac_tile_lattice);
}

TEST(Quirks, SwitchesOverrideTheFamily) {
  QuirkSwitches switches;
  switches.Set(FindQuirk("D01"), QuirkState::kOff);
  EXPECT_FALSE(ResolveNumericModel(switches, kFamilyA13).mac_port_limit);
  switches.Set(FindQuirk("D05"), QuirkState::kOn);
  EXPECT_TRUE(ResolveNumericModel(switches, kFamilyA17).mac_flush_denormals);
  // D03 affects products, and D04 affects reductions. The switch of one does not change the other.
  switches.Set(FindQuirk("D04"), QuirkState::kOff);
  EXPECT_TRUE(ResolveNumericModel(switches, kFamilyA13).mac_tile_lattice);
  EXPECT_FALSE(ResolveNumericModel(switches, kFamilyA13).sum_tile_lattice);
  switches.Set(FindQuirk("D04"), QuirkState::kOn);
  EXPECT_FALSE(ResolveNumericModel(switches, kFamilyA15).mac_tile_lattice);
  EXPECT_TRUE(ResolveNumericModel(switches, kFamilyA15).sum_tile_lattice);
}

// A program that shows one row of the table. The engine's answer (values, or an error as text) must
// differ between the switch on and the switch off.
struct QuirkCheck {
  const char* id;
  const char* target;
  // Returns the answer with the engine's switch in `state`: 1, 0 or -1 (simulator_control.h).
  std::function<std::string(const char* target, int state)> observe;
};

std::string OnX(size_t n, const char* shape, const std::string& call) {
  return MilProgram(fmt::format("tensor<fp16, [1, {}]> x", n),
                    fmt::format("tensor<fp16, {}> y = {};", shape, call), "y");
}

std::string Ones(size_t n) {
  std::string ones;
  for (size_t i = 0; i < n; ++i) ones += i == 0 ? "[1]" : ", [1]";
  return fmt::format("tensor<fp16, [{}, 1]>([{}])", n, ones);
}

std::string Words(const Halves& halves) {
  std::string text;
  for (const Half half : halves) text += fmt::format("{:04x} ", half.bits);
  return text;
}

// Checks y of a program with one input x.
QuirkCheck Value(const char* id, const char* target, const std::string& mil,
                 const std::vector<double>& x, size_t count) {
  return {id, target, [=](const char* on, int) {
            return Words(RunHalves(mil, {{"x", ToHalves(x)}}, count, on));
          }};
}

// Checks the compile error of a program. The error is "" if the program compiles.
QuirkCheck Refusal(const char* id, const char* target, const std::string& mil) {
  return {id, target, [=](const char* on, int) { return CompileError(mil, on); }};
}

using Inputs = std::map<std::string, std::vector<double>>;

// Returns the output y of a network description, or the error. The weight file is the fp16 number
// 1.
std::string RunNetwork(const NetworkText& network, const Inputs& inputs, size_t count,
                       const char* target) {
  const auto folder = TempDirectory::Create("anecheck-quirk-");
  constexpr std::array<uint8_t, 2> kOne = {0x00, 0x3c};
  EXPECT_TRUE(WriteFileAtomic(folder->File(kWeightFile), std::span(kOne)).ok());
  LoadedProgram program(network.Xml(), {.target = target, .model_folder = folder->path()});
  if (!program.ok()) return program.error();
  for (const auto& [name, numbers] : inputs) {
    const Halves halves = ToHalves(numbers);
    std::memcpy(program.Bind(name, false, 2 * halves.size()), halves.data(), 2 * halves.size());
  }
  const auto* y = static_cast<const Half*>(program.Bind("y", true, 2 * count));
  EXPECT_EQ(program.Execute(), 0) << program.error();
  return Words({y, y + count});
}

QuirkCheck Network(const char* id, const char* target, const NetworkText& network,
                   const Inputs& inputs, size_t count) {
  return {id, target, [=](const char* on, int) { return RunNetwork(network, inputs, count, on); }};
}

// Makes attention of `rows` queries over `keys` keys, each with `heads` heads of one number.
NetworkText Attention(int64_t rows, int64_t keys, int64_t heads, bool subtract, bool mask = false) {
  NetworkText network;
  network.weights = true;
  network.constants = {{"one", {1}}};
  network.inputs = {
      {"q", {1, rows, heads, 1}}, {"k", {1, keys, heads, 1}}, {"v", {1, keys, heads, 1}}};
  std::vector<std::string> bottoms = {"q", "k", "v", "one"};
  if (mask) {
    network.inputs.push_back({"m", {1, rows, heads, keys}});
    bottoms.emplace_back("m");
  }
  network.units = {{"y", "SDPA", bottoms, {{"SubtractMax", PlistFlag(subtract)}}}};
  return network;
}

std::vector<double> Same(size_t count, double value) { return std::vector<double>(count, value); }

QuirkCheck LateKey() {
  std::vector<double> key = Same(2049, 0), value = Same(2049, 1);
  key.back() = 10;
  value.back() = 100;
  return Network("D23", "h17s", Attention(1, 2049, 1, true), {{"q", {1}}, {"k", key}, {"v", value}},
                 1);
}

NetworkText Scaled(const char* type) {
  NetworkText network;
  network.inputs = {{"a", {1, 2}}, {"b", {1, 2}}};
  network.units = {{"y",
                    "ScaledElementWise",
                    {"a", "b"},
                    {{"Type", PlistText(type)}, {"Scale", PlistInteger(0x4000)}}}};
  return network;
}

NetworkText ChannelRange() {
  NetworkText network;
  network.inputs = {{"x", {1, 2, 1, 1}}};
  network.units = {{"y",
                    "MinMaxNormalization",
                    {"x"},
                    {{"Dimension", PlistText("Channel")}, {"Epsilon", PlistInteger(0)}}}};
  return network;
}

std::string LoadsOf(size_t programs, const char* target) {
  std::vector<std::unique_ptr<LoadedProgram>> loaded;
  const std::string mil = OnX(1, "[1, 1]", "relu(x = x)");
  while (loaded.size() < programs) {
    loaded.push_back(
        std::make_unique<LoadedProgram>(mil, LoadedProgram::Options{.target = target}));
    if (!loaded.back()->ok()) return loaded.back()->error();
  }
  return "all load";
}

std::string SignaledBySync(const char* target) {
  void* event = nullptr;
  uint64_t value = 0;
  LoadedProgram program(OnX(1, "[1, 1]", "relu(x = x)"), {.target = target});
  program.Bind("x", false, 2);
  program.Bind("y", true, 2);
  ENGINE(e5rt_async_event_create)(&event, "done", 0);
  ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(), event);
  EXPECT_EQ(program.Execute(), 0);
  ENGINE(e5rt_async_event_get_last_signaled_value)(event, &value);
  ENGINE(e5rt_async_event_release)(&event);
  return fmt::format("{}", value);
}

std::string ReflectedContainer(const char* target) {
  const auto folder = TempDirectory::Create("anecheck-quirk-");
  const LoadedProgram program(
      OnX(3, "[1, 5]",
          "pad(x = x, pad = tensor<int32, [2]>([1, 1]), mode = string(\"reflect\"), constant_val "
          "= fp16(0))"),
      {.target = target, .bundle = folder->path()});
  EXPECT_EQ(program.error(), "");
  return ReadTextFile(folder->File("model.hwx")).value();
}

std::string Product(int side) {
  return MilProgram(fmt::format("tensor<fp16, [{0}, {0}]> x", side),
                    fmt::format("tensor<fp16, [{0}, {0}]> y = matmul(x = x, y = x);", side), "y");
}

// Compiles a large product, and returns whether its run would time out. The product is not run,
// because without the defect a run would take hours.
std::string EndOfProduct(int side, const char* target, int state) {
  CompileSettings settings;
  settings.target = FindTarget(target);
  settings.quirks.Set(FindQuirk("D39"), static_cast<QuirkState>(state));
  const auto programs = CompileProgram(Product(side), settings, Backend::kAne);
  EXPECT_TRUE(programs.ok()) << programs.error().message;
  return programs.ok() && programs->front()->times_out ? "times out" : "ends";
}

std::vector<QuirkCheck> Values() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto dot = [](size_t n) { return OnX(n, "[1, 1]", "matmul(x = x, y = " + Ones(n) + ")"); };
  const auto unary = [](const std::string& call) { return OnX(1, "[1, 1]", call); };
  std::vector<double> survivors;
  for (int i = 0; i < 16; ++i) survivors.insert(survivors.end(), {4096, -4096, 1});
  return {
      Value("D01", "h13", dot(2), {20000, 20000}, 1),
      Value("D01", "h17s", dot(2), {-20000, -20000}, 1),
      Value("D02", "h14",
            OnX(2, "[1, 1]",
                "slice_by_size(x = x, begin = tensor<int32, [2]>([0, 1]), size = tensor<int32, "
                "[2]>([1, 1]))"),
            {1, 5000}, 1),
      Value("D03", "h13", dot(48), survivors, 1),
      Value("D04", "h13",
            OnX(48, "[1, 1]",
                "reduce_sum(x = x, axes = tensor<int32, [1]>([1]), keep_dims = bool(true))"),
            survivors, 1),
      Value("D05", "h13", dot(2), {0x1p-20, 0x1p-20}, 1),
      Value("D06", "h13", unary("relu(x = x)"), {kNan}, 1),
      Value("D07", "h13", OnX(2, "[1, 2]", "sub(x = x, y = x)"), {kInfinity, 1}, 2),
      Value("D08", "h13", unary("inverse(x = x, epsilon = fp16(0))"), {-0.0}, 1),
      Value("D09", "h17s", unary("softplus(x = x)"), {11}, 1),
      Value("D10", "h13", unary("softsign(x = x)"), {kInfinity}, 1),
      Value("D11", "h13", unary("log(x = x, epsilon = fp16(0))"), {0}, 1),
      Value("D12", "h13", unary("gelu(x = x, mode = string(\"EXACT\"))"), {0}, 1),
      Value("D13", "h13", unary("silu(x = x)"), {0}, 1),
      Value("D14", "h13", unary("atan(x = x)"), {1}, 1),
      Value("D15", "h17", unary("add(x = x, y = fp16(1))"), {2048}, 1),
      Network("D21", "h13", Attention(1, 2, 1, false), {{"q", {4}}, {"k", {4, 4}}, {"v", {1, 3}}},
              1),
      Network("D22", "h17s", Attention(512, 512, 1, true),
              {{"q", Same(512, 0)}, {"k", Same(512, 0)}, {"v", Same(512, 1)}}, 512),
      LateKey(),
      Network(
          "D24", "h17s", Attention(1, 2, 2, true, true),
          {{"q", {0, 0}}, {"k", Same(4, 0)}, {"v", {1, 5, 3, 7}}, {"m", {0, -60000, -60000, 0}}},
          2),
      Network("D25", "h17s", Scaled("Mult"), {{"a", {1, 2}}, {"b", {3, 4}}}, 2),
      Value("D27", "h14",
            OnX(4, "[1, 1]", "gather(x = x, indices = tensor<int32, [1]>([2]), axis = int32(1))"),
            {1, 2, 4, 8}, 1),
      // The families with this defect take no MIL, but the switch has an effect on any family.
      Value("D33", "h13", unary("floor_div(x = x, y = fp16(3))"), {6}, 1),
      Value("D34", "h17s",
            MilProgram("tensor<fp16, [1, 2]> x",
                       "tensor<fp16, [2, 2]> r = matmul(x = x, y = x, transpose_x = bool(true));\n"
                       "tensor<fp16, [2, 2]> g = sigmoid_hard(x = r, alpha = fp16(0.1666), beta = "
                       "fp16(0.5));\ntensor<fp16, [2, 2]> y = mul(x = r, y = g);",
                       "y"),
            {2, 3}, 4),
  };
}

std::vector<QuirkCheck> Refusals() {
  return {
      Refusal("D16", "h13",
              MilProgram("tensor<fp16, [1, 1, 2, 2, 2]> x, tensor<fp16, [1, 1, 2, 1, 1]> w",
                         "tensor<fp16, [1, 1, 1, 2, 2]> y = conv(x = x, weight = w);", "y")),
      Refusal("D17", "h17",
              OnX(8, "[1, 4]",
                  "topk(x = x, k = int32(4), axis = int32(1), return_indices = bool(false))")),
      Refusal("D18", "h13",
              MilProgram("tensor<fp16, [1, 4]> x",
                         "tensor<int32, [1, 4]> i = argsort(x = x, axis = int32(1));\n"
                         "tensor<fp16, [1, 4]> y = cast(x = i, dtype = string(\"fp16\"));",
                         "y")),
      Refusal("D19", "h13",
              MilProgram("tensor<fp16, [1, 16, 1, 1]> x",
                         "tensor<fp16, [1, 16, 1, 1]> y = local_response_norm(x = x, size = "
                         "int32(1));",
                         "y")),
      Network("D20", "h13", ChannelRange(), {{"x", {1, 2}}}, 2),
      Network("D26", "h17s", Scaled("Sub"), {{"a", {1, 2}}, {"b", {3, 4}}}, 2),
      Refusal("D28", "h17s",
              MilProgram("tensor<fp16, [1, 4]> x",
                         "tensor<fp16, [1, 1]> r = reduce_max(x = x, axes = tensor<int32, "
                         "[1]>([1]), keep_dims = bool(true));\n"
                         "tensor<fp16, [1, 1]> y = mul(x = fp16(0x1p-30), y = r);",
                         "y")),
      Refusal("D29", "h13",
              MilProgram("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 14]> w",
                         "tensor<fp16, [1, 1, 1, 7]> y = conv(x = x, weight = w);", "y")),
      Refusal("D29", "h16",
              MilProgram("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 16]> w",
                         "tensor<fp16, [1, 1, 1, 5]> y = conv(x = x, weight = w);", "y")),
      Refusal("D30", "h17s",
              MilProgram("tensor<fp16, [2, 1, 1, 4]> x, tensor<fp16, [1, 1, 1, 2]> w",
                         "tensor<fp16, [2, 1, 1, 3]> y = conv(x = x, weight = w);", "y")),
      Refusal("D31", "h13",
              MilProgram("tensor<fp16, [1, 1, 1, 2, 2]> x",
                         "tensor<fp16, [1, 1, 1, 2, 2]> y = matmul(x = x, y = x);", "y")),
      Refusal("D32", "h14",
              MilProgram("tensor<fp16, [1, 4]> x",
                         "tensor<int32, [1, 1]> i = reduce_argmin(x = x, axis = int32(1), "
                         "keep_dims = bool(true));\n"
                         "tensor<fp16, [1, 1]> y = cast(x = i, dtype = string(\"fp16\"));",
                         "y")),
  };
}

std::vector<QuirkCheck> Runtime() {
  const std::string wide = MilProgram("tensor<fp16, [1, 1, 1, 1, 1, 2]> x",
                                      "tensor<fp16, [1, 1, 1, 1, 1, 2]> y = relu(x = x);", "y");
  return {
      {"D35", "h13", [=](const char* on, int) { return CompileError(wide, on, 7); }},
      {"D36", "h13", [](const char* on, int) { return LoadsOf(129, on); }},
      {"D37", "h13", [](const char* on, int) { return SignaledBySync(on); }},
      {"D38", "h13", [](const char* on, int) { return ReflectedContainer(on); }},
      {"D39", "h17s", [](const char* on, int state) { return EndOfProduct(16384, on, state); }},
  };
}

const std::vector<QuirkCheck>& Checks() {
  static const std::vector<QuirkCheck> checks = [] {
    std::vector<QuirkCheck> all = Values();
    for (const auto& more : {Refusals(), Runtime()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return checks;
}

bool HasByDefault(const Quirk& row, const char* target) {
  return (row.default_families >> FindTarget(target)->family & 1) != 0;
}

class QuirkSwitch : public ::testing::TestWithParam<QuirkCheck> {};

TEST_P(QuirkSwitch, ChangesTheBehaviourOfItsRow) {
  const CleanSettings settings;
  const QuirkCheck& check = GetParam();
  const auto observe = [&](int state) {
    EXPECT_EQ(ENGINE(anecheck_sim_set_quirk)(check.id, state), ANECHECK_SIM_OK);
    return check.observe(check.target, state);
  };
  const std::string off = observe(0);
  const std::string on = observe(1);
  EXPECT_NE(on, off);
  const Quirk& row = Quirks()[static_cast<size_t>(FindQuirk(check.id))];
  EXPECT_EQ(observe(-1), HasByDefault(row, check.target) ? on : off);
  // With "all" off the engine conforms; a single quirk can still be switched on.
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("all", 0), ANECHECK_SIM_OK);
  const std::string conforming = observe(0);
  EXPECT_NE(observe(1), conforming);
}

INSTANTIATE_TEST_SUITE_P(Quirks, QuirkSwitch, ::testing::ValuesIn(Checks()), [](const auto& row) {
  return std::string(row.param.id) + "_" + row.param.target;
});

// Each documented defect is visible on a family that has it, if such a family takes programs.
TEST(Quirks, EveryDocumentedDefectHasASwitchThatChangesAResult) {
  size_t documented = 0;
  for (const Quirk& row : Quirks()) {
    if (!row.id.starts_with("D")) continue;
    ++documented;
    EXPECT_TRUE(row.implemented) << row.id;
    const bool reached = row.default_families >> kFamilyA13 != 0;
    EXPECT_TRUE(std::ranges::any_of(Checks(), [&](const QuirkCheck& check) {
      return check.id == row.id && (!reached || HasByDefault(row, check.target));
    })) << row.id;
  }
  EXPECT_EQ(documented, 39u);
}

// The engine reports the time-out without computing the product or touching its tensors.
TEST(Quirks, ALargeProductTimesOut) {
  const CleanSettings settings;
  EXPECT_EQ(EndOfProduct(16383, "h17s", 1), "ends");
  constexpr size_t kBytes = size_t{2} << 28;
  LoadedProgram program(Product(16384), {.target = "h17s"});
  ASSERT_EQ(program.error(), "");
  ASSERT_NE(program.Bind("x", false, kBytes), nullptr) << program.error();
  ASSERT_NE(program.Bind("y", true, kBytes), nullptr) << program.error();
  EXPECT_NE(program.Execute(), 0);
  EXPECT_NE(program.error().find("Program Inference timeout"), std::string::npos)
      << program.error();
}

TEST(Quirks, LegacyDivisionAffectsConstantDivisorsOnly) {
  const CleanSettings settings;
  const std::string inputs = MilProgram("tensor<fp16, [1]> x, tensor<fp16, [1]> d",
                                        "tensor<fp16, [1]> y = real_div(x = x, y = d);", "y");
  const std::string floor = OnX(1, "[1, 1]", "floor_div(x = x, y = fp16(3))");
  EXPECT_EQ(CompileError(inputs), "");
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("D33", 1), ANECHECK_SIM_OK);
  EXPECT_EQ(RunHalves(floor, {{"x", ToHalves({6})}}, 1), ToHalves({1})) << "floor(6 fp16(1/3))";
  EXPECT_NE(CompileError(inputs).find("match failure"), std::string::npos);
}

// With D38 off, the bit is in the register word for the version of the task.
TEST(Quirks, ReflectionIsSetInTheWordOfItsVersion) {
  const CleanSettings settings;
  const auto words = [] {
    const std::string bytes = ReflectedContainer("h13");
    const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
    const auto container = hwx::Parse({begin, bytes.size()});
    EXPECT_TRUE(container.ok()) << container.error().message;
    const td::Task& task = container->Text()->tasks->tasks.at(0);
    return std::pair(task.Find(0x4820), task.Find(0x4844));
  };
  using Bits = std::optional<uint32_t>;
  EXPECT_EQ(words(), std::pair(Bits(), Bits(1)));
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("D38", 0), ANECHECK_SIM_OK);
  EXPECT_EQ(words(), std::pair(Bits(1), Bits()));
}

TEST(Quirks, UnknownTargetCompilesForTheDefault) {
  const CleanSettings settings;
  const std::string mil = OnX(1, "[1, 1]", "relu(x = x)");
  EXPECT_EQ(CompileError(mil, "h99"), "");
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("P13", 0), ANECHECK_SIM_OK);
  EXPECT_NE(CompileError(mil, "h99").find("TargetArchitecture h99"), std::string::npos);
}

TEST(Quirks, ControlInterfaceRefusesUnknownNames) {
  const CleanSettings settings;
  EXPECT_EQ(ENGINE(anecheck_sim_set_quirk)("D99", 1), ANECHECK_SIM_UNKNOWN);
  EXPECT_EQ(ENGINE(anecheck_sim_set_quirk)(nullptr, 1), ANECHECK_SIM_INVALID);
  EXPECT_EQ(ENGINE(anecheck_sim_set_quirk)("D01", 2), ANECHECK_SIM_INVALID);
  EXPECT_EQ(ENGINE(anecheck_sim_enable_fault)("nothing"), ANECHECK_SIM_UNKNOWN);
  EXPECT_EQ(ENGINE(anecheck_sim_enable_fault)("ulp-error:add"), ANECHECK_SIM_INVALID);
  EXPECT_EQ(ENGINE(anecheck_sim_disable_fault)("conv-bias-dropped"), ANECHECK_SIM_UNKNOWN);
  EXPECT_EQ(ENGINE(anecheck_sim_set_target)("h99"), ANECHECK_SIM_UNKNOWN);
  EXPECT_STREQ(ENGINE(anecheck_sim_target)(), "h13");
  EXPECT_EQ(ENGINE(anecheck_sim_set_target)("H17s"), ANECHECK_SIM_OK);
  EXPECT_STREQ(ENGINE(anecheck_sim_target)(), "h17s");
  const std::string quirks = ENGINE(anecheck_sim_quirks_json)();
  const std::string faults = ENGINE(anecheck_sim_faults_json)();
  EXPECT_NE(quirks.find("\"id\":\"D39\""), std::string::npos);
  EXPECT_NE(faults.find("\"id\":\"conv-bias-dropped\""), std::string::npos);
}

}  // namespace
}  // namespace anecheck::device::testing
