// Runs large kernels on several threads. Their results do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/base/parallel_for.h"
#include "harness/base/round_up.h"
#include "oracles/reference/dot.h"
#include "oracles/reference/kernel.h"

namespace anecheck::reference {

// Returns the length of the blocks into which `count` items of `steps` steps each are split. There
// is one block for each thread that `arena` may use, or a single block if threads save no time.
// Every block but the last has a multiple of `unit` items.
inline size_t BlockFor(const Arena& arena, size_t count, uint64_t steps, size_t unit = 1) {
  const auto threads = static_cast<size_t>(arena.threads());
  if (threads <= 1 || count <= unit || count * steps < arena.worth_threads()) return count;
  return RoundUp((count + threads - 1) / threads, unit);
}

// Calls body(arena, first, last) for the blocks of [0, count). Each block has its own arena, which
// is destroyed after the block. A single block uses `arena`.
template <typename Body>
Status OverBlocks(Arena& arena, size_t count, uint64_t steps, const Body& body, size_t unit = 1) {
  const size_t block = BlockFor(arena, count, steps, unit);
  if (block >= count) {
    body(arena, size_t{0}, count);
    return {};
  }
  return ParallelChunks(count, block, arena.threads(), [&](uint64_t first, uint64_t last) {
    Arena own;
    body(own, static_cast<size_t>(first), static_cast<size_t>(last));
    return Status();
  });
}

// As OverBlocks, for sums. Calls body(accumulator, arena, first, last) with a separate accumulator
// for each block. `accumulator` is the accumulator of the node.
template <typename Body>
Status OverRows(Arena& arena, Accumulator& accumulator, size_t rows, uint64_t steps,
                const Body& body) {
  // Blocks consist of whole panels of the packed sums.
  constexpr size_t kRowsTogether = 8;
  std::atomic<bool> loose = false;
  ANECHECK_RETURN_IF_ERROR(OverBlocks(
      arena, rows, steps,
      [&](Arena& own_arena, size_t first, size_t last) {
        if (&own_arena == &arena) {
          body(accumulator, arena, first, last);
          return;
        }
        BoundedTensor marks;
        Accumulator own = accumulator.For(own_arena, marks);
        body(own, own_arena, first, last);
        if (marks.loose) loose = true;
      },
      kRowsTogether));
  if (loose) accumulator.MarkLoose();
  return {};
}

}  // namespace anecheck::reference
