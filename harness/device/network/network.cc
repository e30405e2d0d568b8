#include "harness/device/network/network.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace anecheck::device {
namespace {

constexpr std::array<std::string_view, 5> kFive = {"Batch", "Channel", "Depth", "Height", "Width"};
constexpr std::array<std::string_view, 4> kFour = {"Batch", "Channel", "Height", "Width"};

constexpr ExtentKeys kInputExtents = {"BatchSize", "InputChannels", "InputDepth", "InputHeight",
                                      "InputWidth"};
constexpr ExtentKeys kConstantExtents = {"ConstantBatchSize", "ConstantChannels", "ConstantDepth",
                                         "ConstantHeight", "ConstantWidth"};

Error Bad(std::string_view what) {
  return MakeError(ErrorCode::kMalformed, fmt::format("network description: {}", what));
}

// Returns the names in the list under `key`, each with its dictionary. Empty if `key` is absent.
Result<std::vector<std::pair<std::string, ListItem>>> Named(const ListItem& from,
                                                            const std::string& key) {
  std::vector<std::pair<std::string, ListItem>> named;
  const ListItem list = from.Find(key);
  if (!list.exists()) return named;
  const auto names = list.Texts();
  if (!names) return Bad(fmt::format("{} takes names", key));
  named.reserve(names->size());
  for (const std::string& name : *names) {
    const ListItem item = from.Find(name);
    if (!item.IsDictionary()) {
      return Bad(fmt::format("{} names \"{}\", which has no dictionary", key, name));
    }
    named.emplace_back(name, item);
  }
  return named;
}

// Reads an optional key. If the key is present, its value must have the right type.
template <typename Value, typename Read>
Status Take(const ListItem& from, const std::string& owner, const char* key, const Read& read,
            Value& value) {
  const ListItem item = from.Find(key);
  if (!item.exists()) return {};
  auto read_value = read(item);
  if (!read_value) return Bad(fmt::format("{} of {} is of another kind", key, owner));
  value = std::move(*read_value);
  return {};
}

std::optional<std::string> AsText(const ListItem& item) { return item.Text(); }
std::optional<std::vector<std::string>> AsTexts(const ListItem& item) { return item.Texts(); }
std::optional<int64_t> AsInteger(const ListItem& item) { return item.Integer(); }

// Reads the shape of a constant. ML Compute, whose descriptions Apple's compiler takes, writes
// channels, depth, height and width of every constant, with depth 1 and without a batch. If all
// extents of such a constant are 1, it has no axes; otherwise it has the axes channel, height and
// width. A constant without extents has no axes either (network.h).
std::optional<Shape> ReadConstantExtents(const ListItem& from) {
  const auto& [batch, channels, depth, height, width] = kConstantExtents;
  const auto has = [&](const char* key) { return from.Find(key).exists(); };
  if (std::ranges::none_of(kConstantExtents, has)) return Shape();
  if (has(batch) || !has(depth)) return ReadExtents(from, kConstantExtents);
  Shape shape;
  for (const char* key : {channels, height, width}) {
    const auto extent = from.Find(key).Integer();
    if (!extent) return std::nullopt;
    shape.Append(*extent);
  }
  if (from.Find(depth).Integer() != 1) return std::nullopt;
  return shape == Shape{1, 1, 1} ? Shape() : shape;
}

Result<NetworkConstant> ReadConstant(const std::string& name, const ListItem& from) {
  NetworkConstant constant;
  constant.name = name;
  constant.shape = ReadConstantExtents(from);
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "ConstantType", AsText, constant.type));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "ConstantByteOffset", AsInteger, constant.offset));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "ConstantIndex", AsInteger, constant.file));
  return constant;
}

Result<NetworkUnit> ReadUnit(const std::string& name, const ListItem& from) {
  NetworkUnit unit;
  unit.name = name;
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "Type", AsText, unit.type));
  if (unit.type.empty()) return Bad(fmt::format("Type of unit {} is missing", name));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "Bottom", AsTexts, unit.bottoms));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "OutputChannels", AsInteger, unit.output_channels));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "NumGroups", AsInteger, unit.groups));
  ANECHECK_RETURN_IF_ERROR(Take(from, name, "OutputType", AsText, unit.output_type));
  unit.params = from.Find("Params");
  if (unit.params.exists() && !unit.params.IsDictionary()) {
    return Bad(fmt::format("Params of {} takes a dictionary", name));
  }
  return unit;
}

Status ReadParts(const ListItem& from, Network& network) {
  ANECHECK_ASSIGN(const auto inputs, Named(from, "Inputs"));
  for (const auto& [name, item] : inputs) {
    NetworkInput& input = network.inputs.emplace_back();
    input.name = name;
    input.shape = ReadExtents(item, kInputExtents);
    ANECHECK_RETURN_IF_ERROR(Take(item, name, "InputType", AsText, input.type));
  }
  ANECHECK_ASSIGN(const auto constants, Named(from, "Constants"));
  for (const auto& [name, item] : constants) {
    ANECHECK_ASSIGN(NetworkConstant constant, ReadConstant(name, item));
    network.constants.push_back(std::move(constant));
  }
  ANECHECK_ASSIGN(const auto units, Named(from, "Units"));
  for (const auto& [name, item] : units) {
    ANECHECK_ASSIGN(NetworkUnit unit, ReadUnit(name, item));
    network.units.push_back(std::move(unit));
  }
  ANECHECK_ASSIGN(const auto outputs, Named(from, "Outputs"));
  for (const auto& [name, item] : outputs) {
    NetworkOutput& output = network.outputs.emplace_back();
    output.name = name;
    ANECHECK_RETURN_IF_ERROR(Take(item, name, "Bottom", AsText, output.bottom));
  }
  return Take(from, "the network", "Weights", AsTexts, network.weight_files);
}

// Returns the list of dictionaries under `key`.
Result<std::vector<ListItem>> Dictionaries(const ListItem& from, const std::string& key) {
  auto items = from.Find(key).Items();
  if (!items || !std::ranges::all_of(*items, &ListItem::IsDictionary)) {
    return Bad(fmt::format("{} takes dictionaries", key));
  }
  return std::move(*items);
}

// Returns the text of a required key.
Result<std::string> Needed(const ListItem& from, const std::string& owner, const char* key) {
  std::string text;
  ANECHECK_RETURN_IF_ERROR(Take(from, owner, key, AsText, text));
  if (text.empty()) return Bad(fmt::format("{} of {} is missing", key, owner));
  return text;
}

// Reads the entry point of a description of version 1.0.10. Its lists contain the ports, which
// version 1.0.9 lists in the network. An input has the symbol that layers read (InputName). An
// output has the symbol that the caller binds (OutputName) and the unit that computes it (Name).
// The procedure must have exactly one operation, which runs the network called `name`.
Status ReadProcedure(const ListItem& procedure, const std::string& name, Network& network) {
  ANECHECK_ASSIGN(const auto operations, Dictionaries(procedure, "OperationList"));
  if (operations.size() != 1) {
    return MakeError(ErrorCode::kUnsupported, "only procedures of one operation are accepted");
  }
  ANECHECK_ASSIGN(const std::string runs, Needed(operations[0], "an operation", "NetworkName"));
  if (runs != name) return Bad(fmt::format("the operation runs \"{}\", which is no network", runs));
  if (!network.inputs.empty() || !network.outputs.empty()) {
    return Bad("the network and its procedure both list ports");
  }
  ANECHECK_ASSIGN(const auto inputs, Dictionaries(procedure, "InputList"));
  for (const ListItem& item : inputs) {
    NetworkInput& input = network.inputs.emplace_back();
    ANECHECK_ASSIGN(input.name, Needed(item, "an input", "InputName"));
    input.shape = ReadExtents(item, kInputExtents);
    ANECHECK_RETURN_IF_ERROR(Take(item, input.name, "InputType", AsText, input.type));
  }
  ANECHECK_ASSIGN(const auto outputs, Dictionaries(procedure, "OutputList"));
  for (const ListItem& item : outputs) {
    NetworkOutput& output = network.outputs.emplace_back();
    ANECHECK_ASSIGN(output.name, Needed(item, "an output", "OutputName"));
    ANECHECK_ASSIGN(output.bottom, Needed(item, output.name, "Name"));
  }
  return {};
}

}  // namespace

std::span<const std::string_view> AxisNames(int rank) {
  if (rank == 5) return kFive;
  if (rank < 1 || rank > 4) return {};
  return std::span(kFour).last(static_cast<size_t>(rank));
}

std::optional<int> AxisNamed(std::string_view name, int rank) {
  const auto names = AxisNames(rank);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

std::optional<Shape> ReadExtents(const ListItem& from, const ExtentKeys& keys) {
  std::array<std::optional<int64_t>, 5> extents;
  int rank = 0;
  for (size_t axis = 0; axis < keys.size(); ++axis) {
    const ListItem item = from.Find(keys[axis]);
    if (!item.exists()) continue;
    extents[axis] = item.Integer();
    if (!extents[axis]) return std::nullopt;
    ++rank;
  }
  if (rank == 0) return std::nullopt;
  Shape shape;
  for (const std::string_view name : AxisNames(rank)) {
    const auto axis = static_cast<size_t>(*AxisNamed(name, 5));
    if (!extents[axis]) return std::nullopt;
    shape.Append(*extents[axis]);
  }
  return shape;
}

Result<Network> ReadNetwork(std::string_view content) {
  ANECHECK_ASSIGN(PropertyList list, PropertyList::Read(content));
  const ListItem root = list.root();
  if (!root.IsDictionary()) return Bad("the root is no dictionary");
  if (!root.Find("Networks").exists()) return Bad("Networks is missing");
  ANECHECK_ASSIGN(const auto networks, Named(root, "Networks"));
  const ListItem list_of_procedures = root.Find("ProcedureList");
  std::vector<ListItem> procedures;
  if (list_of_procedures.exists()) {
    ANECHECK_ASSIGN(procedures, Dictionaries(root, "ProcedureList"));
    if (procedures.empty()) return Bad("ProcedureList holds no procedure");
  }
  if (networks.size() != 1 || procedures.size() > 1) {
    return MakeError(ErrorCode::kUnsupported,
                     "only netlists of one network and one procedure are accepted");
  }
  const auto& [name, from] = networks[0];
  Network network(std::move(list));
  ANECHECK_RETURN_IF_ERROR(ReadParts(from, network));
  if (!procedures.empty()) ANECHECK_RETURN_IF_ERROR(ReadProcedure(procedures[0], name, network));
  return network;
}

}  // namespace anecheck::device
