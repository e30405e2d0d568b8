// The reference kernels in the order of the operation table, and the evaluation's memory.
#include <algorithm>
#include <array>

#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

constexpr std::array<const ReferenceKernel*, kOpCount> kKernels = {
#define ANECHECK_OP(name, Name, op_class) &kReference##Name,
#include "harness/ops/ops.def"
#undef ANECHECK_OP
};

}  // namespace

std::span<const ReferenceKernel* const> AllReferenceKernels() { return kKernels; }

namespace reference {

namespace {

Block NewBlock(size_t words) { return {std::make_unique_for_overwrite<uint64_t[]>(words), words}; }

}  // namespace

Block BlockPool::Take(size_t words) {
  const auto found = free_.lower_bound(words);
  if (found == free_.end() || found->first > 2 * words) {
    return NewBlock(words);
  }
  Block block = std::move(found->second);
  words_ -= block.size;
  free_.erase(found);
  return block;
}

void BlockPool::Give(Block block) {
  if (words_ + block.size > kMostWords) return;
  words_ += block.size;
  const size_t size = block.size;
  free_.emplace(size, std::move(block));
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
  // Aligned, a block has kLineWords less.
  const size_t wanted = words + kLineWords;
  while (current_ < blocks_.size() && blocks_[current_].size < wanted) ++current_;
  if (current_ == blocks_.size()) {
    const size_t size = std::max(wanted, kBlockWords);
    blocks_.push_back(pool_ != nullptr ? pool_->Take(size) : NewBlock(size));
  }
  next_ = blocks_[current_].words.get();
  left_ = blocks_[current_].size;
  ++current_;
  Align();
}

}  // namespace reference
}  // namespace anecheck
