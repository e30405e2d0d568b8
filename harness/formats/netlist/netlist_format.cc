// The format entry of network descriptions: recognise, JSON, rewrite, verify, coverage.
#include "harness/formats/netlist/netlist_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/port_keys.h"
#include "harness/formats/netlist/rules.h"

namespace anecheck {

namespace netlist {
namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

int Recognise(ByteSpan bytes, std::string_view path) {
  if (!plist::LooksLikePropertyList(bytes)) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool named = text.find("Networks") != std::string_view::npos;
  return named ? 90 : path.ends_with(".plist") ? 40 : 20;
}

Result<Json> FormatToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  Json json = Json{{"format", "netlist"}};
  json.update(plist::ToJson(document));
  return json;
}

Result<Bytes> FormatFromJson(const Json& json) {
  ANECHECK_ASSIGN(const plist::Document document, plist::FromJson(json));
  return plist::Write(document);
}

Result<Bytes> Rewrite(ByteSpan bytes) { return plist::Rewrite(bytes); }

Result<std::vector<Violation>> FormatVerify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return Verify(document.root);
}

Result<std::string> FormatPrint(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return Print(document);
}

// Counts the bytes of entries whose key no source names.
class UnknownCounter {
 public:
  uint64_t Count(const Value& root) {
    const Dict* dict = root.AsDict();
    if (dict == nullptr) return root.size;
    std::vector<std::string_view> known = {"Networks", "ProcedureList", "Version"};
    const std::vector<std::string> networks = NamesAt(*dict, "Networks");
    for (const std::string& name : networks) {
      if (const Value* network = dict->Find(name)) {
        known.push_back(name);
        CountNetwork(*network);
      }
    }
    CountUnknown(*dict, known);
    if (const Value* list = dict->Find("ProcedureList")) CountProcedures(*list);
    return unknown_;
  }

 private:
  static std::vector<std::string> NamesAt(const Dict& dict, std::string_view key) {
    std::vector<std::string> names;
    const Value* list = dict.Find(key);
    if (list == nullptr || list->AsArray() == nullptr) return names;
    for (const Value& item : *list->AsArray()) {
      if (item.AsString() != nullptr) names.push_back(*item.AsString());
    }
    return names;
  }

  void CountUnknown(const Dict& dict, std::span<const std::string_view> known) {
    for (const Entry& entry : dict.entries) {
      if (std::ranges::find(known, entry.key) == known.end()) unknown_ += SizeOf(entry);
    }
  }

  // From the key to the end of the value; in a binary file, where keys stand elsewhere, the value.
  static uint64_t SizeOf(const Entry& entry) {
    const uint64_t end = uint64_t{entry.value.offset} + entry.value.size;
    return entry.key_offset < entry.value.offset ? end - entry.key_offset : entry.value.size;
  }

  void CountPort(const Value& value) {
    static constexpr std::string_view kKnown[] = {"BatchSize",
                                                  "InputChannels",
                                                  "InputDepth",
                                                  "InputHeight",
                                                  "InputInterleave",
                                                  "InputWidth",
                                                  "InputBatchStride",
                                                  "InputDepthStride",
                                                  "InputPlaneStride",
                                                  "InputRowStride",
                                                  "InputType",
                                                  "InputName",
                                                  "Name",
                                                  "OperationName",
                                                  "OutputName",
                                                  "OutputType",
                                                  "OutputInterleave",
                                                  "OutputRowStride",
                                                  "OutputPlaneStride",
                                                  "OutputBatchStride",
                                                  "OutputDepthStride",
                                                  "Bottom",
                                                  "ConstantBatchSize",
                                                  "ConstantChannels",
                                                  "ConstantDepth",
                                                  "ConstantHeight",
                                                  "ConstantInterleave",
                                                  "ConstantWidth",
                                                  "ConstantType",
                                                  "ConstantName",
                                                  "ConstantIndex",
                                                  "ConstantByteOffset"};
    if (value.AsDict() != nullptr) CountUnknown(*value.AsDict(), kKnown);
  }

  void CountUnit(const Value& value) {
    static constexpr std::string_view kKnown[] = {
        "Bottom",     "InputType", "Name", "NumGroups",     "OutputChannels",
        "OutputType", "Params",    "Type", "UnescapedName", "UnescapedBottom"};
    const Dict* dict = value.AsDict();
    if (dict == nullptr) return;
    CountUnknown(*dict, kKnown);
    const Value* params = dict->Find("Params");
    const Value* type = dict->Find("Type");
    if (params == nullptr || params->AsDict() == nullptr) return;
    const LayerSpec* layer =
        type == nullptr || type->AsString() == nullptr ? nullptr : FindLayer(*type->AsString());
    for (const Entry& entry : params->AsDict()->entries) {
      if (layer == nullptr || FindParam(layer->params, entry.key) == nullptr) {
        unknown_ += SizeOf(entry);
      }
    }
  }

  void CountNetwork(const Value& value) {
    const Dict* dict = value.AsDict();
    if (dict == nullptr) {
      unknown_ += value.size;
      return;
    }
    const std::vector<std::string> listed = NamesAt(*dict, "Units");
    const std::unordered_set<std::string_view> units(listed.begin(), listed.end());
    for (const Entry& entry : dict->entries) {
      static constexpr std::string_view kLists[] = {"Inputs", "Outputs", "Units", "Weights",
                                                    "Constants"};
      if (std::ranges::find(kLists, entry.key) != std::end(kLists)) continue;
      if (units.contains(entry.key)) {
        CountUnit(entry.value);
      } else if (entry.value.AsDict() != nullptr) {
        CountPort(entry.value);
      } else {
        unknown_ += SizeOf(entry);
      }
    }
  }

  void CountProcedures(const Value& list) {
    static constexpr std::string_view kKnown[] = {"InputList", "Name", "OperationList",
                                                  "OutputList"};
    if (list.AsArray() == nullptr) return;
    for (const Value& procedure : *list.AsArray()) {
      if (procedure.AsDict() == nullptr) continue;
      CountUnknown(*procedure.AsDict(), kKnown);
      for (const std::string_view key : {"InputList", "OutputList"}) {
        const Value* ports = procedure.AsDict()->Find(key);
        if (ports == nullptr || ports->AsArray() == nullptr) continue;
        for (const Value& port : *ports->AsArray()) CountPort(port);
      }
    }
  }

  uint64_t unknown_ = 0;
};

Result<Coverage> FormatCoverage(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  const uint64_t unknown = std::min<uint64_t>(UnknownCounter().Count(document.root), bytes.size());
  return Coverage{bytes.size(), 0, bytes.size() - unknown};
}

}  // namespace
}  // namespace netlist

const Format kFormat_netlist = {
    .name = "netlist",
    .title = "network description (property list of layers and wiring)",
    .rules = netlist::Rules(),
    .recognise = netlist::Recognise,
    .to_json = netlist::FormatToJson,
    .from_json = netlist::FormatFromJson,
    .rewrite = netlist::Rewrite,
    .verify = netlist::FormatVerify,
    .print = netlist::FormatPrint,
    .coverage = netlist::FormatCoverage,
};

}  // namespace anecheck
