// The quirk table and the difference that each implemented switch makes.
#include "harness/device/quirk.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "harness/device/target.h"
#include "harness/device/testing/test_engine.h"

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

TEST(Quirks, FamiliesHaveTheirOwn) {
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
  // D03 and D04 are one mechanism: either by hand stops or starts it.
  switches.Set(FindQuirk("D04"), QuirkState::kOff);
  EXPECT_FALSE(ResolveNumericModel(switches, kFamilyA13).mac_tile_lattice);
  switches.SetAll(QuirkState::kFamilyDefault);
  switches.Set(FindQuirk("D04"), QuirkState::kOn);
  EXPECT_TRUE(ResolveNumericModel(switches, kFamilyA15).mac_tile_lattice);
}

// A program and its data on which a quirk shows.
struct QuirkCase {
  const char* id;
  const char* target;
  std::string mil;
  std::vector<double> x;
  size_t outputs;
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

std::vector<QuirkCase> Cases() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto dot = [](size_t n) { return OnX(n, "[1, 1]", "matmul(x = x, y = " + Ones(n) + ")"); };
  std::vector<double> survivors;
  for (int i = 0; i < 16; ++i) survivors.insert(survivors.end(), {4096, -4096, 1});
  const std::string itself = OnX(2, "[1, 2]", "sub(x = x, y = x)");
  const std::string gelu = OnX(1, "[1, 1]", "gelu(x = x, mode = string(\"EXACT\"))");
  return {
      {"D01", "h13", dot(2), {20000, 20000}, 1},
      {"D01", "h17s", dot(2), {-20000, -20000}, 1},
      {"D02",
       "h14",
       OnX(2, "[1, 1]",
           "slice_by_size(x = x, begin = tensor<int32, [2]>([0, 1]), size = tensor<int32, "
           "[2]>([1, 1]))"),
       {1, 5000},
       1},
      {"D03", "h13", dot(48), survivors, 1},
      {"D04", "h13", dot(48), survivors, 1},
      {"D05", "h13", dot(2), {0x1p-20, 0x1p-20}, 1},
      {"D06", "h13", OnX(1, "[1, 1]", "relu(x = x)"), {nan}, 1},
      {"D07", "h13", itself, {inf, 1}, 2},
      {"D12", "h13", gelu, {0}, 1},
      {"D15", "h17", OnX(1, "[1, 1]", "add(x = x, y = fp16(1))"), {2048}, 1},
      {"D27",
       "h14",
       OnX(4, "[1, 1]", "gather(x = x, indices = tensor<int32, [1]>([2]), axis = int32(1))"),
       {1, 2, 4, 8},
       1},
      {"D34",
       "h17s",
       MilProgram("tensor<fp16, [1, 2]> x",
                  "tensor<fp16, [2, 2]> r = matmul(x = x, y = x, transpose_x = bool(true));\n"
                  "tensor<fp16, [2, 2]> g = sigmoid_hard(x = r, alpha = fp16(0.1666), beta = "
                  "fp16(0.5));\ntensor<fp16, [2, 2]> y = mul(x = r, y = g);",
                  "y"),
       {2, 3},
       4},
  };
}

class QuirkDifference : public ::testing::TestWithParam<QuirkCase> {};

TEST_P(QuirkDifference, ShowsBetweenOnAndOff) {
  const CleanSettings settings;
  const QuirkCase& row = GetParam();
  const std::map<std::string, Halves> inputs = {{"x", ToHalves(row.x)}};
  const Halves by_default = RunHalves(row.mil, inputs, row.outputs, row.target);
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)(row.id, 1), ANECHECK_SIM_OK);
  EXPECT_EQ(RunHalves(row.mil, inputs, row.outputs, row.target), by_default);
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)(row.id, 0), ANECHECK_SIM_OK);
  EXPECT_NE(RunHalves(row.mil, inputs, row.outputs, row.target), by_default);
  // "all" off is the conforming engine; a single one comes back by hand.
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("all", 0), ANECHECK_SIM_OK);
  const Halves conforming = RunHalves(row.mil, inputs, row.outputs, row.target);
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)(row.id, 1), ANECHECK_SIM_OK);
  EXPECT_NE(RunHalves(row.mil, inputs, row.outputs, row.target), conforming);
}

INSTANTIATE_TEST_SUITE_P(Quirks, QuirkDifference, ::testing::ValuesIn(Cases()),
                         [](const auto& row) {
                           return std::string(row.param.id) + "_" + row.param.target;
                         });

struct RefusalCase {
  const char* id;
  const char* target;
  std::string mil;
};

std::vector<RefusalCase> Refusals() {
  return {
      {"D16", "h13",
       MilProgram("tensor<fp16, [1, 1, 2, 2, 2]> x, tensor<fp16, [1, 1, 2, 1, 1]> w",
                  "tensor<fp16, [1, 1, 1, 2, 2]> y = conv(x = x, weight = w);", "y")},
      {"D29", "h13",
       MilProgram("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 14]> w",
                  "tensor<fp16, [1, 1, 1, 7]> y = conv(x = x, weight = w);", "y")},
      {"D29", "h16",
       MilProgram("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 16]> w",
                  "tensor<fp16, [1, 1, 1, 5]> y = conv(x = x, weight = w);", "y")},
      {"D30", "h17s",
       MilProgram("tensor<fp16, [2, 1, 1, 4]> x, tensor<fp16, [1, 1, 1, 2]> w",
                  "tensor<fp16, [2, 1, 1, 3]> y = conv(x = x, weight = w);", "y")},
      {"D31", "h13",
       MilProgram("tensor<fp16, [1, 1, 1, 2, 2]> x",
                  "tensor<fp16, [1, 1, 1, 2, 2]> y = matmul(x = x, y = x);", "y")},
      {"D17", "h17",
       OnX(8, "[1, 4]",
           "topk(x = x, k = int32(4), axis = int32(1), return_indices = bool(false))")},
      {"D18", "h13",
       MilProgram("tensor<fp16, [1, 4]> x",
                  "tensor<int32, [1, 4]> i = argsort(x = x, axis = int32(1));\n"
                  "tensor<fp16, [1, 4]> y = cast(x = i, dtype = string(\"fp16\"));",
                  "y")},
      {"D19", "h13",
       MilProgram("tensor<fp16, [1, 16, 1, 1]> x",
                  "tensor<fp16, [1, 16, 1, 1]> y = local_response_norm(x = x, size = int32(1));",
                  "y")},
      {"D28", "h17s",
       MilProgram("tensor<fp16, [1, 4]> x",
                  "tensor<fp16, [1, 1]> r = reduce_max(x = x, axes = tensor<int32, [1]>([1]), "
                  "keep_dims = bool(true));\n"
                  "tensor<fp16, [1, 1]> y = mul(x = fp16(0x1p-30), y = r);",
                  "y")},
      {"D32", "h14",
       MilProgram("tensor<fp16, [1, 4]> x",
                  "tensor<int32, [1, 1]> i = reduce_argmin(x = x, axis = int32(1), keep_dims = "
                  "bool(true));\ntensor<fp16, [1, 1]> y = cast(x = i, dtype = string(\"fp16\"));",
                  "y")},
  };
}

class QuirkRefusal : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(QuirkRefusal, GoesAwayWithItsSwitch) {
  const CleanSettings settings;
  EXPECT_NE(CompileError(GetParam().mil, GetParam().target), "");
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)(GetParam().id, 0), ANECHECK_SIM_OK);
  EXPECT_EQ(CompileError(GetParam().mil, GetParam().target), "");
}

INSTANTIATE_TEST_SUITE_P(Quirks, QuirkRefusal, ::testing::ValuesIn(Refusals()),
                         [](const auto& row) {
                           return std::string(row.param.id) + "_" + row.param.target;
                         });

// The families that have it take no MIL; the switch acts on any.
TEST(Quirks, ALegacyDivideTakesConstantDivisorsByTheirReciprocal) {
  const CleanSettings settings;
  const std::string floor = OnX(1, "[1, 1]", "floor_div(x = x, y = fp16(3))");
  const std::string inputs = MilProgram("tensor<fp16, [1]> x, tensor<fp16, [1]> d",
                                        "tensor<fp16, [1]> y = real_div(x = x, y = d);", "y");
  EXPECT_EQ(RunHalves(floor, {{"x", ToHalves({6})}}, 1), ToHalves({2}));
  EXPECT_EQ(CompileError(inputs), "");
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("D33", 1), ANECHECK_SIM_OK);
  EXPECT_EQ(RunHalves(floor, {{"x", ToHalves({6})}}, 1), ToHalves({1}));
  EXPECT_NE(CompileError(inputs).find("match failure"), std::string::npos);
}

TEST(Quirks, UnknownTargetCompilesForTheDefault) {
  const CleanSettings settings;
  const std::string mil = OnX(1, "[1, 1]", "relu(x = x)");
  EXPECT_EQ(CompileError(mil, "h99"), "");
  ASSERT_EQ(ENGINE(anecheck_sim_set_quirk)("P13", 0), ANECHECK_SIM_OK);
  EXPECT_NE(CompileError(mil, "h99").find("TargetArchitecture h99"), std::string::npos);
}

TEST(Quirks, ControlInterfaceRefusesWhatItDoesNotKnow) {
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
