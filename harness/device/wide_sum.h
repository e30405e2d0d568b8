// Sums of the reduction paths: tiles of four lanes, each added exactly, into an fp32 accumulator.
// Unlike the multiply-accumulate array these paths have the full fp16 range (facts/numerics.md,
// "paths with full range").
#pragma once

namespace anecheck::device {

class WideSum {
 public:
  void Add(float value) {
    tile_ += static_cast<double>(value);
    if (++lanes_ == 4) Flush();
  }
  float Total() {
    Flush();
    return accumulator_;
  }

 private:
  void Flush() {
    accumulator_ += static_cast<float>(tile_);
    tile_ = 0;
    lanes_ = 0;
  }

  double tile_ = 0;
  int lanes_ = 0;
  float accumulator_ = 0;
};

}  // namespace anecheck::device
