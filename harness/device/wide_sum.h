// Sums of the reduction paths. Four values form a tile. The sum of a tile is computed in double
// precision, rounded to fp32 and added to an fp32 accumulator. Unlike the multiply-accumulate
// array, these paths have the full fp16 range (facts/numerics.md, "paths with full range").
#pragma once

#include "harness/device/multiply_accumulate.h"

namespace anecheck::device {

class WideSum {
 public:
  // If `on_lattice` is set, the values of a tile are added on the grid of D03, as in the array.
  explicit WideSum(bool on_lattice = false) : on_lattice_(on_lattice) {}

  void Add(float value) {
    if (on_lattice_) {
      tile_ = static_cast<double>(AddOnTileLattice(static_cast<float>(tile_), value));
    } else {
      tile_ += static_cast<double>(value);
    }
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

  bool on_lattice_;
  double tile_ = 0;
  int lanes_ = 0;
  float accumulator_ = 0;
};

}  // namespace anecheck::device
