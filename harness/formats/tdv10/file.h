// A version-10 task as a file, in one of three forms, and its rules. No container of a real tool
// contains such a file. This project uses the forms to store, compare and fuzz images.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/tdv10/image.h"
#include "harness/formats/tdv10/sparse.h"

namespace anecheck {

extern const Format kFormat_tdv10;

namespace tdv10 {

enum class Form : uint8_t {
  kImage,      // 0x3ac bytes
  kStructure,  // 0x3b4 bytes: 8 opaque bytes, then the image (the bases of table 23.4)
  kSparse,     // records of 44 bytes whose first word is 0x28
};
std::string_view FormName(Form form);

// Determines the form from the size and the first word. The error lists the possible sizes.
Result<Form> FormOf(ByteSpan bytes);

struct File {
  Form form = Form::kImage;
  Bytes lead;                         // the first 8 bytes of a structure
  std::optional<Image> image;         // absent in a sparse stream
  std::vector<SparseRecord> records;  // the records of a sparse stream
};

// The message of an Error begins with the id of the broken rule.
Result<File> Parse(ByteSpan bytes);

std::span<const Rule> Rules();
// Returns the violations in file order.
std::vector<Violation> Verify(const File& file);

}  // namespace tdv10
}  // namespace anecheck
