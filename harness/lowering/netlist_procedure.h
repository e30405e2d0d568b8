// The two forms in which a network description gives its entry points (specification 004,
// "Method"): ports in the network (version 1.0.9), or a procedure that lists them (1.0.10).
#pragma once

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"

namespace anecheck {

// The same program with its ports in the network. A description of this form comes back as it is.
// kUnsupported for more than one network, procedure or operation; kInvalid if the operation runs no
// network of the description, if ports stand in both places, and if inputs of one symbol are not
// alike.
Result<netlist::Description> WithPorts(netlist::Description description);

// The same program with one procedure "main" of one operation "op0". Precondition: it has one
// network, with its ports.
netlist::Description WithProcedure(netlist::Description description);

}  // namespace anecheck
