// The reference kernels in the order of the operation table, and the evaluation's memory.
#include <algorithm>
#include <array>
#include <utility>

#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

constexpr std::array<const ReferenceKernel*, kOpCount> kKernels = {
#define ANECHECK_OP(name, Name, ...) &kReference##Name,
#include "harness/ops/ops.def"
};

}  // namespace

std::span<const ReferenceKernel* const> AllReferenceKernels() { return kKernels; }

namespace reference {

bool BlockPool::Take(size_t words, Block& block) {
  auto best = free_.end();
  for (auto one = free_.begin(); one != free_.end(); ++one) {
    const bool fits = one->size >= words && one->size <= 2 * words;
    if (fits && (best == free_.end() || one->size < best->size)) best = one;
  }
  if (best == free_.end()) return false;
  words_ -= best->size;
  block = std::move(*best);
  std::swap(*best, free_.back());
  free_.pop_back();
  return true;
}

void BlockPool::Give(Block block) {
  if (words_ + block.size > kMostWords) return;
  words_ += block.size;
  free_.push_back(std::move(block));
}

Arena::~Arena() {
  if (pool_ == nullptr) return;
  for (Block& block : blocks_) pool_->Give(std::move(block));
}

void Arena::Reset() {
  current_ = 0;
  next_ = nullptr;
  left_ = 0;
}

void Arena::Grow(size_t words) {
  constexpr size_t kBlockWords = 1 << 14;
  // Alignment may take kLineWords words from a block.
  const size_t wanted = words + kLineWords;
  while (current_ < blocks_.size() && blocks_[current_].size < wanted) ++current_;
  if (current_ == blocks_.size()) {
    const size_t size = std::max(wanted, kBlockWords);
    Block block;
    if (pool_ == nullptr || !pool_->Take(size, block)) {
      block.words = std::make_unique_for_overwrite<uint64_t[]>(size);
      block.size = size;
    }
    blocks_.push_back(std::move(block));
  }
  next_ = blocks_[current_].words.get();
  left_ = blocks_[current_].size;
  ++current_;
  Align();
}

}  // namespace reference
}  // namespace anecheck
