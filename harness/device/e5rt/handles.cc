#include "harness/device/e5rt/handles.h"

#include <utility>

namespace anecheck::device::e5rt {
namespace {

// A handle consists of the generation, the index + 1 and four zero bits. It therefore looks like an
// aligned address and is never null.
constexpr int kIndexBits = 24;
constexpr uint64_t kIndexMask = (uint64_t{1} << kIndexBits) - 1;
constexpr int kTagBits = 4;

void* MakeHandle(uint32_t index, uint32_t generation) {
  const uint64_t word = (uint64_t{generation & kIndexMask} << kIndexBits | (index + 1)) << kTagBits;
  return reinterpret_cast<void*>(static_cast<uintptr_t>(word));
}

}  // namespace

const HandleTable::Slot* HandleTable::FindSlot(const void* handle) const {
  const auto word = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(handle));
  if ((word & ((1u << kTagBits) - 1)) != 0) return nullptr;
  const uint64_t index = (word >> kTagBits) & kIndexMask;
  if (index == 0 || index > slots_.size()) return nullptr;
  const Slot& slot = slots_[index - 1];
  const uint64_t generation = word >> (kTagBits + kIndexBits);
  if (slot.object == nullptr || generation != (slot.generation & kIndexMask)) return nullptr;
  return &slot;
}

void* HandleTable::Insert(std::shared_ptr<Object> object) {
  const std::lock_guard lock(mutex_);
  ++live_;
  if (!free_.empty()) {
    const uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = std::move(object);
    return MakeHandle(index, slots_[index].generation);
  }
  slots_.push_back({std::move(object), 1});
  return MakeHandle(static_cast<uint32_t>(slots_.size() - 1), 1);
}

std::shared_ptr<Object> HandleTable::Find(const void* handle) const {
  const std::lock_guard lock(mutex_);
  const Slot* slot = FindSlot(handle);
  return slot == nullptr ? nullptr : slot->object;
}

std::shared_ptr<Object> HandleTable::Remove(const void* handle, HandleKind kind) {
  const std::lock_guard lock(mutex_);
  const Slot* found = FindSlot(handle);
  if (found == nullptr || found->object->kind() != kind) return nullptr;
  const auto index = static_cast<uint32_t>(found - slots_.data());
  Slot& slot = slots_[index];
  std::shared_ptr<Object> object = std::move(slot.object);
  slot.object = nullptr;
  ++slot.generation;
  free_.push_back(index);
  --live_;
  return object;
}

uint64_t HandleTable::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

HandleTable& Handles() {
  static auto* table = new HandleTable;  // outlives every thread of the process
  return *table;
}

}  // namespace anecheck::device::e5rt
