// Core ML: https://developer.apple.com/documentation/coreml
#pragma once
#import <Foundation/Foundation.h>
#include <os/availability.h>
#pragma clang assume_nonnull begin

// https://developer.apple.com/documentation/coreml/mlmultiarraydatatype
typedef enum __attribute__((enum_extensibility(open))) MLMultiArrayDataType : NSInteger {
  MLMultiArrayDataTypeDouble = 0x10000 | 64,
  MLMultiArrayDataTypeFloat32 = 0x10000 | 32,
  MLMultiArrayDataTypeFloat16 = 0x10000 | 16,
  MLMultiArrayDataTypeInt32 = 0x20000 | 32,
} MLMultiArrayDataType;

// https://developer.apple.com/documentation/coreml/mlmultiarray
@interface MLMultiArray : NSObject
@property(readonly, nonatomic) MLMultiArrayDataType dataType;
@property(readonly, nonatomic) NSArray<NSNumber*>* shape;
@property(readonly, nonatomic) NSArray<NSNumber*>* strides;
- (nullable instancetype)initWithDataPointer:(void*)dataPointer
                                       shape:(NSArray<NSNumber*>*)shape
                                    dataType:(MLMultiArrayDataType)dataType
                                     strides:(NSArray<NSNumber*>*)strides
                                 deallocator:(void (^_Nullable)(void* bytes))deallocator
                                       error:(NSError* _Nullable* _Nullable)error;
- (void)getBytesWithHandler:(void (^)(const void* bytes, NSInteger size))handler
    API_AVAILABLE(macos(12.3));
@end

// https://developer.apple.com/documentation/coreml/mlfeaturevalue
@interface MLFeatureValue : NSObject
+ (instancetype)featureValueWithMultiArray:(MLMultiArray*)value;
@property(nullable, readonly, nonatomic) MLMultiArray* multiArrayValue;
@end

// https://developer.apple.com/documentation/coreml/mlfeatureprovider
@protocol MLFeatureProvider
@property(readonly, nonatomic) NSSet<NSString*>* featureNames;
- (nullable MLFeatureValue*)featureValueForName:(NSString*)featureName;
@end

// https://developer.apple.com/documentation/coreml/mldictionaryfeatureprovider
@interface MLDictionaryFeatureProvider : NSObject <MLFeatureProvider>
- (nullable instancetype)initWithDictionary:(NSDictionary<NSString*, id>*)dictionary
                                      error:(NSError* _Nullable* _Nullable)error;
@end

// https://developer.apple.com/documentation/coreml/mlcomputeunits
typedef enum MLComputeUnits : NSInteger {
  MLComputeUnitsCPUOnly = 0,
  MLComputeUnitsCPUAndGPU = 1,
  MLComputeUnitsAll = 2,
  MLComputeUnitsCPUAndNeuralEngine API_AVAILABLE(macos(13.0)) = 3,
} MLComputeUnits;

// https://developer.apple.com/documentation/coreml/mlmodelconfiguration
@interface MLModelConfiguration : NSObject
@property(readwrite) MLComputeUnits computeUnits;
@end

// https://developer.apple.com/documentation/coreml/mlmodel
@interface MLModel : NSObject
+ (nullable NSURL*)compileModelAtURL:(NSURL*)modelURL error:(NSError* _Nullable* _Nullable)error;
+ (nullable instancetype)modelWithContentsOfURL:(NSURL*)url
                                  configuration:(MLModelConfiguration*)configuration
                                          error:(NSError* _Nullable* _Nullable)error;
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input
                                                   error:(NSError* _Nullable* _Nullable)error;
@end

// https://developer.apple.com/documentation/coreml/mlcomputedeviceprotocol
API_AVAILABLE(macos(14.0))
@protocol MLComputeDeviceProtocol <NSObject>
@end
// https://developer.apple.com/documentation/coreml/mlcpucomputedevice
API_AVAILABLE(macos(14.0))
@interface MLCPUComputeDevice : NSObject <MLComputeDeviceProtocol>
@end
// https://developer.apple.com/documentation/coreml/mlgpucomputedevice
API_AVAILABLE(macos(14.0))
@interface MLGPUComputeDevice : NSObject <MLComputeDeviceProtocol>
@end
// https://developer.apple.com/documentation/coreml/mlneuralenginecomputedevice
API_AVAILABLE(macos(14.0))
@interface MLNeuralEngineComputeDevice : NSObject <MLComputeDeviceProtocol>
@end

// https://developer.apple.com/documentation/coreml/mlmodelstructureprogramnamedvaluetype
API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramNamedValueType : NSObject
@property(readonly, copy, nonatomic) NSString* name;
@end
@class MLModelStructureProgramBlock;
// https://developer.apple.com/documentation/coreml/mlmodelstructureprogramoperation
API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramOperation : NSObject
@property(readonly, copy, nonatomic) NSString* operatorName;
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramNamedValueType*>* outputs;
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramBlock*>* blocks;
@end
// https://developer.apple.com/documentation/coreml/mlmodelstructureprogramblock
API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramBlock : NSObject
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramOperation*>* operations;
@end
// https://developer.apple.com/documentation/coreml/mlmodelstructureprogramfunction
API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramFunction : NSObject
@property(readonly, nonatomic) MLModelStructureProgramBlock* block;
@end
// https://developer.apple.com/documentation/coreml/mlmodelstructureprogram
API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgram : NSObject
@property(readonly, copy, nonatomic)
    NSDictionary<NSString*, MLModelStructureProgramFunction*>* functions;
@end
// https://developer.apple.com/documentation/coreml/mlmodelstructure
API_AVAILABLE(macos(14.4))
@interface MLModelStructure : NSObject
@property(readonly, nonatomic, nullable) MLModelStructureProgram* program;
@end

// https://developer.apple.com/documentation/coreml/mlcomputeplandeviceusage
API_AVAILABLE(macos(14.4))
@interface MLComputePlanDeviceUsage : NSObject
@property(readonly, nonatomic) id<MLComputeDeviceProtocol> preferredComputeDevice;
@end
// https://developer.apple.com/documentation/coreml/mlcomputeplancost
API_AVAILABLE(macos(14.4))
@interface MLComputePlanCost : NSObject
@property(readonly, assign, nonatomic) double weight;
@end
// https://developer.apple.com/documentation/coreml/mlcomputeplan-85vdw
API_AVAILABLE(macos(14.4))
@interface MLComputePlan : NSObject
+ (void)loadContentsOfURL:(NSURL*)url
            configuration:(MLModelConfiguration*)configuration
        completionHandler:
            (void (^)(MLComputePlan* _Nullable computePlan, NSError* _Nullable error))handler;
@property(readonly, strong, nonatomic) MLModelStructure* modelStructure;
- (nullable MLComputePlanDeviceUsage*)computeDeviceUsageForMLProgramOperation:
    (MLModelStructureProgramOperation*)operation;
- (nullable MLComputePlanCost*)estimatedCostOfMLProgramOperation:
    (MLModelStructureProgramOperation*)operation;
@end
#pragma clang assume_nonnull end
