#include "harness/encoder/machine.h"

#include <algorithm>

namespace anecheck::encoder {
namespace {

using emulator::Generation;

// Source: observed_values.csv of the H13 facts.
constexpr ScheduleWords kScheduleH13 = {.log_events = {0x422, 0x400, 0x400, 0x422},
                                        .debug_events = {0xfff86a, 0x68, 0x68, 0xfff86a},
                                        .header6 = {0x30009800, 0x30009800},
                                        .task_info = 0x100000,
                                        .binary_point = 0x1c,
                                        .source_hints = 0x3388,
                                        .idle_source_hints = 0x888,
                                        .result_hints = 0xc0 >> 1,
                                        .streamed_result_hints = 0x40000c0 >> 1,
                                        .kernel_dma = 2,
                                        .kernel_dma_skipping = 3,
                                        .table_dma = 2,
                                        .stream_hints = 1,
                                        .table_hints = 1};
// Source: records of later generations (header_forms.md, 2; h14, h15, h16 and h18_registers.csv).
constexpr ScheduleWords kScheduleH14 = {.log_events = {0x2a, 0x08, 0, 0x22},
                                        .debug_events = {0xfff868, 0x68, 0, 0xfff860},
                                        .header6 = {0, 1},
                                        .task_flags = 1,
                                        .task_info = 0x100000,
                                        .binary_point = 0x1c,
                                        .source_hints = 0xe21 >> 1,
                                        .source_cache = 0xce,
                                        .result_hints = 0x1000e31 >> 1,
                                        .streamed_result_hints = 0x1000e31 >> 1,
                                        .kernel_dma = 0x102c0 >> 5,
                                        .kernel_dma_skipping = 0x102e0 >> 5,
                                        .table_dma = 0x102c0 >> 5,
                                        .stream_hints = 0x21 >> 1,
                                        .table_hints = 0x21 >> 1};

constexpr ScheduleWords FromH14() {
  ScheduleWords words = kScheduleH14;
  words.last_task_flags = 8;
  words.source_hints = 0x21 >> 1;
  words.result_hints = words.streamed_result_hints = 0x1000031 >> 1;
  words.kernel_dma = 0x202c0 >> 5;
  words.stream_hints = 0x10021 >> 1;
  words.cache_dma = true;
  return words;
}
constexpr ScheduleWords FromH15() {
  ScheduleWords words = FromH14();
  words.log_events = {0x0300002a, 0x08, 0, 0x03000022};
  return words;
}
constexpr ScheduleWords FromH16() {
  ScheduleWords words = FromH14();
  words.log_events = {0x04000068, 0x68, 0, 0x04000000};
  words.header6 = {0, 0};
  words.binary_point = 0x3c;
  return words;
}
constexpr ScheduleWords FromH17(uint32_t detect_zeros) {
  ScheduleWords words = FromH16();
  words.result_hints = words.streamed_result_hints = 0x1000021 >> 1;
  words.task_info = 0x200000;
  words.detect_zeros = detect_zeros;
  return words;
}
constexpr ScheduleWords kScheduleH15 = FromH15();
constexpr ScheduleWords kScheduleH16 = FromH16();
constexpr ScheduleWords kScheduleH17 = FromH17(1);
constexpr ScheduleWords kScheduleH18 = FromH17(0);

constexpr Machine kMachineH13 = {.generation = Generation::kH13,
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
                                 .kernel_segment = false,
                                 .rows_by_dma = false,
                                 .source2_twice = false,
                                 .slots_of_mask = 8,
                                 .stream_id = {},
                                 .schedule = &kScheduleH13};
constexpr Machine kMachineH14 = {.generation = Generation::kH14,
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
                                 .kernel_segment = false,
                                 .rows_by_dma = false,
                                 .source2_twice = false,
                                 .slots_of_mask = 16,
                                 .stream_id = {},
                                 .schedule = &kScheduleH14};

constexpr Machine MachineH15() {
  Machine machine = kMachineH14;
  machine.generation = Generation::kH15;
  machine.version = 8;
  machine.targets = {"h15", "h15g", "h15c"};
  machine.first_tensor_bar = 24;
  machine.source_mask = false;
  machine.slots_of_mask = 0;
  machine.stream_id = {16, {0x4d00, 0x4d04, 0x5100}};
  machine.schedule = &kScheduleH15;
  return machine;
}
constexpr Machine MachineH16() {
  Machine machine = MachineH15();
  machine.generation = Generation::kH16;
  machine.version = 17;
  machine.targets = {"h16", "h16g", "h16c", "h16s"};
  machine.header_words = 9;
  machine.kernel_segment = machine.rows_by_dma = true;
  machine.schedule = &kScheduleH16;
  return machine;
}
constexpr Machine MachineH17() {
  Machine machine = MachineH16();
  machine.version = 19;
  machine.targets = {"h17", "h17a", "h17g", "h17c", "h17d", "h17s"};
  machine.source2_twice = true;
  machine.schedule = &kScheduleH17;
  return machine;
}
constexpr Machine MachineH18() {
  Machine machine = MachineH16();
  machine.generation = Generation::kH18;
  machine.version = 20;
  machine.targets = {"h18"};
  machine.stream_id = {16, {0x4d10, 0x4d14, 0x5108}};
  machine.schedule = &kScheduleH18;
  return machine;
}

constexpr std::array<Machine, 6> kMachines = {kMachineH13,  kMachineH14,  MachineH15(),
                                              MachineH16(), MachineH17(), MachineH18()};

}  // namespace

std::span<const Machine> Machines() { return kMachines; }

const Machine* MachineOf(std::string_view target) {
  const auto found = std::ranges::find_if(kMachines, [&](const Machine& machine) {
    return !target.empty() && std::ranges::find(machine.targets, target) != machine.targets.end();
  });
  return found == kMachines.end() ? nullptr : &*found;
}

}  // namespace anecheck::encoder
