#include "harness/check/advice.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

// Refusals of different compilers and layers.
TEST(Advice, EveryRefusalOfAKernelForItsExtentSaysToSplitIt) {
  for (const char* text :
       {"kW must be <=15", "kH must be <=15",
        "Error: conv with large kernel does not meet decomposition preconditions",
        "Invalid conv kernel width = 256, It should be in [1, 15]",
        "Invalid conv kernel height = 256, It should be in [1, 15]"}) {
    const Advice* const advice = AdviceOnRefusal("conv", text);
    ASSERT_NE(advice, nullptr) << text;
    EXPECT_TRUE(advice->change.starts_with("split the kernel")) << text;
  }
  EXPECT_EQ(AdviceOnRefusal("conv", "another reason"), nullptr);
}

}  // namespace
}  // namespace anecheck
