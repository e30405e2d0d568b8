// Defines a format by functions of its model. The model is the result of parsing a file. MakeFormat
// makes the entry that the tools use, Format, from these functions.
//
//   constexpr FormatOf<WeightFile> kDefinition = {.name = "netweights", ..., .parse = Parse, ...};
//   const Format kFormat_netweights = MakeFormat<kDefinition>();
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// The model may refer to the bytes that it was parsed from, so they must outlive it. All members
// except `structure` are required. format.h describes each member.
template <typename ModelType>
struct FormatOf {
  using Model = ModelType;

  std::string_view name;
  std::string_view title;
  FormatRules rules;
  std::span<const FieldFact> (*fields)(const Json& json);
  int (*recognise)(ByteSpan bytes, std::string_view path);
  Result<Bytes> (*from_json)(const Json& json);

  Result<Model> (*parse)(ByteSpan bytes);
  Result<Json> (*to_json)(const Model& model);
  Result<Bytes> (*write)(const Model& model);
  std::vector<Violation> (*verify)(const Model& model);
  std::string (*print)(const Model& model);
  ByteCounts (*count_bytes)(const Model& model, ByteSpan bytes);
  Result<Json> (*structure)(const Model& model) = nullptr;
};

// A parsed file of the format `kOf`.
template <const auto& kOf>
class ParsedAs final : public ParsedFile {
 public:
  using Model = typename std::remove_cvref_t<decltype(kOf)>::Model;

  ParsedAs(Model model, ByteSpan bytes) : model_(std::move(model)), bytes_(bytes) {}

  Result<Json> to_json() const override { return kOf.to_json(model_); }
  std::vector<Violation> verify() const override { return kOf.verify(model_); }
  std::string print() const override { return kOf.print(model_); }
  ByteCounts count_bytes() const override { return kOf.count_bytes(model_, bytes_); }

  static Result<std::unique_ptr<ParsedFile>> Read(ByteSpan bytes) {
    ANECHECK_ASSIGN(Model model, kOf.parse(bytes));
    return std::unique_ptr<ParsedFile>(std::make_unique<ParsedAs>(std::move(model), bytes));
  }

 private:
  Model model_;
  ByteSpan bytes_;
};

// Makes the entry of the format `kOf`, a FormatOf with static storage.
template <const auto& kOf>
constexpr Format MakeFormat() {
  using Model = typename std::remove_cvref_t<decltype(kOf)>::Model;
  Format format = {
      .name = kOf.name,
      .title = kOf.title,
      .rules = kOf.rules,
      .fields = kOf.fields,
      .recognise = kOf.recognise,
      .to_json = [](ByteSpan bytes) -> Result<Json> {
        ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
        return kOf.to_json(model);
      },
      .from_json = kOf.from_json,
      .rewrite = [](ByteSpan bytes) -> Result<Bytes> {
        ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
        return kOf.write(model);
      },
      .verify = [](ByteSpan bytes) -> Result<std::vector<Violation>> {
        ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
        return kOf.verify(model);
      },
      .print = [](ByteSpan bytes) -> Result<std::string> {
        ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
        return kOf.print(model);
      },
      .count_bytes = [](ByteSpan bytes) -> Result<ByteCounts> {
        ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
        return kOf.count_bytes(model, bytes);
      },
      .read = ParsedAs<kOf>::Read,
  };
  if (kOf.structure != nullptr) {
    format.structure = [](ByteSpan bytes) -> Result<Json> {
      ANECHECK_ASSIGN(const Model model, kOf.parse(bytes));
      return kOf.structure(model);
    };
  }
  return format;
}

}  // namespace anecheck
