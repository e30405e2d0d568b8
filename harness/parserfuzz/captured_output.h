// Keeps the beginning and the end of a stream that may be endless.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace anecheck::parserfuzz {

class CapturedOutput {
 public:
  static constexpr size_t kKept = size_t{1} << 16;  // maximum bytes of the head, and of the tail

  void Append(std::string_view chunk) {
    const size_t head = std::min(kKept - head_.size(), chunk.size());
    head_ += chunk.substr(0, head);
    chunk.remove_prefix(head);
    tail_ += chunk;
    if (tail_.size() <= 2 * kKept) return;
    left_out_ += tail_.size() - kKept;
    tail_.erase(0, tail_.size() - kKept);
  }

  // Returns head and tail. A line between them states the number of bytes left out.
  std::string Text() const {
    const size_t more = tail_.size() - std::min(tail_.size(), kKept);
    if (left_out_ + more == 0) return head_ + tail_;
    return fmt::format("{}\n[{} bytes are left out]\n{}", head_, left_out_ + more,
                       std::string_view(tail_).substr(more));
  }

 private:
  std::string head_;
  std::string tail_;  // up to 2 * kKept bytes, so that bytes are rarely moved
  uint64_t left_out_ = 0;
};

}  // namespace anecheck::parserfuzz
