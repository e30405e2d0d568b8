// Tests containers with addresses and offsets whose sums do not fit in 64 bits.
#include "harness/formats/hwx/relocate.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {
namespace {

Bytes OneTask() {
  td::Task task;
  task.header[2] = 0x422;
  task.Write(0x1f800, std::vector<uint32_t>(62, 0));
  task.Write(0x0, std::vector<uint32_t>(16, 1));
  ContainerSpec spec;
  spec.tensors = {
      {.name = "image", .shape = {1, 3, 1, 1}, .strides = PackedStrides({1, 3, 1, 1}, 2)}};
  spec.tasks.generation = *td::GenerationOfVersion(7);
  spec.tasks.header_words = td::kV7HeaderWords;
  spec.tasks.tasks = {task};
  return BuildBytes(std::move(spec)).value();
}

TEST(MakeRoom, LeavesAContainerUnchangedIfAPlaceDoesNotFitIn64Bits) {
  const Bytes file = OneTask();
  const auto expect_unchanged = [&](const auto& edit) {
    Container edited = Parse(file).value();
    Container roomy = Parse(file).value();
    for (Container* container : {&edited, &roomy}) {
      edit(*container,
           *std::ranges::find(container->sections, container->Text()->addr, &Section::addr));
    }
    MakeRoom(roomy);
    EXPECT_EQ(MovedPlaces(edited, roomy), std::vector<std::string>{});
  };
  expect_unchanged([](Container&, Section& text) { text.size = UINT64_MAX; });
  expect_unchanged([](Container&, Section& text) { text.size = UINT64_MAX - text.addr; });
  // The offset of this section's end from the start of its segment is negative.
  expect_unchanged([](Container&, Section& text) { text.addr -= text.size + kTile; });
  // Each range fits in 64 bits, but all ranges together do not.
  expect_unchanged([](Container& container, Section&) {
    container.segments.resize(40, container.segments.back());
    for (Segment& segment : container.segments) segment.vmsize = uint64_t{1} << 60;
  });
}

}  // namespace
}  // namespace anecheck::hwx
