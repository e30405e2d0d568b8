// Compares the MIL reader with its printer. A parsed program is printed in the standard layout. The
// printed text parses to the same program, and printing that program gives the same text.
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "generators/formats/mil/mil_generator.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    MoreLaws(kErrorLaws, "a printed program parses", "parse(print(p)) is p",
             "the standard layout is stable", "print with the source's layout is the source");
using Laws = LawBook<kLaws>;

bool SameShape(const mil::Program& a, const mil::Program& b) {
  return a.functions.size() == b.functions.size() && a.blocks.size() == b.blocks.size() &&
         a.statements.size() == b.statements.size() && a.arguments.size() == b.arguments.size() &&
         a.bindings.size() == b.bindings.size() && a.values.size() == b.values.size() &&
         a.types.size() == b.types.size() && a.dimensions.size() == b.dimensions.size() &&
         a.duplicates == b.duplicates;
}

bool Check(ByteSpan input) {
  const auto program = mil::Parse(std::string(AsText(input)));
  if (!program.ok()) {
    RequireGoodError(program.error(), input.size());
    return true;
  }
  const std::string printed = mil::Print(*program);
  if (!MeetsReaderLaws(input)) return true;
  const auto reread = mil::Parse(printed);
  Laws::Require(reread.ok(), "a printed program parses", reread.ok() ? "" : reread.error().message);
  Laws::Require(SameShape(*program, *reread), "parse(print(p)) is p", printed);
  Laws::Require(mil::Print(*reread) == printed, "the standard layout is stable", printed);
  Laws::Require(mil::Print(*program, mil::LayoutOf(*program)) == program->text,
                "print with the source's layout is the source", printed);
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_mil_printer;
const FuzzTarget kTarget_mil_printer = {.name = "mil_printer",
                                        .check = Check,
                                        .laws = kLaws,
                                        .words = words::mil,
                                        .format = &kFormat_mil,
                                        .generator = &kGenerator_mil};

}  // namespace anecheck::fuzz
