// A format whose file is one record. Everything except the rules is derived from the record.
//
//   constexpr RecordFormat kDefinition = {"gauge", "reading of a gauge", "GAGE", kGauge, kRules};
//   const Format kFormat_gauge = MakeRecordFormat<kDefinition>();
//
// record_format_test.cc has a complete format with five fields.
#pragma once

#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format_of.h"
#include "harness/formats/record/typed_record.h"
#include "harness/formats/rules.h"

namespace anecheck {

// `record` is a TypedRecord without fields of kFollows. `rules` is the RuleTable of its type. Every
// file begins with the bytes of `magic`.
template <typename RecordType, typename Rules>
struct RecordFormat {
  std::string_view name;
  std::string_view title;
  std::string_view magic;
  RecordType record;
  Rules rules;
};
template <typename RecordType, typename Rules>
RecordFormat(const char*, const char*, const char*, RecordType, Rules)
    -> RecordFormat<RecordType, Rules>;

namespace record {

template <typename Owner, typename... Values>
Owner OwnerOf(const TypedRecord<Owner, Values...>& record);

// The functions of the format `kOf`, a RecordFormat with static storage.
template <const auto& kOf>
struct OneRecord {
  using Model = decltype(OwnerOf(kOf.record));
  static constexpr size_t kSize = kOf.record.kSize;

  static Result<Model> Parse(ByteSpan bytes) {
    ByteReader reader(bytes, 0, kOf.name);
    Model model{};
    kOf.record.Read(reader, model);
    if (!reader.ok()) return reader.status().error();
    if (!reader.AtEnd()) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: {} bytes, must have {}", kOf.name, bytes.size(), kSize),
                       kSize);
    }
    if (std::memcmp(bytes.data(), kOf.magic.data(), kOf.magic.size()) != 0) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: must begin with \"{}\"", kOf.name, kOf.magic), 0);
    }
    return model;
  }
  static Result<Bytes> Write(const Model& model) {
    ByteWriter writer;
    kOf.record.Write(model, writer);
    return std::move(writer).Take();
  }
  static int Recognise(ByteSpan bytes, std::string_view /*path*/) {
    return Parse(bytes).ok() ? 100 : 0;
  }
  static Result<Json> ToJson(const Model& model) {
    Json json = {{"format", kOf.name}};
    kOf.record.ToJson(model, json);
    return json;
  }
  static Result<Bytes> FromJson(const Json& json) {
    Status status;
    JsonFields fields(json, "", &status);
    fields.ReadElsewhere({"format"});
    Model model{};
    kOf.record.FromJson(fields, model);
    fields.RefuseOthers();
    if (!status.ok()) return status.error();
    return Write(model);
  }
  static std::span<const FieldFact> Facts(const Json& /*json*/) {
    static const std::vector<FieldFact> facts = [] {
      std::vector<FieldFact> rows;
      kOf.record.AddFacts("", FactEvidence::kRealFile, rows);
      return rows;
    }();
    return facts;
  }
  static std::string Print(const Model& model) {
    return fmt::format("{}\n  {}\n", kOf.title, kOf.record.Print(model));
  }
  static ByteCounts CountBytes(const Model& /*model*/, ByteSpan bytes) {
    return {bytes.size(), 0, bytes.size()};
  }

  static constexpr FormatOf<Model> kFormat = {
      .name = kOf.name,
      .title = kOf.title,
      .rules = kOf.rules.rules(),
      .fields = Facts,
      .recognise = Recognise,
      .from_json = FromJson,
      .parse = Parse,
      .to_json = ToJson,
      .write = Write,
      .verify = [](const Model& model) { return kOf.rules.Verify(model); },
      .print = Print,
      .count_bytes = CountBytes,
  };
};

}  // namespace record

template <const auto& kOf>
constexpr Format MakeRecordFormat() {
  return MakeFormat<record::OneRecord<kOf>::kFormat>();
}

}  // namespace anecheck
