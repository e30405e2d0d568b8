// A fixture for tests of the commands that take a user's model and its arrays.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/half.h"
#include "harness/cli/testing/tool_test.h"
#include "harness/formats/npz/npz.h"

namespace anecheck::testing {

// Returns an array of fp16 numbers.
inline npz::NamedArray Halves(const std::string& name, std::vector<uint64_t> shape,
                              const std::vector<double>& numbers) {
  npz::NamedArray named{name, {npz::ElementType::kFloat16, std::move(shape), {}}};
  for (const double number : numbers) {
    const Half half = DoubleToHalf(number);
    named.array.data.push_back(static_cast<uint8_t>(half.bits));
    named.array.data.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return named;
}

inline std::vector<double> Numbers(const npz::Array& array) {
  std::vector<double> numbers;
  for (size_t i = 0; i + 1 < array.data.size(); i += 2) {
    numbers.push_back(HalfToDouble(Half{
        static_cast<uint16_t>(array.data[i] | static_cast<uint16_t>(array.data[i + 1]) << 8)}));
  }
  return numbers;
}

class ModelCommands : public ToolTest {
 protected:
  void WriteArrays(const std::string& name, const std::vector<npz::NamedArray>& arrays) {
    ASSERT_TRUE(npz::WriteNpzFile(Path(name), arrays).ok());
  }
  // Returns the array `name` of a file as numbers.
  std::vector<double> Read(const std::string& file, const std::string& name) {
    const auto arrays = npz::ReadNpzFile(Path(file));
    if (!arrays.ok()) return {};
    for (const npz::NamedArray& named : *arrays) {
      if (named.name == name) return Numbers(named.array);
    }
    return {};
  }
};

// A model of one matmul.
inline constexpr std::string_view kProduct =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [1, 2]> x, tensor<fp16, [2, 1]> w) {\n"
    "tensor<fp16, [1, 1]> y = matmul(x = x, y = w);\n} -> (y);\n}";

// A model that adds its input to a state.
inline constexpr std::string_view kCounter =
    "program(1.3)\n{\n func main<ios18>(state<tensor<fp16, [2]>> s, tensor<fp16, [2]> x) {\n"
    "tensor<fp16, [2]> old = read_state(input = s);\n"
    "tensor<fp16, [2]> new = add(x = old, y = x);\nwrite_state(input = s, data = new);\n"
    "tensor<fp16, [2]> y = relu(x = old);\n} -> (y);\n}";

}  // namespace anecheck::testing
