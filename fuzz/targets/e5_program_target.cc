// Fuzzes the typed program of dispatch descriptors, which other parts of the project read and
// write. If a descriptor breaks no rule, its program can be written as a descriptor. Reading this
// descriptor gives an equal program.
#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/e5/e5_generator.h"
#include "harness/formats/e5/e5.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "written files can be read",
                                "a written file reads as the intended content",
                                "a second writing gives the same bytes");
using Laws = LawBook<kLaws>;

std::string_view FirstDifference(const e5::Program& a, const e5::Program& b) {
  if (a.symbol_names != b.symbol_names) return "symbol_names";
  if (a.build_info != b.build_info) return "build_info";
  if (a.functions != b.functions) return "functions";
  if (a.input_ports != b.input_ports) return "input_ports";
  if (a.output_ports != b.output_ports) return "output_ports";
  if (a.alias_symbols != b.alias_symbols) return "alias_symbols";
  return a.sections != b.sections ? "sections" : "format_version";
}

bool Check(ByteSpan input) {
  const auto program = e5::Parse(input);
  if (!program.ok()) {
    RequireGoodError(program.error(), input.size());
    return true;
  }
  const auto written = e5::Write(*program);
  if (!written.ok()) {
    RequireGoodError(written.error(), input.size());
    return true;
  }
  if (!MeetsReaderLaws(input)) return true;
  const auto again = e5::Parse(*written);
  Laws::Require(again.ok(), "written files can be read", again.ok() ? "" : again.error().message);
  const auto violations = kFormat_e5.verify(input);
  if (!violations.ok() || !std::ranges::all_of(*violations, &Violation::IsWarning)) return true;
  e5::Program meant = *program;
  // Write builds the sections anew if there are functions.
  if (!meant.functions.empty()) meant.sections = again->sections;
  Laws::Require(*again == meant, "a written file reads as the intended content",
                [&] { return FirstDifference(*again, meant); });
  Laws::Require(e5::Write(*again).value() == *written, "a second writing gives the same bytes");
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_e5_program;
const FuzzTarget kTarget_e5_program = {.name = "e5_program",
                                       .check = Check,
                                       .laws = kLaws,
                                       .words = words::e5,
                                       .format = &kFormat_e5,
                                       .generator = &kGenerator_e5};

}  // namespace anecheck::fuzz
