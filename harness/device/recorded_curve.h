// Activations and functions as the compiler's own tables give them: the words that it writes, and
// the range reductions around them. For fp16 elements; other types have the curves of
// curve_table.h. Sources: facts/silicon/act_tables.csv, facts/silicon/numerics_laws.md (L9 to L13,
// L15).
#pragma once

#include "harness/device/numeric_model.h"

namespace anecheck::device {

// Each gives the stored result, on the fp16 grid, of a finite fp16 number. From the model they take
// the rounding and the planted defects of tables.
float RecordedSigmoid(float x, const NumericModel& model);
float RecordedTanh(float x, const NumericModel& model);
float RecordedGelu(float x, const NumericModel& model);
float RecordedSilu(float x, const NumericModel& model);
// |x| <= 2: the rest is not recorded.
float RecordedErf(float x, const NumericModel& model);
float RecordedExp(float x, const NumericModel& model);
// x > 0.
float RecordedLog(float x, const NumericModel& model);
float RecordedSqrt(float x, const NumericModel& model);
float RecordedRsqrt(float x, const NumericModel& model);
// x != 0; epsilon was added.
float RecordedInverse(float x, const NumericModel& model);
// The sine, or the cosine a quarter turn ahead, by the lines of a quarter turn. No source says how
// an engine reduces the argument (L15): here exactly.
float RecordedSine(float x, bool quarter_ahead, const NumericModel& model);

}  // namespace anecheck::device
