// Fuzzes the typed model of network descriptions, which other parts of the project read and write.
// If a description breaks no rule, its model can be written in both encodings. Reading the result
// gives an equal model.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "generators/formats/netlist/netlist_generator.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/netlist_format.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(
    kErrorLaws, "booleans", "integers", "names", "reals", "integers of an array are its items",
    "names are items", "written files can be read", "a written file reads as the intended content",
    "a second writing gives the same bytes");
using Laws = LawBook<kLaws>;

// Checks that each reader of a parameter returns only values of its own kind.
void CheckReaders(const netlist::Unit& unit) {
  if (!unit.params) return;
  for (const tree::Entry& entry : unit.params->entries) {
    const tree::Value& value = entry.value;
    Laws::Require(unit.Boolean(entry.key).has_value() == (value.AsBool() != nullptr), "booleans");
    Laws::Require(unit.Integer(entry.key).has_value() == (value.AsInteger() != nullptr),
                  "integers");
    Laws::Require(unit.Name(entry.key).has_value() == (value.AsString() != nullptr), "names");
    Laws::Require(unit.Real(entry.key).has_value() ==
                      (value.AsReal() != nullptr || value.AsInteger() != nullptr),
                  "reals");
    const size_t items = value.AsArray() == nullptr ? 0 : value.AsArray()->size();
    Laws::Require(unit.Integers(entry.key).size() <= items, "integers of an array are its items");
    Laws::Require(unit.Names(entry.key).size() <= std::max<size_t>(items, 1), "names are items");
  }
}

// Sorts the keys as the writer does.
void Sort(std::vector<tree::Entry>& entries);

void Sort(tree::Value& value) {
  if (tree::Dict* const dict = value.AsDict()) Sort(dict->entries);
  if (tree::Array* const array = value.AsArray()) {
    for (tree::Value& item : *array) Sort(item);
  }
}

void Sort(std::vector<tree::Entry>& entries) {
  std::ranges::sort(entries, {}, &tree::Entry::key);
  for (tree::Entry& entry : entries) Sort(entry.value);
}

void SortEach(auto& parts) {
  for (auto& part : parts) Sort(part.extra);
}

netlist::Description Sorted(netlist::Description description) {
  Sort(description.extra);
  SortEach(description.procedures);
  for (netlist::Procedure& procedure : description.procedures) {
    SortEach(procedure.inputs);
    SortEach(procedure.outputs);
  }
  SortEach(description.networks);
  for (netlist::Network& network : description.networks) {
    SortEach(network.inputs);
    SortEach(network.outputs);
    SortEach(network.constants);
    SortEach(network.units);
    for (netlist::Unit& unit : network.units) {
      if (unit.params) Sort(unit.params->entries);
    }
  }
  return description;
}

std::string_view FirstDifference(const netlist::Description& a, const netlist::Description& b) {
  if (a.version != b.version || a.key_style != b.key_style) return "version or spelling";
  if (a.procedures != b.procedures) return "procedures";
  if (a.extra != b.extra) return "other keys";
  for (size_t i = 0; i < std::min(a.networks.size(), b.networks.size()); ++i) {
    const netlist::Network& x = a.networks[i];
    const netlist::Network& y = b.networks[i];
    if (x == y) continue;
    if (x.units != y.units) return "units of a network";
    if (x.constants != y.constants) return "constants of a network";
    return x.inputs != y.inputs || x.outputs != y.outputs ? "ports of a network"
                                                          : "other keys of a network";
  }
  return "networks";
}

void CheckWritten(const netlist::Description& description, plist::Encoding encoding) {
  const Bytes written = netlist::Write(description, encoding);
  const auto again = netlist::Parse(written);
  Laws::Require(again.ok(), "written files can be read", again.ok() ? "" : again.error().message);
  const std::string_view name = encoding == plist::Encoding::kXml ? "XML" : "binary";
  Laws::Require(
      Sorted(*again) == Sorted(description), "a written file reads as the intended content", [&] {
        return fmt::format("{}: {}", name, FirstDifference(Sorted(*again), Sorted(description)));
      });
  Laws::Require(netlist::Write(*again, encoding) == written,
                "a second writing gives the same bytes", name);
}

bool Check(ByteSpan input) {
  const auto description = netlist::Parse(input);
  if (!description.ok()) {
    RequireGoodError(description.error(), input.size());
    return true;
  }
  for (const netlist::Network& network : description->networks) {
    for (const netlist::Unit& unit : network.units) {
      const Status params = netlist::CheckParams(unit);
      if (!params.ok()) RequireGoodError(params.error(), input.size());
      CheckReaders(unit);
    }
  }
  const auto violations = kFormat_netlist.verify(input);
  if (!violations.ok() || !std::ranges::all_of(*violations, &Violation::IsWarning)) return true;
  CheckWritten(*description, plist::Encoding::kXml);
  CheckWritten(*description, plist::Encoding::kBinary);
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_netlist_model;
const FuzzTarget kTarget_netlist_model = {.name = "netlist_model",
                                          .check = Check,
                                          .laws = kLaws,
                                          .words = words::netlist,
                                          .format = &kFormat_netlist,
                                          .generator = &kGenerator_netlist};

}  // namespace anecheck::fuzz
