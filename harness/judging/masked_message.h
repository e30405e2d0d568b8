// The content of an engine's message without the parts that name the run and not the defect.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// `message` with # for each run of digits, each address (0x7ff04c05fc6b), each UUID and each word
// of eight and more hexadecimal digits, and without the folders of absolute paths: temporary ones
// differ from process to process. A file without an ending right below a temporary folder is # as
// well. Two messages of one defect have the same words, so that they are one finding.
std::string MaskedMessage(std::string_view message);

}  // namespace anecheck
