// Computes the sums of products of oracle_bench by oneDNN in f32 on one thread, for comparison.
// Without oneDNN the functions return null.
#pragma once

#include <cstdint>
#include <memory>

namespace anecheck::onednn {

// A primitive to run repeatedly, with its operands filled.
class Work {
 public:
  virtual ~Work() = default;
  virtual void Run() = 0;
};

// Null if oneDNN is not installed.
std::unique_ptr<Work> Matmul(int64_t side);
// A 3x3 kernel with same padding over one image of [channels, side, side].
std::unique_ptr<Work> Convolution(int64_t channels, int64_t outputs, int64_t side);

}  // namespace anecheck::onednn
