// Fuzzes the simulated compiler as a parser of MIL text. It compiles the text, or refuses it and
// names the stage. A compiled program can be run on zeros.
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/conforming_engine.h"
#include "fuzz/targets/drawn_graph.h"
#include "generators/formats/mil/mil_generator.h"
#include "harness/formats/mil/mil_format.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = LawList("a refusal names its stage");
using Laws = LawBook<kLaws>;

// Larger programs are legal, but they take long and are not needed to find wrong code.
constexpr int64_t kMaxElements = 1 << 14;

bool IsSmall(const device::Executable& program) {
  int64_t elements = 0;
  for (const auto& value : program.values) elements += value.type.shape.Elements();
  return elements <= kMaxElements && program.nodes.size() <= 64;
}

bool Check(ByteSpan input) {
  const auto programs = device::CompileProgram(
      std::string(AsText(input)), ConformingSettings(input.size() % 2 == 0 ? "h13" : "h17s"),
      device::Backend::kAne);
  if (!programs.ok()) {
    Laws::Require(programs.error().message.find(" @ ") != std::string::npos,
                  "a refusal names its stage", programs.error().message);
    return true;
  }
  for (const auto& program : *programs) {
    if (IsSmall(*program)) (void)RunProgram(program, {});
  }
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  const int family = choices.Coin() ? device::kFamilyA13 : device::kFamilyA17;
  return DrawMilText(choices, family, 4);
}

}  // namespace

extern const FuzzTarget kTarget_engine_compile;
const FuzzTarget kTarget_engine_compile = {.name = "engine_compile",
                                           .check = Check,
                                           .laws = kLaws,
                                           .words = words::mil,
                                           .format = &kFormat_mil,
                                           .generator = &kGenerator_mil,
                                           .generate = Generate};

}  // namespace anecheck::fuzz
