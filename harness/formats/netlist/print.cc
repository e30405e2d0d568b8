#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json.h"
#include "harness/formats/enums/enums.h"
#include "harness/formats/message.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/netlist_format.h"
#include "harness/formats/netlist/port_keys.h"

namespace anecheck::netlist {

namespace {

using tree::Entry;
using tree::Value;

std::string ExtentText(const Extents& extents) {
  std::string text =
      fmt::format("N{} C{} D{} H{} W{}", extents.batch.value_or(1), extents.channels.value_or(1),
                  extents.depth.value_or(1), extents.height.value_or(1), extents.width.value_or(1));
  if (extents.interleave) text += fmt::format(" interleave {}", *extents.interleave);
  return text;
}

std::string StrideText(const Strides& strides) {
  std::string text;
  const std::pair<std::string_view, std::optional<int64_t>> parts[] = {{"row", strides.row},
                                                                       {"plane", strides.plane},
                                                                       {"batch", strides.batch},
                                                                       {"depth", strides.depth}};
  for (const auto& [name, stride] : parts) {
    if (stride) text += fmt::format("{}{} {}", text.empty() ? ", strides: " : ", ", name, *stride);
  }
  return text;
}

std::string ValueText(const Value& value) { return tree::ToJson(value).dump(); }

std::string QuotedList(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back(Quoted(name));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

class Printer {
 public:
  std::string Print(const plist::Document& document, const Description& description) {
    const bool xml = document.encoding == plist::Encoding::kXml;
    const bool ports = description.key_style == KeyStyle::kPorts;
    Line("network description, version {}, {} property list", Quoted(description.version),
         xml ? "XML" : "binary");
    for (const Network& network : description.networks) PrintNetwork(network);
    for (const Procedure& procedure : description.procedures) PrintProcedure(procedure);
    PrintExtra(description.extra, "  ");
    if (ports || description.version != kVersionProcedures) {
      Line("differs from the specification:");
      if (description.version != kVersionProcedures) {
        Line("  version {}; specification 000, table 23.1 says 1.0.10",
             Quoted(description.version));
      }
      if (ports) {
        Line(
            "  Inputs and Outputs in the network; specification 004 says ProcedureList with "
            "InputList, OperationList and OutputList");
      }
    }
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void PrintInput(const Input& input) {
    Line("  input {} {} {}{}{}", Quoted(input.name), input.type.value_or("(no type)"),
         ExtentText(input.extents), StrideText(input.strides),
         input.unit.empty() ? "" : " -> unit " + Quoted(input.unit));
    PrintExtra(input.extra, "    ");
  }

  void PrintOutput(const Output& output) {
    Line("  output {} {} <- {}{}", Quoted(output.name), output.type.value_or("(no type)"),
         Quoted(output.bottom), StrideText(output.strides));
    PrintExtra(output.extra, "    ");
  }

  void PrintNetwork(const Network& network) {
    Line("network {}", Quoted(network.name));
    for (size_t i = 0; i < network.weight_files.size(); ++i) {
      Line("  weight file {}: {}", i, Quoted(network.weight_files[i]));
    }
    for (const Input& input : network.inputs) PrintInput(input);
    for (const Constant& constant : network.constants) {
      Line("  constant {} {} {}, weight file {} at byte {}", Quoted(constant.name),
           constant.type.value_or("(no type)"), ExtentText(constant.extents),
           constant.index.value_or(0), constant.byte_offset.value_or(0));
      PrintExtra(constant.extra, "    ");
    }
    for (const Unit& unit : network.units) PrintUnit(unit);
    for (const Output& output : network.outputs) PrintOutput(output);
    PrintExtra(network.extra, "  ");
  }

  void PrintUnit(const Unit& unit) {
    const LayerSpec* layer = FindLayer(unit.type);
    std::string result;
    if (unit.output_type) result += " " + *unit.output_type;
    if (unit.output_channels) result += fmt::format(" C{}", *unit.output_channels);
    if (unit.num_groups) result += fmt::format(" groups {}", *unit.num_groups);
    Line("  unit {} {}{} ({}){}{}", Quoted(unit.name), unit.type,
         layer == nullptr ? ""
                          : fmt::format(" [class {} {}]", layer->code,
                                        EnumText(EnumKind::kOpClass, layer->code)),
         QuotedList(unit.bottoms), result.empty() ? "" : " ->", result);
    if (unit.params) {
      for (const Entry& entry : unit.params->entries) PrintParam(unit, layer, entry);
    }
    PrintExtra(unit.extra, "    ");
  }

  void PrintParam(const Unit& unit, const LayerSpec* layer, const Entry& entry) {
    const ParamSpec* spec = layer == nullptr ? nullptr : FindParam(layer->params, entry.key);
    std::string note;
    if (spec == nullptr) note = "  (no source names this key)";
    if (spec != nullptr && spec->kind == ParamKind::kHalfBits) {
      if (const std::optional<Half> half = unit.HalfBits(entry.key)) {
        note = fmt::format("  ({})", HalfToDouble(*half));
      }
    }
    Line("    {} = {}{}", Quoted(entry.key), ValueText(entry.value), note);
  }

  void PrintProcedure(const Procedure& procedure) {
    Line("procedure {}", Quoted(procedure.name));
    for (const Input& input : procedure.inputs) PrintInput(input);
    for (const Operation& operation : procedure.operations) {
      Line("  operation {} runs network {}", Quoted(operation.name), Quoted(operation.network));
    }
    for (const Output& output : procedure.outputs) PrintOutput(output);
    PrintExtra(procedure.extra, "  ");
  }

  void PrintExtra(const std::vector<Entry>& extra, std::string_view indent) {
    for (const Entry& entry : extra) {
      Line("{}{} = {}", indent, Quoted(entry.key), ValueText(entry.value));
    }
  }

  std::string text_;
};

}  // namespace

std::string Print(const plist::Document& document) {
  const Result<Description> description = FromTree(document.root);
  if (!description.ok()) {
    return fmt::format("property list, no network description: {}\n{}\n",
                       description.error().message, ValueText(document.root));
  }
  return Printer().Print(document, description.value());
}

}  // namespace anecheck::netlist
