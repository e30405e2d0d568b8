// The property list keys of ports and constants, with their fields. Used by the reader, the writer
// and the rules of network descriptions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/formats/netlist/model.h"

namespace anecheck::netlist {

template <typename Record, size_t N>
struct KeyTable {
  std::array<std::pair<std::string_view, std::optional<int64_t> Record::*>, N> fields;
};
using ExtentKeys = KeyTable<Extents, 6>;
using StrideKeys = KeyTable<Strides, 4>;

// Sources: the real files, and for constants the public netlists of version 1.0.10.
inline constexpr ExtentKeys kInputExtents = {{{{"BatchSize", &Extents::batch},
                                               {"InputChannels", &Extents::channels},
                                               {"InputDepth", &Extents::depth},
                                               {"InputHeight", &Extents::height},
                                               {"InputInterleave", &Extents::interleave},
                                               {"InputWidth", &Extents::width}}}};
inline constexpr ExtentKeys kConstantExtents = {{{{"ConstantBatchSize", &Extents::batch},
                                                  {"ConstantChannels", &Extents::channels},
                                                  {"ConstantDepth", &Extents::depth},
                                                  {"ConstantHeight", &Extents::height},
                                                  {"ConstantInterleave", &Extents::interleave},
                                                  {"ConstantWidth", &Extents::width}}}};
inline constexpr StrideKeys kInputStrides = {{{{"InputBatchStride", &Strides::batch},
                                               {"InputDepthStride", &Strides::depth},
                                               {"InputPlaneStride", &Strides::plane},
                                               {"InputRowStride", &Strides::row}}}};
inline constexpr StrideKeys kOutputStrides = {{{{"OutputBatchStride", &Strides::batch},
                                                {"OutputDepthStride", &Strides::depth},
                                                {"OutputPlaneStride", &Strides::plane},
                                                {"OutputRowStride", &Strides::row}}}};

}  // namespace anecheck::netlist
