// Records with a C++ struct. A field has one definition with its name, member, JSON form, source
// and evidence. Reading, writing, conversion to and from JSON, printing, offsets and the facts that
// `inspect` lists are derived from the definitions.
//
//   constexpr auto kNoteRecord = RecordOf<Note>(
//       kSource, FactEvidence::kRealFile,
//       Field{"owner", &Note::owner}, Field{"offset", &Note::offset, RecordKind::kHex});
//
// Fields are little-endian, follow each other without gaps, and have the width of their members.
// Their types are integers, fp16 numbers (JSON has their bits, because it cannot express a NaN),
// and arrays of numbers, characters (a text padded with zeros) or bytes.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/base/base64.h"
#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/half.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/format.h"
#include "harness/formats/record/json_fields.h"
#include "harness/formats/record/record.h"

namespace anecheck {

enum class FieldRole : uint8_t {
  kPlain,
  kUnlessZero,  // left out of JSON if it is 0
  kFollows,     // under "derived" in JSON if it equals the value derived from other data
  kSpelled,     // the format's own code converts it to and from JSON
  kCounted,     // a count of members of the JSON; always under "derived", never read
};

// A field of the struct `Owner`. The file stores it as an `As`. A field without its own source has
// the source and evidence of its record.
template <typename Owner, typename Value, typename As = Value>
struct Field {
  static constexpr uint32_t kWidth = sizeof(As);

  std::string_view name;
  Value Owner::* member;
  RecordKind kind = RecordKind::kNumber;
  FieldRole role = FieldRole::kPlain;
  FactEvidence evidence = FactEvidence::kSpecification;
  std::string_view source = {};
};
template <typename Owner, typename Value, typename... Rest>
Field(const char*, Value Owner::*, Rest...) -> Field<Owner, Value>;

// Defines an integer that the file stores as an `As`, which is at most as wide as the member.
template <typename As, typename Owner, typename Value>
constexpr Field<Owner, Value, As> Stored(std::string_view name, Value Owner::* member,
                                         RecordKind kind) {
  static_assert(sizeof(As) <= sizeof(Value));
  return {name, member, kind};
}

namespace record {

template <typename Value>
void Read(ByteReader& reader, std::string_view name, Value& value) {
  if constexpr (std::is_integral_v<Value>) {
    if constexpr (sizeof(Value) == 1) value = reader.U8(name);
    if constexpr (sizeof(Value) == 2) value = reader.U16(name);
    if constexpr (sizeof(Value) == 4) value = static_cast<Value>(reader.U32(name));
    if constexpr (sizeof(Value) == 8) value = static_cast<Value>(reader.U64(name));
  } else {
    static_assert(std::is_trivially_copyable_v<Value>);
    const ByteSpan bytes = reader.Bytes(sizeof(Value), name);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(Value));
  }
}

template <typename Value>
void Write(const Value& value, ByteWriter& writer) {
  if constexpr (std::is_integral_v<Value>) {
    if constexpr (sizeof(Value) == 1) writer.U8(value);
    if constexpr (sizeof(Value) == 2) writer.U16(value);
    if constexpr (sizeof(Value) == 4) writer.U32(static_cast<uint32_t>(value));
    if constexpr (sizeof(Value) == 8) writer.U64(static_cast<uint64_t>(value));
  } else {
    writer.Bytes({reinterpret_cast<const uint8_t*>(&value), sizeof(Value)});
  }
}

template <typename Value>
bool IsSame(const Value& a, const Value& b) {
  return std::memcmp(&a, &b, sizeof(Value)) == 0;
}
template <typename Value>
bool IsZero(const Value& value) {
  return IsSame(value, Value{});
}

// Returns the text in an array of characters, without the trailing zeros.
template <size_t kCount>
std::string_view TextOf(const std::array<char, kCount>& value) {
  std::string_view text(value.data(), kCount);
  while (!text.empty() && text.back() == 0) text.remove_suffix(1);
  return text;
}

template <typename Value>
Json ToJson(const Value& value, RecordKind kind) {
  if constexpr (std::is_integral_v<Value>) {
    return kind == RecordKind::kHex ? Json(HexNumber(value)) : Json(value);
  } else if constexpr (std::is_same_v<Value, Half>) {
    return value.bits;
  } else if constexpr (std::is_same_v<typename Value::value_type, char>) {
    return EscapeText(TextOf(value));
  } else if constexpr (std::is_same_v<typename Value::value_type, uint8_t>) {
    return kind == RecordKind::kBase64 ? Base64Encode(value) : HexText(value);
  } else {
    Json numbers = Json::array();
    for (const auto& number : value) numbers.push_back(ToJson(number, kind));
    return numbers;
  }
}

void FromJson(JsonFields& fields, std::string_view name, RecordKind kind, std::span<char> text);
void FromJson(JsonFields& fields, std::string_view name, RecordKind kind, std::span<uint8_t> bytes);
void FromJson(JsonFields& fields, std::string_view name, RecordKind kind, std::span<uint32_t> all);
void FromJson(JsonFields& fields, std::string_view name, RecordKind kind, std::span<Half> halves);
inline void FromJson(JsonFields& fields, std::string_view name, RecordKind /*kind*/, Half& half) {
  half.bits = static_cast<uint16_t>(fields.Uint(name, UINT16_MAX));
}
template <std::integral Value>
void FromJson(JsonFields& fields, std::string_view name, RecordKind /*kind*/, Value& value) {
  value = static_cast<Value>(fields.Uint(name, static_cast<std::make_unsigned_t<Value>>(-1)));
}

}  // namespace record

template <typename Owner, typename... Parts>
class TypedRecord {
 public:
  static constexpr size_t kSize = (Parts::kWidth + ...);

  constexpr TypedRecord(std::string_view source, FactEvidence evidence, Parts... fields)
      : source_(source), evidence_(evidence), fields_(fields...) {}

  // Returns the byte offset of a field in the record. An unknown name does not compile.
  consteval size_t OffsetOf(std::string_view name) const {
    size_t offset = 0;
    bool found = false;
    ForEach([&](const auto& field) {
      found = found || field.name == name;
      if (!found) offset += field.kWidth;
    });
    if (!found) throw "the record has no field of that name";
    return offset;
  }

  void Read(ByteReader& reader, Owner& owner) const {
    ForEach([&](const auto& field) {
      Set(field, owner, [&](auto& value) { record::Read(reader, field.name, value); });
    });
  }
  void Write(const Owner& owner, ByteWriter& writer) const {
    ForEach([&]<typename Value, typename As>(const Field<Owner, Value, As>& field) {
      record::Write(static_cast<const As&>(owner.*field.member), writer);
    });
  }

  // Adds the fields to `object`. `laid` has the derived values of the fields of kFollows.
  void ToJson(const Owner& owner, const Owner& laid, Json& object) const {
    Json derived = Json::object();
    ForEach([&](const auto& field) {
      const auto& value = owner.*field.member;
      if (field.role == FieldRole::kSpelled) return;
      if (field.role == FieldRole::kUnlessZero && record::IsZero(value)) return;
      const bool follows =
          field.role == FieldRole::kCounted ||
          (field.role == FieldRole::kFollows && record::IsSame(value, laid.*field.member));
      (follows ? derived : object)[std::string(field.name)] = record::ToJson(value, field.kind);
    });
    if (!derived.empty()) object["derived"].update(derived);
  }
  void ToJson(const Owner& owner, Json& object) const { ToJson(owner, owner, object); }

  // The inverse of ToJson, without derived fields, which FollowingFromJson reads.
  void FromJson(JsonFields& fields, Owner& owner) const {
    ForEach([&](const auto& field) {
      if (field.role == FieldRole::kCounted || field.role == FieldRole::kSpelled) return;
      if (field.role == FieldRole::kFollows) return fields.ReadElsewhere({field.name});
      if (field.role == FieldRole::kUnlessZero && !fields.Has(field.name)) return;
      MemberFromJson(fields, field, owner);
    });
  }
  // Sets the fields of kFollows and kCounted to the values in `laid`. If `fields` has a field of
  // kFollows, uses the value in `fields`.
  void FollowingFromJson(JsonFields& fields, const Owner& laid, Owner& owner) const {
    ForEach([&](const auto& field) {
      if (!IsDerived(field.role)) return;
      owner.*field.member = laid.*field.member;
      if (field.role == FieldRole::kFollows && fields.Has(field.name)) {
        MemberFromJson(fields, field, owner);
      }
    });
  }

  // Returns the fields in the spelling of the JSON, as "magic 0xbeefface, cputype 0x80".
  std::string Print(const Owner& owner) const {
    std::string text;
    ForEach([&](const auto& field) {
      if (field.role == FieldRole::kUnlessZero && record::IsZero(owner.*field.member)) return;
      const Json value = record::ToJson(owner.*field.member, field.kind);
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field.name,
                          value.is_string() ? value.text() : value.dump());
    });
    return text;
  }

  // Adds a row per field, for a record that shares `prefix` with other records ("commands[]").
  // `known` replaces kRealFile, because there are no real files for some chip families.
  void AddFacts(const std::string& prefix, FactEvidence known,
                std::vector<FieldFact>& facts) const {
    ForEach([&](const auto& field) {
      const bool own = !field.source.empty();
      for (const char* place : {".", ".derived."}) {
        if (place[1] != '\0' && !IsDerived(field.role)) continue;
        AddFact(fmt::format("{}{}{}", prefix, place, field.name).substr(prefix.empty() ? 1 : 0),
                own ? field.evidence : evidence_, own ? field.source : source_, known, facts);
      }
    });
  }
  // Adds rows for a record that does not share `prefix` with other records ("header"). There is a
  // row for each field that has its own source, and then a row for the record.
  void AddRecordFacts(const std::string& prefix, FactEvidence known,
                      std::vector<FieldFact>& facts) const {
    ForEach([&](const auto& field) {
      if (field.source.empty()) return;
      AddFact(fmt::format("{}.{}", prefix, field.name), field.evidence, field.source, known, facts);
    });
    AddFact(prefix, evidence_, source_, known, facts);
  }

  // Returns the fields for RecordToJson, which also keeps the bytes between fields.
  consteval std::array<RecordField, sizeof...(Parts)> Fields() const {
    std::array<RecordField, sizeof...(Parts)> fields{};
    size_t i = 0;
    uint32_t offset = 0;
    ForEach([&](const auto& field) {
      fields[i++] = {field.name, offset, field.kWidth, field.kind};
      offset += field.kWidth;
    });
    return fields;
  }

 private:
  static void AddFact(std::string path, FactEvidence evidence, std::string_view source,
                      FactEvidence known, std::vector<FieldFact>& facts) {
    facts.push_back({std::move(path), evidence == FactEvidence::kRealFile ? known : evidence,
                     std::string(source)});
  }

  static constexpr bool IsDerived(FieldRole role) {
    return role == FieldRole::kFollows || role == FieldRole::kCounted;
  }

  // Sets a member. `fill` sets the value in the type `As`.
  template <typename Value, typename As, typename Fill>
  static void Set(const Field<Owner, Value, As>& field, Owner& owner, Fill fill) {
    if constexpr (std::is_same_v<Value, As>) return fill(owner.*field.member);
    As stored{};
    fill(stored);
    owner.*field.member = static_cast<Value>(stored);
  }
  static void MemberFromJson(JsonFields& fields, const auto& field, Owner& owner) {
    Set(field, owner,
        [&](auto& value) { record::FromJson(fields, field.name, field.kind, value); });
  }

  template <typename Visit>
  constexpr void ForEach(Visit visit) const {
    std::apply([&](const auto&... field) { (visit(field), ...); }, fields_);
  }

  std::string_view source_;
  FactEvidence evidence_;
  std::tuple<Parts...> fields_;
};

template <typename Owner, typename... Fields>
constexpr TypedRecord<Owner, Fields...> RecordOf(std::string_view source, FactEvidence evidence,
                                                 Fields... fields) {
  return {source, evidence, fields...};
}

}  // namespace anecheck
