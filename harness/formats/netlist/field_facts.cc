#include "harness/formats/netlist/field_facts.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/formats/netlist/layers.h"

namespace anecheck::netlist {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;

constexpr KeyFact kPortKeys[] = {{"BatchSize", kReal},
                                 {"InputChannels", kReal},
                                 {"InputDepth", kReal},
                                 {"InputHeight", kReal},
                                 {"InputInterleave", kReal},
                                 {"InputWidth", kReal},
                                 {"InputBatchStride", kReal},
                                 {"InputDepthStride", kReal},
                                 {"InputPlaneStride", kReal},
                                 {"InputRowStride", kReal},
                                 {"InputType", kReal},
                                 {"InputName", kNotes},
                                 {"Name", kReal},
                                 {"OperationName", kNotes},
                                 {"OutputName", kNotes},
                                 {"OutputType", kReal},
                                 {"OutputInterleave", kReal},
                                 {"OutputRowStride", kReal},
                                 {"OutputPlaneStride", kReal},
                                 {"OutputBatchStride", kReal},
                                 {"OutputDepthStride", kReal},
                                 {"Bottom", kReal},
                                 {"ConstantBatchSize", kNotes},
                                 {"ConstantChannels", kNotes},
                                 {"ConstantDepth", kNotes},
                                 {"ConstantHeight", kNotes},
                                 {"ConstantInterleave", kNotes},
                                 {"ConstantWidth", kNotes},
                                 {"ConstantType", kNotes},
                                 {"ConstantName", kNotes},
                                 {"ConstantIndex", kNotes},
                                 {"ConstantByteOffset", kNotes}};
constexpr KeyFact kUnitKeys[] = {
    {"Bottom", kReal},     {"InputType", kNotes},     {"Name", kReal},
    {"NumGroups", kNotes}, {"OutputChannels", kReal}, {"OutputType", kReal},
    {"Type", kReal},       {"UnescapedName", kReal},  {"UnescapedBottom", kReal}};
constexpr KeyFact kNetworkKeys[] = {{"Inputs", kReal},
                                    {"Outputs", kReal},
                                    {"Units", kReal},
                                    {"Weights", kReal},
                                    {"Constants", kNotes}};

// Keys of Params in real files, for all layers.
constexpr std::string_view kRealParams[] = {"BiasScalar",
                                            "BiasScaleGroupData",
                                            "BroadcastInfo",
                                            "Dimension",
                                            "KernelDepth",
                                            "KernelGroupReuse",
                                            "KernelHeight",
                                            "KernelIndex",
                                            "KernelMode",
                                            "KernelOffset",
                                            "KernelType",
                                            "KernelWidth",
                                            "Offset",
                                            "PadBot",
                                            "PadLeft",
                                            "PadRight",
                                            "PadTop",
                                            "ReshapedBatch",
                                            "ReshapedChannel",
                                            "ReshapedDepth",
                                            "ReshapedHeight",
                                            "ReshapedWidth",
                                            "Scale",
                                            "ScaleScalar",
                                            "Size",
                                            "Step",
                                            "Type"};

constexpr const char* kFiles = "20 real files of version 1.0.9";
constexpr const char* kPublic =
    "facts/more/netplist_keys.csv; public netlists of version 1.0.10; specification 004, Method";

const char* SourceOf(FactEvidence evidence) { return evidence == kReal ? kFiles : kPublic; }

class FactWriter {
 public:
  std::vector<FieldFact> Run() {
    Add("encoding", FactEvidence::kNotation, "XML or binary property list, by the first bytes");
    BinaryTable();
    Add("layout", FactEvidence::kNotation, "white space, comments and spellings of the text");
    Add("document.Version", kReal, kFiles);
    Add("document.Networks", kReal, kFiles);
    Procedures();
    AddKeys("document.*.", kNetworkKeys);
    Params();
    AddKeys("document.*.*.", kPortKeys);
    AddKeys("document.*.*.", kUnitKeys);
    Add("document", FactEvidence::kOpaque, "a key that no source names, kept as it stands");
    return std::move(facts_);
  }

 private:
  void Add(const std::string& path, FactEvidence evidence, const char* source) {
    if (paths_.insert(path).second) facts_.push_back({path, evidence, source});
  }

  void AddKeys(const std::string& prefix, std::span<const KeyFact> keys) {
    for (const KeyFact& key : keys) {
      Add(prefix + std::string(key.key), key.evidence, SourceOf(key.evidence));
    }
  }

  void BinaryTable() {
    constexpr const char* kBinary = "the binary property list (Apple's CFBinaryPList.c, libplist)";
    Add("layout.unused", FactEvidence::kOpaque, "five unused bytes of the trailer");
    for (const char* path :
         {"layout.offset_size", "layout.reference_size", "layout.sort_version", "layout.root",
          "layout.objects[].keys", "layout.objects[].items", "layout.objects[].value",
          "layout.objects[].width", "layout.objects[].count_width"}) {
      Add(path, kNotes, kBinary);
    }
  }

  void Procedures() {
    const std::string at = "document.ProcedureList[].";
    for (const char* path : {"Name", "OperationList[].NetworkName", "OperationList[].Name"}) {
      Add(at + path, kNotes, kPublic);
    }
    for (const char* list : {"InputList[].", "OutputList[]."}) {
      for (const KeyFact& key : kPortKeys) {
        Add(at + list + std::string(key.key), kNotes, kPublic);
      }
    }
  }

  void Params() {
    for (const LayerSpec& layer : Layers()) {
      for (const ParamSpec& param : layer.params) {
        const bool real = std::ranges::find(kRealParams, param.key) != std::end(kRealParams);
        Add("document.*.*.Params." + std::string(param.key), real ? kReal : kNotes,
            real ? kFiles
                 : "facts/netlist_layers.csv (specification 004, table 26.1; guide, appendix B); "
                   "public netlists");
      }
    }
  }

  std::vector<FieldFact> facts_;
  std::set<std::string> paths_;
};

}  // namespace

std::span<const KeyFact> PortKeys() { return kPortKeys; }
std::span<const KeyFact> UnitKeys() { return kUnitKeys; }
std::span<const KeyFact> NetworkKeys() { return kNetworkKeys; }

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = FactWriter().Run();
  return facts;
}

}  // namespace anecheck::netlist
