// Tests the states of programs, which an operation keeps from one execution to the next.
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "harness/device/testing/clean_engine.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

using Numbers = std::vector<double>;

// y = x + (the earlier y).
const std::string kSum = MilProgram("tensor<fp16, [2]> x, state<tensor<fp16, [2]>> s",
                                    "tensor<fp16, [2]> before = read_state(input = s);\n"
                                    "tensor<fp16, [2]> y = add(x = x, y = before);\n"
                                    "write_state(input = s, data = y);",
                                    "y");

class States : public CleanEngine {
 protected:
  // Runs the program once with input `x` and returns y.
  static Numbers Step(LoadedProgram& program, const Numbers& x, size_t count) {
    const Halves halves = ToHalves(x);
    void* data = program.Bind("x", false, 2 * halves.size());
    EXPECT_NE(data, nullptr) << program.error();
    if (data == nullptr) return {};
    std::memcpy(data, halves.data(), 2 * halves.size());
    const auto* y = static_cast<const Half*>(program.Bind("y", true, 2 * count));
    EXPECT_EQ(program.Execute(), 0) << program.error();
    return ToDoubles({y, y + count});
  }
};

TEST_F(States, StayFromOneExecutionToTheNext) {
  for (const char* target : {"h13", "h14", "h17s"}) {
    LoadedProgram program(kSum, {.target = target});
    LoadedProgram other(kSum, {.target = target});
    ASSERT_EQ(program.error(), "") << target;
    EXPECT_EQ(Step(program, {1, -2}, 2), (Numbers{1, -2})) << target;
    EXPECT_EQ(Step(program, {1, -2}, 2), (Numbers{2, -4})) << target;
    EXPECT_EQ(Step(program, {0, 10}, 2), (Numbers{2, 6})) << target;
    EXPECT_EQ(Step(other, {5, 5}, 2), (Numbers{5, 5}))
        << target << ": each program has its own state";
  }
}

TEST_F(States, AReadValueDoesNotChange) {
  LoadedProgram program(MilProgram("tensor<fp16, [2]> x, state<tensor<fp16, [2]>> s",
                                   "tensor<fp16, [2]> before = tensor_buffer_to_tensor(input = s);"
                                   "tensor_to_tensor_buffer(input = s, data = x);"
                                   "tensor<fp16, [2]> after = read_state(input = s);"
                                   "tensor<fp16, [4]> y = concat(values = (before, after), axis = "
                                   "int32(0));",
                                   "y"));
  ASSERT_EQ(program.error(), "");
  EXPECT_EQ(Step(program, {1, 2}, 4), (Numbers{0, 0, 1, 2}));
  EXPECT_EQ(Step(program, {3, 4}, 4), (Numbers{1, 2, 3, 4}));
}

// Reads and writes of a state keep their order in a program that is cut.
TEST_F(States, KeepTheirOrderAcrossACut) {
  LoadedProgram program(
      MilProgram("tensor<fp16, [1, 1, 1, 2]> x, state<tensor<fp16, [1, 1, 1, 2]>> s",
                 "tensor<fp16, [1, 1, 1, 2]> c = scaled_dot_product_attention(query = x, key = x, "
                 "value = x);"
                 "write_state(input = s, data = c);"
                 "tensor<fp16, [1, 1, 1, 2]> kept = read_state(input = s);"
                 "write_state(input = s, data = x);"
                 "tensor<fp16, [1, 1, 1, 2]> y = add(x = kept, y = kept);",
                 "y"));
  ASSERT_EQ(program.error(), "");
  EXPECT_EQ(Step(program, {3, 4}, 2), (Numbers{6, 8}))
      << "attention over one key returns its value";
}

TEST_F(States, RingsWrapAroundTheirAxis) {
  LoadedProgram program(
      MilProgram("tensor<fp16, [1, 3]> x, state<tensor<fp16, [1, 5]>> s",
                 "tensor_to_circular_buffer(input = s, data = x, axis = int32(1), position = "
                 "int32(9));"
                 "tensor<fp16, [1, 4]> y = circular_buffer_to_tensor(input = s, axis = int32(-1), "
                 "position = int32(1), size = int32(4));",
                 "y"));
  ASSERT_EQ(program.error(), "");
  // The program writes indices 4, 0 and 1 of five, and reads indices 1 to 4.
  EXPECT_EQ(Step(program, {1, 2, 3}, 4), (Numbers{3, 0, 0, 1}));
}

// By specification 004, table 26.1, a state on A13 is accessible only through a shared buffer.
TEST_F(States, AreSharedBuffersOnlyOnA13) {
  LoadedProgram program(kSum);
  auto* shared = static_cast<Half*>(program.Bind("s", true, 4));
  ASSERT_NE(shared, nullptr) << program.error();
  shared[0] = DoubleToHalf(10);
  EXPECT_EQ(Step(program, {1, 2}, 2), (Numbers{11, 2}));
  EXPECT_EQ(ToDoubles({shared, shared + 2}), (Numbers{11, 2}));
  EXPECT_EQ(program.Bind("s", false, 2), nullptr);
  EXPECT_NE(program.error().find("too small"), std::string::npos) << program.error();
  LoadedProgram resident(kSum, {.target = "h14"});
  EXPECT_EQ(resident.Bind("s", false, 4), nullptr);
  EXPECT_EQ(resident.error(), "Input port s not found");
}

TEST_F(States, AreAcceptedOnlyByOperationsOnStates) {
  const auto error = [](const std::string& statements, const std::string& outputs) {
    return CompileError(
        MilProgram("tensor<fp16, [2]> x, state<tensor<fp16, [2]>> s", statements, outputs));
  };
  EXPECT_EQ(error("tensor<fp16, [2]> y = relu(x = s);", "y"),
            "relu: argument 'x' is not a tensor @ Frontend");
  EXPECT_EQ(error("tensor<fp16, [2]> y = read_state(input = x);", "y"),
            "read_state: argument 'input' must be a state @ Frontend");
  EXPECT_EQ(error("tensor<fp16, [2]> y = relu(x = x);", "s"), "output 's' is a state @ Frontend");
  EXPECT_EQ(error("tensor<fp16, [1]> d = slice_by_size(x = x, begin = tensor<int32, [1]>([0]), "
                  "size = tensor<int32, [1]>([1]));"
                  "write_state(input = s, data = d);"
                  "tensor<fp16, [2]> y = relu(x = x);",
                  "y"),
            "write_state: data is tensor<fp16, [1]>, the state tensor<fp16, [2]> @ Frontend");
}

}  // namespace
}  // namespace anecheck::device::testing
