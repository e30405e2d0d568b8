// Parameters that several operations of the convolution class share, with MIL's names and defaults
// (coremltools op reference). Private units have those of the operation whose hardware atom they
// share.
#pragma once

#include <array>

#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {

inline constexpr std::array<std::string_view, 4> kPadTypes = {"valid", "same", "same_lower",
                                                              "custom"};

inline constexpr Parameter kConvParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "weight", .dtypes = kFloats},
    // Must be a constant in programs before iOS 17, but not in later ones (coremltools).
    {.name = "bias", .need = Need::kOptional, .dtypes = kFloats},
    OptionalParameter("strides", ParameterKind::kInts, Default::Number(1)),
    {.name = "pad_type",
     .kind = ParameterKind::kString,
     .need = Need::kOptional,
     .choices = kPadTypes,
     .fallback = Default::Name("valid")},
    OptionalParameter("pad", ParameterKind::kInts, Default::Number(0)),
    OptionalParameter("dilations", ParameterKind::kInts, Default::Number(1)),
    OptionalParameter("groups", ParameterKind::kInt, Default::Number(1)),
};

inline constexpr Parameter kMatmulParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "y", .dtypes = kFloats},
    OptionalParameter("transpose_x", ParameterKind::kBool, Default::Flag(false)),
    OptionalParameter("transpose_y", ParameterKind::kBool, Default::Flag(false)),
};

inline constexpr std::array<std::string_view, 2> kUnitPoolModes = {"Avg", "Max"};

// The parameters are in the order of params::UnitPool. avg_pool has all of them except the mode.
// The other pools have all of them except the last two.
inline constexpr Parameter kUnitPoolParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "kernel_sizes", .kind = ParameterKind::kInts},
    OptionalParameter("strides", ParameterKind::kInts, Default::Number(1)),
    {.name = "pad_type", .kind = ParameterKind::kString, .choices = kPadTypes},
    OptionalParameter("pad", ParameterKind::kInts, Default::Number(0)),
    OptionalParameter("ceil_mode", ParameterKind::kBool, Default::Flag(false)),
    OptionalParameter("exclude_padding_from_average", ParameterKind::kBool, Default::Flag(false)),
    {.name = "mode", .kind = ParameterKind::kString, .choices = kUnitPoolModes},
};
inline constexpr std::span<const Parameter> kAvgPoolParameters =
    std::span(kUnitPoolParameters).first(7);
inline constexpr std::span<const Parameter> kPoolParameters =
    std::span(kUnitPoolParameters).first(6);

}  // namespace anecheck
