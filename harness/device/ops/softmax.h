// The softmax of one line of elements. Used by softmax.cc and attention.cc.
#pragma once

#include <cstdint>

#include "harness/device/numeric_model.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// In place: values of the element type carried in fp32 become fp32 weights before their store.
void SoftmaxLane(const NumericModel& model, Element element, float* lane, int64_t lanes);

}  // namespace anecheck::device
