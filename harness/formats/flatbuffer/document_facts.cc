// DocumentFacts, which traverses the schema and makes the paths of the JSON form.
#include <algorithm>
#include <set>

#include "harness/formats/flatbuffer/document_json.h"

namespace anecheck::flatbuffer {
namespace {

constexpr const char* kLibrary = "the FlatBuffers format (flatbuffers.dev, Internals)";
constexpr const char* kPlaces = "where the pieces stand in the file";

class FactWriter {
 public:
  FactWriter(const Schema& schema, const FieldSource& source_of)
      : schema_(schema), source_of_(source_of) {}

  std::vector<FieldFact> Run(int16_t root_table, const std::string& prefix) {
    AddDocument(root_table, prefix);
    return std::move(facts_);
  }

 private:
  void Add(const std::string& path, FactEvidence evidence, const std::string& source) {
    // All members of a union have the same path, so a path can occur several times.
    if (paths_.insert(path).second) facts_.push_back({path, evidence, source});
  }

  void AddDocument(int16_t root_table, const std::string& prefix) {
    const std::string at = prefix.empty() ? "" : prefix + ".";
    for (const char* key : {"size", "start", "header_overlaps", "overlapping", "vtables[].@",
                            "unknown[].@", "unknown[].inside"}) {
      Add(at + key, FactEvidence::kNotation, kPlaces);
    }
    for (const char* key : {"size_prefix", "identifier", "vtables"}) {
      Add(at + key, FactEvidence::kPublicNotes, kLibrary);
    }
    Add(at + "unknown", FactEvidence::kOpaque, "bytes that no field of the schema covers");
    AddTable(root_table, at + "root");
  }

  void AddTable(int16_t index, const std::string& path) {
    Add(path + ".@", FactEvidence::kNotation, kPlaces);
    if (index < 0 || std::ranges::find(open_, index) != open_.end()) return;
    open_.push_back(index);
    const TableType& table = schema_.tables[static_cast<size_t>(index)];
    for (const Field& field : table.fields) AddField(table, field, path + "." + field.name);
    open_.pop_back();
  }

  void AddField(const TableType& table, const Field& field, const std::string& path) {
    if (field.nested >= 0) {
      AddDocument(field.nested, path);
    } else if (field.kind == FieldKind::kTable) {
      AddTable(field.type, path);
    } else if (field.kind == FieldKind::kUnion) {
      AddUnion(field.type, path);
    } else if (field.kind == FieldKind::kVector) {
      AddElements(field, path + "[]");
    }
    const auto [evidence, source] = source_of_(table, field);
    Add(path, evidence, source);
  }

  void AddElements(const Field& field, const std::string& path) {
    if (field.element == FieldKind::kTable) AddTable(field.type, path);
    if (field.element == FieldKind::kUnion) AddUnion(field.type, path);
    if (field.element != FieldKind::kStruct) return;
    const TableType& type = schema_.tables[static_cast<size_t>(field.type)];
    for (const Field& member : type.fields) {
      const auto [evidence, source] = source_of_(type, member);
      Add(path + "." + member.name, evidence, source);
    }
    Add(path + ".padding", FactEvidence::kOpaque, "bytes between the members of a struct");
  }

  void AddUnion(int16_t type, const std::string& path) {
    for (const EnumValue& member : schema_.enums[static_cast<size_t>(type)].values) {
      AddTable(member.table, path);
    }
  }

  const Schema& schema_;
  const FieldSource& source_of_;
  std::vector<FieldFact> facts_;
  std::set<std::string> paths_;
  std::vector<int16_t> open_;  // tables that enclose the current table
};

}  // namespace

std::vector<FieldFact> DocumentFacts(const Schema& schema, int16_t root_table,
                                     const std::string& prefix, const FieldSource& source_of) {
  return FactWriter(schema, source_of).Run(root_table, prefix);
}

}  // namespace anecheck::flatbuffer
