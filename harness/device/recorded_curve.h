// Activations and functions computed from the tables that the compiler writes, with the range
// reductions around them. The functions serve only fp16 elements. Other types use the curves of
// curve_table.h. Sources: facts/silicon/act_tables.csv, facts/silicon/numerics_laws.md (L9 to L13,
// L15).
#pragma once

#include "harness/device/numeric_model.h"

namespace anecheck::device {

// Each function takes a finite fp16 number and returns the stored result, which is an fp16 number.
// Of the model, the functions read only the rounding and the planted defects of tables.
float RecordedSigmoid(float x, const NumericModel& model);
float RecordedTanh(float x, const NumericModel& model);
float RecordedGelu(float x, const NumericModel& model);
float RecordedSilu(float x, const NumericModel& model);
// Precondition: |x| <= 2; no table for larger arguments is recorded.
float RecordedErf(float x, const NumericModel& model);
float RecordedExp(float x, const NumericModel& model);
// Precondition: x > 0.
float RecordedLog(float x, const NumericModel& model);
float RecordedSqrt(float x, const NumericModel& model);
float RecordedRsqrt(float x, const NumericModel& model);
// Precondition: x != 0; epsilon is already added.
float RecordedInverse(float x, const NumericModel& model);
// Returns the sine, or the cosine if `quarter_ahead` is set, from the line segments of a quarter
// turn. No source tells how an engine reduces the argument (L15). This function reduces it exactly.
float RecordedSine(float x, bool quarter_ahead, const NumericModel& model);

}  // namespace anecheck::device
