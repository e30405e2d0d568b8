// The field numbers of Core ML's model files, a schema of protocol buffers, as far as ML Programs
// need it. Source: public notes (coremltools, mlmodel/format: Model.proto, MIL.proto,
// FeatureTypes.proto); the real packages at hand confirm the numbers of the program, the
// description and its arrays. Read by program_text.cc, written by program_bytes.cc, both by
// model.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/formats/mil/data_type.h"

namespace anecheck::mlmodel {

// One enumeration per message; the value is the field's number.
namespace field {

enum Model : uint32_t {
  kSpecificationVersion = 1,
  kDescription = 2,
  kPipelineClassifier = 200,
  kPipelineRegressor = 201,
  kPipeline = 202,
  kMlProgram = 502
};
// The pipeline in the messages PipelineClassifier and PipelineRegressor.
enum PipelineOfKind : uint32_t { kPipelineOfKind = 1 };
enum Pipeline : uint32_t { kModels = 1 };
enum ModelDescription : uint32_t {
  kInput = 1,
  kOutput = 10,
  kState = 13,
  kFunctions = 20,
  kDefaultFunctionName = 21,
};
enum FunctionDescription : uint32_t {
  kFunctionName = 1,
  kFunctionInput = 2,
  kFunctionOutput = 3,
  kFunctionState = 6,
};
enum FeatureDescription : uint32_t { kFeatureName = 1, kFeatureType = 3 };
enum FeatureType : uint32_t { kImageType = 4, kMultiArrayType = 5, kStateType = 8 };
enum StateFeatureType : uint32_t { kArrayType = 1 };
enum ArrayFeatureType : uint32_t {
  kShape = 1,
  kArrayDataType = 2,
  kEnumeratedShapes = 21,
  kShapeRange = 31
};
enum EnumeratedShapes : uint32_t { kShapes = 1 };
enum EnumeratedShape : uint32_t { kExtents = 1 };
enum ShapeRange : uint32_t { kSizeRanges = 1 };
enum ImageFeatureType : uint32_t {
  kImageWidth = 1,
  kImageHeight = 2,
  kColorSpace = 3,
  kEnumeratedSizes = 21,
  kImageSizeRange = 31
};
enum EnumeratedImageSizes : uint32_t { kSizes = 1 };
enum ImageSize : uint32_t { kSizeWidth = 1, kSizeHeight = 2 };
enum ImageSizeRange : uint32_t { kWidthRange = 1, kHeightRange = 2 };
enum ColorSpace : uint64_t { kRgb = 20, kBgr = 30 };  // others have one channel
enum SizeRange : uint32_t { kLowerBound = 1, kUpperBound = 2 };

enum Program : uint32_t { kVersion = 1, kProgramFunctions = 2, kProgramAttributes = 4 };
enum Function : uint32_t {
  kFunctionInputs = 1,
  kOpset = 2,
  kBlockSpecializations = 3,
  kFunctionAttributes = 4,
};
enum Block : uint32_t {
  kBlockInputs = 1,
  kBlockOutputs = 2,
  kOperations = 3,
  kBlockAttributes = 4
};
enum Operation : uint32_t {
  kOperationType = 1,
  kOperationInputs = 2,
  kOperationOutputs = 3,
  kOperationBlocks = 4,
  kOperationAttributes = 5,
};
enum Argument : uint32_t { kArguments = 1 };
enum Binding : uint32_t { kBindingName = 1, kBindingValue = 2 };
enum NamedValueType : uint32_t { kName = 1, kType = 2 };

enum ValueType : uint32_t {
  kTensorType = 1,
  kListType = 2,
  kTupleType = 3,
  kDictionaryType = 4,
  kStateValueType = 5,
};
enum TensorType : uint32_t { kDataType = 1, kRank = 2, kDimensions = 3, kTypeAttributes = 4 };
enum ListType : uint32_t { kElementType = 1, kLength = 2 };
enum TupleType : uint32_t { kTypes = 1 };
enum DictionaryType : uint32_t { kKeyType = 1, kDictionaryValueType = 2 };
enum StateType : uint32_t { kWrappedType = 1 };
enum Dimension : uint32_t { kConstant = 1, kUnknown = 2 };
enum ConstantDimension : uint32_t { kSize = 1 };
enum UnknownDimension : uint32_t { kVariadic = 1 };

enum Value : uint32_t { kDocString = 1, kValueType = 2, kImmediate = 3, kBlobFile = 5 };
enum Immediate : uint32_t { kTensor = 1, kTuple = 2, kList = 3, kDictionary = 4 };
enum BlobFile : uint32_t { kFileName = 1, kOffset = 2 };
enum TensorValue : uint32_t {
  kFloats = 1,
  kInts = 2,
  kBools = 3,
  kStrings = 4,
  kLongInts = 5,
  kDoubles = 6,
  kBytes = 7,
};
// The lists of values in a tensor, a tuple, a list or a dictionary.
enum Values : uint32_t { kValues = 1 };
enum KeyValuePair : uint32_t { kKey = 1, kPairValue = 2 };
// An entry of a map.
enum Entry : uint32_t { kEntryKey = 1, kEntryValue = 2 };

}  // namespace field

// The number of an element type in TensorType, or nothing if it has none. The inverse returns
// kOther for an unknown number.
std::optional<uint32_t> DataTypeNumber(mil::DataType type);
mil::DataType DataTypeFromNumber(uint64_t number);

// The field of TensorValue with the elements of a type: bytes for fp16, integers of at most a byte,
// and uint32. Source: as above (converters, mil backend).
field::TensorValue ValueFieldOf(mil::DataType type);

// The number of an element type in ArrayFeatureType; nothing if a model's inputs cannot have that
// type.
std::optional<uint32_t> ArrayTypeNumber(mil::DataType type);

// Opsets of MIL text and of model files: "ios16" and "CoreML6". Other opsets have the same name in
// both. Source: real pairs of a package and its compiled text (5 and 6); public notes for the rest.
std::string_view OpsetInText(std::string_view opset);
std::string_view OpsetInModel(std::string_view opset);
// The lowest specification version of a model of an opset of MIL text. Source: as above; real
// packages have 6 with CoreML5 and 7 with CoreML6.
int32_t SpecificationVersionOf(std::string_view text_opset);
// Whether texts of that opset are of version 1.3, which spells scalars plainly (mil::Dialect).
bool IsPlainDialect(std::string_view text_opset);

// The kind of model for a field of Model's oneof, for example "neural network" for 500. Empty for
// other fields.
std::string_view ModelKind(uint32_t number);
// Advice for messages: how the owner of a model of that kind gets an ML Program from it. Source:
// coremltools, whose converter of whole models makes neural networks and ML Programs from the same
// sources.
std::string_view WayToProgram(uint32_t number);

}  // namespace anecheck::mlmodel
