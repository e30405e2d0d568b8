// How much of a network description is understood. Used by the netlist format.
#pragma once

#include "harness/formats/format.h"
#include "harness/formats/plist/plist.h"

namespace anecheck::netlist {

// Precondition: `document` was parsed from `bytes`. Entries whose key no source names are opaque;
// white space and comments between the elements of an XML file are fill.
ByteCounts CountDocumentBytes(const plist::Document& document, ByteSpan bytes);

}  // namespace anecheck::netlist
