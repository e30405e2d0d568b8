// Fuzzes the reader of Core ML's model files. A model that can be read gives MIL text that parses.
// If the model's program is written and read again, the result is an equal program.
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/drawn_graph.h"
#include "fuzz/targets/input_text.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/program_bytes.h"
#include "harness/formats/mlmodel/program_text.h"
#include "harness/formats/mlmodel/same_program.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "a program written as text parses",
                                "written files can be read", "read(write(p)) is p");
using Laws = LawBook<kLaws>;

bool Check(ByteSpan input) {
  const auto model = mlmodel::ReadModel(AsText(input));
  if (!model.ok()) {
    RequireGoodError(model.error(), input.size());
    return true;
  }
  const auto text = mlmodel::ProgramText(model->program, model->inputs);
  if (!text.ok()) {
    RequireGoodError(text.error(), input.size());
    return true;
  }
  const auto program = mil::Parse(*text);
  if (!program.ok() && program.error().code == ErrorCode::kLimit) return true;
  Laws::Require(program.ok(), "a program written as text parses", program.ok() ? "" : *text);
  const auto bytes = mlmodel::ProgramBytes(*program);
  if (!bytes.ok()) {
    RequireGoodError(bytes.error(), text->size());
    return true;
  }
  const auto again = mlmodel::ProgramText(*bytes);
  Laws::Require(again.ok(), "written files can be read", again.ok() ? "" : again.error().message);
  const auto reread = mil::Parse(*again);
  Laws::Require(reread.ok(), "written files can be read", *again);
  const std::string difference = mlmodel::ProgramDifference(*program, *reread);
  Laws::Require(difference.empty(), "read(write(p)) is p", difference);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  const GeneratorOptions options = DrawGraphOptions(choices, 6, 6);
  const auto parsed = mil::Parse(GraphToMil(DrawGraph(choices, options)).value());
  if (!parsed.ok()) return {};
  const auto bytes = mlmodel::ModelBytes(*parsed);
  return bytes.ok() ? AsBytes(*bytes) : Bytes();
}

}  // namespace

extern const FuzzTarget kTarget_mlmodel;
const FuzzTarget kTarget_mlmodel = {.name = "mlmodel",
                                    .check = Check,
                                    .laws = kLaws,
                                    .words = words::Operations,
                                    .generate = Generate};

}  // namespace anecheck::fuzz
