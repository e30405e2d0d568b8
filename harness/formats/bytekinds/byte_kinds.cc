#include "harness/formats/bytekinds/byte_kinds.h"

#include <algorithm>
#include <utility>

namespace anecheck {
namespace {

size_t IndexOf(ByteKind kind) { return static_cast<size_t>(kind); }

// Sorts ranges and merges adjacent ranges.
void Join(std::vector<ByteRange>& ranges) {
  if (!std::ranges::is_sorted(ranges, {}, &ByteRange::begin)) {
    std::ranges::sort(ranges, {}, &ByteRange::begin);
  }
  size_t kept = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin <= ranges[kept].end) {
      ranges[kept].end = std::max(ranges[kept].end, ranges[i].end);
    } else {
      ranges[++kept] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(kept + 1);
}

void AddTo(ByteCounts* counts, ByteKind kind, uint64_t size) {
  switch (kind) {
    case ByteKind::kOpaque:
      break;  // ByteCounts has no member for opaque bytes
    case ByteKind::kPayload:
      counts->payload += size;
      break;
    case ByteKind::kFill:
      counts->fill += size;
      break;
    case ByteKind::kTyped:
      counts->typed += size;
      break;
  }
}

}  // namespace

void ByteKindMap::Claim(ByteKind kind, uint64_t offset, uint64_t size) {
  const uint64_t begin = std::min<uint64_t>(offset, bytes_.size());
  const uint64_t end = begin + std::min<uint64_t>(size, bytes_.size() - begin);
  if (begin == end) return;
  std::vector<ByteRange>& ranges = claims_[IndexOf(kind)];
  if (!ranges.empty() && ranges.back().begin <= begin && begin <= ranges.back().end) {
    ranges.back().end = std::max(ranges.back().end, end);
  } else {
    ranges.push_back({begin, end});
  }
}

ByteCounts ByteKindMap::Count() && {
  for (std::vector<ByteRange>& ranges : claims_) Join(ranges);
  ByteCounts counts{.total = bytes_.size()};
  std::array<size_t, kByteKinds> next{};
  uint64_t at = 0;
  while (at < bytes_.size()) {
    // `kind` becomes the first kind, in the order of ByteKind, that claims the current byte. `end`
    // becomes the next offset at which the kind may change.
    size_t kind = 0;
    uint64_t end = bytes_.size();
    for (; kind < kByteKinds; ++kind) {
      const std::vector<ByteRange>& ranges = claims_[kind];
      while (next[kind] < ranges.size() && ranges[next[kind]].end <= at) ++next[kind];
      if (next[kind] == ranges.size()) continue;
      const ByteRange& range = ranges[next[kind]];
      end = std::min(end, range.begin <= at ? range.end : range.begin);
      if (range.begin <= at) break;
    }
    if (kind == kByteKinds) {
      CountUnclaimed(at, end, &counts);
    } else {
      AddTo(&counts, static_cast<ByteKind>(kind), end - at);
    }
    at = end;
  }
  return counts;
}

void ByteKindMap::CountUnclaimed(uint64_t begin, uint64_t end, ByteCounts* counts) const {
  const ByteSpan gap = bytes_.subspan(begin, end - begin);
  counts->fill += static_cast<uint64_t>(std::ranges::count(gap, uint8_t{0}));
}

TextByteKinds::TextByteKinds(std::vector<ByteRange> opaque) : opaque_(std::move(opaque)) {
  Join(opaque_);
}

void TextByteKinds::Add(ByteKind kind, uint64_t size) {
  const uint64_t end = at_ + size;
  while (at_ < end) {
    while (next_ < opaque_.size() && opaque_[next_].end <= at_) ++next_;
    const bool more = next_ < opaque_.size();
    if (more && opaque_[next_].begin <= at_) {
      at_ = std::min(end, opaque_[next_].end);
      continue;
    }
    const uint64_t until = more ? std::min(end, opaque_[next_].begin) : end;
    counts_[IndexOf(kind)] += until - at_;
    at_ = until;
  }
}

ByteCounts TextByteKinds::Count(uint64_t total) && {
  ByteCounts counts{.total = total,
                    .payload = counts_[IndexOf(ByteKind::kPayload)],
                    .fill = counts_[IndexOf(ByteKind::kFill)]};
  uint64_t opaque = counts_[IndexOf(ByteKind::kOpaque)];
  for (const ByteRange& range : opaque_) {
    opaque += std::min(range.end, total) - std::min(range.begin, total);
  }
  counts.typed = total - counts.payload - counts.fill - opaque;
  return counts;
}

}  // namespace anecheck
