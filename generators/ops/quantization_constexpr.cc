// Draws constants and compressed constants. A constant of x's shape is expanded and added to x. A
// constant of a weight's shape is expanded as the weight of another operation.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "generators/drawer.h"
#include "generators/ops/compressed.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

constexpr double kLimit = 16;

// Appends x + w, or the maximum of x and w if the sum may exceed the ceiling.
bool AddTo(Drawer& drawer, ValueId x, ValueId w) {
  const double sum = drawer.range(x).Magnitude() + drawer.range(w).Magnitude();
  const bool fits = sum <= drawer.Ceiling();
  return drawer.Emit(fits ? OpKind::kAdd : OpKind::kMaximum, {x, w},
                     {-sum, sum, drawer.integer_mode()});
}

// A constant of any element type with `count` random bits.
ValueId RandomBits(Drawer& drawer, const TensorType& type, int64_t count) {
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(drawer.choices().Below(256));
  // Bits past the last element are 0, because the text form cannot state them.
  const int64_t used = count % 8;
  if (used != 0) bytes.back() &= static_cast<uint8_t>((1 << used) - 1);
  return drawer.NewConstOf(type, bytes, 448);
}
ValueId RandomBits(Drawer& drawer, DType dtype, const Shape& shape) {
  return RandomBits(drawer, {dtype, shape}, shape.Elements() * DTypeBits(dtype));
}

// The expansion of a compressed constant: its shape, and the largest magnitude of its elements.
struct Wanted {
  Shape shape;
  double limit = kLimit;
};

// Steps so small that 256 of them are at most half of the limit; zero points take the other half.
ValueId Steps(Drawer& drawer, const Wanted& wanted, const Shape& shape) {
  return drawer.NewConst(shape, wanted.limit / 512);
}

// Ends the node and returns its first result, or kNoValue if the graph refuses the node.
ValueId Finish(Drawer& drawer, const Wanted& wanted) {
  return drawer.Finish({-wanted.limit, wanted.limit, false}) ? drawer.Last() : kNoValue;
}

bool DrawConst(Drawer& drawer, ValueId x) {
  const ValueId value = drawer.NewConst(drawer.shape(x), drawer.integer_mode() ? 16 : kLimit);
  drawer.Begin(OpKind::kConst);
  drawer.graph().AddArgument(params::Const::kVal, value);
  if (!drawer.Finish(drawer.range(value))) return false;
  return AddTo(drawer, x, drawer.Last());
}

ValueId MakeAffine(Drawer& drawer, const Wanted& wanted) {
  using P = params::AffineDequantize;
  ChoiceStream& choices = drawer.choices();
  const Shape& shape = wanted.shape;
  constexpr std::array<DType, 2> kBytes = {DType::kInt8, DType::kUint8};
  const DType dtype = choices.Pick(kBytes);
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  const auto vector = [&] { return choices.Coin() ? Shape{shape[axis]} : Shape{}; };
  const ValueId data = RandomBits(drawer, dtype, shape);
  const ValueId zero = RandomBits(drawer, dtype, vector());
  const ValueId scale = Steps(drawer, wanted, vector());
  drawer.Begin(OpKind::kConstexprAffineDequantize);
  drawer.graph().AddArgument(P::kQuantizedData, data);
  drawer.graph().AddArgument(P::kZeroPoint, zero);
  drawer.graph().AddArgument(P::kScale, scale);
  drawer.AddInt(P::kAxis, choices.Coin() ? axis : axis - shape.rank());
  return Finish(drawer, wanted);
}

// Draws the number of blocks along an axis, which must divide the axis's extent.
int64_t Blocks(Drawer& drawer, int64_t extent) {
  int64_t blocks = drawer.choices().Range(1, std::min<int64_t>(extent, 4));
  while (extent % blocks != 0) --blocks;
  return blocks;
}

Shape BlockShape(Drawer& drawer, const Shape& shape) {
  Shape blocks;
  for (const int64_t extent : shape.dims()) blocks.Append(Blocks(drawer, extent));
  return blocks;
}

// A lookup table of vectors, and the shape of indices that expand to the wanted shape.
struct Table {
  ValueId lut = kNoValue;
  Shape indices;
  DType dtype = DType::kUint1;
  std::optional<int> vector_axis;  // none if the vectors have one component
};

Table DrawTable(Drawer& drawer, const Wanted& wanted) {
  ChoiceStream& choices = drawer.choices();
  const Shape& shape = wanted.shape;
  constexpr std::array<DType, 5> kTypes = {DType::kUint1, DType::kUint2, DType::kUint3,
                                           DType::kUint4, DType::kUint6};
  Table table;
  table.dtype = choices.Pick(kTypes);
  table.indices = shape;
  int64_t vector = 1;
  const auto axis = static_cast<int>(choices.Below(static_cast<uint64_t>(shape.rank())));
  if (shape[axis] % 2 == 0 && choices.Coin()) {
    vector = 2;
    table.vector_axis = choices.Coin() ? axis : axis - shape.rank();
    table.indices[axis] /= 2;
  }
  Shape lut = BlockShape(drawer, table.indices);
  lut.Append(int64_t{1} << DTypeBits(table.dtype));
  lut.Append(vector);
  table.lut = drawer.NewConst(lut, wanted.limit);
  return table;
}

ValueId MakePackedLut(Drawer& drawer, const Wanted& wanted) {
  using P = params::LutToDense;
  const Shape& shape = wanted.shape;
  constexpr std::array<int, 5> kBits = {1, 2, 4, 6, 8};
  const int bits = drawer.choices().Pick(kBits);
  const int64_t count = shape.Elements() * bits;
  const ValueId indices = RandomBits(drawer, {DType::kUint8, {(count + 7) / 8}}, count);
  const ValueId lut = drawer.NewConst({int64_t{1} << bits}, wanted.limit);
  drawer.Begin(OpKind::kConstexprLutToDense);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kLut, lut);
  drawer.AddInts(P::kShape, shape.dims());
  return Finish(drawer, wanted);
}

ValueId MakeLutToDense(Drawer& drawer, const Wanted& wanted) {
  using P = params::LutToDense;
  if (drawer.choices().Coin()) return MakePackedLut(drawer, wanted);
  const Table table = DrawTable(drawer, wanted);
  const ValueId indices = RandomBits(drawer, table.dtype, table.indices);
  drawer.Begin(OpKind::kConstexprLutToDense);
  drawer.graph().AddArgument(P::kIndices, indices);
  drawer.graph().AddArgument(P::kLut, table.lut);
  if (table.vector_axis) drawer.AddInt(P::kVectorAxis, *table.vector_axis);
  return Finish(drawer, wanted);
}

// A mask of `count` bits packed in bytes, unused bits clear, and the number of bits set.
struct Mask {
  std::vector<uint8_t> bytes;
  int64_t set = 0;
};

Mask DrawMask(Drawer& drawer, int64_t count) {
  Mask mask;
  mask.bytes.assign(static_cast<size_t>((count + 7) / 8), 0);
  for (int64_t i = 0; i < count; ++i) {
    // The first bit is always set, because data without elements are tested separately.
    if (i > 0 && drawer.choices().Coin()) continue;
    mask.bytes[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1u << (i % 8));
    ++mask.set;
  }
  return mask;
}

ValueId FinishSparse(Drawer& drawer, const Wanted& wanted, ValueId data, ValueId mask,
                     bool packed) {
  using P = params::SparseToDense;
  drawer.Begin(OpKind::kConstexprSparseToDense);
  drawer.graph().AddArgument(P::kNonzeroData, data);
  drawer.graph().AddArgument(P::kMask, mask);
  if (packed) drawer.AddInts(P::kShape, wanted.shape.dims());
  return Finish(drawer, wanted);
}

ValueId MakeSparseToDense(Drawer& drawer, const Wanted& wanted) {
  const Shape& shape = wanted.shape;
  const Mask mask = DrawMask(drawer, shape.Elements());
  const bool packed = drawer.choices().Coin();
  const TensorType type = packed
                              ? TensorType{DType::kUint8, {static_cast<int64_t>(mask.bytes.size())}}
                              : TensorType{DType::kUint1, shape};
  const ValueId bits = drawer.NewConstOf(type, mask.bytes, 255);
  return FinishSparse(drawer, wanted, drawer.NewConst({mask.set}, wanted.limit), bits, packed);
}

ValueId MakeLutToSparse(Drawer& drawer, const Wanted& wanted) {
  using P = params::LutToSparse;
  const Table table = DrawTable(drawer, wanted);
  const Mask mask = DrawMask(drawer, table.indices.Elements());
  const ValueId bits = drawer.NewConstOf({DType::kUint1, table.indices}, mask.bytes, 1);
  const ValueId indices = RandomBits(drawer, table.dtype, {mask.set});
  drawer.Begin(OpKind::kConstexprLutToSparse);
  drawer.graph().AddArgument(P::kIndicesMask, bits);
  drawer.graph().AddArgument(P::kIndicesNonzeroData, indices);
  drawer.graph().AddArgument(P::kLut, table.lut);
  if (table.vector_axis) drawer.AddInt(P::kVectorAxis, *table.vector_axis);
  const ValueId first = Finish(drawer, wanted);
  if (first == kNoValue) return kNoValue;
  return FinishSparse(drawer, wanted, first + 1, first, false);
}

constexpr std::array<DType, 6> kDataTypes = {DType::kInt8,  DType::kInt4,    DType::kUint4,
                                             DType::kUint8, DType::kFp8E4M3, DType::kFp8E5M2};
// The first family whose weights may have the last two types, fp8 (specification 003, table 24.3).
constexpr int kFloat8Family = 7;

DType DrawDataType(Drawer& drawer) {
  const DType dtype = drawer.choices().Pick(kDataTypes);
  return IsFloat(dtype) && drawer.options().family < kFloat8Family ? DType::kInt8 : dtype;
}

// Quantised data. The steps are so small that no expanded value exceeds the limit.
ValueId DrawData(Drawer& drawer, DType dtype, const Shape& shape) {
  if (!IsFloat(dtype)) return RandomBits(drawer, dtype, shape);
  // Draws fp8 values of magnitude up to 1. No exponent exceeds the bias, so none is NaN or
  // infinite.
  const TensorType type{dtype, shape};
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  for (uint8_t& byte : bytes) {
    const auto most = static_cast<uint64_t>(dtype == DType::kFp8E4M3 ? 0x38 : 0x3c);
    byte = static_cast<uint8_t>(drawer.choices().Below(most + 1) |
                                (drawer.choices().Coin() ? 0x80u : 0u));
  }
  return drawer.NewConstOf(type, bytes, 1);
}

ValueId MakeBlockwise(Drawer& drawer, const Wanted& wanted) {
  using P = params::BlockwiseShiftScale;
  const Shape& shape = wanted.shape;
  const DType dtype = DrawDataType(drawer);
  const Shape blocks = BlockShape(drawer, shape);
  const ValueId data = DrawData(drawer, dtype, shape);
  const ValueId scale = Steps(drawer, wanted, blocks);
  const bool shifted = drawer.choices().Coin();
  const ValueId offset = shifted ? DrawData(drawer, dtype, blocks) : kNoValue;
  drawer.Begin(OpKind::kConstexprBlockwiseShiftScale);
  drawer.graph().AddArgument(P::kData, data);
  drawer.graph().AddArgument(P::kScale, scale);
  if (shifted) drawer.graph().AddArgument(P::kOffset, offset);
  return Finish(drawer, wanted);
}

ValueId MakeSparseBlockwise(Drawer& drawer, const Wanted& wanted) {
  using P = params::SparseBlockwiseShiftScale;
  const Shape& shape = wanted.shape;
  const DType dtype = DrawDataType(drawer);
  const Shape blocks = BlockShape(drawer, shape);
  const Mask mask = DrawMask(drawer, shape.Elements());
  const ValueId bits = drawer.NewConstOf({DType::kUint1, shape}, mask.bytes, 1);
  const ValueId data = DrawData(drawer, dtype, {mask.set});
  const ValueId scale = Steps(drawer, wanted, blocks);
  const bool shifted = drawer.choices().Coin();
  const ValueId offset = shifted ? DrawData(drawer, dtype, blocks) : kNoValue;
  drawer.Begin(OpKind::kConstexprSparseBlockwiseShiftScale);
  drawer.graph().AddArgument(P::kDataMask, bits);
  drawer.graph().AddArgument(P::kNonzeroData, data);
  drawer.graph().AddArgument(P::kScale, scale);
  if (shifted) drawer.graph().AddArgument(P::kOffset, offset);
  const ValueId first = Finish(drawer, wanted);
  if (first == kNoValue) return kNoValue;
  return FinishSparse(drawer, wanted, first + 1, first, false);
}

ValueId MakeConstexprCast(Drawer& drawer, const Wanted& wanted) {
  using P = params::ConstexprCast;
  constexpr std::array<DType, 2> kSources = {DType::kFp8E4M3, DType::kFp8E5M2};
  const ValueId source = DrawData(drawer, drawer.choices().Pick(kSources), wanted.shape);
  drawer.Begin(OpKind::kConstexprCast);
  drawer.graph().AddArgument(P::kSourceVal, source);
  drawer.AddString(P::kOutputDtype, "fp16");
  return Finish(drawer, wanted);
}

// Adds to x the constant that `Make` expands.
template <ValueId (*Make)(Drawer&, const Wanted&)>
bool DrawAdded(Drawer& drawer, ValueId x) {
  if (drawer.shape(x).rank() < 1) return false;
  const ValueId constant = Make(drawer, {drawer.shape(x), 2 * kLimit});
  return constant != kNoValue && AddTo(drawer, x, constant);
}

struct Form {
  OpKind kind;
  ValueId (*make)(Drawer&, const Wanted&);
};
constexpr std::array<Form, 6> kForms = {
    {{OpKind::kConstexprAffineDequantize, MakeAffine},
     {OpKind::kConstexprLutToDense, MakeLutToDense},
     {OpKind::kConstexprLutToSparse, MakeLutToSparse},
     {OpKind::kConstexprBlockwiseShiftScale, MakeBlockwise},
     {OpKind::kConstexprSparseBlockwiseShiftScale, MakeSparseBlockwise},
     {OpKind::kConstexprSparseToDense, MakeSparseToDense}}};

}  // namespace

ValueId DrawCompressed(Drawer& drawer, const Shape& shape, double limit) {
  if (shape.rank() < 1 || shape.Elements() > 4 * drawer.options().max_elements) return kNoValue;
  const Form& form = drawer.choices().Pick(kForms);
  const auto id = static_cast<size_t>(form.kind);
  const bool allowed = drawer.options().ops.test(id) && drawer.options().spelt.test(id) &&
                       GetOp(form.kind).family_floor <= drawer.options().family;
  return allowed ? form.make(drawer, {shape, limit}) : kNoValue;
}

constinit const OpGenerator kGeneratorConst = {OpKind::kConst, true, 1, DrawConst};
constinit const OpGenerator kGeneratorConstexprAffineDequantize = {
    OpKind::kConstexprAffineDequantize, false, 1, DrawAdded<MakeAffine>};
constinit const OpGenerator kGeneratorConstexprLutToDense = {OpKind::kConstexprLutToDense, false, 1,
                                                             DrawAdded<MakeLutToDense>};
constinit const OpGenerator kGeneratorConstexprLutToSparse = {OpKind::kConstexprLutToSparse, false,
                                                              1, DrawAdded<MakeLutToSparse>};
constinit const OpGenerator kGeneratorConstexprBlockwiseShiftScale = {
    OpKind::kConstexprBlockwiseShiftScale, false, 1, DrawAdded<MakeBlockwise>};
constinit const OpGenerator kGeneratorConstexprSparseBlockwiseShiftScale = {
    OpKind::kConstexprSparseBlockwiseShiftScale, false, 1, DrawAdded<MakeSparseBlockwise>};
constinit const OpGenerator kGeneratorConstexprSparseToDense = {
    OpKind::kConstexprSparseToDense, false, 1, DrawAdded<MakeSparseToDense>};
// Every compiler refuses this operation (facts/more/op_notes.csv).
constinit const OpGenerator kGeneratorConstexprCast = {OpKind::kConstexprCast, false, 0,
                                                       DrawAdded<MakeConstexprCast>};

}  // namespace anecheck
