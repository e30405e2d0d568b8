#include "generators/formats/milweights/milweights_generator.h"

#include <array>
#include <utility>
#include <vector>

#include "generators/formats/common/byte_mutations.h"
#include "harness/formats/milweights/weight_file.h"

namespace anecheck {
namespace {

using mil::DataType;
using milweights::Blob;

constexpr std::array kTypes = {
    DataType::kFp16,      DataType::kInt8,   DataType::kUint8,  DataType::kFp32,  DataType::kUint4,
    DataType::kInt4,      DataType::kUint1,  DataType::kUint2,  DataType::kUint3, DataType::kUint6,
    DataType::kBf16,      DataType::kInt16,  DataType::kUint16, DataType::kInt32, DataType::kUint32,
    DataType::kFp8E4M3Fn, DataType::kFp8E5M2};

Bytes Generate(ChoiceStream& choices) {
  constexpr uint64_t kMaxBlobs = 9;
  constexpr uint64_t kMaxElements = 120;
  milweights::WeightFileWriter writer;
  const uint64_t count = choices.Below(kMaxBlobs);
  for (uint64_t i = 0; i < count; ++i) {
    const DataType type = choices.Pick(kTypes);
    const uint64_t elements = choices.Chance(1, 4) ? 0 : choices.Below(kMaxElements);
    const uint64_t bits = elements * static_cast<uint64_t>(mil::DataTypeBits(type));
    Bytes data((bits + 7) / 8);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(choices.Below(256));
    // The sizes drawn above fit every type, so Append cannot fail.
    (void)writer.Append(type, data, data.size() * 8 - bits);
  }
  return std::move(writer).Take();
}

std::vector<Blob> Blobs(ByteSpan bytes) {
  const auto file = milweights::Parse(bytes);
  return file.ok() ? file->blobs : std::vector<Blob>();
}

// Picks one of the blobs for which fits(blob, is_last) is true.
template <typename Fits>
std::optional<Blob> PickBlob(ByteSpan bytes, ChoiceStream& choices, const Fits& fits) {
  const std::vector<Blob> blobs = Blobs(bytes);
  std::vector<Blob> candidates;
  for (size_t i = 0; i < blobs.size(); ++i) {
    if (fits(blobs[i], i + 1 == blobs.size())) candidates.push_back(blobs[i]);
  }
  if (candidates.empty()) return std::nullopt;
  return choices.Pick(candidates);
}

bool Any(const Blob&, bool) { return true; }

int BitsOf(const Blob& blob) {
  return mil::DataTypeBits(milweights::BlobTypeFromNumber(blob.type));
}

uint32_t Count(ByteSpan bytes) {
  const auto file = milweights::Parse(bytes);
  return file.ok() ? file->count : 0;
}

std::optional<Mutation> ChangeVersion(ByteSpan, ChoiceStream& choices) {
  return MakePatch("change-version", {{4, 4, 3 + choices.Below(1000)}});
}

std::optional<Mutation> RaiseCount(ByteSpan bytes, ChoiceStream& choices) {
  return MakePatch("raise-count", {{0, 4, Count(bytes) + 1 + choices.Below(1u << 30)}});
}

std::optional<Mutation> LowerCount(ByteSpan bytes, ChoiceStream& choices) {
  if (Count(bytes) == 0) return std::nullopt;
  return MakePatch("lower-count", {{0, 4, choices.Below(Count(bytes))}});
}

std::optional<Mutation> ChangeType(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob =
      PickBlob(bytes, choices, [](const Blob& b, bool) { return b.padding_bits == 0; });
  if (!blob) return std::nullopt;
  return MakePatch("unknown-type", {{blob->record_offset + 4, 4, 18 + choices.Below(1u << 20)}});
}

std::optional<Mutation> OverrunSize(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices,
                             [](const Blob& b, bool last) { return last && b.padding_bits == 0; });
  if (!blob) return std::nullopt;
  return MakePatch("overrun-size",
                   {{blob->record_offset + 8, 8, blob->size + 64 * (1 + choices.Below(1u << 20))}});
}

std::optional<Mutation> DataBeforeRecord(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, [](const Blob& b, bool) { return b.size == 0; });
  if (!blob) return std::nullopt;
  const uint64_t place = 64 * choices.Below(blob->record_offset / 64 + 1);
  return MakePatch("data-before-record", {{blob->record_offset + 16, 8, place}});
}

std::optional<Mutation> MisalignData(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob =
      PickBlob(bytes, choices, [](const Blob& b, bool last) { return b.size == 0 && !last; });
  if (!blob) return std::nullopt;
  return MakePatch("misalign-data",
                   {{blob->record_offset + 16, 8, blob->data_offset + 1 + choices.Below(63)}});
}

std::optional<Mutation> PartOfElement(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, [](const Blob& b, bool last) {
    return !last && BitsOf(b) > 8 && b.size % 64 != 0;
  });
  if (!blob) return std::nullopt;
  return MakePatch("part-of-element", {{blob->record_offset + 8, 8, blob->size + 1}});
}

std::optional<Mutation> TooMuchPadding(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakePatch("too-much-padding",
                   {{blob->record_offset + 24, 8, 8 + choices.Below(uint64_t{1} << 40)}});
}

std::optional<Mutation> SetReserved(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  const uint64_t at =
      blob && choices.Coin() ? blob->record_offset + 32 + choices.Below(32) : 8 + choices.Below(56);
  return MakePatch("set-reserved", {{at, 1, 1 + choices.Below(255)}});
}

std::optional<Mutation> TrailingBytes(ByteSpan bytes, ChoiceStream& choices) {
  const uint64_t size = bytes.size() + 1 + choices.Below(200);
  return MakeResize("trailing-bytes", size, static_cast<uint8_t>(choices.Below(256)));
}

std::optional<Mutation> BreakSentinel(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakePatch("break-sentinel",
                   {{blob->record_offset, 4, choices.Coin() ? 0xefbeadde : choices.Below(256)}});
}

std::optional<Mutation> OverflowSize(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakePatch("overflow-size",
                   {{blob->record_offset + 8, 8, ~uint64_t{0} - choices.Below(256)}});
}

std::optional<Mutation> OverflowOffset(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakePatch("overflow-offset",
                   {{blob->record_offset + 16, 8, ~uint64_t{0} - choices.Below(256)}});
}

std::optional<Mutation> AliasData(ByteSpan bytes, ChoiceStream& choices) {
  const auto first = PickBlob(bytes, choices, Any);
  const auto second = PickBlob(bytes, choices, Any);
  if (!first || first->record_offset == second->record_offset) return std::nullopt;
  return MakePatch("alias-data", {{first->record_offset + 8, 8, second->size},
                                  {first->record_offset + 16, 8, second->data_offset}});
}

std::optional<Mutation> SwapTypes(ByteSpan bytes, ChoiceStream& choices) {
  const auto first = PickBlob(bytes, choices, Any);
  const auto second = PickBlob(bytes, choices, Any);
  if (!first || first->type == second->type) return std::nullopt;
  return MakePatch("swap-types", {{first->record_offset + 4, 4, second->type},
                                  {second->record_offset + 4, 4, first->type}});
}

std::optional<Mutation> Truncate(ByteSpan bytes, ChoiceStream& choices) {
  return MakeResize("truncate", choices.Below(bytes.size()));
}

std::optional<Mutation> CutRecord(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakeCut("cut-record", blob->record_offset, milweights::kRecordSize);
}

std::optional<Mutation> RepeatRecord(ByteSpan bytes, ChoiceStream& choices) {
  const auto blob = PickBlob(bytes, choices, Any);
  if (!blob) return std::nullopt;
  return MakeRepeat("repeat-record", blob->record_offset, milweights::kRecordSize);
}

constexpr auto kMutations = std::to_array<MutationKind>({
    {"change-version", "version-is-two", ChangeVersion, ApplyPatch},
    {"raise-count", "records-as-counted", RaiseCount, ApplyPatch},
    {"lower-count", "no-uncounted-records", LowerCount, ApplyPatch},
    {"unknown-type", "type-known", ChangeType, ApplyPatch},
    {"overrun-size", "data-inside-file", OverrunSize, ApplyPatch},
    {"data-before-record", "data-behind-record", DataBeforeRecord, ApplyPatch},
    {"misalign-data", "data-aligned", MisalignData, ApplyPatch},
    {"part-of-element", "whole-elements", PartOfElement, ApplyPatch},
    {"too-much-padding", "padding-bits", TooMuchPadding, ApplyPatch},
    {"set-reserved", "reserved-zero", SetReserved, ApplyPatch},
    {"trailing-bytes", "gaps-zero", TrailingBytes, ApplyResize},
    {"break-sentinel", "", BreakSentinel, ApplyPatch},
    {"overflow-size", "", OverflowSize, ApplyPatch},
    {"overflow-offset", "", OverflowOffset, ApplyPatch},
    {"alias-data", "", AliasData, ApplyPatch},
    {"swap-types", "", SwapTypes, ApplyPatch},
    {"truncate", "", Truncate, ApplyResize},
    {"cut-record", "", CutRecord, ApplyCut},
    {"repeat-record", "", RepeatRecord, ApplyRepeat},
});

}  // namespace

constinit const DescriptorGenerator kGenerator_milweights = {
    .format = "milweights", .generate = Generate, .mutations = kMutations};

}  // namespace anecheck
