// The common part of the wrapper's tests: programs on the recording engine, and its record.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/runners/testing/recording_espresso.h"
#include "harness/runners/wrapper/ane_e5rt.h"

namespace anecheck {

using Halves = std::vector<uint16_t>;

inline Halves ToHalves(const std::vector<double>& values) {
  Halves halves;
  for (const double value : values) halves.push_back(DoubleToHalf(value).bits);
  return halves;
}
inline double ToDouble(uint16_t bits) { return HalfToDouble(Half{bits}); }

// Returns a function of a library that is not linked to the test. The last argument gives its type.
template <typename Function>
Function* InLibrary(const char* library, const char* name, Function* /*type*/) {
  auto* found = reinterpret_cast<Function*>(dlsym(dlopen(library, RTLD_NOW), name));
  if (found == nullptr) ADD_FAILURE() << name << " is not in " << library;
  return found;
}
#define ANECHECK_RECORDING(name) \
  ::anecheck::InLibrary<decltype(name)>(ANECHECK_RECORDING_ESPRESSO, #name, nullptr)
#define ANECHECK_SIMULATED(name) \
  ::anecheck::InLibrary<decltype(name)>(ANECHECK_SIMULATED_ENGINE, #name, nullptr)

// Returns the calls since the record was cleared, without "e5rt_".
inline std::vector<std::string> Recorded() {
  std::vector<std::string> calls;
  std::istringstream lines(ANECHECK_RECORDING(anecheck_recorded)());
  for (std::string line; std::getline(lines, line);) calls.push_back(line.substr(5));
  return calls;
}
inline void Forget() { ANECHECK_RECORDING(anecheck_forget_recorded)(); }
inline void RefuseOnce(const char* symbol) { ANECHECK_RECORDING(anecheck_refuse_once)(symbol); }

struct ProgramRelease {
  void operator()(ane_e5rt_program_t* program) const { ane_e5rt_program_release(program); }
};
using Program = std::unique_ptr<ane_e5rt_program_t, ProgramRelease>;

struct PortList {
  std::vector<const char*> names;
  std::vector<size_t> sizes;
};

class WrapperFixture : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("ANECHECK_ESPRESSO", ANECHECK_RECORDING_ESPRESSO, 1); }

  std::string Model(const std::string& name, const std::string& parameters,
                    const std::string& statements, const std::string& outputs) {
    const std::string path = folder_->File(name + ".mil");
    EXPECT_TRUE(WriteFileAtomic(path, fmt::format("program(1.3)\n{{\n func main<ios18>({}) {{\n{}\n"
                                                  "}} -> ({});\n}}\n",
                                                  parameters, statements, outputs))
                    .ok());
    return path;
  }
  std::string AddOne() {
    return Model("add_one", "tensor<fp16, [4]> x",
                 "tensor<fp16, [4]> y = add(x = x, y = fp16(0x1p+0));", "y");
  }
  static Program Compile(const std::string& path, const PortList& inputs, const PortList& outputs,
                         const char* cache = nullptr) {
    return Program(ane_e5rt_program_compile(
        path.c_str(), cache, 4, inputs.names.data(), inputs.sizes.data(), inputs.names.size(),
        outputs.names.data(), outputs.sizes.data(), outputs.names.size()));
  }
  Program CompileAddOne(const char* cache = nullptr) {
    return Compile(AddOne(), {{"x"}, {8}}, {{"y"}, {8}}, cache);
  }
  // Returns the index of the new operation, or -1.
  int JoinAddOne(const Program& program) {
    return ane_e5rt_program_add_op(program.get(), AddOne().c_str(), "x", 8, "y", 8);
  }

  static double FirstOutput(const Program& program, size_t op = 0) {
    Halves y(4);
    EXPECT_EQ(ane_e5rt_program_get_output_fp16_op(program.get(), op, "y", y.data(), 4), 0)
        << anecheck_e5rt_last_error();
    return ToDouble(y[0]);
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-wrapper-");
};

}  // namespace anecheck
