#include "harness/lowering/netlist_procedure.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace anecheck {
namespace {

using netlist::Description;
using netlist::Input;
using netlist::KeyStyle;
using netlist::Network;
using netlist::Procedure;

// Adds one port per symbol, although a procedure lists an input once for every unit that reads it.
Status TakeInputs(const Procedure& procedure, Network& network) {
  for (const Input& given : procedure.inputs) {
    Input input = given;
    input.unit.clear();
    input.operation.clear();
    const auto same = std::ranges::find(network.inputs, input.name, &Input::name);
    if (same == network.inputs.end()) {
      network.inputs.push_back(std::move(input));
    } else if (same->type != input.type || same->extents != input.extents) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("input {}: two ports of one symbol differ", input.name));
    }
  }
  return {};
}

// Returns the first unit that reads the symbol. The port in a procedure names this unit.
std::string ReaderOf(const Network& network, const std::string& symbol) {
  for (const netlist::Unit& unit : network.units) {
    if (std::ranges::find(unit.bottoms, symbol) != unit.bottoms.end()) return unit.name;
  }
  return {};
}

}  // namespace

Result<Description> WithPorts(Description description) {
  if (description.key_style == KeyStyle::kPorts) return description;
  if (description.networks.size() != 1 || description.procedures.size() != 1 ||
      description.procedures[0].operations.size() != 1) {
    return MakeError(ErrorCode::kUnsupported,
                     "only descriptions of one network, one procedure and one operation are read");
  }
  Network& network = description.networks[0];
  const Procedure& procedure = description.procedures[0];
  if (procedure.operations[0].network != network.name) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("procedure {}: its operation runs {}, which is no network",
                                 procedure.name, procedure.operations[0].network));
  }
  if (!network.inputs.empty() || !network.outputs.empty()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("network {} and procedure {} both list ports",
                                                      network.name, procedure.name));
  }
  ANECHECK_RETURN_IF_ERROR(TakeInputs(procedure, network));
  network.outputs = procedure.outputs;
  for (netlist::Output& output : network.outputs) output.operation.clear();
  description.procedures.clear();
  description.key_style = KeyStyle::kPorts;
  description.version = netlist::kVersionPorts;
  return description;
}

Description WithProcedure(Description description) {
  constexpr const char* kOperation = "op0";
  Network& network = description.networks[0];
  Procedure procedure = {.name = "main", .operations = {{network.name, kOperation}}};
  procedure.inputs = std::exchange(network.inputs, {});
  procedure.outputs = std::exchange(network.outputs, {});
  for (Input& input : procedure.inputs) {
    input.unit = ReaderOf(network, input.name);
    input.operation = kOperation;
  }
  for (netlist::Output& output : procedure.outputs) output.operation = kOperation;
  description.procedures = {std::move(procedure)};
  description.key_style = KeyStyle::kProcedures;
  description.version = netlist::kVersionProcedures;
  return description;
}

}  // namespace anecheck
