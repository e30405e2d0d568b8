// Encodes the requests and replies between the campaign and a worker process as flat bytes in
// shared memory. Both ends are the same build of this tool, so the layout is private and has no
// version.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/result.h"
#include "harness/runners/runner.h"

namespace anecheck {

// A named tensor in the layout of the engine's ports.
struct WirePort {
  std::string_view name;
  uint64_t byte_size = 0;
  std::span<const uint8_t> bytes;  // inputs only
};

struct WireShape {
  std::vector<WirePort> inputs;
  std::vector<WirePort> outputs;
};

// A request as the worker reads it. Its views refer to the bytes from which it was read.
struct WireRequest {
  uint64_t id = 0;
  std::string_view target;
  std::string_view program;          // MIL text, or the property list of a network description
  std::span<const uint8_t> weights;  // of a network description, or those that the MIL text names
  WireShape shape;
  std::vector<WireShape> further;  // of a program with a range of shapes
  RunSettings settings;
  bool gives_second = false;  // the reply contains the outputs of the second execution
  // The inputs of the second execution; empty if they are those of the first.
  std::vector<std::span<const uint8_t>> again;
};

struct WireReply {
  uint64_t id = 0;
  RunStatus status = RunStatus::kFailed;
  Step step = Step::kNone;
  bool no_kernel = false;
  std::string message;
  std::string backend, proof;
  bool harness_fault =
      false;  // the worker itself failed, for the reason in `message`; the case has no result
  uint64_t compile_us = 0;
  uint64_t run_us = 0;
  // Outputs of the first execution, of the second if `gives_second`, then of further shapes.
  std::vector<std::vector<uint8_t>> outputs;
  std::optional<CompilerFiles> files;
  std::vector<Misconduct> misconduct;
  // The load failed in a process that had loaded many programs, so the case must be tried in a
  // fresh process. `message` is the engine's message.
  bool slots_spent = false;
};

// Appends fields to existing memory, with the interface of ByteWriter. A part that does not fit is
// not written, but counts in size().
class AreaWriter {
 public:
  explicit AreaWriter(std::span<uint8_t> area) : area_(area) {}

  void U8(uint8_t value) { Little(value); }
  void U32(uint32_t value) { Little(value); }
  void U64(uint64_t value) { Little(value); }
  void Bytes(std::span<const uint8_t> bytes) { Put(bytes.data(), bytes.size()); }
  void Text(std::string_view text) { Put(text.data(), text.size()); }

  uint64_t size() const { return size_; }
  bool fits() const { return size_ <= area_.size(); }

 private:
  template <typename T>
  void Little(T value) {
    uint8_t bytes[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
    Put(bytes, sizeof(T));
  }
  void Put(const void* from, size_t count) {
    if (count > 0 && size_ <= area_.size() && count <= area_.size() - size_) {
      std::memcpy(area_.data() + size_, from, count);
    }
    size_ += count;
  }

  std::span<uint8_t> area_;
  uint64_t size_ = 0;
};

// The largest number of bytes that WriteRequest may append.
uint64_t RequestSize(const RunRequest& request);
// The largest number of bytes that WriteReply may append if the reply has no messages and no files.
uint64_t ReplySize(const RunRequest& request);
void WriteRequest(const RunRequest& request, ByteWriter& writer);
void WriteRequest(const RunRequest& request, AreaWriter& writer);
Result<WireRequest> ReadRequest(ByteReader& reader);

void WriteReply(const WireReply& reply, ByteWriter& writer);
void WriteReply(const WireReply& reply, AreaWriter& writer);
Result<WireReply> ReadReply(ByteReader& reader);

}  // namespace anecheck
