#include "harness/runners/netlist_gate.h"

#include <fmt/format.h>
#include <span>

#include "harness/formats/netlist/model.h"

namespace anecheck {

std::string NetlistRefusal(std::string_view property_list) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(property_list.data());
  const auto description = netlist::Parse(std::span(bytes, property_list.size()));
  if (!description.ok()) return {};
  // If the networks of a file list their ports, each network is a procedure.
  const bool listed = description->key_style == netlist::KeyStyle::kProcedures;
  const size_t count = listed ? description->procedures.size() : description->networks.size();
  if (count <= 1) return {};
  return fmt::format(
      "the network description has {} procedures: the compile call takes one of a single "
      "procedure, "
      "and the private client that takes several asks for an entitlement; cut it into several "
      "descriptions, or run it on the simulated engine or through a program that has the "
      "entitlement (--runner exec:COMMAND)",
      count);
}

}  // namespace anecheck
