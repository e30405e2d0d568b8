// Matrix products. A product is a 1x1 convolution whose columns are the rows of the result. The
// rows of a runtime factor serve directly as the streams of the engines (layout.md, rules 7 to 10).
#include <algorithm>

#include "harness/base/round_up.h"
#include "harness/encoder/coefficients.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/ops/params.h"

namespace anecheck::encoder {
namespace {

constexpr uint32_t kRowsOfTask = 128;  // the most rows of any executed program
constexpr int kRow = 2, kColumn = 3;

uint32_t Extent(const View& view, int axis) { return view.axes[static_cast<size_t>(axis)].extent; }

// Returns a view whose rows of all outer axes form one axis.
View Rows(const View& view) {
  View rows = view;
  rows.axes[kRow].extent *= Extent(view, 0) * Extent(view, 1);
  rows.axes[0] = rows.axes[1] = {};
  return rows;
}

View PartOfRows(const View& view, uint32_t begin, uint32_t length) {
  View part = view;
  part.base += view.axes[kRow].stride * begin;
  part.axes[kRow].extent = length;
  return part;
}

// The image of a product. The summed axis becomes the channels, and the other axis the columns.
struct Image {
  Place place;
  uint32_t channels = 1, columns = 1;
};

// If `columns_summed`, the columns of the matrix are the summed axis and become channels in L2.
Result<Image> ImageOf(Planner& planner, const View& matrix, bool columns_summed) {
  if (!columns_summed) {
    return Image{PlaceOf(matrix, kRow, -1), Extent(matrix, kRow), Extent(matrix, kColumn)};
  }
  ANECHECK_ASSIGN(const L2Block block,
                  planner.TakeL2(Extent(matrix, kColumn), 1, Extent(matrix, kRow)));
  ANECHECK_RETURN_IF_ERROR(planner.CopyToL2(matrix, block, kColumn, -1, kRow));
  return Image{PlaceOf(block), block.channels, block.columns};
}

struct Factor {
  std::vector<Stream> streams;
  uint32_t outputs = 1;
  uint32_t lane_bits = 0;
  std::optional<uint32_t> kernel_bar;  // if empty, the constants
  uint32_t writer = 0;
  bool bias = false;
  std::optional<uint64_t> table_base;  // for an activation table that has its own address
};

Status Multiply(Planner& planner, const Image& image, const Factor& factor, const Place& result,
                bool transposes, const Post& post) {
  Task task;
  task.in = {.width = image.columns, .channels = image.channels};
  task.out = {.width = image.columns, .channels = factor.outputs};
  task.source1 = image.place;
  task.result = result;
  task.transpose_result = transposes;
  task.kernel_writer = factor.writer;
  Neural& n = task.neural;
  n.op = NeuralOp::kMultiply;
  n.coefficients = true;
  n.unicast = false;
  n.bias = factor.bias;
  n.lane_bits = factor.lane_bits;
  n.engine_bits = EngineBits(factor.outputs);
  n.nonlinear = post.nonlinear;
  n.post_scale = post.scale;
  n.kernel_bar = factor.kernel_bar;
  n.streams = factor.streams;
  n.table_base = factor.table_base;
  return planner.Add(std::move(task));
}

// Stores the streams of a constant factor with `values` [outputs][sums].
Result<Factor> Constant(Planner& planner, std::span<const uint16_t> values, uint32_t outputs,
                        uint32_t sums, std::span<const uint16_t> bias, const Post& post) {
  const Weights weights{
      .out_channels = outputs, .in_channels = sums, .values = values, .bias = bias};
  const StreamOrder order{.lane_bits = LaneBits(outputs), .engine_bits = EngineBits(outputs)};
  ANECHECK_ASSIGN(std::vector<Bytes> streams, PackWeights(weights, order));
  Neural bound;
  planner.BindStreams(std::move(streams), post.table, bound);
  return Factor{.streams = std::move(bound.streams),
                .outputs = outputs,
                .lane_bits = order.lane_bits,
                .bias = !bias.empty(),
                .table_base = bound.table_base};
}

// Multiplies the rows of `x` by a constant factor.
Status TimesConstant(Planner& planner, const View& x, bool rows_summed, const View& y,
                     const Factor& factor, const Post& post) {
  const uint32_t rows = Extent(y, kRow);
  for (uint32_t begin = 0; begin < rows; begin += kRowsOfTask) {
    planner.ResetL2();
    const uint32_t length = std::min(kRowsOfTask, rows - begin);
    if (rows_summed && length < rows) return Refuse("more than 128 rows of a transposed factor");
    ANECHECK_ASSIGN(const Image image, rows_summed
                                           ? ImageOf(planner, x, false)
                                           : ImageOf(planner, PartOfRows(x, begin, length), true));
    ANECHECK_RETURN_IF_ERROR(Multiply(planner, image, factor,
                                      PlaceOf(PartOfRows(y, begin, length), kRow, -1), true, post));
  }
  return {};
}

// Returns a matrix in row-major order as [columns][rows].
std::vector<uint16_t> Transposed(std::span<const uint16_t> values, size_t rows, size_t columns) {
  std::vector<uint16_t> made(values.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) made[j * rows + i] = values[i * columns + j];
  }
  return made;
}

// One product of matrices, which are the last two axes of the views.
struct Product {
  ValueId x_id = kNoValue, y_id = kNoValue;
  View x, y, result;
  bool transpose_x = false, transpose_y = false;
};

Status TimesRuntime(Planner& planner, const Product& p) {
  planner.ResetL2();
  View x = p.x;
  const uint32_t rows = Extent(p.result, kRow);
  const uint32_t sums = Extent(x, p.transpose_x ? kRow : kColumn);
  uint32_t writer = 0;
  if (p.transpose_x) {
    ANECHECK_ASSIGN(x, planner.Temporary({1, 1, rows, sums}));
    View turned = p.x;
    std::swap(turned.axes[kRow], turned.axes[kColumn]);
    ANECHECK_RETURN_IF_ERROR(planner.Copy(turned, x));
    writer = planner.LastTask();
  }
  ANECHECK_ASSIGN(const Image image, ImageOf(planner, p.y, p.transpose_y));
  const uint64_t row = x.axes[kRow].stride;
  const uint32_t size = RoundUp(2 * sums, kLine);
  for (uint32_t begin = 0; begin < rows; begin += kEngineCount) {
    Factor factor{
        .outputs = std::min(kEngineCount, rows - begin), .kernel_bar = x.bar, .writer = writer};
    for (uint32_t i = 0; i < factor.outputs; ++i) {
      factor.streams.push_back({x.base + (begin + i) * row, size});
    }
    ANECHECK_RETURN_IF_ERROR(
        Multiply(planner, image, factor,
                 PlaceOf(PartOfRows(p.result, begin, factor.outputs), kRow, -1), false, {}));
  }
  return {};
}

}  // namespace

Status EncodeLinear(Planner& planner, const NodeView& node) {
  using P = params::Linear;
  const ValueId weight = node.Input(P::kWeight);
  if (!planner.IsConst(weight)) return Refuse("linear: weights that are no constant");
  ANECHECK_ASSIGN(const View x, planner.ViewOf(node.Input(P::kX)));
  ANECHECK_ASSIGN(const View y, planner.ResultOf(node.Result()));
  std::span<const uint16_t> bias;
  if (node.HasInput(P::kBias)) {
    if (!planner.IsConst(node.Input(P::kBias))) return Refuse("linear: a bias that is no constant");
    bias = planner.ConstHalves(node.Input(P::kBias));
    if (planner.fault() == Fault::kBiasRow) bias = {};
  }
  const Post post = planner.PostOf(node.Result());
  const Shape& shape = node.InputShape(P::kWeight);
  ANECHECK_ASSIGN(const Factor factor,
                  Constant(planner, planner.ConstHalves(weight), static_cast<uint32_t>(shape[0]),
                           static_cast<uint32_t>(shape[1]), bias, post));
  return TimesConstant(planner, Rows(x), false, Rows(y), factor, post);
}

namespace {

// Returns the constant factor of one batch in the order [outputs][sums].
std::vector<uint16_t> Matrix(std::span<const uint16_t> values, size_t batch, size_t rows,
                             size_t columns, bool turn) {
  const auto part = values.subspan(batch * rows * columns, rows * columns);
  if (turn) return Transposed(part, rows, columns);
  return {part.begin(), part.end()};
}

// Returns the batch of a constant for a batch index of the result. Axes of extent 1 repeat.
size_t BatchOf(const std::array<uint32_t, kAxes>& extents, uint32_t outer, uint32_t inner) {
  const size_t first = extents[0] > 1 ? outer : 0, second = extents[1] > 1 ? inner : 0;
  return first * extents[1] + second;
}

Status MultiplyBatch(Planner& planner, const Product& p, uint32_t outer, uint32_t inner) {
  const ValueId x = p.x_id, y = p.y_id;
  if (planner.IsConst(y)) {
    ANECHECK_ASSIGN(const auto extents, ExtentsOf(planner.graph(), y));
    const auto values = Matrix(planner.ConstHalves(y), BatchOf(extents, outer, inner), extents[2],
                               extents[3], !p.transpose_y);
    const uint32_t outputs = extents[p.transpose_y ? 2 : 3];
    ANECHECK_ASSIGN(const Factor factor,
                    Constant(planner, values, outputs, extents[p.transpose_y ? 3 : 2], {}, {}));
    return TimesConstant(planner, p.x, p.transpose_x, p.result, factor, {});
  }
  if (planner.IsConst(x)) {
    planner.ResetL2();
    ANECHECK_ASSIGN(const auto extents, ExtentsOf(planner.graph(), x));
    const auto values = Matrix(planner.ConstHalves(x), BatchOf(extents, outer, inner), extents[2],
                               extents[3], p.transpose_x);
    const uint32_t outputs = extents[p.transpose_x ? 3 : 2];
    ANECHECK_ASSIGN(const Factor factor,
                    Constant(planner, values, outputs, extents[p.transpose_x ? 2 : 3], {}, {}));
    ANECHECK_ASSIGN(const Image image, ImageOf(planner, p.y, p.transpose_y));
    return Multiply(planner, image, factor, PlaceOf(p.result, kRow, -1), false, {});
  }
  return TimesRuntime(planner, p);
}

// Returns the view with an added row axis of extent 1. The outer axes move by one.
View WithRow(const View& view) {
  View made = view;
  made.axes[0] = view.axes[1];
  made.axes[1] = view.axes[2];
  made.axes[kRow] = {1, view.axes[2].stride};
  return made;
}

}  // namespace

Status EncodeMatmul(Planner& planner, const NodeView& node) {
  using P = params::Matmul;
  Product p{.x_id = node.Input(P::kX), .y_id = node.Input(P::kY)};
  p.transpose_x = node.Bool(P::kTransposeX, false);
  p.transpose_y = node.Bool(P::kTransposeY, false);
  const bool vector_x = node.InputShape(P::kX).rank() == 1;
  const bool vector_y = node.InputShape(P::kY).rank() == 1;
  if (vector_x && vector_y) return Refuse("matmul: two vectors");
  if (vector_x) p.transpose_x = false;
  if (vector_y) {
    // x y = y x^T, because a vector is stored as a row.
    std::swap(p.x_id, p.y_id);
    p.transpose_y = !p.transpose_x;
    p.transpose_x = false;
  }
  // A constant factor is stored only as streams, so its view is not used.
  if (!planner.IsConst(p.x_id)) {
    ANECHECK_ASSIGN(p.x, planner.ViewOf(p.x_id));
  }
  if (!planner.IsConst(p.y_id)) {
    ANECHECK_ASSIGN(p.y, planner.ViewOf(p.y_id));
  }
  ANECHECK_ASSIGN(p.result, planner.ResultOf(node.Result()));
  if (vector_x || vector_y) p.result = WithRow(p.result);
  for (uint32_t outer = 0; outer < Extent(p.result, 0); ++outer) {
    for (uint32_t inner = 0; inner < Extent(p.result, 1); ++inner) {
      Product one = p;
      one.x = At(At(p.x, 0, outer), 1, inner);
      one.y = At(At(p.y, 0, outer), 1, inner);
      one.result = At(At(p.result, 0, outer), 1, inner);
      ANECHECK_RETURN_IF_ERROR(MultiplyBatch(planner, one, outer, inner));
    }
  }
  return {};
}

}  // namespace anecheck::encoder
