#include "harness/formats/mlmodel/schema.h"

#include <algorithm>

namespace anecheck::mlmodel {
namespace {

using mil::DataType;

struct DataTypeRow {
  DataType type;
  uint32_t number;
  field::TensorValue field;
};

constexpr DataTypeRow kDataTypes[] = {
    {DataType::kBool, 1, field::kBools},       {DataType::kString, 2, field::kStrings},
    {DataType::kFp16, 10, field::kBytes},      {DataType::kFp32, 11, field::kFloats},
    {DataType::kFp64, 12, field::kDoubles},    {DataType::kBf16, 13, field::kBytes},
    {DataType::kInt8, 21, field::kBytes},      {DataType::kInt16, 22, field::kInts},
    {DataType::kInt32, 23, field::kInts},      {DataType::kInt64, 24, field::kLongInts},
    {DataType::kInt4, 25, field::kBytes},      {DataType::kUint8, 31, field::kBytes},
    {DataType::kUint16, 32, field::kInts},     {DataType::kUint32, 33, field::kBytes},
    {DataType::kUint64, 34, field::kLongInts}, {DataType::kUint4, 35, field::kBytes},
    {DataType::kUint2, 36, field::kBytes},     {DataType::kUint1, 37, field::kBytes},
    {DataType::kUint6, 38, field::kBytes},     {DataType::kUint3, 39, field::kBytes},
    {DataType::kFp8E4M3Fn, 40, field::kBytes}, {DataType::kFp8E5M2, 41, field::kBytes},
};

struct OpsetRow {
  std::string_view text;
  std::string_view model;
  int32_t specification;
};

constexpr OpsetRow kOpsets[] = {
    {"ios15", "CoreML5", 6}, {"ios16", "CoreML6", 7},  {"ios17", "CoreML7", 8},
    {"ios18", "CoreML8", 9}, {"ios26", "CoreML9", 10},
};

const OpsetRow* FindOpset(std::string_view OpsetRow::* member, std::string_view opset) {
  const auto* const found = std::ranges::find(kOpsets, opset, member);
  return found == std::end(kOpsets) ? nullptr : found;
}

constexpr std::string_view kConvertAgain =
    "convert its source again, with convert_to=\"mlprogram\" of coremltools";
constexpr std::string_view kGiveParts =
    "save its models on their own, and give those that are ML Programs";
constexpr std::string_view kNoForm = "a model of this kind cannot become one";

struct KindRow {
  uint32_t number;
  std::string_view kind;
  std::string_view way_to_program = kNoForm;
};

constexpr KindRow kKinds[] = {
    {200, "pipeline classifier", kGiveParts},
    {201, "pipeline regressor", kGiveParts},
    {202, "pipeline", kGiveParts},
    {300, "linear regressor"},
    {301, "support vector regressor"},
    {302, "tree ensemble regressor"},
    {303, "neural network regressor", kConvertAgain},
    {304, "Bayesian probit regressor"},
    {400, "linear classifier"},
    {401, "support vector classifier"},
    {402, "tree ensemble classifier"},
    {403, "neural network classifier", kConvertAgain},
    {404, "nearest neighbours classifier"},
    {500, "neural network", kConvertAgain},
    {501, "item similarity recommender"},
    {502, "ML Program"},
    {555, "custom model"},
    {556, "linked model"},
    {560, "class confidence thresholding"},
    {600, "one-hot encoder"},
    {601, "imputer"},
    {602, "feature vectorizer"},
    {603, "dictionary vectorizer"},
    {604, "scaler"},
    {606, "categorical mapping"},
    {607, "normalizer"},
    {609, "array feature extractor"},
    {610, "non-maximum suppression"},
    {900, "identity"},
    {2000, "text classifier"},
    {2001, "word tagger"},
    {2002, "vision feature print"},
    {2003, "sound analysis preprocessing"},
    {2004, "gazetteer"},
    {2005, "word embedding"},
    {2006, "audio feature print"},
    {3000, "serialized model"},
};

}  // namespace

std::optional<uint32_t> DataTypeNumber(DataType type) {
  const auto* const found = std::ranges::find(kDataTypes, type, &DataTypeRow::type);
  if (found == std::end(kDataTypes)) return std::nullopt;
  return found->number;
}

DataType DataTypeFromNumber(uint64_t number) {
  const auto* const found = std::ranges::find(kDataTypes, number, &DataTypeRow::number);
  return found == std::end(kDataTypes) ? DataType::kOther : found->type;
}

field::TensorValue ValueFieldOf(DataType type) {
  return std::ranges::find(kDataTypes, type, &DataTypeRow::type)->field;
}

std::optional<uint32_t> ArrayTypeNumber(DataType type) {
  switch (type) {
    case DataType::kFp16:
      return 0x10000 | 16;
    case DataType::kFp32:
      return 0x10000 | 32;
    case DataType::kFp64:
      return 0x10000 | 64;
    case DataType::kInt8:
      return 0x20000 | 8;
    case DataType::kInt32:
      return 0x20000 | 32;
    default:
      return std::nullopt;
  }
}

std::string_view OpsetInText(std::string_view opset) {
  const OpsetRow* const row = FindOpset(&OpsetRow::model, opset);
  return row == nullptr ? opset : row->text;
}

std::string_view OpsetInModel(std::string_view opset) {
  const OpsetRow* const row = FindOpset(&OpsetRow::text, opset);
  return row == nullptr ? opset : row->model;
}

int32_t SpecificationVersionOf(std::string_view text_opset) {
  const OpsetRow* const row = FindOpset(&OpsetRow::text, text_opset);
  return row == nullptr ? kOpsets[0].specification : row->specification;
}

bool IsPlainDialect(std::string_view text_opset) { return SpecificationVersionOf(text_opset) >= 9; }

std::string_view ModelKind(uint32_t number) {
  const auto* const found = std::ranges::find(kKinds, number, &KindRow::number);
  return found == std::end(kKinds) ? std::string_view() : found->kind;
}

std::string_view WayToProgram(uint32_t number) {
  const auto* const found = std::ranges::find(kKinds, number, &KindRow::number);
  return found == std::end(kKinds) ? kNoForm : found->way_to_program;
}

}  // namespace anecheck::mlmodel
