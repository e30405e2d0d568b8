// Generated pairs of a descriptor and a container belong together, and each edit of the descriptor
// breaks exactly one known rule.
#include "generators/formats/pair/pair_generator.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <utility>
#include <variant>

#include "generators/formats/hwx/hwx_generator.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/pair/pair.h"

namespace anecheck {
namespace {

FilePair PairOf(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return GeneratePair(choices);
}

TEST(PairTest, GeneratedPairsBelongTogether) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const FilePair pair = PairOf(seed);
    const auto of_descriptor = kFormat_e5.verify(pair.descriptor).value();
    EXPECT_TRUE(of_descriptor.empty()) << seed << of_descriptor[0].message;
    for (const Violation& violation : kFormat_hwx.verify(pair.container).value()) {
      EXPECT_TRUE(violation.rule->id.ends_with("-open")) << seed << violation.message;
    }
    const auto violations = pair::Verify(pair.descriptor, pair.container).value();
    EXPECT_TRUE(violations.empty()) << seed << ": " << violations[0].message;
  }
}

TEST(PairTest, EachEditBreaksExactlyItsRule) {
  std::set<std::string_view> broken;
  for (const PairEdit& edit : PairEdits()) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const auto parted = ApplyPairEdit(edit, PairOf(seed), seed);
      ASSERT_TRUE(parted.has_value()) << edit.id;
      const auto violations = pair::Verify(parted->descriptor, parted->container).value();
      ASSERT_FALSE(violations.empty()) << edit.id;
      for (const Violation& violation : violations) {
        EXPECT_EQ(violation.rule->id, edit.breaks_rule) << edit.id << ": " << violation.message;
        EXPECT_TRUE(violation.message.starts_with(edit.breaks_rule));
        EXPECT_LT(violation.offset, parted->container.size());
        // No source states how a descriptor refers to ports, and every rule depends on it.
        EXPECT_TRUE(violation.IsWarning());
      }
      broken.insert(edit.breaks_rule);
    }
  }
  EXPECT_EQ(broken.size(), pair::Rules().size());
}

TEST(PairTest, PairsOfDifferentNetworksDoNotMatch) {
  const FilePair one = PairOf(1);
  const FilePair other = PairOf(2);
  EXPECT_FALSE(pair::Verify(one.descriptor, other.container).value().empty());
}

// A descriptor without ports and operations does not show that the two files do not belong
// together.
TEST(PairTest, WithoutPortsAndOperationsThereIsNothingToCompare) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  const FilePair pair = GeneratePair(choices);
  EXPECT_TRUE(pair::IsComparable(*pair::Verify(pair.descriptor, pair.container)));
  for (const PairEdit& edit : PairEdits()) {
    const auto edited = ApplyPairEdit(edit, pair, 0);
    if (!edited) continue;
    EXPECT_EQ(pair::IsComparable(*pair::Verify(edited->descriptor, edited->container)),
              edit.breaks_rule != "pair-program")
        << edit.id;
  }
}

// The container has the ports x and x_ane, in either order.
TEST(PairTest, APortWithTheExactNamePrecedesOneWithASuffix) {
  for (const bool suffix_first : {false, true}) {
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    hwx::ContainerSpec spec = GenerateContainerSpec(choices);
    const auto tensor = [](std::string name, uint32_t extent) {
      const std::array<uint32_t, 4> shape = {1, 1, extent, 1};
      return hwx::TensorSpec{
          .name = std::move(name), .shape = shape, .strides = hwx::PackedStrides(shape, 2)};
    };
    spec.tensors = {tensor("x", 1), tensor("x_ane", 4096), tensor("y@output", 1)};
    spec.tensors[2].output = true;
    if (suffix_first) std::swap(spec.tensors[0], spec.tensors[1]);
    const Bytes bytes = hwx::BuildBytes(spec).value();
    const hwx::Container container = hwx::Parse(bytes).value();
    e5::Outline outline;
    for (const hwx::Port& port : container.ports) {
      const auto window = std::ranges::find_if(container.sections, [&](const auto& section) {
        return hwx::IsWindow(section) && section.addr == port.vmaddr;
      });
      ASSERT_NE(window, container.sections.end());
      auto& ports = port.name == "y@output" ? outline.outputs : outline.inputs;
      ports.push_back(
          {.name = std::string(port.name), .byte_size = window->size, .aperture_va = port.vmaddr});
    }
    e5::Program program = e5::MakeProgram(outline);
    for (e5::Operation& operation : program.functions[0].blocks[0].operations) {
      auto* attrs = std::get_if<e5::AneInferenceAttrs>(&operation.attrs);
      if (attrs != nullptr) attrs->procedure_name = spec.procedure;
    }
    const auto violations = pair::Verify(e5::Write(program).value(), bytes).value();
    EXPECT_TRUE(violations.empty()) << violations[0].message;
  }
}

TEST(PairTest, NamesThePartThatDoesNotParse) {
  const FilePair pair = PairOf(1);
  EXPECT_TRUE(pair::Verify(Bytes(4), pair.container).error().message.starts_with("descriptor: "));
  EXPECT_TRUE(pair::Verify(pair.descriptor, Bytes(4)).error().message.starts_with("container: "));
}

TEST(PairTest, PortNamesLoseTheContainersSuffixes) {
  EXPECT_EQ(pair::TensorName("t5_ane@output"), "t5");
  EXPECT_EQ(pair::TensorName("t0_ane"), "t0");
  EXPECT_EQ(pair::TensorName("probs@output"), "probs");
  EXPECT_EQ(pair::TensorName("image"), "image");
  EXPECT_EQ(pair::TensorName("_ane"), "_ane");
}

}  // namespace
}  // namespace anecheck
