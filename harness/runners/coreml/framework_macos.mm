// Calls of Core ML's public API and nothing else. coreml_runner.cc interprets the results.
#include "harness/runners/coreml/framework_macos.h"

#import <CoreML/CoreML.h>
#import <Foundation/Foundation.h>
#include <algorithm>
#include <cstring>
#include <dispatch/dispatch.h>
#include <fmt/format.h>
#include <sys/sysctl.h>
#include <utility>

#include "harness/runners/coreml/coreml_runner.h"

namespace anecheck::coreml {
namespace {

std::string Text(NSString* text) { return text == nil ? std::string() : text.UTF8String; }

NSURL* Url(const std::string& path) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:path.c_str()]];
}

// The message of the error and that of its underlying error, which contains the compiler's own
// message.
Error ErrorOf(NSError* error, ErrorCode code = ErrorCode::kInvalid) {
  std::string words = Text(error.localizedDescription);
  NSError* const cause = error.userInfo[NSUnderlyingErrorKey];
  if (cause != nil) words += ": " + Text(cause.localizedDescription);
  return MakeError(code, words.empty() ? "no reason is given" : words);
}

struct ElementTypes {
  npz::ElementType array;
  MLMultiArrayDataType core_ml;
};
constexpr ElementTypes kElementTypes[] = {
    {npz::ElementType::kFloat16, MLMultiArrayDataTypeFloat16},
    {npz::ElementType::kFloat32, MLMultiArrayDataTypeFloat32},
    {npz::ElementType::kFloat64, MLMultiArrayDataTypeDouble},
    {npz::ElementType::kInt32, MLMultiArrayDataTypeInt32},
};

Result<MLMultiArray*> ToMultiArray(const npz::NamedArray& input) {
  const auto type = std::ranges::find(kElementTypes, input.array.type, &ElementTypes::array);
  if (type == std::end(kElementTypes)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("inputs of the type {}", npz::ElementDescr(input.array.type)));
  }
  NSMutableArray<NSNumber*>* const shape = [NSMutableArray array];
  NSMutableArray<NSNumber*>* const strides = [NSMutableArray array];
  uint64_t stride = 1;
  for (size_t i = input.array.shape.size(); i-- > 0;) {
    [shape insertObject:@(input.array.shape[i]) atIndex:0];
    [strides insertObject:@(stride) atIndex:0];
    stride *= input.array.shape[i];
  }
  // The bytes outlive the framework's use of them, and it never writes to an input.
  void* const bytes = const_cast<uint8_t*>(input.array.data.data());
  NSError* error = nil;
  MLMultiArray* const array = [[MLMultiArray alloc] initWithDataPointer:bytes
                                                                  shape:shape
                                                               dataType:type->core_ml
                                                                strides:strides
                                                            deallocator:nil
                                                                  error:&error];
  if (array == nil) return ErrorOf(error);
  return array;
}

Result<npz::NamedArray> FromMultiArray(const std::string& name, MLMultiArray* array) {
  const auto type = std::ranges::find(kElementTypes, array.dataType, &ElementTypes::core_ml);
  if (type == std::end(kElementTypes)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("outputs of the type {}", static_cast<long>(array.dataType)));
  }
  npz::NamedArray output = {name, {type->array, {}, {}}};
  for (NSNumber* extent in array.shape) {
    output.array.shape.push_back(extent.unsignedLongLongValue);
  }
  // The array's strides give the layout of the bytes.
  __block std::vector<uint8_t> data;
  const std::vector<uint64_t> shape = output.array.shape;
  const uint64_t size = npz::ElementSize(type->array);
  std::vector<int64_t> strides;
  for (NSNumber* stride in array.strides) strides.push_back(stride.longLongValue);
  [array getBytesWithHandler:^(const void* bytes, NSInteger) {
    data = InOrder(static_cast<const uint8_t*>(bytes), shape, strides, size);
  }];
  output.array.data = std::move(data);
  return output;
}

MLModelConfiguration* Configuration(Units units) {
  MLModelConfiguration* const configuration = [[MLModelConfiguration alloc] init];
  configuration.computeUnits =
      units == Units::kEngine ? MLComputeUnitsCPUAndNeuralEngine : MLComputeUnitsCPUOnly;
  return configuration;
}

class SystemModel final : public LoadedModel {
 public:
  explicit SystemModel(MLModel* model) : model_(model) {}

  Result<std::vector<npz::NamedArray>> Predict(std::span<const npz::NamedArray> inputs) override {
    @autoreleasepool {
      NSMutableDictionary<NSString*, id>* const features = [NSMutableDictionary dictionary];
      for (const npz::NamedArray& input : inputs) {
        ANECHECK_ASSIGN(MLMultiArray* const array, ToMultiArray(input));
        features[[NSString stringWithUTF8String:input.name.c_str()]] =
            [MLFeatureValue featureValueWithMultiArray:array];
      }
      NSError* error = nil;
      MLDictionaryFeatureProvider* const provider =
          [[MLDictionaryFeatureProvider alloc] initWithDictionary:features error:&error];
      if (provider == nil) return ErrorOf(error);
      const id<MLFeatureProvider> given = [model_ predictionFromFeatures:provider error:&error];
      if (given == nil) return ErrorOf(error);
      std::vector<npz::NamedArray> outputs;
      for (NSString* name in given.featureNames) {
        MLMultiArray* const array = [given featureValueForName:name].multiArrayValue;
        if (array == nil) {
          return MakeError(ErrorCode::kInvalid, fmt::format("output {} is no array", Text(name)));
        }
        ANECHECK_ASSIGN(outputs.emplace_back(), FromMultiArray(Text(name), array));
      }
      return outputs;
    }
  }

 private:
  MLModel* model_;
};

std::optional<Device> DeviceOf(id<MLComputeDeviceProtocol> device) {
  if (@available(macOS 14.0, *)) {
    const id object = device;
    if ([object isKindOfClass:[MLNeuralEngineComputeDevice class]]) return Device::kAne;
    if ([object isKindOfClass:[MLGPUComputeDevice class]]) return Device::kGpu;
    if ([object isKindOfClass:[MLCPUComputeDevice class]]) return Device::kCpu;
  }
  return std::nullopt;
}

API_AVAILABLE(macos(14.4))
void AddOps(MLComputePlan* plan, MLModelStructureProgramBlock* block, std::vector<ProgramOp>& ops) {
  for (MLModelStructureProgramOperation* operation in block.operations) {
    ProgramOp& op = ops.emplace_back();
    op.operator_name = Text(operation.operatorName);
    op.first_output = Text(operation.outputs.firstObject.name);
    MLComputePlanDeviceUsage* const usage =
        [plan computeDeviceUsageForMLProgramOperation:operation];
    if (usage != nil) op.preferred = DeviceOf(usage.preferredComputeDevice);
    MLComputePlanCost* const cost = [plan estimatedCostOfMLProgramOperation:operation];
    if (cost != nil) op.cost = cost.weight;
    for (MLModelStructureProgramBlock* inner in operation.blocks) AddOps(plan, inner, ops);
  }
}

class System final : public Framework {
 public:
  Machine Describe() override {
    @autoreleasepool {
      char chip[256] = {};
      size_t size = sizeof(chip) - 1;
      if (sysctlbyname("machdep.cpu.brand_string", chip, &size, nullptr, 0) != 0) chip[0] = 0;
      const NSOperatingSystemVersion os = NSProcessInfo.processInfo.operatingSystemVersion;
      NSBundle* const bundle = [NSBundle bundleForClass:[MLModel class]];
      const id version = bundle.infoDictionary[@"CFBundleVersion"];
      return {chip,
              fmt::format("macOS {}.{}.{}", static_cast<long>(os.majorVersion),
                          static_cast<long>(os.minorVersion), static_cast<long>(os.patchVersion)),
              [version isKindOfClass:[NSString class]] ? Text(version) : std::string()};
    }
  }

  Result<std::string> Compile(const std::string& package) override {
    @autoreleasepool {
      NSError* error = nil;
      NSURL* const compiled = [MLModel compileModelAtURL:Url(package) error:&error];
      if (compiled == nil) return ErrorOf(error);
      return Text(compiled.path);
    }
  }

  Result<std::unique_ptr<LoadedModel>> Load(const std::string& compiled, Units units) override {
    @autoreleasepool {
      NSError* error = nil;
      MLModel* const model = [MLModel modelWithContentsOfURL:Url(compiled)
                                               configuration:Configuration(units)
                                                       error:&error];
      if (model == nil) return ErrorOf(error);
      return std::unique_ptr<LoadedModel>(new SystemModel(model));
    }
  }

  Result<std::vector<ProgramOp>> Plan(const std::string& compiled) override {
    if (@available(macOS 14.4, *)) return PlanOf(compiled);
    return MakeError(ErrorCode::kUnsupported, "MLComputePlan needs macOS 14.4");
  }

 private:
  API_AVAILABLE(macos(14.4))
  static Result<std::vector<ProgramOp>> PlanOf(const std::string& compiled) {
    @autoreleasepool {
      __block MLComputePlan* plan = nil;
      __block NSError* failure = nil;
      const dispatch_semaphore_t done = dispatch_semaphore_create(0);
      [MLComputePlan loadContentsOfURL:Url(compiled)
                         configuration:Configuration(Units::kEngine)
                     completionHandler:^(MLComputePlan* loaded, NSError* error) {
                       plan = loaded;
                       failure = error;
                       dispatch_semaphore_signal(done);
                     }];
      dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
      if (plan == nil) return ErrorOf(failure);
      MLModelStructureProgramFunction* const function =
          plan.modelStructure.program.functions[@"main"];
      if (function == nil) return MakeError(ErrorCode::kInvalid, "the plan has no function main");
      std::vector<ProgramOp> ops;
      AddOps(plan, function.block, ops);
      return ops;
    }
  }
};

}  // namespace

std::unique_ptr<Framework> SystemFramework() { return std::make_unique<System>(); }

}  // namespace anecheck::coreml
