#include "harness/device/e5rt/netlist_input.h"

#include <fmt/format.h>
#include <span>
#include <vector>

#include "harness/base/file.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/netlist_to_graph.h"

namespace anecheck::device::e5rt {
namespace {

Error At(std::string_view stage, const Error& error) {
  return MakeError(error.code, fmt::format("{} @ {}", error.message, stage));
}

Result<std::vector<uint8_t>> ReadWeights(const netlist::Network& network,
                                         const std::string& folder) {
  if (network.weight_files.empty()) return std::vector<uint8_t>();
  if (network.weight_files.size() > 1) {
    return MakeError(ErrorCode::kUnsupported, "the network has more than one weight file");
  }
  const std::string& name = network.weight_files[0];
  return ReadFile(name.starts_with('/') ? name : folder + "/" + name);
}

// The unit parser asks for a saturation set and a version-specific set together, and its check of
// consistency refuses the two beside each other: no authored table passes (specification 004,
// programmable activation LUT). The keys of the sets are published nowhere.
Status RefuseCustomTables(const netlist::Network& network) {
  for (const netlist::Unit& unit : network.units) {
    const std::string_view type = unit.Name("Type").value_or("");
    if (unit.type != "Neuron" || (type != "CustomLUT" && type != "custom_lut")) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("unit {}: a custom table needs its saturation set and its "
                                 "version-specific set, which may not stand together",
                                 unit.name));
  }
  return {};
}

}  // namespace

bool IsPropertyList(std::string_view content) {
  return content.starts_with("<?xml") || content.starts_with("bplist0");
}

Result<std::string> MilOfNetlist(std::string_view content, const std::string& folder) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(content.data());
  const auto description = netlist::Parse(std::span(bytes, content.size()));
  if (!description.ok()) return At("Parser", description.error());
  if (description->procedures.size() > 1 || description->networks.size() != 1) {
    return MakeError(ErrorCode::kUnsupported,
                     "only netlists of one network and one procedure are accepted @ Parser");
  }
  const Status tables = RefuseCustomTables(description->networks[0]);
  if (!tables.ok()) return At("Parser", tables.error());
  const auto weights = ReadWeights(description->networks[0], folder);
  if (!weights.ok()) return At("Parser", weights.error());
  const auto graph = NetlistToGraph(*description, *weights);
  if (!graph.ok()) return At("Frontend", graph.error());
  auto text = GraphToMil(*graph);
  if (!text.ok()) return At("Frontend", text.error());
  return text;
}

}  // namespace anecheck::device::e5rt
