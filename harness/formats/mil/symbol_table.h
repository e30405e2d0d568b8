// Maps names to bindings while a MIL program is parsed, with nested scopes. Used by parser.cc only.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "harness/formats/mil/program.h"
#include "harness/formats/mil/table.h"

namespace anecheck::mil {

// A chained hash table whose entries form a stack. Leaving a scope pops the entries of that scope.
// The keys are the names of the program's bindings. Not thread-safe.
class SymbolTable {
 public:
  static constexpr uint32_t kAbsent = kNone;

  // The program must outlive the table.
  explicit SymbolTable(const Program& program)
      : program_(program), heads_(kInitialHeads, kAbsent) {}

  struct Mark {
    uint32_t size;
    uint32_t scope;
  };

  Mark Enter() {
    const Mark mark{entries_.size(), scope_};
    scope_ = mark.size;
    return mark;
  }
  void Leave(Mark mark) {
    while (entries_.size() > mark.size) {
      heads_[entries_.back().hash & (heads_.size() - 1)] = entries_.back().next;
      entries_.pop_back();
    }
    scope_ = mark.scope;
  }

  // Returns the innermost binding of `name`, or kAbsent.
  uint32_t Find(std::string_view name) const {
    const uint32_t entry = FindEntry(name, Hash(name));
    return entry == kAbsent ? kAbsent : entries_[entry].binding;
  }

  // Binds the name of `binding`. Returns false if the current scope has already bound that name;
  // the new binding replaces the old one.
  bool Insert(uint32_t binding) {
    const std::string_view name = NameOf(binding);
    const uint32_t hash = Hash(name);
    const uint32_t found = FindEntry(name, hash);
    if (found != kAbsent && found >= scope_) {
      entries_[found].binding = binding;
      return false;
    }
    if (entries_.size() >= heads_.size()) Grow();
    uint32_t& head = heads_[hash & (heads_.size() - 1)];
    entries_.push_back({hash, head, binding});
    head = entries_.size() - 1;
    return true;
  }

 private:
  static constexpr size_t kInitialHeads = 256;  // a power of two

  struct Entry {
    uint32_t hash;
    uint32_t next;
    uint32_t binding;
  };

  std::string_view NameOf(uint32_t binding) const {
    return program_.View(program_.bindings[binding].name);
  }

  static uint64_t Load(const char* from, size_t bytes) {
    uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
  }
  static uint64_t Mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  static uint32_t Hash(std::string_view name) {
    constexpr uint64_t kSecret = 0xa0761d6478bd642f;
    constexpr uint64_t kFactor = 0xe7037ed1a0b428db;
    const char* from = name.data();
    size_t left = name.size();
    uint64_t hash = left * kFactor;
    for (; left > 8; left -= 8, from += 8) hash = Mix(hash ^ Load(from, 8), kSecret);
    uint64_t tail = 0;
    if (left == 8) {
      tail = Load(from, 8);
    } else if (left >= 4) {
      tail = Load(from, 4) << 32 | Load(from + left - 4, 4);
    } else if (left > 0) {
      tail = Load(from, 1) << 16 | Load(from + left / 2, 1) << 8 | Load(from + left - 1, 1);
    }
    hash = Mix(hash ^ tail, kFactor);
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }

  uint32_t FindEntry(std::string_view name, uint32_t hash) const {
    for (uint32_t i = heads_[hash & (heads_.size() - 1)]; i != kAbsent; i = entries_[i].next) {
      if (entries_[i].hash == hash && NameOf(entries_[i].binding) == name) return i;
    }
    return kAbsent;
  }

  void Grow() {
    const size_t heads = heads_.size() * 2;
    heads_ = {};
    heads_.assign(heads, kAbsent);
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      uint32_t& head = heads_[entries_[i].hash & (heads_.size() - 1)];
      entries_[i].next = head;
      head = i;
    }
  }

  const Program& program_;
  std::vector<uint32_t> heads_;
  Table<Entry> entries_;
  uint32_t scope_ = 0;
};

}  // namespace anecheck::mil
