#include "harness/formats/mlmodel/model.h"

#include <algorithm>
#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "harness/formats/mil/reader.h"
#include "harness/formats/mlmodel/program_bytes.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/formats/mlmodel/submessage.h"
#include "harness/formats/mlmodel/wire.h"

namespace anecheck::mlmodel {
namespace {

using protozero::pbf_writer;

// ---- reading ------------------------------------------------------------------------------------

// The extents of a packed or single list of varints.
Status AppendExtents(const WireField& field, std::vector<int64_t>& extents) {
  if (field.type == protozero::pbf_wire_type::varint) {
    extents.push_back(static_cast<int64_t>(field.varint));
    return {};
  }
  const char* at = field.bytes.data();
  const char* const end = at + field.bytes.size();
  while (at != end) extents.push_back(static_cast<int64_t>(protozero::decode_varint(&at, end)));
  return {};
}

// The lower ends of a ShapeRange.
Status AppendLowerBounds(std::string_view range, std::vector<int64_t>& extents) {
  return ForEachField(range, [&](const WireField& field) -> Status {
    if (!field.IsBytes(field::kSizeRanges)) return {};
    extents.push_back(0);
    return ForEachField(field.bytes, [&](const WireField& bound) -> Status {
      if (bound.IsVarint(field::kLowerBound)) {
        extents.back() = static_cast<int64_t>(bound.varint);
      }
      return {};
    });
  });
}

Status ReadFeature(std::string_view feature, const std::string& function, Model& model) {
  DefaultShape shape{function, std::string(FindBytes(feature, field::kFeatureName)), {}};
  std::vector<int64_t> lowest;
  const std::string_view array =
      FindBytes(FindBytes(feature, field::kFeatureType), field::kMultiArrayType);
  ANECHECK_RETURN_IF_ERROR(ForEachField(array, [&](const WireField& field) -> Status {
    if (field.number == field::kShape) return AppendExtents(field, shape.extents);
    if (field.IsBytes(field::kShapeRange)) return AppendLowerBounds(field.bytes, lowest);
    return {};
  }));
  if (shape.extents.empty()) shape.extents = std::move(lowest);
  if (!shape.extents.empty()) model.default_shapes.push_back(std::move(shape));
  return {};
}

Status ReadDescription(std::string_view description, Model& model) {
  return ForEachField(description, [&](const WireField& field) -> Status {
    if (field.IsBytes(field::kInput)) return ReadFeature(field.bytes, "", model);
    if (!field.IsBytes(field::kFunctions)) return {};
    const std::string function(FindBytes(field.bytes, field::kFunctionName));
    return ForEachField(field.bytes, [&](const WireField& input) -> Status {
      if (!input.IsBytes(field::kFunctionInput)) return {};
      return ReadFeature(input.bytes, function, model);
    });
  });
}

Result<Model> Read(std::string_view bytes) {
  Model model;
  std::string_view kind;
  bool has_program = false;
  ANECHECK_RETURN_IF_ERROR(ForEachField(bytes, [&](const WireField& field) -> Status {
    if (field.IsVarint(field::kSpecificationVersion)) {
      model.specification_version = static_cast<int64_t>(field.varint);
    }
    if (field.IsBytes(field::kDescription)) return ReadDescription(field.bytes, model);
    if (field.type != protozero::pbf_wire_type::length_delimited) return {};
    const std::string_view known = ModelKind(field.number);
    if (!known.empty()) kind = known;
    if (field.IsBytes(field::kMlProgram)) {
      has_program = true;
      model.program = field.bytes;
    }
    return {};
  }));
  if (has_program) return model;
  if (kind.empty()) return MakeError(ErrorCode::kMalformed, "is no Core ML model");
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("is a model of the kind \"{}\"; only ML Programs are read: convert it "
                  "with convert_to=\"mlprogram\"",
                  kind));
}

// ---- writing ------------------------------------------------------------------------------------

struct FeatureFields {
  uint32_t input, output, state;
};
constexpr FeatureFields kModelFields = {field::kInput, field::kOutput, field::kState};
constexpr FeatureFields kFunctionFields = {field::kFunctionInput, field::kFunctionOutput,
                                           field::kFunctionState};

void WriteArray(pbf_writer& parent, uint32_t field, mil::TypeView type, uint32_t array_type) {
  Submessage array(parent, field);
  std::vector<int64_t> shape;
  bool open = false;
  for (const mil::Dimension& dimension : type.dimensions()) {
    open |= dimension.value < 0;
    shape.push_back(dimension.value < 0 ? 1 : dimension.value);
  }
  array.add_packed_int64(field::kShape, shape.begin(), shape.end());
  array.add_enum(field::kArrayDataType, static_cast<int32_t>(array_type));
  if (!open) return;
  Submessage range(array, field::kShapeRange);
  for (const mil::Dimension& dimension : type.dimensions()) {
    Submessage bounds(range, field::kSizeRanges);
    const bool fixed = dimension.value >= 0;
    bounds.add_uint64(field::kLowerBound, fixed ? static_cast<uint64_t>(dimension.value) : 1);
    bounds.add_int64(field::kUpperBound, fixed ? dimension.value : -1);
  }
}

Status WriteFeature(pbf_writer& parent, uint32_t number, std::string_view name, mil::TypeView type,
                    uint64_t offset) {
  const bool state = type.kind() == mil::TypeKind::kState;
  const mil::TypeView array = state ? type.element() : type;
  const auto array_type = ArrayTypeNumber(array.data_type());
  if (!array_type) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: Core ML has no inputs and outputs of {}; cast them to fp16 or "
                    "int32 (offset 0x{:x})",
                    name, mil::DataTypeName(array.data_type()), offset),
        offset);
  }
  Submessage feature(parent, number);
  feature.add_string(field::kFeatureName, std::string(name));
  Submessage kind(feature, field::kFeatureType);
  if (!state) {
    WriteArray(kind, field::kMultiArrayType, array, *array_type);
    return {};
  }
  Submessage wrapper(kind, field::kStateType);
  WriteArray(wrapper, field::kArrayType, array, *array_type);
  return {};
}

Status WriteFeatures(pbf_writer& parent, const FeatureFields& fields, mil::FunctionView function) {
  for (const mil::BindingView parameter : function.block().parameters()) {
    const bool state = parameter.type().kind() == mil::TypeKind::kState;
    ANECHECK_RETURN_IF_ERROR(WriteFeature(parent, state ? fields.state : fields.input,
                                          parameter.name(), parameter.type(), function.offset()));
  }
  for (const mil::ValueView output : function.block().outputs()) {
    if (!output.IsResolved()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("the output {} is not defined", output.text()), output.offset());
    }
    ANECHECK_RETURN_IF_ERROR(WriteFeature(parent, fields.output, output.text(),
                                          output.binding().type(), output.offset()));
  }
  return {};
}

Status WriteDescription(pbf_writer& model, const mil::Program& program) {
  const auto functions = mil::Functions(program);
  Submessage description(model, field::kDescription);
  if (functions.size() == 1) return WriteFeatures(description, kModelFields, functions[0]);
  std::string_view first = functions[0].name();
  for (const mil::FunctionView function : functions) {
    if (function.name() == "main") first = "main";
    Submessage entry(description, field::kFunctions);
    entry.add_string(field::kFunctionName, std::string(function.name()));
    ANECHECK_RETURN_IF_ERROR(WriteFeatures(entry, kFunctionFields, function));
  }
  description.add_string(field::kDefaultFunctionName, std::string(first));
  return {};
}

}  // namespace

bool MayBeModel(std::string_view bytes) {
  return bytes.starts_with('\x08') && bytes.size() > 2 && bytes[2] == '\x12';
}

Result<Model> ReadModel(std::string_view bytes) {
  return CatchWire([&] { return Read(bytes); });
}

Result<std::string> ModelBytes(const mil::Program& program) {
  if (program.functions.empty()) {
    return MakeError(ErrorCode::kInvalid, "the program has no function");
  }
  int32_t version = 0;
  for (const mil::FunctionView function : mil::Functions(program)) {
    version = std::max(version, SpecificationVersionOf(function.opset()));
  }
  ANECHECK_ASSIGN(const std::string content, ProgramBytes(program));
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int32(field::kSpecificationVersion, version);
  ANECHECK_RETURN_IF_ERROR(WriteDescription(model, program));
  model.add_message(field::kMlProgram, content);
  return bytes;
}

}  // namespace anecheck::mlmodel
