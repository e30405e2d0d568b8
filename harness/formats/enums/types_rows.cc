// The tables of element types in three numberings, dimensions, layouts and pixel formats.
#include "harness/formats/enums/enum_rows.h"

namespace anecheck::enum_rows {

namespace {

constexpr EnumEntry kElementType[] = {
    {0, "int4"},   {1, "uint8"}, {2, "int8"},   {3, "fp16"},  {4, "fp32"},    {5, "int16"},
    {6, "uint16"}, {7, "int32"}, {8, "uint32"}, {9, "int64"}, {10, "uint64"},
};

constexpr EnumEntry kCatalogType[] = {
    {1, "void"},  {2, "int8"}, {3, "uint8"}, {4, "int16"},  {5, "float16"}, {6, "float"},
    {7, "raw10"}, {8, "lut"},  {9, "uint4"}, {10, "uint6"}, {16, "e4m3"},   {23, "int4"},
};

constexpr EnumEntry kTensorFormat[] = {
    {1, "int8"},  {2, "uint8"}, {3, "fp16"},           {11, "fp32"},
    {12, "e4m3"}, {13, "e5m2"}, {14, "live_two_byte"}, {16, "int4"},
};

constexpr EnumEntry kDimension[] = {
    {0, "N"}, {1, "D"}, {2, "C"}, {3, "H"}, {4, "W"},
};

constexpr EnumEntry kDataLayout[] = {
    {0, "NCHW"}, {1, "NHWC"},  {2, "OIHW"},  {3, "HWIO"},  {4, "CHW"},    {5, "HWC"},
    {6, "HW"},   {7, "NCDHW"}, {8, "NDHWC"}, {9, "OIDHW"}, {10, "DHWIO"},
};

constexpr EnumEntry kFlatten[] = {
    {1, "NCHW"},
    {2, "NHWC"},
};

constexpr EnumEntry kPixelFormat[] = {
    {0, "R8Unorm"},   {1, "RG8Unorm"},    {2, "RGBA8Unorm"}, {3, "BGRA8Unorm"}, {4, "R16Float"},
    {5, "RG16Float"}, {6, "RGBA16Float"}, {7, "R32Float"},   {8, "RG32Float"},  {9, "RGBA32Float"},
};

}  // namespace

const EnumTable kElementTypeTable = {EnumKind::kElementType, "element_type",
                                     "specification 000, table 23.12", kElementType};
const EnumTable kCatalogTypeTable = {
    EnumKind::kCatalogType, "catalog_type",
    "real files (types 1 to 10); specification 000, listing 23.5 (16 and 23)", kCatalogType};
const EnumTable kTensorFormatTable = {
    EnumKind::kTensorFormat, "tensor_format",
    "facts/more/tensor_format_codes.csv (public guide, chapter 36)", kTensorFormat};
const EnumTable kDimensionTable = {EnumKind::kDimension, "dimension",
                                   "facts/enums.json (public guide, appendix C)", kDimension};
const EnumTable kDataLayoutTable = {
    EnumKind::kDataLayout, "data_layout",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kDataLayout};
const EnumTable kFlattenTable = {EnumKind::kFlatten, "flatten",
                                 "facts/enums.json (public guide, appendix C)", kFlatten};
const EnumTable kPixelFormatTable = {
    EnumKind::kPixelFormat, "pixel_format",
    "facts/enums.json, symbolized attributes (public guide, appendix C)", kPixelFormat};

}  // namespace anecheck::enum_rows
