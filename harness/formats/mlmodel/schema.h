// The field numbers of the protocol buffers in Core ML's model files that ML Programs need. Source:
// public notes (coremltools, mlmodel/format: Model.proto, MIL.proto, FeatureTypes.proto). Real
// packages confirm the numbers of the program, the description and its arrays. program_text.cc uses
// them to read, program_bytes.cc to write, and model.cc for both.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/formats/mil/data_type.h"

namespace anecheck::mlmodel {

// Each message has one enumeration. The values are field numbers.
namespace field {

enum Model : uint32_t {
  kSpecificationVersion = 1,
  kDescription = 2,
  kPipelineClassifier = 200,
  kPipelineRegressor = 201,
  kPipeline = 202,
  kMlProgram = 502
};
// The field with the pipeline in PipelineClassifier and PipelineRegressor.
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
// The field with the values of a tensor, a tuple, a list or a dictionary.
enum Values : uint32_t { kValues = 1 };
enum KeyValuePair : uint32_t { kKey = 1, kPairValue = 2 };
// An entry of a map.
enum Entry : uint32_t { kEntryKey = 1, kEntryValue = 2 };

}  // namespace field

// DataTypeNumber returns the number of an element type in TensorType, or nothing if it has none.
// DataTypeFromNumber returns kOther for an unknown number.
std::optional<uint32_t> DataTypeNumber(mil::DataType type);
mil::DataType DataTypeFromNumber(uint64_t number);

// Returns the field of TensorValue that has the elements of a type. It is the field of bytes for
// fp16, for integers of at most one byte, and for uint32. Source: as above (converters, mil
// backend).
field::TensorValue ValueFieldOf(mil::DataType type);

// Returns the number of an element type in ArrayFeatureType. Nothing if inputs cannot have it.
std::optional<uint32_t> ArrayTypeNumber(mil::DataType type);

// Convert the name of an opset between MIL text ("ios16") and model files ("CoreML6"). Other opsets
// have the same name in both. Source: real packages with their compiled text (CoreML5 and CoreML6);
// public notes for the others.
std::string_view OpsetInText(std::string_view opset);
std::string_view OpsetInModel(std::string_view opset);
// Returns the lowest specification version of a model with an opset of MIL text. Source: as above;
// real packages have version 6 with CoreML5 and version 7 with CoreML6.
int32_t SpecificationVersionOf(std::string_view text_opset);
// Returns whether texts with that opset have version 1.3 (mil::Dialect::kIos18).
bool IsPlainDialect(std::string_view text_opset);

// Returns the kind for a field of Model's oneof ("neural network" for 500), or "".
std::string_view ModelKind(uint32_t number);
// Returns advice for messages on how to get an ML Program from a model of that kind. Source:
// coremltools, whose converter makes neural networks and ML Programs from the same models of other
// frameworks.
std::string_view WayToProgram(uint32_t number);

}  // namespace anecheck::mlmodel
