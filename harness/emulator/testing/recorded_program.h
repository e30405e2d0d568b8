// Recorded H13 programs with their inputs and outputs, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/program.h"

namespace anecheck::emulator::testing {

struct RecordedProgram {
  std::string name;
  Program program;               // with its inputs in memory
  std::vector<double> expected;  // the network's result, row-major
  std::vector<uint8_t> surface;  // the output surface after the study executed the program
  size_t output_region = 0;
  double tolerance = 0;  // relative; absolute for results below 1
};

// Reads the H13 program of a pair NAME.json and NAME.npz.
Result<RecordedProgram> ReadRecordedProgram(const std::string& json_path);
// Multiplies every fp16 number of the inputs. With kSmallScale the variance of a layer_norm is near
// its epsilon. With larger inputs the epsilon has no visible effect.
void ScaleInputs(Program& program, double factor);
inline constexpr double kSmallScale = 0x1p-8;

// Returns the path of the JSON file of each such program in the folder of vectors, sorted. Empty if
// there is none.
std::vector<std::string> RecordedProgramPaths();

// Returns the stored result of the last task, in the order of the network.
Result<std::vector<uint16_t>> ResultOf(RecordedProgram& recorded, const RunOptions& options = {});

}  // namespace anecheck::emulator::testing
