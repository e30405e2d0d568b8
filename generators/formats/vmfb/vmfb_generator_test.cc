// Generated IREE modules of every form are rewritten with the same bytes. The project accepts the
// same modules as the FlatBuffers library. For each rule, a mutation breaks that rule. One listing
// is compared with a golden file.
#include "generators/formats/vmfb/vmfb_generator.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/testing/absent_members.h"
#include "generators/formats/vmfb/library_verifier.h"
#include "harness/base/json.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/vmfb/vmfb.h"

namespace anecheck {
namespace {

Bytes Generate(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_vmfb.generate(choices);
}

RC_GTEST_PROP(VmfbFormatTest, GeneratedModulesAreValidAndRoundTrip, (uint64_t seed)) {
  const Bytes bytes = Generate(seed);
  const auto violations = kFormat_vmfb.verify(bytes);
  if (!violations.ok()) RC_FAIL(violations.error().message);
  if (!violations->empty()) RC_FAIL(violations->front().message);
  RC_ASSERT(kFormat_vmfb.rewrite(bytes).value() == bytes);
  RC_ASSERT(kFormat_vmfb.from_json(kFormat_vmfb.to_json(bytes).value()).value() == bytes);
  RC_ASSERT(kFormat_vmfb.recognise(bytes, "") == 100);
  RC_ASSERT(kFormat_vmfb.print(bytes).ok());
}

TEST(VmfbFormatTest, GeneratesEveryFormAndContainer) {
  std::set<std::string> forms;
  std::set<std::string> containers;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Json json = kFormat_vmfb.to_json(Generate(seed)).value();
    forms.insert(json["form"].get<std::string>());
    containers.insert(json["container"].get<std::string>());
  }
  EXPECT_EQ(forms, (std::set<std::string>{"BMOD", "2019-12", "2022-05", "2022-09", "2023-06"}));
  EXPECT_TRUE(containers.contains("archive"));
  EXPECT_TRUE(containers.contains("bare"));
}

TEST(VmfbMutationTest, TakesModulesThatLackAMember) {
  EXPECT_GT(testing::MutateWithoutEachMember(kFormat_vmfb, kGenerator_vmfb, 4), 100u);
}

TEST(VmfbMutationTest, ReplaysFromItsData) {
  ASSERT_GE(kGenerator_vmfb.mutations.size(), 12u);
  for (const MutationKind& kind : kGenerator_vmfb.mutations) {
    ChoiceStream choices = ChoiceStream::FromSeed(11);
    const Bytes bytes = kGenerator_vmfb.generate(choices);
    const auto mutation = kind.propose(bytes, choices);
    if (!mutation) continue;
    EXPECT_EQ(mutation->kind, kind.id);
    EXPECT_EQ(kind.apply(bytes, *mutation).value(), kind.apply(bytes, *mutation).value());
    EXPECT_FALSE(kind.apply(bytes, {"other", {0, 0}}).ok());
  }
}

TEST(VmfbDifferentialTest, EveryFormHasAVerifierOfTheLibrary) {
  for (const vmfb::Form& form : vmfb::Forms()) {
    EXPECT_TRUE(vmfb::LibraryAccepts(form, {}, 0).has_value()) << form.name;
  }
}

// The project and the library may differ only in the checks that IsStricterThanLibrary names.
// shape.h gives the reason for each.
RC_GTEST_PROP(VmfbDifferentialTest, AgreesWithTheLibraryOnMutatedModules, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  const Bytes sound = kGenerator_vmfb.generate(choices);
  const vmfb::Module module = vmfb::Open(sound).value();
  const uint32_t start = module.start - module.origin();
  Bytes buffer(module.buffer().begin(), module.buffer().end());
  for (uint64_t edits = choices.Below(4); edits > 0; --edits) {
    buffer[choices.Below(buffer.size())] = static_cast<uint8_t>(choices.Word());
  }
  const auto error = flatbuffer::CheckShape(module.form->schema, buffer, {.start = start});
  if (vmfb::LibraryAccepts(*module.form, buffer, start).value()) {
    if (error && !flatbuffer::IsStricterThanLibrary(error->check)) RC_FAIL(error->error.message);
  } else {
    RC_ASSERT(error.has_value());
  }
}

RC_GTEST_PROP(VmfbDifferentialTest, MutatedModulesRewriteToThemselves, (uint64_t seed)) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Bytes bytes = kGenerator_vmfb.generate(choices);
  const auto& kind = kGenerator_vmfb.mutations[choices.Below(kGenerator_vmfb.mutations.size())];
  if (const auto mutation = kind.propose(bytes, choices)) {
    bytes = kind.apply(bytes, *mutation).value();
  }
  const auto rewritten = kFormat_vmfb.rewrite(bytes);
  RC_ASSERT(rewritten.ok() == kFormat_vmfb.verify(bytes).ok());
  if (!rewritten.ok()) return;
  RC_ASSERT(*rewritten == bytes);
  const auto json = kFormat_vmfb.to_json(bytes);
  if (json.ok()) RC_ASSERT(kFormat_vmfb.from_json(*json).value() == bytes);
}

TEST(VmfbGoldenTest, PrintsAsBefore) {
  const std::string path = std::string(ANECHECK_SOURCE_DIR) + "/generators/formats/vmfb/golden.txt";
  ChoiceStream choices = ChoiceStream::FromSeed(2);
  const std::string printed = kFormat_vmfb.print(Generate2019Module(choices, 2)).value();
  std::ifstream in(path);
  const std::string golden((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(printed, golden) << "if the change is meant, write this text to " << path;
}

}  // namespace
}  // namespace anecheck
