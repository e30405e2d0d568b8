// Runs containers in the emulator, which gives a result or an error that names the refused part.
// Inputs are files of the hwx format. The drawn inputs can be executed, so an input with one edited
// word is close to a program that can be executed.
#include <array>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/hwx/hwx_generator.h"
#include "generators/programs/program_generator.h"
#include "harness/base/round_up.h"
#include "harness/emulator/explain.h"
#include "harness/emulator/program.h"
#include "harness/formats/hwx/builder.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "a program can be explained", "a run repeats",
                                "a refused run is refused again");
using Laws = LawBook<kLaws>;

// Larger programs are legal, but they take long and are not needed to find wrong code.
constexpr uint64_t kMostMemory = uint64_t{16} << 20;
constexpr uint64_t kMostSteps = uint64_t{1} << 18;

std::vector<std::vector<uint16_t>> OutputsOf(const emulator::Program& program) {
  std::vector<std::vector<uint16_t>> outputs;
  for (const emulator::Port& port : program.ports) {
    if (port.output) outputs.push_back(program.ReadPort(port.name).value());
  }
  return outputs;
}

bool Check(ByteSpan input) {
  auto program = emulator::LoadProgram(input, kMostMemory);
  if (!program.ok()) {
    RequireGoodError(program.error(), input.size());
    return true;
  }
  emulator::RunOptions options;
  options.arithmetic.max_steps = kMostSteps;
  if (input.size() % 2 != 0) {
    options.arithmetic.model = &emulator::FamilyModel(program->version);
  }
  const auto first = emulator::RunProgram(*program, options);
  if (MeetsTextLaws(input)) {
    Laws::Require(!emulator::ExplainProgram(*program).empty(), "a program can be explained");
  }
  if (!first.ok()) {
    RequireGoodError(first.error(), input.size());
    const auto again = emulator::RunProgram(*program, options);
    Laws::Require(!again.ok() && again.error().message == first.error().message,
                  "a refused run is refused again", first.error().message);
    return true;
  }
  const auto outputs = OutputsOf(*program);
  const auto again = emulator::RunProgram(*program, options);
  Laws::Require(again.ok() && OutputsOf(*program) == outputs, "a run repeats");
  return true;
}

// Makes a version-7 task that copies a tensor.
td::Task CopyTask(uint32_t width, uint32_t channels, bool relu, bool through_l2) {
  td::Task task;
  task.header = {0x02000000, 0, 0x422, 0, 0xfff86a, 0, 0x30009800, 0, 0x01024025, 0};
  const uint32_t row = RoundUp(2 * width, 64);
  const uint32_t extent = 0x10000 | width;
  const uint32_t whole = row * channels;
  task.Write(0x0,
             std::array<uint32_t, 16>{extent, 1, 0x22, channels, channels, extent, 1, 0x5000a021,
                                      0x2041, 0x14001, 1, 0, 0, 0x4010101, 0x100000, 0});
  task.Write(0x13800, std::array<uint32_t, 17>{0x33881, 0x8880, 0, row, row, whole, 0, 0, 0, 0, 0,
                                               0, 0, 0, 0x01002031, 0, 0x100});
  task.Write(0x4800, std::array<uint32_t, 18>{
                         0, through_l2 ? 0x500171u : 0x500172u, 0, row, row, row, row, 0, 0, 0, 0,
                         0, through_l2 ? 0x500179u : 0x50017au, whole, row, row, row, row});
  task.Write(0xc800, std::array<uint32_t, 5>{0x80, relu ? 0x11000cu : 0x10000cu, 0, 0, 0x3c00});
  task.Write(0x17800, std::array<uint32_t, 7>{0x40000c1, 0, row, row, whole, 0, 0x01302031});
  return task;
}

// Draws one of three kinds of inputs. Inputs of the format's generator have tasks with random
// registers. The other kinds compute a drawn graph or copy one tensor.
Bytes Generate(ChoiceStream& choices) {
  const uint64_t kind = choices.Below(3);
  if (kind == 0) return kGenerator_hwx.generate(choices);
  if (kind == 1) return kGenerator_program.generate(choices);
  const auto width = static_cast<uint32_t>(choices.Range(1, 40));
  const auto channels = static_cast<uint32_t>(choices.Range(1, 8));
  hwx::ContainerSpec spec;
  spec.const_size = 64;
  const std::array<uint32_t, 4> shape = {1, channels, 1, width};
  for (const bool output : {false, true}) {
    hwx::TensorSpec& tensor = spec.tensors.emplace_back();
    tensor.name = output ? "y@output" : "x";
    tensor.output = output;
    tensor.shape = shape;
    tensor.strides = hwx::PackedStrides(shape, 2);
  }
  spec.tasks.generation = td::GenerationOfVersion(7).value();
  spec.tasks.header_words = td::kV7HeaderWords;
  const bool relu = choices.Coin();
  spec.tasks.tasks.push_back(CopyTask(width, channels, relu, choices.Coin()));
  return hwx::BuildBytes(std::move(spec)).value();
}

}  // namespace

extern const FuzzTarget kTarget_emulator;
const FuzzTarget kTarget_emulator = {.name = "emulator",
                                     .check = Check,
                                     .laws = kLaws,
                                     .words = words::hwx,
                                     .format = &kFormat_hwx,
                                     .generator = &kGenerator_hwx,
                                     .generate = Generate};

}  // namespace anecheck::fuzz
