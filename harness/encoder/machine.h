// The differences between the containers of generations. Each generation has one entry (Machine).
// Sources: the facts of H13 programs, layout.md; of later programs, generations.csv,
// header_forms.md and weights_layout_later.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/emulator/field_table.h"

namespace anecheck::encoder {

// Values of words that affect only scheduling, as compilers write them.
struct ScheduleWords {
  // Four values: for the only task of a network, the first task, a middle task, and the last task.
  std::array<uint32_t, 4> log_events, debug_events;
  std::array<uint32_t, 2> header6 = {};  // for the last task, and for the others
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

// A parameter of the loader. Packets of one word write it to up to three registers.
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
  // The number of 8-byte slots per base address in the container's table: 1 or 2.
  uint32_t slot_step;
  bool tensors_by_name;  // surfaces have their numbers in the order of their names
  bool table_apart;      // an activation table has an address of its own
  bool source_mask;      // the common block states which sources come by DMA
  bool kernel_segment;   // weights and tables have a segment and a base address behind those of the
                         // tensors
  bool rows_by_dma;      // the planar engine fetches rows of constants from memory
  bool source2_twice;    // the packet of source 2 occurs twice
  uint32_t slots_of_mask;  // number of slots that share a mask in a zero-skip stream; 0 if no
                           // record has such a stream
  StreamId stream_id;
  const ScheduleWords* schedule;
};

// Machines returns all encoded generations. MachineOf returns null if no generation has the target.
std::span<const Machine> Machines();
const Machine* MachineOf(std::string_view target);

}  // namespace anecheck::encoder
