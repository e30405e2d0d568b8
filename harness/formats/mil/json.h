// The JSON form of a MIL program. `inspect --json` prints it, and `encode` reads it. Used by the
// format entry only.
//
//   {"format": "mil", "version": "1.3",
//    "attributes": [{"name": N, "value": V}],                  absent where no [...] is written
//    "functions": [{"name": N, "opset": N, "parameters": [{"type": T, "name": N}],
//                   "attributes": [...], "statements": [S], "outputs": [N]}],
//    "gaps": [{"before": token, "text": spacing}]}              where the layout is not the
//    standard
//   S: {"results": [{"type": T, "name": N}], "op": N, "arguments": [{"name": N, "value": V}],
//       "attributes": [...], "blocks": [{"label": N, "parameters": [...], "statements": [S],
//       "outputs": [N]}]}
//   T: the type as MIL text. V: an integer, true, false; any other number, or ?, as a string;
//      {"string": raw}, {"name": N}, [V], {"tuple": [V]}, {"dict": [[V, V]]},
//      {"type": T, "value": V}, {"blobfile": {"path": V, "offset": V}}
//   Raw text that is not UTF-8 is {"base64": text} in place of the string.
#pragma once

#include <string>

#include "harness/formats/format.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mil {

Json ProgramToJson(const Program& program);

// Returns the text for which ProgramToJson returns `json`. An Error names the wrong member.
Result<std::string> TextFromJson(const Json& json);

}  // namespace anecheck::mil
