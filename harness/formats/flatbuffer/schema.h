// FlatBuffers schemas as data: the tables, structs, unions and enumerations of a schema that flatc
// compiled. The reader, the writer and the JSON form in this folder traverse them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck::flatbuffer {

enum class FieldKind : uint8_t {
  kScalar,     // integer, boolean or enumeration
  kUnionType,  // the one-byte member code that flatc places before a union
  kUnion,      // an offset to the member's table
  kString,
  kTable,
  kStruct,  // occurs only as the element of a vector or a member of a struct
  kVector,
};

// One field of a table, or one member of a struct.
struct Field {
  std::string name;
  std::string evidence;  // the schema's `evidence` attribute; empty if absent
  uint16_t id = 0;       // FlatBuffers field id; the index of the member in a struct
  FieldKind kind = FieldKind::kScalar;
  FieldKind element = FieldKind::kScalar;  // the kind of a vector's elements
  uint8_t width = 0;                       // bytes of the scalar, or 4 for a reference
  uint32_t element_width = 0;              // bytes of one vector element
  bool is_signed = false;                  // whether the scalar, or the vector's element, is signed
  bool is_bool = false;
  bool required = false;
  int16_t type = -1;           // table or struct index (kTable, kStruct), or enumeration index
  int16_t nested = -1;         // table index of the root of a FlatBuffer nested in a byte vector
  uint32_t struct_offset = 0;  // for a member of a struct: its offset in bytes
};

// The check that a field needs after its offset in the table was checked.
enum class ShapeRole : uint8_t {
  kNothing,    // a scalar
  kCodes,      // the member code of a union
  kLeaf,       // a string, or a vector whose elements contain no references
  kCodesLeaf,  // a vector of member codes of unions
  kNestedLeaf,
  kTable,
  kUnion,
  kStrings,
  kTables,
  kUnions,
};

// The properties of a Field that the shape check needs, packed for the inner loop.
struct ShapeField {
  ShapeRole role = ShapeRole::kNothing;
  uint16_t vtable_offset = 0;
  FieldKind kind = FieldKind::kScalar;
  FieldKind element = FieldKind::kScalar;
  uint8_t width = 0;
  bool required = false;
  int16_t type = -1;
  int16_t nested = -1;
  uint16_t element_width = 0;
  uint16_t field = 0;  // index into TableType::fields
};

struct TableType {
  std::string name;  // the name without its namespace
  std::vector<Field> fields;
  std::vector<ShapeField> shape;
  bool is_struct = false;
  uint32_t byte_size = 0;  // the size of a struct

  const Field* FindField(std::string_view field_name) const;
  const Field* FieldById(uint16_t id) const;
};

struct EnumValue {
  std::string name;
  int64_t value = 0;
  int16_t table = -1;  // the table of a union's member
};

struct EnumType {
  std::string name;
  bool is_union = false;
  std::vector<EnumValue> values;

  // In most enumerations the values count up from 0. Then the value is the index.
  const EnumValue* ByValue(int64_t value) const {
    const auto index = static_cast<uint64_t>(value);
    if (index < values.size() && values[index].value == value) return &values[index];
    return Search(value);
  }
  const EnumValue* ByName(std::string_view value_name) const;

 private:
  const EnumValue* Search(int64_t value) const;
};

struct Schema {
  std::vector<TableType> tables;
  std::vector<EnumType> enums;
  int16_t root = -1;
  std::string identifier;  // four characters, or empty

  // Returns the index of a table by its name without namespace, or -1.
  int16_t FindTable(std::string_view name) const;
};

// Builds a Schema from flatc's binary form (reflection.fbs). Errors: kUnsupported for
// floating-point fields, for arrays and for structs inline in tables. No schema of this project
// uses these.
Result<Schema> SchemaFromReflection(ByteSpan binary_schema);

}  // namespace anecheck::flatbuffer
