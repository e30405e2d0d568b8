// The layout of a binary property list as JSON. It has the order of the objects, their sharing, and
// widths that are larger than needed. Values are only in the tree, so that an edit can change one
// value even if its object is shared.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/plist/binary.h"
#include "harness/formats/tree/value.h"

namespace anecheck::plist {

// {"offset_size", "reference_size", "sort_version", "unused", "root", "objects"}. An object that
// the tree does not reach has its value here.
Json TableLayoutToJson(const BinaryTable& table);

// Returns the table of `root` in this layout. For an unchanged tree this is the table that was
// read. If values that shared an object differ after an edit, the object gets the most frequent
// value, and each other value gets an object at the end. Increases widths if necessary, and removes
// unused objects.
Result<BinaryTable> TableFromLayout(const Json& layout, const tree::Value& root);

}  // namespace anecheck::plist
