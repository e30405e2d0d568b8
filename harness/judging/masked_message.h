// Removes the parts of an engine's message that depend on the run, not on the defect.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns `message` with # in place of each run of digits, each address (0x7ff04c05fc6b), each UUID
// and each word of eight or more hexadecimal digits, and without the folders of absolute paths,
// because temporary folders differ between processes. A file without an extension directly in a
// temporary folder becomes # too. So messages of one defect become equal and form one finding.
std::string MaskedMessage(std::string_view message);

}  // namespace anecheck
