// A function whose inputs have ranges of shapes. At compile time the function is read and checked
// once and its constants are decoded once. Later the engine makes an executable for each bound
// shape without another read of the text or of a file. The compile step makes it, and the
// operations of the e5rt layer use it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/compile_function.h"
#include "harness/device/executable.h"
#include "harness/device/shape_range.h"

namespace anecheck::device {

// Thread-safe.
class RangedProgram {
 public:
  RangedProgram(std::shared_ptr<const mil::Program> program, mil::FunctionView function,
                CompileSettings settings, Backend backend, std::vector<ShapeRange> ranges);

  std::span<const ShapeRange> ranges() const { return ranges_; }
  // Returns the range of that input, or null.
  const ShapeRange* RangeOf(size_t input) const;

  // Returns the executable at `extents`, which has one extent per range, in the order of the
  // ranges. The first call with these extents compiles the executable. Returns the Error of the
  // compile step if the program is illegal at these extents.
  Result<std::shared_ptr<const Executable>> At(std::span<const int64_t> extents) const;

 private:
  std::shared_ptr<const mil::Program> program_;
  mil::FunctionView function_;
  CompileSettings settings_;
  Backend backend_;
  std::vector<ShapeRange> ranges_;
  mutable std::mutex mutex_;
  mutable ConstantPool constants_;
  mutable std::map<std::vector<int64_t>, std::shared_ptr<const Executable>> made_;
};

// Compiles a function with ranges at three sets of extents: the starts of all ranges, the ends of
// all ranges, and the standard extents. The function must be legal at all three. Returns the
// executable at the standard extents.
Result<std::shared_ptr<const Executable>> CompileRanged(
    const std::shared_ptr<const mil::Program>& program, mil::FunctionView function,
    const CompileSettings& settings, Backend backend, std::vector<ShapeRange> ranges);

}  // namespace anecheck::device
