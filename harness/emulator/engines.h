// The two kinds of engines. Both compute a task's result before it is stored.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/numeric_model.h"
#include "harness/emulator/coefficients.h"
#include "harness/emulator/task.h"

namespace anecheck::emulator {

// The arithmetic of the engines. Without a model, they compute in fp64 and round to fp16 once at
// the end and once before a table. With a model, they compute like the simulated engine of that
// family.
struct Arithmetic {
  const device::NumericModel* model = nullptr;
  // The maximum number of steps of one task. A step is a multiplication or an element. A task with
  // more steps fails with kLimit.
  uint64_t max_steps = uint64_t{1} << 40;
};

// Returns the model of the family whose tasks have this version, with the documented defects of its
// silicon. Precondition: GenerationOfVersion(version) is not empty.
const device::NumericModel& FamilyModel(uint32_t version);

// Returns the fp16 bits of the result, in the order g, d, c, y, x of `task.output`. The values of a
// source have the same order over the source's own extents.
Result<std::vector<uint16_t>> RunNeural(const Task& task, const Coefficients& coefficients,
                                        std::vector<float> input, const Arithmetic& arithmetic);
Result<std::vector<uint16_t>> RunPlanar(const Task& task, const std::vector<float>& source1,
                                        const std::vector<float>& source2,
                                        const Arithmetic& arithmetic);

}  // namespace anecheck::emulator
