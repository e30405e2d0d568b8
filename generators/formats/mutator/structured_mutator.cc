#include "generators/formats/mutator/structured_mutator.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "generators/formats/boundary/boundary.h"
#include "generators/formats/mutator/extreme_values.h"
#include "generators/formats/mutator/json_edit.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"

namespace anecheck {
namespace {

constexpr int kMostTries = 8;  // of edits and cuts of bytes, until one changes something

constexpr int kJsonTries = 4;

// The JSON form of a larger file costs more than it brings.
constexpr size_t kMaxJsonInput = size_t{1} << 17;
// The JSON forms of two files whose total size is at most this cost little. For larger files they
// would take most of the time of an in-process fuzzer, so few such crossings are made.
constexpr size_t kSmallForms = size_t{1} << 11;
constexpr uint64_t kLargeFormsEvery = 16;

size_t Difference(size_t size, size_t at) { return at < size ? size - at : 0; }

// A value for a field with which a parser computes: an extreme value, an offset near the end of the
// file or near the field's own offset, or the old value, changed a little or so much that a product
// with it wraps.
uint64_t DrawValue(uint64_t old, size_t at, size_t width, size_t size, ChoiceStream& choices) {
  switch (choices.Below(8)) {
    case 0:
      return size - choices.Below(9);
    case 1:
      return at + choices.Below(17);
    case 2:
      return old + 1 + choices.Below(8);
    case 3:
      return old - 1 - choices.Below(8);
    case 4:
      return old + (uint64_t{1} << (8 * width - 1 - choices.Below(4)));
    default:
      return choices.Pick(kExtremeValues);
  }
}

void StoreExtreme(Bytes& bytes, ChoiceStream& choices) {
  const size_t width = size_t{1} << choices.Below(4);
  if (bytes.size() < width) return;
  size_t at = choices.Below(bytes.size() - width + 1);
  if (choices.Below(4) != 0) at -= at % width;
  const uint64_t value = DrawValue(LoadLittle(bytes, at, width), at, width, bytes.size(), choices);
  for (size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

// The characters that open something in a text, or escape the next one.
constexpr std::string_view kOpeners = "\\\"'<&{[(/*-%";

// A parser that reads one byte too far shows it only if its last object ends with the file, if the
// file ends just inside an object, or if its last byte does not terminate the last object.
void EditEnd(Bytes& bytes, ChoiceStream& choices) {
  if (bytes.empty()) return;
  const auto opener = static_cast<uint8_t>(kOpeners[choices.Below(kOpeners.size())]);
  if (choices.Below(3) == 0) {
    bytes.back() = opener;
    return;
  }
  const size_t most = choices.Coin() ? std::min<size_t>(bytes.size(), 8) : bytes.size();
  bytes.resize(bytes.size() - 1 - choices.Below(most));
  if (choices.Below(3) == 0) bytes.push_back(opener);
}

void CopyRun(Bytes& bytes, size_t max_size, ChoiceStream& choices) {
  if (bytes.empty()) return;
  const size_t from = choices.Below(bytes.size());
  const size_t size = 1 + choices.Below(std::min<size_t>(bytes.size() - from, 64));
  const Bytes run(bytes.begin() + static_cast<ptrdiff_t>(from),
                  bytes.begin() + static_cast<ptrdiff_t>(from + size));
  const size_t to = choices.Below(bytes.size() + 1);
  if (choices.Coin() && bytes.size() + size <= max_size) {
    bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(to), run.begin(), run.end());
  } else {
    std::copy_n(run.begin(), std::min(size, Difference(bytes.size(), to)),
                bytes.begin() + static_cast<ptrdiff_t>(to));
  }
}

void EraseRun(Bytes& bytes, ChoiceStream& choices) {
  if (bytes.empty()) return;
  const size_t at = choices.Below(bytes.size());
  const size_t size =
      1 + choices.Below(choices.Below(8) == 0 ? bytes.size() - at
                                              : std::min<size_t>(bytes.size() - at, 16));
  bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at),
              bytes.begin() + static_cast<ptrdiff_t>(at + size));
}

void EditOnce(Bytes& bytes, size_t max_size, ChoiceStream& choices) {
  switch (choices.Below(7)) {
    case 0:
      if (!bytes.empty()) bytes[choices.Below(bytes.size())] ^= 1u << choices.Below(8);
      break;
    case 1:
      if (!bytes.empty())
        bytes[choices.Below(bytes.size())] = static_cast<uint8_t>(choices.Below(256));
      break;
    case 2:
      StoreExtreme(bytes, choices);
      break;
    case 3:
      CopyRun(bytes, max_size, choices);
      break;
    case 4:
      EraseRun(bytes, choices);
      break;
    case 5:
      EditEnd(bytes, choices);
      break;
    default:
      if (bytes.size() < max_size) {
        const auto at = static_cast<ptrdiff_t>(choices.Below(bytes.size() + 1));
        bytes.insert(bytes.begin() + at, static_cast<uint8_t>(choices.Below(256)));
      }
  }
}

// Applies a named mutation of the generator. These require a file that parses.
bool ApplyNamed(const MutatorParts& parts, Bytes& bytes, ChoiceStream& choices) {
  const DescriptorGenerator& generator = *parts.generator;
  if (generator.mutations.empty() || parts.format == nullptr) return false;
  if (!parts.format->rewrite(bytes).ok()) return false;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const MutationKind& kind = choices.Pick(generator.mutations);
    const std::optional<Mutation> mutation = kind.propose(bytes, choices);
    if (!mutation) continue;
    Result<Bytes> mutated = kind.apply(bytes, *mutation);
    if (!mutated.ok()) continue;
    bytes = std::move(*mutated);
    return true;
  }
  return false;
}

// Draws a place. Half of the draws choose a name first, so that the one count of a header is drawn
// as often as a field that a hundred records repeat.
const boundary::Place& DrawPlace(const std::vector<boundary::Place>& places,
                                 ChoiceStream& choices) {
  if (choices.Coin()) return choices.Pick(places);
  std::vector<std::string_view> names;
  for (const boundary::Place& place : places) {
    if (std::ranges::find(names, place.name) == names.end()) names.push_back(place.name);
  }
  const std::string_view name = choices.Pick(names);
  const auto count = std::ranges::count(places, name, &boundary::Place::name);
  uint64_t left = choices.Below(static_cast<uint64_t>(count));
  return *std::ranges::find_if(
      places, [&](const boundary::Place& place) { return place.name == name && left-- == 0; });
}

// Sets one value to an edge, and seldom two or three values.
bool ApplyBoundary(std::string_view format, Bytes& bytes, size_t max_size, ChoiceStream& choices) {
  const uint64_t edits = choices.Below(8) == 0 ? 2 + choices.Below(2) : 1;
  bool changed = false;
  for (uint64_t i = 0; i < edits; ++i) {
    const std::vector<boundary::Place> places = boundary::PlacesOf(format, bytes);
    if (places.empty()) break;
    // Not every edge fits every field.
    for (int attempt = 0; attempt < kMostTries; ++attempt) {
      const boundary::Place& place = DrawPlace(places, choices);
      const size_t edge = choices.Below(boundary::EdgeCount(place.role));
      Bytes edited = boundary::ApplyEdge(bytes, place, edge, max_size);
      if (edited == bytes) continue;
      bytes = std::move(edited);
      changed = true;
      break;
    }
  }
  return changed;
}

bool ApplyJsonEdit(const Format& format, Bytes& bytes, ChoiceStream& choices) {
  if (bytes.size() > kMaxJsonInput) return false;
  const Result<Json> json = format.to_json(bytes);
  // The edit is tried a few times, because most values do not fit most fields, and some fields only
  // repeat others.
  for (int i = 0; i < kJsonTries && json.ok(); ++i) {
    Json edited = *json;
    if (!EditJson(edited, choices)) continue;
    Result<Bytes> encoded = format.from_json(edited);
    if (!encoded.ok() || *encoded == bytes) continue;
    bytes = std::move(*encoded);
    return true;
  }
  return false;
}

bool ApplyFresh(const MutatorParts& parts, Bytes& bytes, ChoiceStream& choices) {
  if (parts.generate != nullptr) {
    bytes = parts.generate(choices);
  } else if (parts.generator != nullptr) {
    bytes = parts.generator->generate(choices);
  } else {
    return false;
  }
  return true;
}

void ApplyByteEdits(const MutatorParts& parts, Bytes& bytes, size_t max_size,
                    ChoiceStream& choices) {
  if (parts.edit_bytes == nullptr) {
    EditBytes(bytes, max_size, choices);
    return;
  }
  const size_t size = std::min(bytes.size(), max_size);
  bytes.resize(max_size);
  bytes.resize(parts.edit_bytes(bytes.data(), size, max_size));
}

// An offset in `b` of the few bytes that `a` has at `at`; nothing if `b` does not have them. The
// search starts at a random offset.
std::optional<size_t> FindAlike(ByteSpan a, size_t at, ByteSpan b, ChoiceStream& choices) {
  constexpr size_t kAlike = 4;
  if (a.size() < at + kAlike || b.size() < kAlike) return std::nullopt;
  const ByteSpan bytes = a.subspan(at, kAlike);
  const size_t start = choices.Below(b.size());
  for (const size_t from : {start, size_t{0}}) {
    const ByteSpan rest = b.subspan(from);
    const auto found = std::search(rest.begin(), rest.end(), bytes.begin(), bytes.end());
    if (found != rest.end()) return from + static_cast<size_t>(found - rest.begin());
  }
  return std::nullopt;
}

Bytes Splice(ByteSpan a, ByteSpan b, ChoiceStream& choices) {
  const size_t head = choices.Below(a.size() + 1);
  // A file with fixed offsets can still be parsed if both halves keep their offsets. A text can
  // still be parsed if the cut joins equal words.
  size_t tail = choices.Coin() ? std::min(head, b.size()) : choices.Below(b.size() + 1);
  if (choices.Coin()) tail = FindAlike(a, head, b, choices).value_or(tail);
  Bytes child(a.begin(), a.begin() + static_cast<ptrdiff_t>(head));
  child.insert(child.end(), b.begin() + static_cast<ptrdiff_t>(tail), b.end());
  return child;
}

}  // namespace

void EditBytes(Bytes& bytes, size_t max_size, ChoiceStream& choices) {
  const uint64_t edits = 1 + choices.Below(4);
  for (uint64_t i = 0; i < edits; ++i) EditOnce(bytes, max_size, choices);
  if (bytes.size() > max_size) bytes.resize(max_size);
}

Bytes MutateFile(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Bytes bytes(input.begin(), input.end());
  // Edits of the JSON form and named mutations take a hundred times as long as those of bytes. Few
  // are made, so that they do not limit the executions per second.
  const uint64_t way = choices.Below(64);
  bool done = false;
  if (way < 28) {
    const std::string_view format = parts.format == nullptr ? "" : parts.format->name;
    done = parts.draw == nullptr && ApplyBoundary(format, bytes, max_size, choices);
  } else if (way < 31 && parts.generator != nullptr) {
    done = ApplyNamed(parts, bytes, choices);
    if (done && choices.Below(3) == 0) ApplyNamed(parts, bytes, choices);
  } else if (way < 34 && parts.format != nullptr) {
    done = ApplyJsonEdit(*parts.format, bytes, choices);
  } else if (way < 38) {
    StoreExtreme(bytes, choices);
    done = true;
  } else if (way == 38 || bytes.empty()) {
    done = ApplyFresh(parts, bytes, choices);
  } else if (way == 39) {
    EditEnd(bytes, choices);
    done = true;
  }
  if (bytes.size() > max_size) {
    bytes.assign(input.begin(), input.end());
    done = false;
  }
  // An edit may write the value that is already there, above all in a file that is mostly zeros.
  for (int i = 0; i < kMostTries && (!done || std::ranges::equal(bytes, input)); ++i) {
    ApplyByteEdits(parts, bytes, max_size, choices);
    done = true;
  }
  return bytes;
}

Bytes MutateStructure(const MutatorParts& parts, ByteSpan input, size_t max_size, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  Bytes bytes(input.begin(), input.end());
  const uint64_t way = choices.Below(16);
  if (way < 7 && parts.generator != nullptr) {
    ApplyNamed(parts, bytes, choices);
  } else if (way < 14 && parts.format != nullptr) {
    ApplyJsonEdit(*parts.format, bytes, choices);
  } else {
    ApplyFresh(parts, bytes, choices);
  }
  if (bytes.size() > max_size) bytes.assign(input.begin(), input.end());
  return bytes;
}

Bytes CrossFiles(const MutatorParts& parts, ByteSpan a, ByteSpan b, size_t max_size,
                 uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  if (parts.draw != nullptr && choices.Below(8) != 0) {
    Bytes child = CrossStreams(parts.draw, a, b, max_size, choices);
    if (!child.empty()) return child;
  }
  const bool by_form = parts.edit_bytes == nullptr || a.size() + b.size() <= kSmallForms
                           ? choices.Below(4) != 0
                           : choices.Below(kLargeFormsEvery) == 0;
  if (parts.format != nullptr && a.size() <= kMaxJsonInput && b.size() <= kMaxJsonInput &&
      by_form) {
    const Result<Json> first = parts.format->to_json(a);
    const Result<Json> second = parts.format->to_json(b);
    // Not every part has a counterpart in the other file, so a few are tried.
    for (int attempt = 0; attempt < kJsonTries && first.ok() && second.ok(); ++attempt) {
      Json crossed = *first;
      if (!CrossJson(crossed, *second, choices)) continue;
      Result<Bytes> child = parts.format->from_json(crossed);
      if (!child.ok() || child->size() > max_size || std::ranges::equal(*child, a)) continue;
      return std::move(*child);
    }
  }
  Bytes child;
  for (int i = 0; i < kMostTries; ++i) {
    child = Splice(a, b, choices);
    if (child.size() > max_size) child.resize(max_size);
    if (!std::ranges::equal(child, a) && !std::ranges::equal(child, b)) break;
  }
  return child;
}

}  // namespace anecheck
