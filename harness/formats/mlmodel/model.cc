#include "harness/formats/mlmodel/model.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
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

// Appends the extents of a packed list of varints, or of a single varint.
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

Status ReadRange(std::string_view range, std::array<int64_t, 2>& bounds) {
  return ForEachField(range, [&](const WireField& bound) -> Status {
    if (bound.IsVarint(field::kLowerBound)) bounds[0] = static_cast<int64_t>(bound.varint);
    if (bound.IsVarint(field::kUpperBound)) bounds[1] = static_cast<int64_t>(bound.varint);
    return {};
  });
}

Status AppendRanges(std::string_view range, InputShapes& shapes) {
  return ForEachField(range, [&](const WireField& field) -> Status {
    if (!field.IsBytes(field::kSizeRanges)) return {};
    return ReadRange(field.bytes, shapes.ranges.emplace_back());
  });
}

Status AppendSets(std::string_view enumerated, InputShapes& shapes) {
  return ForEachField(enumerated, [&](const WireField& shape) -> Status {
    if (!shape.IsBytes(field::kShapes)) return {};
    std::vector<int64_t>& extents = shapes.sets.emplace_back();
    return ForEachField(shape.bytes, [&](const WireField& extent) -> Status {
      return extent.number == field::kExtents ? AppendExtents(extent, extents) : Status();
    });
  });
}

// Returns the extents of the array that represents an image in the program.
std::vector<int64_t> ImageExtents(int64_t channels, int64_t height, int64_t width) {
  return {1, channels, height, width};
}

Result<std::array<int64_t, 2>> ReadImageSize(std::string_view size) {  // height and width
  std::array<int64_t, 2> extents = {};
  ANECHECK_RETURN_IF_ERROR(ForEachField(size, [&](const WireField& field) -> Status {
    if (field.IsVarint(field::kSizeHeight)) extents[0] = static_cast<int64_t>(field.varint);
    if (field.IsVarint(field::kSizeWidth)) extents[1] = static_cast<int64_t>(field.varint);
    return {};
  }));
  return extents;
}

Status AppendImageSizes(std::string_view enumerated, int64_t channels, InputShapes& shapes) {
  return ForEachField(enumerated, [&](const WireField& field) -> Status {
    if (!field.IsBytes(field::kSizes)) return {};
    ANECHECK_ASSIGN(const auto size, ReadImageSize(field.bytes));
    shapes.sets.push_back(ImageExtents(channels, size[0], size[1]));
    return {};
  });
}

Status ReadImage(std::string_view image, InputShapes& shapes) {
  int64_t width = 0, height = 0, channels = 1;
  std::string_view sizes, ranges;
  ANECHECK_RETURN_IF_ERROR(ForEachField(image, [&](const WireField& field) -> Status {
    if (field.IsVarint(field::kImageWidth)) width = static_cast<int64_t>(field.varint);
    if (field.IsVarint(field::kImageHeight)) height = static_cast<int64_t>(field.varint);
    if (field.IsVarint(field::kColorSpace)) {
      channels = field.varint == field::kRgb || field.varint == field::kBgr ? 3 : 1;
    }
    if (field.IsBytes(field::kEnumeratedSizes)) sizes = field.bytes;
    if (field.IsBytes(field::kImageSizeRange)) ranges = field.bytes;
    return {};
  }));
  if (width > 0 && height > 0) shapes.extents = ImageExtents(channels, height, width);
  ANECHECK_RETURN_IF_ERROR(AppendImageSizes(sizes, channels, shapes));
  if (ranges.empty()) return {};
  shapes.ranges = {{1, 1}, {channels, channels}, {}, {}};
  ANECHECK_RETURN_IF_ERROR(ReadRange(FindBytes(ranges, field::kHeightRange), shapes.ranges[2]));
  return ReadRange(FindBytes(ranges, field::kWidthRange), shapes.ranges[3]);
}

Status ReadFeature(std::string_view feature, const std::string& function, Model& model) {
  InputShapes shape{function, std::string(FindBytes(feature, field::kFeatureName)), {}, {}, {}};
  const std::string_view type = FindBytes(feature, field::kFeatureType);
  ANECHECK_RETURN_IF_ERROR(ReadImage(FindBytes(type, field::kImageType), shape));
  const std::string_view array = FindBytes(type, field::kMultiArrayType);
  ANECHECK_RETURN_IF_ERROR(ForEachField(array, [&](const WireField& field) -> Status {
    if (field.number == field::kShape) return AppendExtents(field, shape.extents);
    if (field.IsBytes(field::kShapeRange)) return AppendRanges(field.bytes, shape);
    if (field.IsBytes(field::kEnumeratedShapes)) return AppendSets(field.bytes, shape);
    return {};
  }));
  // Without default extents, uses the first set or the minimum extents.
  if (shape.extents.empty() && !shape.sets.empty()) shape.extents = shape.sets.front();
  if (shape.extents.empty()) {
    for (const std::array<int64_t, 2>& range : shape.ranges) shape.extents.push_back(range[0]);
  }
  if (!shape.extents.empty()) model.inputs.push_back(std::move(shape));
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

// A model, and the content of the field that determines its kind.
struct OneModel {
  Model model;
  uint32_t kind = 0;
  std::string_view content;
};

Result<OneModel> ReadOne(std::string_view bytes) {
  OneModel one;
  ANECHECK_RETURN_IF_ERROR(ForEachField(bytes, [&](const WireField& field) -> Status {
    if (field.IsVarint(field::kSpecificationVersion)) {
      one.model.specification_version = static_cast<int64_t>(field.varint);
    }
    if (field.IsBytes(field::kDescription)) return ReadDescription(field.bytes, one.model);
    if (ModelKind(field.number).empty() || !field.IsBytes(field.number)) return {};
    if (one.kind == field::kMlProgram && field.number != field::kMlProgram) return {};
    one.kind = field.number;
    one.content = field.bytes;
    return {};
  }));
  if (one.kind == field::kMlProgram) one.model.program = one.content;
  return one;
}

bool IsPipeline(uint32_t kind) {
  return kind == field::kPipeline || kind == field::kPipelineClassifier ||
         kind == field::kPipelineRegressor;
}

// Returns the ML Program of a pipeline that has exactly one. Exporters of object detectors make
// such pipelines. The program computes boxes, and non-maximum suppression on the host selects some.
Result<Model> ReadPipeline(const OneModel& pipeline) {
  const std::string_view parts = pipeline.kind == field::kPipeline
                                     ? pipeline.content
                                     : FindBytes(pipeline.content, field::kPipelineOfKind);
  Model program;
  uint64_t programs = 0;
  std::vector<std::string_view> others;  // each kind once, to bound the memory
  uint32_t first = 0;                    // the kind of the first model
  ANECHECK_RETURN_IF_ERROR(ForEachField(parts, [&](const WireField& field) -> Status {
    if (!field.IsBytes(field::kModels)) return {};
    ANECHECK_ASSIGN(OneModel one, ReadOne(field.bytes));
    if (first == 0) first = one.kind;
    if (one.kind == field::kMlProgram) {
      if (++programs == 1) program = std::move(one.model);
      return {};
    }
    const std::string_view kind = one.kind == 0 ? "unknown kind" : ModelKind(one.kind);
    if (std::ranges::find(others, kind) == others.end()) others.push_back(kind);
    return {};
  }));
  if (programs == 1) {
    program.specification_version = pipeline.model.specification_version;
    program.left_out = fmt::format("{}", fmt::join(others, ", "));
    return program;
  }
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("is a model of the kind \"{}\" with {} ML Programs{}{}; a pipeline "
                               "with one ML Program is read: {}",
                               ModelKind(pipeline.kind), programs,
                               others.empty() ? "" : " beside: ", fmt::join(others, ", "),
                               WayToProgram(programs == 0 && first != 0 ? first : pipeline.kind)));
}

Result<Model> Read(std::string_view bytes) {
  ANECHECK_ASSIGN(OneModel one, ReadOne(bytes));
  if (one.kind == field::kMlProgram) return std::move(one.model);
  if (IsPipeline(one.kind)) return ReadPipeline(one);
  if (one.kind == 0) return MakeError(ErrorCode::kMalformed, "is no Core ML model");
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("is a model of the kind \"{}\"; only ML Programs are read: {}",
                               ModelKind(one.kind), WayToProgram(one.kind)));
}

// ---- writing ------------------------------------------------------------------------------------

struct FeatureFields {
  uint32_t input, output, state;
};
constexpr FeatureFields kModelFields = {field::kInput, field::kOutput, field::kState};
constexpr FeatureFields kFunctionFields = {field::kFunctionInput, field::kFunctionOutput,
                                           field::kFunctionState};

// Returns the shapes of an array type. An unknown axis has the default extent 1 and no limit.
InputShapes ShapesOfType(mil::TypeView type) {
  InputShapes shapes;
  bool open = false;
  for (const mil::Dimension& dimension : type.dimensions()) {
    const bool fixed = dimension.value >= 0;
    open |= !fixed;
    shapes.extents.push_back(fixed ? dimension.value : 1);
    shapes.ranges.push_back({shapes.extents.back(), dimension.value});
  }
  if (!open) shapes.ranges.clear();
  return shapes;
}

void WriteArray(pbf_writer& parent, uint32_t field, const InputShapes& shapes,
                uint32_t array_type) {
  Submessage array(parent, field);
  array.add_packed_int64(field::kShape, shapes.extents.begin(), shapes.extents.end());
  array.add_enum(field::kArrayDataType, static_cast<int32_t>(array_type));
  if (!shapes.sets.empty()) {
    Submessage enumerated(array, field::kEnumeratedShapes);
    for (const std::vector<int64_t>& set : shapes.sets) {
      Submessage shape(enumerated, field::kShapes);
      shape.add_packed_int64(field::kExtents, set.begin(), set.end());
    }
    return;
  }
  if (shapes.ranges.empty()) return;
  Submessage range(array, field::kShapeRange);
  for (const std::array<int64_t, 2>& bound : shapes.ranges) {
    Submessage bounds(range, field::kSizeRanges);
    bounds.add_uint64(field::kLowerBound, static_cast<uint64_t>(bound[0]));
    bounds.add_int64(field::kUpperBound, bound[1]);
  }
}

Status WriteFeature(pbf_writer& parent, uint32_t number, std::string_view name, mil::TypeView type,
                    const InputShapes& shapes, uint64_t offset) {
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
    WriteArray(kind, field::kMultiArrayType, shapes, *array_type);
    return {};
  }
  Submessage wrapper(kind, field::kStateType);
  WriteArray(wrapper, field::kArrayType, ShapesOfType(array), *array_type);
  return {};
}

Status WriteFeatures(pbf_writer& parent, const FeatureFields& fields, mil::FunctionView function) {
  ANECHECK_ASSIGN(const std::vector<InputShapes> flexible, ReadFlexibleShapes(function));
  for (const mil::BindingView parameter : function.block().parameters()) {
    const bool state = parameter.type().kind() == mil::TypeKind::kState;
    const auto found = std::ranges::find(flexible, parameter.name(), &InputShapes::input);
    InputShapes shapes = ShapesOfType(parameter.type());
    if (found != flexible.end()) {
      if (!found->extents.empty()) shapes.extents = found->extents;
      shapes.ranges = found->ranges;
      shapes.sets = found->sets;
    }
    ANECHECK_RETURN_IF_ERROR(WriteFeature(parent, state ? fields.state : fields.input,
                                          parameter.name(), parameter.type(), shapes,
                                          function.offset()));
  }
  for (const mil::ValueView output : function.block().outputs()) {
    if (!output.IsResolved()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("the output {} is not defined", output.text()), output.offset());
    }
    const mil::TypeView type = output.binding().type();
    ANECHECK_RETURN_IF_ERROR(WriteFeature(parent, fields.output, output.text(), type,
                                          ShapesOfType(type), output.offset()));
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
  return CatchWire(bytes, [&] { return Read(bytes); });
}

Result<std::string> ModelBytes(const mil::Program& program) {
  if (program.functions.empty()) {
    return MakeError(ErrorCode::kInvalid, "the program has no function");
  }
  int32_t version = 0;
  for (const mil::FunctionView function : mil::Functions(program)) {
    version = std::max(version, SpecificationVersionOf(function.opset()));
  }
  ANECHECK_ASSIGN(const std::string content, ProgramBytes(program, kFlexibleShapes));
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int32(field::kSpecificationVersion, version);
  ANECHECK_RETURN_IF_ERROR(WriteDescription(model, program));
  model.add_message(field::kMlProgram, content);
  return bytes;
}

}  // namespace anecheck::mlmodel
