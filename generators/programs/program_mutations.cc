#include "generators/programs/program_mutations.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "generators/formats/common/model_edit.h"
#include "harness/emulator/field_table.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace {

using emulator::Field;
using emulator::FieldTable;
using emulator::PlaceKind;

// Values of fields, as fields.def defines them.
constexpr uint32_t kNeuralTask = 0;
constexpr uint32_t kFromL2 = 0;
constexpr uint32_t kStaysInL2 = 0;

// A distance in bytes, larger than every surface of these containers. The field can hold it.
constexpr uint32_t kFarBytes = 0x4000000;
constexpr uint32_t kFarUnits = kFarBytes / 64;
// Half of L2, in units of 16 bytes.
constexpr uint32_t kHalfL2 = 0x10000;

// The index of the task's last write to a register, among the task's values.
std::optional<size_t> PlaceOf(const td::Task& task, uint32_t address) {
  std::optional<size_t> place;
  for (const td::RegisterWrite& write : task.writes) {
    size_t at = write.first;
    td::ForEachRegister(task, write, [&](uint32_t to, uint32_t) {
      if (to == address) place = at;
      ++at;
    });
  }
  return place;
}

// Reads and writes the fields of one task in the task's 32-bit words.
class TaskFields {
 public:
  TaskFields(td::Task& task, const FieldTable& table) : task_(&task), table_(&table) {}

  uint32_t Get(Field field, uint32_t index = 0) const {
    const FieldTable::Entry& entry = EntryOf(field);
    const uint32_t address = entry.place.address + 4 * index;
    if (entry.place.kind == PlaceKind::kHeader) {
      return Extract(task_->header[entry.place.address], entry.place);
    }
    if (entry.place.kind == PlaceKind::kBound) return IsPacket(address) ? 1 : 0;
    if (entry.place.kind != PlaceKind::kRegister) return entry.reset;
    const auto at = PlaceOf(*task_, address);
    return at ? Extract(task_->values[*at], entry.place) : entry.reset;
  }

  // Adds `value` to a field of a register. Returns false if the task does not write the register.
  bool Add(Field field, uint32_t index, uint32_t value) {
    const FieldTable::Entry& entry = EntryOf(field);
    if (entry.place.kind != PlaceKind::kRegister) return false;
    const auto at = PlaceOf(*task_, entry.place.address + 4 * index);
    if (!at) return false;
    task_->values[*at] += value << entry.place.bit;
    return true;
  }

 private:
  const FieldTable::Entry& EntryOf(Field field) const {
    return *std::ranges::find_if(table_->entries(), [&](const FieldTable::Entry& entry) {
      return entry.row->field == field;
    });
  }
  static uint32_t Extract(uint32_t word, const emulator::Place& place) {
    return static_cast<uint32_t>(uint64_t{word} >> place.bit & ((uint64_t{1} << place.width) - 1));
  }
  bool IsPacket(uint32_t address) const {
    return std::ranges::any_of(task_->writes, [&](const td::RegisterWrite& write) {
      return (write.reserved & td::kAddressPacket) != 0 && write.byte_address <= address &&
             address <= td::LastAddress(write);
    });
  }

  td::Task* task_;
  const FieldTable* table_;
};

std::vector<TaskFields> TasksOf(hwx::Container& container) {
  std::vector<TaskFields> tasks;
  for (hwx::Section& section : container.sections) {
    if (section.tasks == nullptr) continue;
    const auto generation = emulator::GenerationOfVersion(section.tasks->generation->version);
    if (!generation) continue;
    for (td::Task& task : section.tasks->tasks) {
      tasks.emplace_back(task, FieldTable::Of(*generation));
    }
  }
  return tasks;
}

// Picks one of the tasks for which `holds` returns true.
template <typename Holds>
std::optional<TaskFields> PickTask(hwx::Container& container, uint64_t choice, Holds holds) {
  std::vector<TaskFields> tasks = TasksOf(container);
  std::erase_if(tasks, [&](const TaskFields& task) { return !holds(task); });
  if (tasks.empty()) return std::nullopt;
  return tasks[choice % tasks.size()];
}

// Picks one of the task's engines that have a stream.
std::optional<uint32_t> PickEngine(const TaskFields& task, uint64_t choice) {
  std::vector<uint32_t> engines;
  for (uint32_t engine = 0; engine < emulator::kEngines; ++engine) {
    if (task.Get(Field::kStreamEnable, engine) == 1) engines.push_back(engine);
  }
  if (engines.empty()) return std::nullopt;
  return engines[choice % engines.size()];
}

bool HasStream(const TaskFields& task) {
  return task.Get(Field::kTaskType) == kNeuralTask && task.Get(Field::kKernelBound) == 1 &&
         PickEngine(task, 0).has_value();
}

// Makes the stream one unit shorter than its coefficients.
bool ShortStream(hwx::Container& c, uint64_t a, uint64_t b) {
  auto task = PickTask(c, a, [](const TaskFields& fields) {
    return HasStream(fields) && fields.Get(Field::kZeroSkip) == 0;
  });
  return task && task->Add(Field::kStreamSize, *PickEngine(*task, b), ~uint32_t{0});
}

bool FarStream(hwx::Container& c, uint64_t a, uint64_t b) {
  auto task = PickTask(c, a, HasStream);
  return task && task->Add(Field::kStreamBase, *PickEngine(*task, b), kFarUnits);
}

bool FarSource(hwx::Container& c, uint64_t a, uint64_t) {
  auto task = PickTask(c, a, [](const TaskFields& fields) {
    return fields.Get(Field::kSourceType) != kFromL2 && fields.Get(Field::kSource1Bound) == 1;
  });
  return task && task->Add(Field::kSource1Base, 0, kFarBytes);
}

bool FarResult(hwx::Container& c, uint64_t a, uint64_t) {
  auto task = PickTask(c, a, [](const TaskFields& fields) {
    return fields.Get(Field::kResultType) != kStaysInL2 && fields.Get(Field::kResultBound) == 1;
  });
  return task && task->Add(Field::kResultBase, 0, kFarBytes);
}

// Moves a source to a part of L2 that no task writes.
bool UnwrittenSource(hwx::Container& c, uint64_t a, uint64_t) {
  auto task = PickTask(
      c, a, [](const TaskFields& fields) { return fields.Get(Field::kSourceType) == kFromL2; });
  return task && task->Add(Field::kL2Source1Base, 0, kHalfL2);
}

// Places all channels of the last result at the address of the first channel. The memory of the
// other channels is then never written.
bool OneChannel(hwx::Container& c, uint64_t, uint64_t) {
  std::vector<TaskFields> tasks = TasksOf(c);
  if (tasks.empty()) return false;
  TaskFields& last = tasks.back();
  const bool turned =
      last.Get(Field::kNeuralTranspose) == 1 || last.Get(Field::kPlanarTranspose) == 1;
  if (turned || last.Get(Field::kResultType) == kStaysInL2) return false;
  if (last.Get(Field::kOutputChannels) < 2 || last.Get(Field::kResultInterleave) != 1) return false;
  const uint32_t plane = last.Get(Field::kResultPlane);
  return plane != 0 && last.Add(Field::kResultPlane, 0, ~plane + 1);
}

using Edit = ModelEdit<hwx::Container>;

constexpr auto kEdits = std::to_array<Edit>({
    {.id = "short-stream", .breaks_rule = "program-streams-used-up", .edit = ShortStream},
    {.id = "far-stream", .breaks_rule = "program-streams-inside", .edit = FarStream},
    {.id = "far-source", .breaks_rule = "program-surfaces-inside", .edit = FarSource},
    {.id = "far-result", .breaks_rule = "program-surfaces-inside", .edit = FarResult},
    {.id = "unwritten-source", .breaks_rule = "program-producer-first", .edit = UnwrittenSource},
    {.id = "one-channel", .breaks_rule = "program-outputs-written", .edit = OneChannel},
});

constexpr auto kTable = ModelMutations<hwx::Parse, hwx::Write, kEdits>::Make();

}  // namespace

const std::span<const MutationKind> kProgramMutations = kTable;

}  // namespace anecheck
