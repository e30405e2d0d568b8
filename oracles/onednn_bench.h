// The same sums of products by oneDNN in f32 on one thread, as the reference of oracle_bench.
// Absent if oneDNN is not installed.
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

// Null where oneDNN is not installed.
std::unique_ptr<Work> Matmul(int64_t side);
// 3x3, same padding, one image of [channels, side, side].
std::unique_ptr<Work> Convolution(int64_t channels, int64_t outputs, int64_t side);

}  // namespace anecheck::onednn
