// Tests which parts of an engine's message are removed.
#include "harness/judging/masked_message.h"

#include <gtest/gtest.h>

namespace anecheck {
namespace {

TEST(MaskedMessage, MasksNumbers) {
  EXPECT_EQ(MaskedMessage("element 17 of [2, 30] is wrong"), "element # of [#, #] is wrong");
  EXPECT_EQ(MaskedMessage("v3_b0 is not defined"), "v#_b# is not defined");
}

TEST(MaskedMessage, MasksAddresses) {
  EXPECT_EQ(MaskedMessage("assertion failed at 0x7ff04c05fc6b"), "assertion failed at #");
  EXPECT_EQ(MaskedMessage("object 7ff04c05fc6b: gone"), "object #: gone");
  EXPECT_EQ(MaskedMessage("id 1b4e28ba-2fa1-11d2-883f-0016d3cca427 failed"), "id # failed");
}

TEST(MaskedMessage, MasksFolders) {
  EXPECT_EQ(MaskedMessage("error: /tmp/anecheck-exec-Ab3xQz/model.mil: cannot compile"),
            "error: /model.mil: cannot compile");
  EXPECT_EQ(MaskedMessage("error: /tmp/anecheck-exec-Zk9w11/model.mil: cannot compile"),
            "error: /model.mil: cannot compile");
  EXPECT_EQ(MaskedMessage("in '/Users/me/b/x.cc': line 7"), "in '/x.cc': line #");
  EXPECT_EQ(MaskedMessage("lost /tmp/tmpx8k_1a here"), MaskedMessage("lost /tmp/tmpq02zzb here"));
}

TEST(MaskedMessage, KeepsWords) {
  const char* const kPlain[] = {"deadbeef is a word without a digit",
                                "a / b",
                                "fp16/ratio of x",
                                "relu @ Validator",
                                "n/a",
                                "/",
                                ""};
  for (const char* const text : kPlain) {
    std::string numbers = text;
    for (size_t at; (at = numbers.find("16")) != std::string::npos;) numbers.replace(at, 2, "#");
    EXPECT_EQ(MaskedMessage(text), numbers);
  }
  EXPECT_NE(MaskedMessage("conv: kernel is 3"), MaskedMessage("conv: stride is 3"));
  EXPECT_NE(MaskedMessage("/tmp/a/model.mil"), MaskedMessage("/tmp/a/net.plist"));
}

}  // namespace
}  // namespace anecheck
