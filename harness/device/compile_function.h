// Compiles one function. The compile step compiles a function once for a program of fixed shapes,
// and once for each shape of a program with ranges.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "harness/base/result.h"
#include "harness/device/blob_file.h"
#include "harness/device/executable.h"
#include "harness/device/op_builder.h"
#include "harness/formats/mil/program.h"

namespace anecheck::device {

// The constants of a program. `files` reads each weight file once. If `keep` is set, `decoded`
// keeps the decoded values. Not thread-safe.
struct ConstantPool {
  ConstantPool(std::string model_folder, bool keep_decoded)
      : files(std::move(model_folder)), keep(keep_decoded) {}

  BlobFiles files;
  bool keep;
  // Keys: the literal's index in the program, and the element type for an untyped literal.
  std::map<std::pair<uint32_t, Element>, std::shared_ptr<const Constant>> decoded;
};

inline constexpr int64_t kFixedExtent = mil::Dimension::kUnknown;

// `extents` has the value of `?` for each input, or kFixedExtent for an input without `?`.
// `extents` is empty for a function without ranges. Errors: those of CompileProgram.
Result<std::shared_ptr<Executable>> CompileFunction(const mil::Program& program,
                                                    mil::FunctionView function,
                                                    const CompileSettings& settings,
                                                    Backend backend, ConstantPool& constants,
                                                    std::span<const int64_t> extents);

}  // namespace anecheck::device
