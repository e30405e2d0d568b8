// A function whose inputs have ranges of shapes. The function is read and checked, and its
// constants are decoded, only once, at compile time. The engine then makes an executable for each
// bound shape without another look at the text or at a file. Made by the compile step, used by the
// operations of the e5rt layer.
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
  // The range of that input, or null.
  const ShapeRange* RangeOf(size_t input) const;

  // The executable at `extents`, one extent per range in the order of the ranges. The first call
  // with these extents compiles the executable, or returns the Error of the compile step if the
  // program is illegal at these extents.
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

// Compiles a function with ranges at three sets of extents: at the starts and at the ends of all
// ranges, where it must be legal, and at the standard extents. The result is the executable at the
// standard extents.
Result<std::shared_ptr<const Executable>> CompileRanged(
    const std::shared_ptr<const mil::Program>& program, mil::FunctionView function,
    const CompileSettings& settings, Backend backend, std::vector<ShapeRange> ranges);

}  // namespace anecheck::device
