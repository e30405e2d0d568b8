// An engine's message without the parts that identify the run rather than the defect.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// Returns `message` with # in place of each run of digits, each address (0x7ff04c05fc6b), each UUID
// and each word of eight or more hexadecimal digits, and without the folders of absolute paths,
// since temporary folders differ between processes. A file without an extension directly in a
// temporary folder becomes # too. Messages of one defect thus become equal and form one finding.
std::string MaskedMessage(std::string_view message);

}  // namespace anecheck
