#include "harness/targets/newest_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "harness/base/json_fields.h"
#include "harness/targets/embedded.h"

namespace anecheck {
namespace {

constexpr const char* kFile = "hal_10_26_6.json";

Result<NewestField> ReadField(const Json& row) {
  NewestField field;
  ANECHECK_ASSIGN(const uint64_t offset, json_fields::Number(row, "offset", kFile));
  ANECHECK_ASSIGN(const uint64_t width, json_fields::Number(row, "width", kFile));
  ANECHECK_ASSIGN(field.name, json_fields::String(row, "name", kFile));
  ANECHECK_ASSIGN(field.source, json_fields::String(row, "source", kFile));
  ANECHECK_ASSIGN(const std::string kind, json_fields::String(row, "kind", kFile));
  if (width == 0 || width > 8 || offset + width > kNewestHalSize) {
    return json_fields::Bad(kFile, fmt::format("{} does not lie in the table", field.name));
  }
  field.offset = static_cast<uint32_t>(offset);
  field.width = static_cast<uint32_t>(width);
  field.flag = kind == "flag";
  ANECHECK_ASSIGN(const auto values, json_fields::Array(row, "values", kFile));
  for (const Json* value : values) {
    NewestField::Statement statement;
    ANECHECK_ASSIGN(statement.value.value, json_fields::Number(*value, "value", kFile));
    ANECHECK_ASSIGN(statement.value.source, json_fields::String(*value, "source", kFile));
    ANECHECK_ASSIGN(statement.targets, json_fields::Strings(*value, "targets", kFile));
    field.statements.push_back(std::move(statement));
  }
  return field;
}

Result<std::vector<NewestField>> ReadFields() {
  ANECHECK_ASSIGN(const Json document, json_fields::ParseDocument(targets_data::kHal10266, kFile));
  ANECHECK_ASSIGN(const auto rows, json_fields::Array(document, "fields", kFile));
  std::vector<NewestField> fields;
  for (const Json* row : rows) {
    ANECHECK_ASSIGN(NewestField field, ReadField(*row));
    if (!fields.empty() && field.offset < fields.back().offset + fields.back().width) {
      return json_fields::Bad(kFile, fmt::format("{} overlaps the field before it", field.name));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

std::span<const NewestField> NewestFields() {
  static const std::vector<NewestField> fields = [] {
    auto read = ReadFields();
    if (read.ok()) return std::move(*read);
    // The embedded text is part of the program, so an error in it is a defect of the build.
    std::fprintf(stderr, "embedded %s\n", read.error().message.c_str());
    std::abort();
  }();
  return fields;
}

const NewestField* FindNewestField(std::string_view name) {
  const auto fields = NewestFields();
  const auto found = std::ranges::find(fields, name, &NewestField::name);
  return found == fields.end() ? nullptr : &*found;
}

Known<uint64_t> NewestValue(const NewestField& field, std::string_view target,
                            std::string_view tier) {
  Known<uint64_t> known;
  for (const NewestField::Statement& statement : field.statements) {
    const bool speaks = std::ranges::any_of(
        statement.targets, [&](const std::string& name) { return name == target || name == tier; });
    if (speaks) known.Add(statement.value);
  }
  return known;
}

}  // namespace anecheck
