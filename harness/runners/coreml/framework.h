// The part of Core ML's public API that the runner needs, so that everything else is plain C++:
// framework_macos.mm is the system's, a stand-in of the tests another.
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

// One operation of MLModelStructureProgram, and the words of MLComputePlan about it.
struct ProgramOp {
  std::string operator_name;        // "ios17.conv"
  std::string first_output;         // empty where it has none
  std::optional<Device> preferred;  // none of constants, which no device computes
  std::optional<double> cost;       // MLComputePlanCost.weight
};

// A loaded model.
class LoadedModel {
 public:
  virtual ~LoadedModel() = default;
  // Arrays in C order, by the names of the model's ports. Errors: kUnsupported for an element type
  // that MLMultiArray lacks, else the framework's words.
  virtual Result<std::vector<npz::NamedArray>> Predict(std::span<const npz::NamedArray> inputs) = 0;
};

// Used by one thread. Errors hold the framework's own words.
class Framework {
 public:
  virtual ~Framework() = default;
  virtual Machine Describe() = 0;
  // Compiles a package; the folder of the compiled model, which is the caller's to remove.
  virtual Result<std::string> Compile(const std::string& package) = 0;
  virtual Result<std::unique_ptr<LoadedModel>> Load(const std::string& compiled, Units units) = 0;
  // The operations of a compiled model for Units::kEngine, in the order of the program. Errors:
  // kUnsupported where the system has no MLComputePlan (before macOS 14.4).
  virtual Result<std::vector<ProgramOp>> Plan(const std::string& compiled) = 0;
};

}  // namespace anecheck::coreml
