// The differences between the containers of generations, in one entry (Machine) for each
// generation. Sources: the facts of H13 programs, layout.md; of later programs, generations.csv,
// header_forms.md and weights_layout_later.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/emulator/field_table.h"

namespace anecheck::encoder {

// Values of words that only schedule, as compilers write them.
struct ScheduleWords {
  // One value each for the only task of a network, the first task, a task between, and the last.
  std::array<uint32_t, 4> log_events, debug_events;
  std::array<uint32_t, 2> header6 = {};  // for the last task, for the others
  uint32_t task_flags = 0, last_task_flags = 0;
  uint32_t task_info = 0;
  uint32_t binary_point = 0;
  uint32_t source_hints = 0, idle_source_hints = 0;
  uint32_t source_cache = 0;
  uint32_t result_hints = 0, streamed_result_hints = 0;
  uint32_t kernel_dma = 0, kernel_dma_skipping = 0, table_dma = 0;
  uint32_t stream_hints = 0, table_hints = 0;
  uint32_t detect_zeros = 0;
  bool cache_dma = false;  // the last task has the words of the cache's DMA
};

// A parameter of the loader. One-word packets write it into up to three registers.
struct StreamId {
  uint32_t bar = 0;
  std::array<uint32_t, 3> registers = {};  // for source 1, source 2 and the result
};

struct Machine {
  emulator::Generation generation;
  uint32_t version;  // the version of its task descriptors
  std::array<std::string_view, 6> targets;
  uint8_t header_words;
  // Numbers of base addresses, and the step from one to the next.
  uint32_t constants_bar, scratch_bar, first_tensor_bar, bar_step, last_bar;
  // Slots of the container's table of base addresses: 1 of 8 bytes, or 2.
  uint32_t slot_step;
  bool tensors_by_name;  // surfaces have their numbers in the order of their names
  bool table_apart;      // an activation table has an address of its own
  bool source_mask;      // the common block says which sources come by DMA
  bool kernel_segment;   // weights and tables have a segment and a base address behind the tensors'
  bool rows_by_dma;      // the planar engine fetches rows of constants from memory
  bool source2_twice;    // the packet of source 2 occurs twice
  uint32_t slots_of_mask;  // slots that share a mask in a zero-skip stream; 0 if no record has one
  StreamId stream_id;
  const ScheduleWords* schedule;
};

// All encoded generations. MachineOf returns null if the target belongs to none of them.
std::span<const Machine> Machines();
const Machine* MachineOf(std::string_view target);

}  // namespace anecheck::encoder
