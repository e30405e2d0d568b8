#include "harness/runners/shared_buffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>
#if defined(__APPLE__)
#include <CoreFoundation/CoreFoundation.h>
#include <IOSurface/IOSurface.h>
#include <mach/mach.h>
#include <servers/bootstrap.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace anecheck {
namespace {

constexpr size_t kLongestName = 100;
constexpr uint64_t kLargest = uint64_t{1} << 40;

Error Failed(ErrorCode code, const std::string& name, std::string_view what) {
  return MakeError(code, fmt::format("shared buffer {}: {}", name, what));
}

Status CheckName(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
  if (plain && !name.empty() && name.size() <= kLongestName) return {};
  return Failed(ErrorCode::kInvalid, name,
                fmt::format("a name is 1 to {} letters, digits, '-', '_' and '.'", kLongestName));
}

}  // namespace

#if defined(__APPLE__)

struct SharedBuffer::Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (surface != nullptr) CFRelease(surface);
    // The bootstrap server removes a name when its port is released.
    if (port != MACH_PORT_NULL) mach_port_deallocate(mach_task_self(), port);
  }

  uint64_t size() const { return IOSurfaceGetAllocSize(surface); }

  // Locks the surface while the CPU accesses it.
  template <typename Copy>
  bool Touch(IOSurfaceLockOptions options, const Copy& copy) const {
    if (IOSurfaceLock(surface, options, nullptr) != kIOReturnSuccess) return false;
    copy(static_cast<uint8_t*>(IOSurfaceGetBaseAddress(surface)));
    return IOSurfaceUnlock(surface, options, nullptr) == kIOReturnSuccess;
  }
  bool Write(std::span<const uint8_t> bytes) {
    return Touch(0, [&](uint8_t* data) { std::memcpy(data, bytes.data(), bytes.size()); });
  }
  bool Read(std::span<uint8_t> bytes) const {
    return Touch(kIOSurfaceLockReadOnly,
                 [&](const uint8_t* data) { std::memcpy(bytes.data(), data, bytes.size()); });
  }

  IOSurfaceRef surface = nullptr;
  mach_port_t port = MACH_PORT_NULL;
};

namespace {

std::string ServiceName(const std::string& name) { return "anecheck." + name; }

// A surface with one row of bytes.
IOSurfaceRef MakeSurface(uint64_t bytes) {
  const auto count = static_cast<int64_t>(bytes);
  const int64_t one = 1;
  const void* keys[] = {kIOSurfaceWidth, kIOSurfaceHeight, kIOSurfaceBytesPerElement,
                        kIOSurfaceBytesPerRow, kIOSurfaceAllocSize};
  const int64_t* const numbers[] = {&count, &one, &one, &count, &count};
  constexpr size_t kKeys = std::size(keys);
  const void* values[kKeys] = {};
  for (size_t i = 0; i < kKeys; ++i) {
    values[i] = CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, numbers[i]);
  }
  CFDictionaryRef properties =
      CFDictionaryCreate(kCFAllocatorDefault, keys, values, kKeys, &kCFTypeDictionaryKeyCallBacks,
                         &kCFTypeDictionaryValueCallBacks);
  IOSurfaceRef surface = IOSurfaceCreate(properties);
  CFRelease(properties);
  for (const void* value : values) CFRelease(value);
  return surface;
}

}  // namespace

Result<SharedBuffer> SharedBuffer::Create(const std::string& name, uint64_t bytes) {
  ANECHECK_RETURN_IF_ERROR(CheckName(name));
  if (bytes == 0 || bytes > kLargest) return Failed(ErrorCode::kInvalid, name, "has no such size");
  auto memory = std::make_unique<Memory>();
  memory->surface = MakeSurface(bytes);
  if (memory->surface == nullptr) return Failed(ErrorCode::kIo, name, "no surface can be made");
  const std::vector<uint8_t> zeros(memory->size());
  if (!memory->Write(zeros)) return Failed(ErrorCode::kIo, name, "cannot be locked");
  memory->port = IOSurfaceCreateMachPort(memory->surface);
  if (memory->port == MACH_PORT_NULL) {
    return Failed(ErrorCode::kIo, name, "no port can be made of its surface");
  }
  std::string service = ServiceName(name);
  // Apple deprecated this call in favour of services of launchd. The port of a surface is no such
  // service, and no other call registers a port under a name.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  const kern_return_t code = bootstrap_register(bootstrap_port, service.data(), memory->port);
#pragma clang diagnostic pop
  if (code != KERN_SUCCESS) {
    return Failed(ErrorCode::kIo, name, fmt::format("cannot be registered: {}", code));
  }
  return SharedBuffer(std::move(memory));
}

Result<SharedBuffer> SharedBuffer::Open(const std::string& name) {
  ANECHECK_RETURN_IF_ERROR(CheckName(name));
  auto memory = std::make_unique<Memory>();
  const std::string service = ServiceName(name);
  const kern_return_t code = bootstrap_look_up(bootstrap_port, service.c_str(), &memory->port);
  if (code != KERN_SUCCESS) {
    return Failed(ErrorCode::kNotFound, name, fmt::format("is not registered: {}", code));
  }
  memory->surface = IOSurfaceLookupFromMachPort(memory->port);
  if (memory->surface == nullptr) {
    return Failed(ErrorCode::kNotFound, name, "the registered object is no surface");
  }
  return SharedBuffer(std::move(memory));
}

#else

struct SharedBuffer::Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data != nullptr) munmap(data, length);
    if (!owned_name.empty()) shm_unlink(owned_name.c_str());
  }

  uint64_t size() const { return length; }
  bool Write(std::span<const uint8_t> bytes) {
    std::memcpy(data, bytes.data(), bytes.size());
    return true;
  }
  bool Read(std::span<uint8_t> bytes) const {
    std::memcpy(bytes.data(), data, bytes.size());
    return true;
  }

  // Maps the memory and closes the descriptor.
  Status Map(int descriptor, const std::string& name) {
    void* mapping = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    const int why = errno;
    close(descriptor);
    if (mapping == MAP_FAILED) return Failed(ErrorCode::kIo, name, std::strerror(why));
    data = static_cast<uint8_t*>(mapping);
    return {};
  }

  std::string owned_name;
  uint8_t* data = nullptr;
  uint64_t length = 0;
};

namespace {

std::string ObjectName(const std::string& name) { return "/anecheck." + name; }

}  // namespace

Result<SharedBuffer> SharedBuffer::Create(const std::string& name, uint64_t bytes) {
  ANECHECK_RETURN_IF_ERROR(CheckName(name));
  if (bytes == 0 || bytes > kLargest) return Failed(ErrorCode::kInvalid, name, "has no such size");
  const std::string object = ObjectName(name);
  const int descriptor = shm_open(object.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor < 0) return Failed(ErrorCode::kIo, name, std::strerror(errno));
  auto memory = std::make_unique<Memory>();
  memory->owned_name = object;
  memory->length = bytes;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    const int why = errno;
    close(descriptor);
    return Failed(ErrorCode::kIo, name, std::strerror(why));
  }
  ANECHECK_RETURN_IF_ERROR(memory->Map(descriptor, name));
  return SharedBuffer(std::move(memory));
}

Result<SharedBuffer> SharedBuffer::Open(const std::string& name) {
  ANECHECK_RETURN_IF_ERROR(CheckName(name));
  const int descriptor = shm_open(ObjectName(name).c_str(), O_RDWR, 0600);
  if (descriptor < 0) return Failed(ErrorCode::kNotFound, name, std::strerror(errno));
  struct stat info{};
  const bool sized = fstat(descriptor, &info) == 0 && info.st_size > 0;
  auto memory = std::make_unique<Memory>();
  memory->length = sized ? static_cast<uint64_t>(info.st_size) : 0;
  if (!sized) {
    close(descriptor);
    return Failed(ErrorCode::kNotFound, name, "has no size yet");
  }
  ANECHECK_RETURN_IF_ERROR(memory->Map(descriptor, name));
  return SharedBuffer(std::move(memory));
}

#endif

SharedBuffer::SharedBuffer(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
SharedBuffer::SharedBuffer(SharedBuffer&&) noexcept = default;
SharedBuffer& SharedBuffer::operator=(SharedBuffer&&) noexcept = default;
SharedBuffer::~SharedBuffer() = default;

uint64_t SharedBuffer::size() const { return memory_->size(); }

Status SharedBuffer::Write(std::span<const uint8_t> bytes) {
  if (bytes.size() > size()) return MakeError(ErrorCode::kInvalid, "shared buffer: is too small");
  if (bytes.empty() || memory_->Write(bytes)) return {};
  return MakeError(ErrorCode::kIo, "shared buffer: cannot be locked");
}

Status SharedBuffer::Read(std::span<uint8_t> bytes) const {
  if (bytes.size() > size()) return MakeError(ErrorCode::kInvalid, "shared buffer: is too small");
  if (bytes.empty() || memory_->Read(bytes)) return {};
  return MakeError(ErrorCode::kIo, "shared buffer: cannot be locked");
}

}  // namespace anecheck
