// Network descriptions as binary property lists.
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/input_text.h"
#include "generators/formats/netlist/netlist_generator.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck::fuzz {
namespace {

bool Check(ByteSpan input) {
  const std::string_view text = AsText(input);
  if (!text.starts_with("bplist")) return false;
  CheckFormatLaws(kFormat_netlist, input);
  return true;
}

Bytes Generate(ChoiceStream& choices) {
  const Bytes file = kGenerator_netlist.generate(choices);
  auto document = plist::Parse(file).value();
  document.encoding = plist::Encoding::kBinary;
  document.table.reset();
  return plist::Write(document).value();
}

}  // namespace

extern const FuzzTarget kTarget_netlist_binary;
const FuzzTarget kTarget_netlist_binary = {.name = "netlist_binary",
                                           .check = Check,
                                           .format = &kFormat_netlist,
                                           .generator = &kGenerator_netlist,
                                           .generate = Generate};

}  // namespace anecheck::fuzz
