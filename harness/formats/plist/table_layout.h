// How a binary property list lays out the values of its tree, as JSON: which object stands where,
// who shares it, and the widths that are larger than they need be. The values themselves stand in
// the tree alone, so that one of them is edited by itself however many readers its object had.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/plist/binary.h"
#include "harness/formats/tree/value.h"

namespace anecheck::plist {

// {"offset_size", "reference_size", "sort_version", "unused", "root", "objects"}. An object that
// the tree does not reach has its value here.
Json TableLayoutToJson(const BinaryTable& table);

// The table of `root` in this layout: of an unchanged tree the table that was read. If values that
// shared an object differ by now, the object keeps the value that most of them have, and each other
// one gets an object at the end. Widths grow where they must, and objects that nobody needs any
// longer go.
Result<BinaryTable> TableFromLayout(const Json& layout, const tree::Value& root);

}  // namespace anecheck::plist
