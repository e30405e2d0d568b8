// Tests the places at which the engine's compiler cuts programs. A cut changes no value.
#include "harness/device/dispatch.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "harness/device/compile.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

constexpr std::string_view kType = "tensor<fp16, [1, 2, 4, 8]>";

// Returns the statement `name = op(x = of);`.
std::string One(std::string_view name, std::string_view op, std::string_view of) {
  return fmt::format("{} {} = {}(x = {});\n", kType, name, op, of);
}
std::string Sum(std::string_view name, std::string_view x, std::string_view y) {
  return fmt::format("{} {} = add(x = {}, y = {});\n", kType, name, x, y);
}
std::string Attention(std::string_view name, std::string_view of) {
  return fmt::format(
      "{0} {1} = scaled_dot_product_attention(query = {2}, key = {2}, value = {2});\n", kType, name,
      of);
}
std::string Program(const std::string& statements) {
  return MilProgram(fmt::format("{} x", kType), statements, "y");
}

// Returns the count of dispatches, and each operation's first letter in the order of execution.
std::string Dispatches(const std::string& statements, Backend backend = Backend::kAne) {
  CompileSettings settings;
  settings.target = &DefaultTarget();
  settings.on_cpu = backend != Backend::kAne;
  const auto programs = CompileProgram(Program(statements), settings, backend);
  if (!programs.ok()) return programs.error().message;
  const Executable& executable = *programs->front();
  std::string text = std::to_string(executable.dispatches) + " ";
  for (const Executable::Node& node : executable.nodes) text += node.op[0];
  return text;
}

TEST(Dispatches, AnUncutProgramHasOneAtAnyDepth) {
  EXPECT_EQ(Dispatches(One("y", "relu", "x")), "1 r");
  EXPECT_EQ(Dispatches(One("a", "relu", "x") + One("b", "tanh", "a") + Sum("y", "b", "x")),
            "1 rta");
}

TEST(Dispatches, ACutHasItsOwn) {
  EXPECT_EQ(Dispatches(Attention("y", "x")), "1 s");
  EXPECT_EQ(Dispatches(One("a", "relu", "x") + Attention("b", "a") + One("y", "tanh", "b")),
            "3 rst");
  EXPECT_EQ(Dispatches(Attention("a", "x") + Attention("y", "a")), "2 ss");
}

// An operation runs after the last cut if no cut reads its result. It runs before a cut that reads
// its result.
TEST(Dispatches, ABranchBesideACutSharesOneUnlessALaterCutNeedsIt) {
  EXPECT_EQ(Dispatches(One("t", "tanh", "x") + Attention("c", "x") + One("r", "relu", "c") +
                       Sum("y", "r", "t")),
            "2 stra");
  EXPECT_EQ(Dispatches(One("t", "tanh", "x") + Attention("c", "x") + Attention("d", "t") +
                       Sum("y", "c", "d")),
            "4 stsa");
}

TEST(Dispatches, AStaticSliceSharesThatOfACut) {
  EXPECT_EQ(
      Dispatches(fmt::format("{} a = slice_by_index(x = x, begin = tensor<int32, [4]>([0, 0, 0, "
                             "0]), end = tensor<int32, [4]>([1, 2, 4, 8]));\n",
                             kType) +
                 Attention("y", "a")),
      "1 ss");
}

TEST(Dispatches, TheCpuIsNotCut) {
  EXPECT_EQ(
      Dispatches(One("t", "tanh", "x") + Attention("c", "x") + Sum("y", "c", "t"), Backend::kBnns),
      "1 tsa");
}

TEST(Dispatches, AreCountedAndChangeNoValue) {
  const CleanSettings settings;
  Halves x(64);
  for (size_t i = 0; i < x.size(); ++i) x[i] = DoubleToHalf(0.125 * static_cast<double>(i % 11));
  const auto run = [](const std::string& statements, const Halves& given) {
    return RunHalves(Program(statements), {{"x", given}}, 64);
  };
  anecheck_sim_counts before{}, after{};
  ENGINE(anecheck_sim_get_counts)(&before);
  const Halves whole = run(
      One("t", "tanh", "x") + One("a", "relu", "x") + Attention("b", "a") + Sum("y", "b", "t"), x);
  ENGINE(anecheck_sim_get_counts)(&after);
  EXPECT_EQ(after.executions - before.executions, 1u);
  EXPECT_EQ(after.dispatches - before.dispatches, 3u);
  const Halves attended = run(Attention("y", "x"), run(One("y", "relu", "x"), x));
  LoadedProgram sum(MilProgram(fmt::format("{0} a, {0} b", kType), Sum("y", "a", "b"), "y"));
  const Halves t = run(One("y", "tanh", "x"), x);
  std::memcpy(sum.Bind("a", false, 128), attended.data(), 128);
  std::memcpy(sum.Bind("b", false, 128), t.data(), 128);
  const auto* y = static_cast<const Half*>(sum.Bind("y", true, 128));
  ASSERT_EQ(sum.Execute(), 0) << sum.error();
  EXPECT_EQ(whole, Halves(y, y + 64));
}

}  // namespace
}  // namespace anecheck::device::testing
