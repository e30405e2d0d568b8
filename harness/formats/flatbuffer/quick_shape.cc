#include "harness/formats/flatbuffer/quick_shape.h"

#include <array>
#include <cstring>

#include "harness/base/hash.h"
#include "harness/base/little_endian.h"
#include "harness/base/planted_bug.h"

namespace anecheck::flatbuffer {
namespace {

// The references of a table that the checker must follow. MakePlan makes the plan after it has
// checked the vtable and the offsets of the fields. Most tables of one type share a vtable, so they
// also share a plan. MakePlan sets all members, so a cache of plans needs no clearing.
struct alignas(64) Plan {
  static constexpr size_t kMaxReferences = 12;
  // A string, or a vector whose elements contain no references.
  struct Leaf {
    uint16_t offset;  // in the table
    uint16_t element_width;
    uint8_t terminator;  // 1 for a string: bytes that follow the last element
    uint8_t zero_mask;   // the bits of the leaf's last byte that must be 0
  };
  struct Branch {
    uint16_t offset;
    uint16_t code_offset;  // offset of the member codes of a union, or 0
    int16_t type;          // index of the table or union, or of a nested buffer's root
    ShapeRole role;
  };
  static constexpr Leaf kStringLeaf = {0, 1, 1, 0xff};
  uint32_t table_size;
  uint32_t bytes;  // of table, vtable, and the leaves' length words and terminators
  uint8_t phase_mask;
  uint8_t phase;  // the table's position modulo 4, or modulo 8 if it has an 8-byte field
  uint8_t leaf_count;
  uint8_t branch_count;
  std::array<Leaf, kMaxReferences> leaves;
  std::array<Branch, kMaxReferences> branches;

  bool HasRoom() const { return leaf_count < kMaxReferences && branch_count < kMaxReferences; }
  // Precondition: the plan is not full.
  void Add(const ShapeField& field, uint32_t offset, uint32_t codes) {
    const auto at = static_cast<uint16_t>(offset);
    if (field.role <= ShapeRole::kNestedLeaf) {
      const bool string = field.kind == FieldKind::kString;
      leaves[leaf_count++] = {at, string ? uint16_t{1} : field.element_width,
                              static_cast<uint8_t>(string ? 1 : 0),
                              static_cast<uint8_t>(string ? 0xff : 0)};
      if (field.role != ShapeRole::kNestedLeaf) return;
    }
    const int16_t type = field.role == ShapeRole::kNestedLeaf ? field.nested : field.type;
    branches[branch_count++] = {at, static_cast<uint16_t>(codes), type, field.role};
  }
};

// Plans by vtable and table type. A plan takes the first free slot of the few slots for its key.
// Plans are never replaced.
class PlanCache {
 public:
  PlanCache() { keys_.fill(kNone); }

  static uint64_t KeyOf(uint64_t vtable, int16_t type) {
    return vtable << 16 | static_cast<uint16_t>(type);
  }

  const Plan* Find(uint64_t key) const {
    size_t slot = SlotOf(key);
    if (keys_[slot] == key) [[likely]]
      return &plans_[slot];
    for (size_t i = 1; i < kTries; ++i) {
      slot = (slot + 1) % kSlots;
      if (keys_[slot] == key) return &plans_[slot];
    }
    return nullptr;
  }

  // Returns a free slot for the plan of `key`, or null if no slot is free or the key has a plan.
  // The caller confirms the use of the slot with Take.
  Plan* Free(uint64_t key) {
    size_t slot = SlotOf(key);
    for (size_t i = 0; i < kTries && keys_[slot] != key; ++i, slot = (slot + 1) % kSlots) {
      if (keys_[slot] == kNone) return &plans_[slot];
    }
    return nullptr;
  }
  void Take(const Plan* free, uint64_t key) {
    keys_[static_cast<size_t>(free - plans_.data())] = key;
  }

 private:
  static constexpr size_t kSlotBits = 6;
  static constexpr size_t kSlots = size_t{1} << kSlotBits;
  static constexpr size_t kTries = 4;
  static constexpr uint64_t kNone = UINT64_MAX;
  // Multiplicative hashing. The top bits of the product depend on every bit of the key.
  static size_t SlotOf(uint64_t key) { return key * kGoldenRatio64 >> (64 - kSlotBits); }

  std::array<uint64_t, kSlots> keys_;
  std::array<Plan, kSlots> plans_;
};

// For a few table types, the last plan of the type and the vtable from which it was made. Each
// nested buffer has its own vtables, but most have the same words as those of other nested buffers.
class NestedPlans {
 public:
  struct Entry {
    int16_t type = -1;
    uint16_t vtable_size = 0;
    const uint8_t* vtable = nullptr;
    Plan plan;
  };
  Entry& Of(int16_t type) { return entries_[static_cast<uint16_t>(type) % kEntries]; }

 private:
  static constexpr size_t kEntries = 16;
  std::array<Entry, kEntries> entries_;
};

class QuickChecker {
 public:
  // `plans` is null in nested buffers.
  QuickChecker(const Schema& schema, ByteSpan bytes, PlanCache* plans, NestedPlans* nested_plans)
      : schema_(schema),
        data_(bytes.data()),
        size_(bytes.size()),
        plans_(plans),
        nested_plans_(nested_plans) {}

  bool Buffer(int16_t root, uint32_t start, std::string_view identifier) {
    if (size_ < 8 || size_ >= 0x7fffffff || (start & 3) != 0 || start + uint64_t{8} > size_) {
      return false;
    }
    if (!identifier.empty() && std::memcmp(data_ + start + 4, identifier.data(), 4) != 0) {
      return false;
    }
    const uint32_t distance = LoadU32(data_ + start);
    return distance != 0 && Table(start + uint64_t{distance}, root) && InBudget() &&
           tables_ <= kMaxTables;
  }

 private:
  // Positions are below 2^33 and lengths below 2^49, so their sum does not wrap.
  bool Holds(uint64_t at, uint64_t length) const { return at + length <= size_; }
  bool InBudget() const { return visited_ <= 2 * size_ + 4096; }

  // Checks a vector of offsets.
  bool Vector(uint64_t at, uint32_t* count) {
    if ((at & 3) != 0 || !Holds(at, 4)) return false;
    *count = LoadU32(data_ + at);
    const uint64_t bytes = 4 + uint64_t{*count} * 4;
    if (!Holds(at, bytes)) return false;
    visited_ += 1 + bytes;
    tables_ += *count;
    return true;
  }

  [[gnu::always_inline]] static bool Leaf(const uint8_t* data, uint64_t size, uint64_t at,
                                          const Plan::Leaf& leaf, uint64_t* content) {
    if ((at & 3) != 0 || at + 4 > size) return false;
    // Both factors have at most 32 bits, so the product cannot wrap.
    uint64_t bytes = uint64_t{LoadU32(data + at)} * leaf.element_width;
    if (IsPlanted(PlantedBug::kFlatbufferVectorSize)) bytes = static_cast<uint32_t>(bytes);
    const uint64_t end = at + 4 + bytes + leaf.terminator;
    if (end > size || (data[end - 1] & leaf.zero_mask) != 0) return false;
    *content += bytes;
    return true;
  }

  // The position of a vtable before the buffer wraps to a huge number, which fails the range check.
  uint64_t VTableOf(uint64_t at) const {
    return at -
           static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(LoadU32(data_ + at))));
  }

  [[gnu::always_inline]] bool Table(uint64_t at, int16_t type) {
    if (!Holds(at, 4)) return false;
    const uint64_t vtable = VTableOf(at);
    if (plans_ == nullptr) return FirstOfItsKind(at, vtable, type);
    const uint64_t key = PlanCache::KeyOf(vtable, type);
    const Plan* kept = plans_->Find(key);
    if (kept == nullptr || kept->phase != (at & kept->phase_mask) || !Holds(at, kept->table_size)) {
      return FirstOfItsKind(at, vtable, type);
    }
    return Follow(*kept, at);
  }

  [[gnu::noinline]] bool FirstOfItsKind(uint64_t at, uint64_t vtable, int16_t type) {
    if (plans_ == nullptr) return InNestedBuffer(at, vtable, type);
    const uint64_t key = PlanCache::KeyOf(vtable, type);
    Plan* const free = plans_->Free(key);
    if (free == nullptr) {
      Plan plan;
      return MakePlan(at, vtable, type, &plan) && Follow(plan, at);
    }
    if (!MakePlan(at, vtable, type, free)) return false;
    plans_->Take(free, key);
    return Follow(*free, at);
  }

  bool InNestedBuffer(uint64_t at, uint64_t vtable, int16_t type) {
    NestedPlans::Entry& entry = nested_plans_->Of(type);
    if (entry.type == type && HasVTable(vtable, entry) &&
        entry.plan.phase == (at & entry.plan.phase_mask) && Holds(at, entry.plan.table_size)) {
      // Copies the plan, because a check of a deeper table may replace the entry.
      const Plan plan = entry.plan;
      return Follow(plan, at);
    }
    Plan plan;
    if (!MakePlan(at, vtable, type, &plan)) return false;
    entry = {type, LoadU16(data_ + vtable), data_ + vtable, plan};
    return Follow(plan, at);
  }

  bool HasVTable(uint64_t vtable, const NestedPlans::Entry& entry) const {
    return (vtable & 1) == 0 && vtable <= size_ && Holds(vtable, entry.vtable_size) &&
           std::memcmp(data_ + vtable, entry.vtable, entry.vtable_size) == 0;
  }

  bool MakePlan(uint64_t at, uint64_t vtable, int16_t type, Plan* plan) {
    if ((at & 3) != 0 || (vtable & 1) != 0 || vtable > size_ || !Holds(vtable, 4)) return false;
    const uint32_t vtable_size = LoadU16(data_ + vtable);
    const uint32_t table_size = LoadU16(data_ + vtable + 2);
    if ((vtable_size & 1) != 0 || vtable_size < 4 || !Holds(vtable, vtable_size)) return false;
    if (table_size < 4 || !Holds(at, table_size)) return false;
    plan->table_size = table_size;
    plan->bytes = table_size + vtable_size;
    plan->phase_mask = 3;
    plan->phase = 0;
    plan->leaf_count = 0;
    plan->branch_count = 0;
    uint32_t codes = 0;  // offset of the member codes, if the previous field has them
    for (const ShapeField& field : schema_.tables[static_cast<size_t>(type)].shape) {
      const uint32_t offset =
          field.vtable_offset < vtable_size ? LoadU16(data_ + vtable + field.vtable_offset) : 0;
      if (offset == 0) {
        if (field.required || (codes != 0 && field.role != ShapeRole::kUnion)) return false;
        codes = 0;
        continue;
      }
      if (offset < 4 || offset + field.width > table_size ||
          ((at + offset) & (field.width - 1U)) != 0) {
        return false;
      }
      if (field.width == 8) {
        plan->phase_mask = 7;
        plan->phase = static_cast<uint8_t>(at & 7);
      }
      if (field.role == ShapeRole::kNothing) continue;
      if (field.role == ShapeRole::kCodes) {
        codes = offset;
        continue;
      }
      const bool of_union = field.role == ShapeRole::kUnion || field.role == ShapeRole::kUnions;
      if (of_union != (codes != 0) || !plan->HasRoom()) return false;
      plan->Add(field, offset, codes);
      codes = field.role == ShapeRole::kCodesLeaf ? offset : 0;
    }
    plan->bytes += 5U * plan->leaf_count;
    return codes == 0;
  }

  [[gnu::always_inline]] bool Follow(const Plan& plan, uint64_t at) {
    uint64_t visited = visited_ + plan.bytes;
    const uint8_t* const data = data_;
    const uint64_t size = size_;
    for (uint32_t i = 0; i < plan.leaf_count; ++i) {
      const Plan::Leaf& leaf = plan.leaves[i];
      const uint64_t slot = at + leaf.offset;
      const uint32_t distance = LoadU32(data + slot);
      if (distance == 0 || !Leaf(data, size, slot + distance, leaf, &visited)) return false;
    }
    visited_ = visited;
    return plan.branch_count == 0 || FollowBranches(plan, at);
  }

  [[gnu::noinline]] bool OneTable(uint64_t at, int16_t type) { return Table(at, type); }

  bool FollowBranches(const Plan& plan, uint64_t at) {
    // The tables of the branches are one level deeper. This table counts them, because a table
    // without branches does not count itself.
    if (++depth_ >= kMaxDepth || !InBudget()) return false;
    tables_ += plan.branch_count;
    for (uint32_t i = 0; i < plan.branch_count; ++i) {
      if (!FollowBranch(plan.branches[i], at)) return false;
    }
    --depth_;
    return true;
  }

  bool FollowBranch(const Plan::Branch& branch, uint64_t table) {
    const uint64_t slot = table + branch.offset;
    const uint32_t distance = LoadU32(data_ + slot);
    if (distance == 0) return false;
    const uint64_t target = slot + distance;
    if (branch.role == ShapeRole::kTable) return OneTable(target, branch.type);
    uint32_t count = 0;
    if (branch.role == ShapeRole::kTables) {
      return Vector(target, &count) && Tables(target + 4, count, branch.type);
    }
    switch (branch.role) {
      case ShapeRole::kUnion:
        return Member(target, data_[table + branch.code_offset], branch.type);
      case ShapeRole::kNestedLeaf:
        return Nested(target + 4, LoadU32(data_ + target), branch.type);
      case ShapeRole::kStrings:
        return Vector(target, &count) && Strings(target + 4, count);
      case ShapeRole::kUnions:
        return Vector(target, &count) &&
               Unions(target + 4, count, table + branch.code_offset, branch.type);
      default:
        return false;
    }
  }

  bool Strings(uint64_t slots, uint32_t count) {
    uint64_t visited = visited_ + uint64_t{count} * 5;
    for (uint32_t i = 0; i < count; ++i, slots += 4) {
      if (!Leaf(data_, size_, slots + LoadU32(data_ + slots), Plan::kStringLeaf, &visited)) {
        return false;
      }
    }
    visited_ = visited;
    return true;
  }

  bool Tables(uint64_t slots, uint32_t count, int16_t type) {
    // Most neighbouring tables share a vtable, so the loop reuses the last plan.
    uint64_t last = UINT64_MAX;
    const Plan* plan = nullptr;
    for (uint32_t i = 0; i < count; ++i, slots += 4) {
      const uint64_t at = slots + LoadU32(data_ + slots);
      if (!Holds(at, 4)) return false;
      const uint64_t vtable = VTableOf(at);
      if (vtable != last) {
        last = vtable;
        plan = plans_ == nullptr ? nullptr : plans_->Find(PlanCache::KeyOf(vtable, type));
      }
      if (plan == nullptr || plan->phase != (at & plan->phase_mask) ||
          !Holds(at, plan->table_size)) {
        if (!FirstOfItsKind(at, vtable, type)) return false;
        last = UINT64_MAX;
      } else if (!Follow(*plan, at)) {
        return false;
      }
    }
    return true;
  }

  bool Unions(uint64_t slots, uint32_t count, uint64_t codes_slot, int16_t type) {
    const uint64_t codes = codes_slot + LoadU32(data_ + codes_slot);
    if (LoadU32(data_ + codes) != count) return false;
    for (uint32_t i = 0; i < count; ++i, slots += 4) {
      const uint32_t distance = LoadU32(data_ + slots);
      const uint8_t code = data_[codes + 4 + i];
      if (code == 0 && distance == 0) continue;
      if (!Member(slots + distance, code, type)) return false;
    }
    return true;
  }

  // The full check handles members that are not in the schema.
  bool Member(uint64_t target, uint8_t code, int16_t type) {
    const EnumValue* value = schema_.enums[static_cast<size_t>(type)].ByValue(code);
    return value != nullptr && value->table >= 0 && OneTable(target, value->table);
  }

  bool Nested(uint64_t at, uint64_t size, int16_t root) {
    return QuickChecker(schema_, ByteSpan(data_ + at, size), nullptr, nested_plans_)
        .Buffer(root, 0, {});
  }

  const Schema& schema_;
  const uint8_t* data_;
  uint64_t size_;
  uint64_t visited_ = 0;  // bytes of all visited objects; a shared object counts at each visit
  uint32_t depth_ = 0;
  uint64_t tables_ = 0;  // an upper bound: strings in vectors count too
  PlanCache* plans_;
  NestedPlans* nested_plans_;
};

}  // namespace

bool IsQuicklySound(const Schema& schema, int16_t root, ByteSpan bytes, const BufferFrame& frame,
                    std::string_view identifier) {
  PlanCache plans;
  NestedPlans nested_plans;
  return QuickChecker(schema, bytes, &plans, &nested_plans).Buffer(root, frame.start, identifier);
}

}  // namespace anecheck::flatbuffer
