// Operations that the front end decomposes into matrix products. Used by convolution.cc, which has
// the rows of the class.
#pragma once

#include <memory>

#include "harness/device/op_builder.h"

namespace anecheck::device {

std::unique_ptr<const Kernel> BuildEinsum(OpBuilder& builder);
std::unique_ptr<const Kernel> BuildAttention(OpBuilder& builder);

}  // namespace anecheck::device
