#include "harness/formats/submission/submission.h"

#include <string>

#include "fuzz/words/words.h"

namespace anecheck::fuzz {

WordTables words::submission() {
  WordTable magic = {"magic"};
  magic.Text(std::string(submission::kMagic.begin(), submission::kMagic.end()));
  // The first two fields of a call.
  WordTable calls = {"clients_and_selectors"};
  WordTable sizes = {"structure_sizes"};
  for (const submission::Method& method : submission::Methods()) {
    calls.Number(uint64_t{method.selector} << 32 | static_cast<uint32_t>(method.client), 8);
    for (const uint32_t size : {method.struct_in, method.struct_out}) {
      if (size != submission::kUnstated) sizes.Number(size, 4);
    }
  }
  WordTable codes = {"return_codes"};
  for (const submission::ReturnCode& code : submission::ReturnCodes()) codes.Number(code.code, 4);
  return {magic, calls, sizes, codes};
}

}  // namespace anecheck::fuzz
