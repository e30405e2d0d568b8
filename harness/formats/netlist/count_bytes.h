// Counts the bytes of a network description by kind. Used by the netlist format.
#pragma once

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck::netlist {

// Entries whose key no source names are opaque. White space and comments between the elements of an
// XML file are fill. Precondition: `document` was parsed from `bytes`.
ByteCounts CountDocumentBytes(const plist::Document& document, ByteSpan bytes);

}  // namespace anecheck::netlist
