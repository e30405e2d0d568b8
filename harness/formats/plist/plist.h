// Property lists in either encoding, with their JSON form. Used by the network description format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/plist/binary.h"
#include "harness/formats/plist/xml.h"

namespace anecheck::plist {

enum class Encoding : uint8_t { kXml, kBinary };

struct Document {
  tree::Value root;
  Encoding encoding = Encoding::kXml;
  XmlLayout xml;  // the layout if the encoding is kXml
  // Present only for kBinary, if the file's table is not the canonical table of `root`.
  std::optional<BinaryTable> table;
};

// Returns true for the header bplist00 and for text that can begin an XML property list.
bool LooksLikePropertyList(std::span<const uint8_t> bytes);

Result<Document> Parse(std::span<const uint8_t> bytes);

// Write(Parse(bytes)) == bytes.
Result<std::vector<uint8_t>> Write(const Document& document);

// Returns the same as Write for Parse(bytes). For a binary file it uses the table that was read
// instead of making the same table from the tree.
Result<std::vector<uint8_t>> Rewrite(std::span<const uint8_t> bytes);

// {"encoding": "xml" or "binary", "layout": {...}, "document": tree}. A binary file has a layout
// only if its object table is not canonical (table_layout.h).
Json ToJson(const Document& document);
Result<Document> FromJson(const Json& json);

}  // namespace anecheck::plist
