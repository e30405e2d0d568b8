// The live objects behind the opaque handles of the e5rt ABI. A handle contains a slot and the
// slot's generation. The table can therefore recognise a handle that was released or never issued
// without dereferencing it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace anecheck::device::e5rt {

enum class HandleKind : uint8_t {
  kCompilerConfig,
  kCompiler,
  kCompilerOptions,
  kLibrary,
  kFunction,
  kOperationOptions,
  kOperation,
  kPort,
  kBuffer,
  kStream,
  kEvent,
};

// The object that a handle names.
class Object {
 public:
  explicit Object(HandleKind kind) : kind_(kind) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  HandleKind kind() const { return kind_; }

 private:
  HandleKind kind_;
};

// Thread-safe.
class HandleTable {
 public:
  void* Insert(std::shared_ptr<Object> object);
  // Returns null if the handle is not alive.
  std::shared_ptr<Object> Find(const void* handle) const;
  // Removes and returns the object. Returns null if the handle is not alive or is of another kind.
  std::shared_ptr<Object> Remove(const void* handle, HandleKind kind);
  uint64_t live() const;

 private:
  struct Slot {
    std::shared_ptr<Object> object;
    uint32_t generation = 1;
  };
  const Slot* FindSlot(const void* handle) const;

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  uint64_t live_ = 0;
};

HandleTable& Handles();

// Returns the object of class T, or null if the handle is not alive or is of another kind.
template <typename T>
std::shared_ptr<T> Acquire(const void* handle) {
  auto object = Handles().Find(handle);
  if (object == nullptr || object->kind() != T::kKind) return nullptr;
  return std::static_pointer_cast<T>(std::move(object));
}

}  // namespace anecheck::device::e5rt
