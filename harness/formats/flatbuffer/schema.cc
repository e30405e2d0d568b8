#include "harness/formats/flatbuffer/schema.h"

#include <algorithm>
#include <flatbuffers/reflection.h>
#include <fmt/format.h>

namespace anecheck::flatbuffer {
namespace {

std::string ShortName(const flatbuffers::String& name) {
  const std::string_view full = name.string_view();
  const size_t dot = full.rfind('.');
  return std::string(dot == std::string_view::npos ? full : full.substr(dot + 1));
}

Error Unsupported(std::string_view where, std::string_view what) {
  return MakeError(ErrorCode::kUnsupported, fmt::format("schema field {}: {}", where, what));
}

struct ScalarTraits {
  uint8_t width = 0;
  bool is_signed = false;
};

ScalarTraits TraitsOf(reflection::BaseType type) {
  switch (type) {
    case reflection::Bool:
    case reflection::UByte:
    case reflection::UType:
      return {1, false};
    case reflection::Byte:
      return {1, true};
    case reflection::UShort:
      return {2, false};
    case reflection::Short:
      return {2, true};
    case reflection::UInt:
      return {4, false};
    case reflection::Int:
      return {4, true};
    case reflection::ULong:
      return {8, false};
    case reflection::Long:
      return {8, true};
    default:
      return {};
  }
}

FieldKind KindOf(reflection::BaseType type, bool is_struct) {
  switch (type) {
    case reflection::UType:
      return FieldKind::kUnionType;
    case reflection::Union:
      return FieldKind::kUnion;
    case reflection::String:
      return FieldKind::kString;
    case reflection::Obj:
      return is_struct ? FieldKind::kStruct : FieldKind::kTable;
    case reflection::Vector:
      return FieldKind::kVector;
    default:
      return FieldKind::kScalar;
  }
}

bool IsStruct(const reflection::Schema& from, const reflection::Type& type,
              reflection::BaseType base) {
  return base == reflection::Obj && from.objects()->Get(type.index())->is_struct();
}

std::string Attribute(const reflection::Field& from, const char* key) {
  if (from.attributes() == nullptr) return {};
  const reflection::KeyValue* entry = from.attributes()->LookupByKey(key);
  return entry == nullptr || entry->value() == nullptr ? std::string() : entry->value()->str();
}

Result<Field> ConvertField(const reflection::Schema& from, const reflection::Field& source,
                           bool in_struct) {
  const reflection::Type& type = *source.type();
  Field field;
  field.name = source.name()->str();
  field.evidence = Attribute(source, "evidence");
  field.id = source.id();
  field.required = source.required();
  field.type = static_cast<int16_t>(type.index());
  field.kind = KindOf(type.base_type(), IsStruct(from, type, type.base_type()));
  field.is_bool = type.base_type() == reflection::Bool;
  if (field.kind == FieldKind::kStruct || type.base_type() == reflection::Array) {
    return Unsupported(field.name, "structs inline in tables and arrays are not handled");
  }
  if (field.kind == FieldKind::kScalar || field.kind == FieldKind::kUnionType) {
    const ScalarTraits traits = TraitsOf(type.base_type());
    if (traits.width == 0) return Unsupported(field.name, "floating point is not handled");
    field.width = traits.width;
    field.is_signed = traits.is_signed;
    if (in_struct) field.struct_offset = source.offset();
    return field;
  }
  field.width = 4;
  if (field.kind != FieldKind::kVector) return field;
  field.element = KindOf(type.element(), IsStruct(from, type, type.element()));
  if (field.element == FieldKind::kScalar || field.element == FieldKind::kUnionType) {
    const ScalarTraits traits = TraitsOf(type.element());
    if (traits.width == 0) return Unsupported(field.name, "floating point is not handled");
    field.element_width = traits.width;
    field.is_signed = traits.is_signed;
    field.is_bool = type.element() == reflection::Bool;
  } else if (field.element == FieldKind::kStruct) {
    field.element_width = static_cast<uint32_t>(from.objects()->Get(type.index())->bytesize());
  } else {
    field.element_width = 4;
  }
  return field;
}

ShapeRole RoleOf(const Field& field) {
  switch (field.kind) {
    case FieldKind::kScalar:
    case FieldKind::kStruct:
      return ShapeRole::kNothing;
    case FieldKind::kUnionType:
      return ShapeRole::kCodes;
    case FieldKind::kUnion:
      return ShapeRole::kUnion;
    case FieldKind::kString:
      return ShapeRole::kLeaf;
    case FieldKind::kTable:
      return ShapeRole::kTable;
    case FieldKind::kVector:
      break;
  }
  switch (field.element) {
    case FieldKind::kString:
      return ShapeRole::kStrings;
    case FieldKind::kTable:
      return ShapeRole::kTables;
    case FieldKind::kUnion:
      return ShapeRole::kUnions;
    case FieldKind::kUnionType:
      return ShapeRole::kCodesLeaf;
    default:
      return field.nested >= 0 ? ShapeRole::kNestedLeaf : ShapeRole::kLeaf;
  }
}

void PackShape(TableType* table) {
  for (size_t i = 0; i < table->fields.size(); ++i) {
    const Field& field = table->fields[i];
    table->shape.push_back({.role = RoleOf(field),
                            .vtable_offset = static_cast<uint16_t>(4 + 2 * field.id),
                            .kind = field.kind,
                            .element = field.element,
                            .width = field.width,
                            .required = field.required,
                            .type = field.type,
                            .nested = field.nested,
                            .element_width = static_cast<uint16_t>(field.element_width),
                            .field = static_cast<uint16_t>(i)});
  }
}

EnumType ConvertEnum(const reflection::Schema& from, const reflection::Enum& source) {
  EnumType type;
  type.name = ShortName(*source.name());
  type.is_union = source.is_union();
  for (const reflection::EnumVal* value : *source.values()) {
    EnumValue converted{.name = value->name()->str(), .value = value->value()};
    if (type.is_union && value->union_type() != nullptr &&
        value->union_type()->base_type() == reflection::Obj) {
      converted.table = static_cast<int16_t>(value->union_type()->index());
      converted.name = ShortName(*from.objects()->Get(converted.table)->name());
    }
    type.values.push_back(std::move(converted));
  }
  return type;
}

}  // namespace

const Field* TableType::FindField(std::string_view field_name) const {
  const auto found =
      std::ranges::find_if(fields, [&](const Field& field) { return field.name == field_name; });
  return found == fields.end() ? nullptr : &*found;
}

const Field* TableType::FieldById(uint16_t id) const {
  const auto found =
      std::ranges::find_if(fields, [&](const Field& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

const EnumValue* EnumType::Search(int64_t value) const {
  const auto found =
      std::ranges::find_if(values, [&](const EnumValue& entry) { return entry.value == value; });
  return found == values.end() ? nullptr : &*found;
}

const EnumValue* EnumType::ByName(std::string_view value_name) const {
  const auto found = std::ranges::find_if(
      values, [&](const EnumValue& entry) { return entry.name == value_name; });
  return found == values.end() ? nullptr : &*found;
}

int16_t Schema::FindTable(std::string_view name) const {
  for (size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].name == name) return static_cast<int16_t>(i);
  }
  return -1;
}

Result<Schema> SchemaFromReflection(ByteSpan binary_schema) {
  flatbuffers::Verifier verifier(binary_schema.data(), binary_schema.size());
  if (!reflection::VerifySchemaBuffer(verifier)) {
    return MakeError(ErrorCode::kMalformed, "not a binary FlatBuffers schema");
  }
  const reflection::Schema& from = *reflection::GetSchema(binary_schema.data());
  Schema schema;
  if (from.file_ident() != nullptr) schema.identifier = from.file_ident()->str();
  for (const reflection::Enum* source : *from.enums()) {
    schema.enums.push_back(ConvertEnum(from, *source));
  }
  for (const reflection::Object* source : *from.objects()) {
    TableType table;
    table.name = ShortName(*source->name());
    table.is_struct = source->is_struct();
    table.byte_size = static_cast<uint32_t>(source->bytesize());
    for (const reflection::Field* field : *source->fields()) {
      ANECHECK_ASSIGN(Field converted, ConvertField(from, *field, table.is_struct));
      const std::string nested = Attribute(*field, "nested_flatbuffer");
      if (!nested.empty()) {
        for (size_t i = 0; i < from.objects()->size(); ++i) {
          if (ShortName(*from.objects()->Get(i)->name()) == nested) {
            converted.nested = static_cast<int16_t>(i);
          }
        }
      }
      table.fields.push_back(std::move(converted));
    }
    std::ranges::sort(table.fields, {}, &Field::id);
    if (from.root_table() == source) schema.root = static_cast<int16_t>(schema.tables.size());
    PackShape(&table);
    schema.tables.push_back(std::move(table));
  }
  return schema;
}

}  // namespace anecheck::flatbuffer
