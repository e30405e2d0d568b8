// The two forms of a network description's entry points (specification 004, "Method"): ports in the
// network (version 1.0.9), or a procedure that lists them (1.0.10).
#pragma once

#include "harness/base/result.h"
#include "harness/formats/netlist/model.h"

namespace anecheck {

// Returns the program with its ports in the network. A description that already has this form is
// returned unchanged. Errors: kUnsupported for more than one network, procedure or operation;
// kInvalid if the operation runs no network of the description, if ports are in both places, or if
// inputs of the same symbol differ.
Result<netlist::Description> WithPorts(netlist::Description description);

// Returns the program with one procedure "main" that has one operation "op0". Precondition: the
// description has one network, which contains the ports.
netlist::Description WithProcedure(netlist::Description description);

}  // namespace anecheck
