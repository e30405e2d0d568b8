// A value that no operation can have is an error, which states the value and the right form.
#include "oracles/legality/attribute_values.h"

#include <gmock/gmock.h>

#include "harness/ops/op.h"
#include "oracles/legality/testing/judge.h"

namespace anecheck::legality {
namespace {

using ::testing::HasSubstr;

// Returns the error's text, or "" if there is no error.
std::string Refusal(std::string_view op, const std::vector<std::string>& words) {
  const OpDefinition* known = FindOp(op);
  const Status status = CheckValues(Make(op, words), known == nullptr ? nullptr : &known->schema);
  return status.ok() ? "" : status.error().message;
}

TEST(AttributeValues, AValueOfAnotherKindIsRefused) {
  EXPECT_EQ(Refusal("conv", {"kernel=x"}), "kernel=x: must be a whole number, 1 or more");
  EXPECT_EQ(Refusal("conv", {"kernel=1.5"}), "kernel=1.5: must be a whole number, 1 or more");
  EXPECT_EQ(Refusal("conv", {"groups=abc"}), "groups=abc: must be a whole number, 1 or more");
  EXPECT_EQ(Refusal("conv", {"kernel=1,256"}),
            "kernel=[1, 256]: must be a whole number, 1 or more; give each side of the kernel: "
            "kernel_height=1 kernel_width=256");
  EXPECT_EQ(Refusal("conv", {"groups=1,2"}), "groups=[1, 2]: must be a whole number, 1 or more");
  EXPECT_EQ(Refusal("softmax", {"axis=last"}), "axis=last: must be a whole number");
  EXPECT_EQ(Refusal("leaky_relu", {"alpha=true"}), "alpha=true: must be a number");
  EXPECT_EQ(Refusal("matmul", {"transpose_x=2"}), "transpose_x=2: must be true or false");
  EXPECT_EQ(Refusal("reduce_sum", {"axes=1,b"}), "axes=[1, b]: must be whole numbers, as 2,2");
  EXPECT_EQ(Refusal("softmax", {"axis=-1"}), "") << "counted from the end";
}

TEST(AttributeValues, CountsAreNotNegative) {
  EXPECT_THAT(Refusal("conv", {"kernel=-5"}), HasSubstr("1 or more"));
  EXPECT_THAT(Refusal("conv", {"strides=2,0"}), HasSubstr("1 or more"));
  EXPECT_THAT(Refusal("conv", {"pad=-1,0"}), HasSubstr("0 or more"));
  EXPECT_THAT(Refusal("Conv", {"KernelWidth=0"}), HasSubstr("1 or more")) << "a native layer's";
  EXPECT_EQ(Refusal("conv", {"kernel=16", "groups=1", "pad=0,0"}), "");
}

// Accepts MIL's spellings, and further element types that a rule names.
TEST(AttributeValues, RefusesASpellingThatTheArgumentDoesNotHave) {
  EXPECT_EQ(Refusal("conv", {"pad_type=zzz"}),
            "pad_type=zzz: must be one of valid, same, same_lower, custom");
  EXPECT_THAT(Refusal("conv", {"pad_type=1"}), HasSubstr("pad_type=1: must be one of"));
  EXPECT_EQ(Refusal("conv", {"pad_type=same"}), "");
  EXPECT_EQ(Refusal("quantize", {"output_dtype=fp8e4m3"}), "");
}

TEST(AttributeValues, AWindowHasANumberForEachSpatialAxis) {
  EXPECT_EQ(Refusal("conv", {"strides=2,2,2,2,2"}),
            "strides=[2, 2, 2, 2, 2]: must be one number for each of 1 to 3 spatial axes");
  EXPECT_EQ(Refusal("max_pool", {"x:1,8,8,8", "kernel_sizes=2"}),
            "kernel_sizes=2: must be one number for each of 2 spatial axes");
  EXPECT_EQ(Refusal("conv", {"x:1,8,8,8", "pad=1,1"}),
            "pad=[1, 1]: must be two numbers for each of 2 spatial axes");
  EXPECT_EQ(Refusal("conv", {"x:1,8,8,8", "strides=2,2", "pad=0,1,0,1"}), "");
  EXPECT_EQ(Refusal("pad", {"x:1,8,8,8", "pad=0,0,9,9"}), "") << "of an operation without a window";
}

TEST(AttributeValues, AnOperandWithoutAnAxisForTheWindowIsRefused) {
  EXPECT_EQ(Refusal("conv", {"x:1,2"}),
            "x=[1, 2]: has 2 axes, conv needs batch, channels and 1 to 3 spatial axes");
  EXPECT_EQ(Refusal("conv", {"x:1,2,9"}), "");
  EXPECT_EQ(Refusal("relu", {"x:1,2"}), "");
}

}  // namespace
}  // namespace anecheck::legality
