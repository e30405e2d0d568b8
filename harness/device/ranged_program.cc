#include "harness/device/ranged_program.h"

#include <fmt/format.h>
#include <utility>

namespace anecheck::device {
namespace {

// The maximum number of executables that are kept. When it is reached, all are dropped. A dropped
// executable is compiled again when it is needed.
constexpr size_t kMostKept = 64;

// Returns the extent of each input, or kFixedExtent for an input without a range.
std::vector<int64_t> PerInput(size_t inputs, std::span<const ShapeRange> ranges,
                              std::span<const int64_t> extents) {
  std::vector<int64_t> all(inputs, kFixedExtent);
  for (size_t i = 0; i < ranges.size(); ++i) all[ranges[i].index] = extents[i];
  return all;
}

std::string Describe(std::span<const ShapeRange> ranges, std::span<const int64_t> extents) {
  std::string text;
  for (size_t i = 0; i < ranges.size(); ++i) {
    text += fmt::format("{}axis {} of {} at {}", i == 0 ? "" : ", ", ranges[i].axis,
                        ranges[i].input, extents[i]);
  }
  return text;
}

}  // namespace

RangedProgram::RangedProgram(std::shared_ptr<const mil::Program> program,
                             mil::FunctionView function, CompileSettings settings, Backend backend,
                             std::vector<ShapeRange> ranges)
    : program_(std::move(program)),
      function_(function),
      settings_(std::move(settings)),
      backend_(backend),
      ranges_(std::move(ranges)),
      constants_(settings_.model_folder, true) {}

const ShapeRange* RangedProgram::RangeOf(size_t input) const {
  for (const ShapeRange& range : ranges_) {
    if (range.index == input) return &range;
  }
  return nullptr;
}

Result<std::shared_ptr<const Executable>> RangedProgram::At(
    std::span<const int64_t> extents) const {
  const std::vector<int64_t> key(extents.begin(), extents.end());
  const std::lock_guard lock(mutex_);
  const auto found = made_.find(key);
  if (found != made_.end()) return found->second;
  const std::vector<int64_t> all =
      PerInput(function_.block().parameters().size(), ranges_, extents);
  auto made = CompileFunction(*program_, function_, settings_, backend_, constants_, all);
  if (!made.ok()) {
    return MakeError(made.error().code,
                     fmt::format("{}: {}", Describe(ranges_, extents), made.error().message));
  }
  if (made_.size() == kMostKept) made_.clear();
  std::shared_ptr<const Executable> executable = std::move(*made);
  made_.emplace(key, executable);
  return executable;
}

Result<std::shared_ptr<const Executable>> CompileRanged(
    const std::shared_ptr<const mil::Program>& program, mil::FunctionView function,
    const CompileSettings& settings, Backend backend, std::vector<ShapeRange> ranges) {
  std::vector<int64_t> starts, ends, standard;
  for (const ShapeRange& range : ranges) {
    starts.push_back(range.start);
    ends.push_back(range.last());
    standard.push_back(range.standard);
  }
  auto ranged = std::make_shared<const RangedProgram>(program, function, settings, backend, ranges);
  for (const auto* extents : {&starts, &ends}) {
    const auto made = ranged->At(*extents);
    if (!made.ok()) return made.error();
  }
  // This executable owns the ranged program. It cannot be one of the executables that the ranged
  // program keeps, because the two would own each other.
  ConstantPool constants(settings.model_folder, false);
  const std::vector<int64_t> all = PerInput(function.block().parameters().size(), ranges, standard);
  ANECHECK_ASSIGN(auto executable,
                  CompileFunction(*program, function, settings, backend, constants, all));
  executable->ranged = std::move(ranged);
  return std::shared_ptr<const Executable>(std::move(executable));
}

}  // namespace anecheck::device
