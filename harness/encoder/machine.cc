#include "harness/encoder/machine.h"

#include <algorithm>

namespace anecheck::encoder {
namespace {

using emulator::Generation;

// observed_values.csv of the H13 facts.
constexpr ScheduleWords kScheduleH13 = {.log_events = {0x422, 0x400, 0x400, 0x422},
                                        .debug_events = {0xfff86a, 0x68, 0x68, 0xfff86a},
                                        .header6 = 0x30009800,
                                        .source_hints = 0x3388,
                                        .idle_source_hints = 0x888,
                                        .result_hints = 0xc0 >> 1,
                                        .streamed_result_hints = 0x40000c0 >> 1,
                                        .kernel_dma = 2,
                                        .kernel_dma_skipping = 3,
                                        .stream_hints = 1};
// Records of H14 and H15 (header_forms.md, 2; h14_registers.csv, h15_registers.csv).
constexpr ScheduleWords kScheduleH14 = {.log_events = {0x2a, 0x08, 0, 0x22},
                                        .debug_events = {0xfff868, 0x68, 0, 0xfff860},
                                        .task_flags = 1,
                                        .source_hints = 0xe21 >> 1,
                                        .source_cache = 0xce,
                                        .result_hints = 0x1000e31 >> 1,
                                        .streamed_result_hints = 0x1000e31 >> 1,
                                        .kernel_dma = 0x102c0 >> 5,
                                        .kernel_dma_skipping = 0x102e0 >> 5,
                                        .stream_hints = 0x21 >> 1};
constexpr ScheduleWords kScheduleH15 = {.log_events = {0x0300002a, 0x08, 0, 0x03000022},
                                        .debug_events = {0xfff868, 0x68, 0, 0xfff860},
                                        .task_flags = 1,
                                        .source_hints = 0xe21 >> 1,
                                        .source_cache = 0xce,
                                        .result_hints = 0x1000e31 >> 1,
                                        .streamed_result_hints = 0x1000e31 >> 1,
                                        .kernel_dma = 0x102c0 >> 5,
                                        .kernel_dma_skipping = 0x102e0 >> 5,
                                        .stream_hints = 0x21 >> 1};

constexpr std::array<Machine, 3> kMachines = {{
    {.generation = Generation::kH13,
     .version = 7,
     .targets = {"h13", "h13g"},
     .header_words = 10,
     .constants_bar = 1,
     .scratch_bar = 3,
     .first_tensor_bar = 4,
     .bar_step = 1,
     .last_bar = 31,
     .slot_step = 1,
     .tensors_by_name = false,
     .table_apart = false,
     .source_mask = true,
     .slots_of_mask = 8,
     .schedule = &kScheduleH13},
    {.generation = Generation::kH14,
     .version = 11,
     .targets = {"h14", "h14g", "h14c"},
     .header_words = 8,
     .constants_bar = 4,
     .scratch_bar = 12,
     .first_tensor_bar = 16,
     .bar_step = 4,
     .last_bar = 255,
     .slot_step = 2,
     .tensors_by_name = true,
     .table_apart = true,
     .source_mask = true,
     .slots_of_mask = 16,
     .schedule = &kScheduleH14},
    {.generation = Generation::kH15,
     .version = 8,
     .targets = {"h15", "h15g", "h15c"},
     .header_words = 8,
     .constants_bar = 4,
     .scratch_bar = 12,
     .first_tensor_bar = 24,
     .bar_step = 4,
     .last_bar = 255,
     .slot_step = 2,
     .tensors_by_name = true,
     .table_apart = true,
     .source_mask = false,
     .slots_of_mask = 0,
     .schedule = &kScheduleH15},
}};

}  // namespace

std::span<const Machine> Machines() { return kMachines; }

const Machine* MachineOf(std::string_view target) {
  const auto found = std::ranges::find_if(kMachines, [&](const Machine& machine) {
    return !target.empty() && std::ranges::find(machine.targets, target) != machine.targets.end();
  });
  return found == kMachines.end() ? nullptr : &*found;
}

}  // namespace anecheck::encoder
