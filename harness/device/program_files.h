// Writes the two files of a compilation besides its analytics: the dispatch descriptor and the
// hardware container (specification 000: "The compiler produces a dispatch descriptor and a
// hardware container for one network, cached together"). The executable is the only input of both.
//
// Registers without a published meaning keep their default values, so no engine could run the
// container. A program with a range of shapes is written at its standard extents, since no source
// tells how a live-in is stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/executable.h"

namespace anecheck::device {

struct ProgramFiles {
  std::vector<uint8_t> descriptor;  // program.e5
  std::vector<uint8_t> container;   // model.hwx; empty for targets whose tasks are not of version 7
};

// Errors: kUnsupported in three cases. A tensor has no form in the files (rank above 4, or an
// element type that containers do not name). The program has states, and no source names the two
// ports of a state. The program has no work for the engine.
Result<ProgramFiles> WriteProgramFiles(const Executable& executable);

}  // namespace anecheck::device
