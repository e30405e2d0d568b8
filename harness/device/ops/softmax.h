// Computes the softmax of one line of elements. Used by softmax.cc and attention.cc.
#pragma once

#include <cstdint>

#include "harness/device/numeric_model.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Replaces the `lanes` values at `lane` by their softmax in fp32. The values are fp32 numbers that
// the type `element` can represent. The caller rounds the results when it stores them.
void SoftmaxLane(const NumericModel& model, Element element, float* lane, int64_t lanes);

}  // namespace anecheck::device
