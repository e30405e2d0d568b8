// The part of Core ML's public API that the runner needs, so that all other code is plain C++.
// framework_macos.mm implements it with the system's calls, and tests use a stand-in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npz.h"
#include "harness/runners/plan.h"

namespace anecheck::coreml {

// MLComputeUnits.
enum class Units : uint8_t {
  kEngine,  // MLComputeUnitsCPUAndNeuralEngine
  kCpu,     // MLComputeUnitsCPUOnly
};

struct Machine {
  std::string chip;     // "Apple M1"
  std::string os;       // "macOS 15.5"
  std::string core_ml;  // the version of the framework
};

// One operation of MLModelStructureProgram, with its device and cost from MLComputePlan.
struct ProgramOp {
  std::string operator_name;        // "ios17.conv"
  std::string first_output;         // empty if it has none
  std::optional<Device> preferred;  // none for constants, which no device computes
  std::optional<double> cost;       // MLComputePlanCost.weight
};

// A loaded model.
class LoadedModel {
 public:
  virtual ~LoadedModel() = default;
  // Runs the model. All arrays are in C order and have the names of the model's ports. Errors:
  // kUnsupported for an element type that MLMultiArray lacks, else those of the framework.
  virtual Result<std::vector<npz::NamedArray>> Predict(std::span<const npz::NamedArray> inputs) = 0;
};

// Not thread-safe. Messages of errors are the framework's own.
class Framework {
 public:
  virtual ~Framework() = default;
  virtual Machine Describe() = 0;
  // Compiles a package and returns the folder of the compiled model, which the caller must remove.
  virtual Result<std::string> Compile(const std::string& package) = 0;
  virtual Result<std::unique_ptr<LoadedModel>> Load(const std::string& compiled, Units units) = 0;
  // Returns the operations of a compiled model, as planned for Units::kEngine, in the order of the
  // program. Errors: kUnsupported if the system has no MLComputePlan (before macOS 14.4).
  virtual Result<std::vector<ProgramOp>> Plan(const std::string& compiled) = 0;
};

}  // namespace anecheck::coreml
