#include "harness/formats/hwx/field_facts.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.h"
#include "harness/formats/hwx/bindings.h"
#include "harness/formats/hwx/records.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/td/td.h"

namespace anecheck::hwx {
namespace {

constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr FactEvidence kOpaque = FactEvidence::kOpaque;
constexpr FactEvidence kNotation = FactEvidence::kNotation;

// Collects the rows. `known_` is the evidence for facts that real files of H13 confirm.
class FactWriter {
 public:
  explicit FactWriter(FactEvidence known) : known_(known) {}

  std::vector<FieldFact> Run() {
    kHeaderRecord.AddRecordFacts("header", known_, facts_);
    Segments();
    Ports();
    Threads();
    Symbols();
    Others();
    return std::move(facts_);
  }

 private:
  void Add(FactEvidence evidence, const std::string& source, const std::string& prefix,
           std::initializer_list<const char*> names) {
    for (const char* name : names) {
      Push({prefix.empty() ? name : prefix + "." + name, evidence, source});
    }
  }
  // Adds the row unless its path already has a row. Threads and ports have common paths.
  void Push(FieldFact fact) {
    if (std::ranges::find(facts_, fact.path, &FieldFact::path) == facts_.end()) {
      facts_.push_back(std::move(fact));
    }
  }
  void Known(const std::string& source, const std::string& prefix,
             std::initializer_list<const char*> names) {
    Add(known_, source, prefix, names);
  }

  // Adds the fields of a command's record. If the records of several commands have a field of the
  // same name, the first row stays.
  void Command(const auto& record) {
    std::vector<FieldFact> rows;
    record.AddFacts("commands[]", known_, rows);
    for (FieldFact& row : rows) Push(std::move(row));
  }

  void Segments() {
    const std::string section = "commands[].sections[]";
    kSectionRecord.AddFacts(section, known_, facts_);
    Add(kOpaque, "contents: weights, or bytes that no source describes", section, {"data[].bytes"});
    Add(kNotation, "a run of zero bytes", section, {"data[].zeros"});
    Known("facts/hwx.md, weight tiles", section, {"data[].derived.tile"});
    Add(kNotation, "why the section is kept as bytes", section, {"derived.tasks_error"});
    Known("facts/hwx.md, section flags", section, {"derived.kind"});
    Known("facts/hwx.md, relocations", section, {"relocations"});
    const std::vector<FieldFact> tasks =
        td::ChainFacts(section + ".tasks", known_,
                       {"", known_, "facts/hwx.md: the version follows from cpusubtype"});
    facts_.insert(facts_.end(), tasks.begin(), tasks.end());
    Known(std::string(kSegmentsSource), section, {"derived.size"});
    Command(kSegmentRecord);
    Command(kSymtabRecord);
  }

  void Threads() {
    const std::string source = "facts/hwx.md, thread command";
    for (const uint32_t flavor : {kHeaderFlavor, kTensorFlavor}) {
      for (const ThreadWord& word : ThreadWords(flavor)) {
        const bool assumed = word.evidence == kAssumed;
        const std::string name(word.name);
        for (const char* prefix : {"commands[].", "commands[].derived."}) {
          Push({prefix + name, assumed ? kAssumed : known_,
                assumed ? "our name for the value in all nine files at hand" : source});
        }
      }
    }
    Add(kNotation, "the basis of a name", "commands[]", {"derived.evidence"});
    Add(FactEvidence::kSpecification, "specification 000, listing 23.5", "commands[]",
        {"derived.element_type_name"});
    Add(kOpaque, "words of a thread command that no source names", "commands[]", {"words"});
    Command(kThreadRecord);
    Known(source, "commands[]", {"names", "base_slots"});
  }

  void Symbols() {
    Known("facts/hwx.md, symbols; specification 000, listings 23.5 and 23.6", "commands[]",
          {"symbols[].type", "symbols[].name", "symbols[].desc", "symbols[].derived.desc",
           "symbols[].sect", "symbols[].value", "symbols[].strx", "symbols[].tensor_stab",
           "symbols[].type_stab", "strings"});
  }

  void Ports() {
    Add(kAssumed,
        "for a port: the record of specification 000, which no real file has; for a tensor: our "
        "name for the value in all nine files at hand",
        "commands[]", {"byte_size"});
    Command(kPortRecord);
  }

  void Others() {
    Known("specification 000, listing 23.4; facts/hwx.md, build info", "commands[]",
          {"version", "options", "text", "derived.target"});
    Add(known_, "two real files of compilers 7.6.4 and 9.509.0; specification 000, build manifest",
        "commands[]", {"derived.modules"});
    Command(kNoteRecord);
    Known(std::string(kCommandsSource), "commands[]", {"cmd", "id"});
    Command(kCommandRecord);
    Add(kOpaque, "no source describes it", "commands[]", {"bytes", "body", "trailing"});
    Add(kNotation, "the places and the encoding of the pieces", "commands[]",
        {"derived.file_offset", "derived.reason"});
    Add(kNotation, "bytes that no record claims", "unclaimed[]", {"offset"});
    Add(kOpaque, "bytes that no record claims", "", {"unclaimed"});
    Add(kNotation, "the file's own size", "", {"file_size", "derived.file_size"});
  }

  FactEvidence known_;
  std::vector<FieldFact> facts_;
};

}  // namespace

std::span<const FieldFact> FieldFacts(const Json& json) {
  static const std::vector<FieldFact> real = FactWriter(FactEvidence::kRealFile).Run();
  static const std::vector<FieldFact> noted = FactWriter(FactEvidence::kPublicNotes).Run();
  const auto header = json.find("header");
  if (header == json.end()) return noted;
  return header->value("cpusubtype", 0U) == kH13Subtype ? real : noted;
}

}  // namespace anecheck::hwx
