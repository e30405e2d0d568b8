// The bundle that a compilation writes. Its file analytics.mil states the backend of each operation
// and the process that compiled the program. Its files program.e5 and model.hwx are the compiled
// program. The names and folders of program.e5 and model.hwx are assumed, because no source states
// them for a real bundle.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/device/e5rt/objects.h"

namespace anecheck::device::e5rt {

// Writes LOCATION/analytics.mil and remembers the library under that location. Creates the folder
// if it is missing. With `files` the function also writes the program files of the first function,
// if the engine runs that function and its files can be written (program_files.h). Removes the
// files of an earlier program.
Status WriteBundle(const std::string& location, const std::shared_ptr<Library>& library,
                   const ActiveFaults& faults, bool files);

// Returns the library of a bundle that this process compiled. Errors: kNotFound if there is no
// bundle, kInvalid if another process made the bundle.
Result<std::shared_ptr<Library>> LoadBundle(const std::string& location);

// Returns whether `content`, which a client passed as a program, is a compiled container. Only the
// daemon may sign and load containers.
bool RefusesContainer(std::string_view content);

}  // namespace anecheck::device::e5rt
