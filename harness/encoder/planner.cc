#include "harness/encoder/planner.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "harness/base/hash.h"
#include "harness/base/round_up.h"
#include "harness/encoder/coefficients.h"

namespace anecheck::encoder {
namespace {

constexpr uint64_t kMaxTasks = 4096;
constexpr uint64_t kMaxSurface = uint64_t{1} << 31;
constexpr uint64_t kElement = 2;  // bytes of fp16
constexpr uint32_t kByte = 1;     // bytes of a bool

// Returns the axis whose neighbouring elements are adjacent in memory, or -1.
int ColumnAxis(const View& view) {
  for (int i = kAxes - 1; i >= 0; --i) {
    const Axis& axis = view.axes[static_cast<size_t>(i)];
    if (axis.extent > 1 && axis.stride == view.element) return i;
  }
  return -1;
}

uint32_t ExtentOf(const View& view, int axis) {
  return axis < 0 ? 1 : view.axes[static_cast<size_t>(axis)].extent;
}

std::vector<int> LongAxes(const View& view, int but, int or_but = -1) {
  std::vector<int> axes;
  for (int i = 0; i < kAxes; ++i) {
    if (i != but && i != or_but && ExtentOf(view, i) > 1) axes.push_back(i);
  }
  return axes;
}

View PackedView(uint32_t bar, uint64_t base, const std::array<uint32_t, kAxes>& extents,
                uint32_t element = kElement) {
  View view{.bar = bar, .base = base, .axes = PackedAxes(extents, element), .element = element};
  view.batch = view.axes[0].stride;
  return view;
}

Status CheckExtents(const Extents& extents) {
  const bool fits = extents.width >= 1 && extents.width <= kMaxExtent && extents.height >= 1 &&
                    extents.height <= kMaxExtent && extents.depth >= 1 &&
                    extents.depth <= kMaxExtent && extents.channels >= 1 &&
                    extents.channels <= kMaxChannels;
  if (fits) return {};
  return Refuse(
      fmt::format("a task of {} channels, {} rows and {} columns does not fit the "
                  "descriptor",
                  extents.channels, extents.height, extents.width));
}

Status CheckPlace(const Place& place) {
  const uint64_t unit = place.in_l2 ? kL2Line : kLine;
  for (const uint64_t stride : {place.channel, place.row, place.depth, place.group}) {
    if (stride % unit != 0) {
      return Refuse(
          fmt::format("elements {} bytes apart: strides must be multiples of {}", stride, unit));
    }
    if (stride > std::numeric_limits<uint32_t>::max()) {
      return Refuse(fmt::format("elements {} bytes apart do not fit the descriptor", stride));
    }
  }
  if (place.base % unit != 0) {
    return Refuse(fmt::format("a surface at byte {}: surfaces must begin at multiples of {}",
                              place.base, unit));
  }
  if (place.base > std::numeric_limits<uint32_t>::max()) {
    return Refuse(fmt::format("a surface at byte {} does not fit the descriptor", place.base));
  }
  return {};
}

Task NeuralCopy(const Extents& extents, const Post& post) {
  Task task;
  task.in = task.out = extents;
  task.neural.engine_bits = EngineBits(extents.channels);
  task.neural.nonlinear = post.nonlinear;
  task.neural.post_scale = post.scale;
  task.neural.accumulator_bias = post.bias;
  return task;
}

// Returns "K" and 64 hexadecimal digits computed from the bytes. Real names contain a hash.
std::string KernelHash(std::span<const Bytes> streams) {
  Fnv1a hash(Fnv1a::kBasis);
  for (const Bytes& stream : streams) hash.Add(std::span<const uint8_t>(stream));
  std::string name = "K";
  for (uint64_t word = 0; word < 4; ++word) name += fmt::format("{:016X}", hash.Add(word).value());
  return name;
}

// Converts numbers to bools, and bools in bytes or in fp16 to the other form.
Post NotZero() { return {.nonlinear = Nonlinear::kTable, .table = StepTable(kOne, 0, kOne)}; }

constexpr std::string_view kNoOrder = "an order of axes that no single task can move";

// Calls act(part, row) for each row of a block. The block's channels become the rows of the part.
template <typename Act>
Status ForRows(const L2Block& block, Act act) {
  for (uint32_t row = 0; row < block.rows; ++row) {
    L2Block part = block;
    part.base += row * block.row_stride;
    part.rows = block.channels;
    part.row_stride = block.channel_stride;
    part.channels = 1;
    ANECHECK_RETURN_IF_ERROR(act(part, row));
  }
  return {};
}

// Appends at the next multiple of kLine and returns the offset.
uint64_t Append(std::span<const uint8_t> bytes, Bytes& to) {
  const uint64_t offset = RoundUp(to.size(), kLine);
  to.resize(offset);
  to.insert(to.end(), bytes.begin(), bytes.end());
  to.resize(RoundUp(to.size(), kLine));
  return offset;
}

Bytes Shifted(Bytes table) {
  constexpr size_t kKnots = 33, kFirst = 4;
  for (size_t i = kKnots - 1; i > 0; --i) {
    std::memcpy(&table[2 * (kFirst + i)], &table[2 * (kFirst + i - 1)], 2);
  }
  return table;
}

}  // namespace

Error Refuse(std::string reason) { return MakeError(ErrorCode::kUnsupported, std::move(reason)); }

std::array<Axis, kAxes> PackedAxes(const std::array<uint32_t, kAxes>& extents, uint32_t element) {
  std::array<Axis, kAxes> axes;
  uint64_t stride = RoundUp(uint64_t{element} * extents[3], kLine);
  axes[3] = {extents[3], element};
  for (size_t i = 3; i-- > 0;) {
    axes[i] = {extents[i], stride};
    stride *= extents[i];
  }
  return axes;
}

uint64_t PackedBytes(const std::array<uint32_t, kAxes>& extents, uint32_t element) {
  const auto axes = PackedAxes(extents, element);
  return axes[0].stride * axes[0].extent;
}

Result<std::array<uint32_t, kAxes>> ExtentsOf(const Graph& graph, ValueId id) {
  const TensorType& type = graph.type(id);
  if (type.dtype != DType::kFp16 && type.dtype != DType::kBool) {
    return Refuse(fmt::format("{} is {}: only tasks of fp16 and bool are known",
                              graph.value(id).name, DTypeName(type.dtype)));
  }
  std::array<int64_t, kAxes> extents = {1, 1, 1, 1};
  for (int i = 0; i < type.shape.rank(); ++i) {
    int64_t& extent = extents[static_cast<size_t>(std::max(0, kAxes - type.shape.rank() + i))];
    extent *= type.shape[i];
    if (extent < 1 || extent > kMaxChannels) {
      return Refuse(fmt::format("{} has an axis of extent {}", graph.value(id).name, extent));
    }
  }
  std::array<uint32_t, kAxes> result;
  std::ranges::transform(extents, result.begin(),
                         [](int64_t extent) { return static_cast<uint32_t>(extent); });
  return result;
}

std::array<uint32_t, kAxes> ExtentsOf(const View& view) {
  std::array<uint32_t, kAxes> extents;
  for (size_t i = 0; i < kAxes; ++i) extents[i] = view.axes[i].extent;
  return extents;
}

void MergeAxes(View& a, View& b, int begin, int end) {
  for (int i = end - 2; i >= begin; --i) {
    Axis& a_out = a.axes[static_cast<size_t>(i)];
    Axis& a_in = a.axes[static_cast<size_t>(i) + 1];
    Axis& b_out = b.axes[static_cast<size_t>(i)];
    Axis& b_in = b.axes[static_cast<size_t>(i) + 1];
    if (a_out.extent == 1) continue;
    const bool joins = a_in.extent == 1 || (a_out.stride == a_in.stride * a_in.extent &&
                                            b_out.stride == b_in.stride * b_in.extent &&
                                            a_out.extent * a_in.extent <= kMaxExtent);
    if (!joins) continue;
    if (a_in.extent == 1) {
      a_in.stride = a_out.stride;
      b_in.stride = b_out.stride;
    }
    a_in.extent *= a_out.extent;
    b_in.extent *= b_out.extent;
    a_out.extent = b_out.extent = 1;
  }
}

View Part(const View& view, int axis, uint32_t begin, uint32_t length, uint32_t step) {
  View part = view;
  Axis& at = part.axes[static_cast<size_t>(axis)];
  part.base += at.stride * begin;
  at.stride *= step;
  at.extent = length;
  return part;
}

View At(const View& view, int axis, uint32_t index) {
  View moved = view;
  Axis& at = moved.axes[static_cast<size_t>(axis)];
  if (at.extent > 1) moved.base += at.stride * index;  // extent 1 is broadcast
  at.extent = 1;
  return moved;
}

Place PlaceOf(const View& view, int channel, int row, int depth) {
  const auto stride = [&](int axis) -> uint64_t {
    return axis < 0 || ExtentOf(view, axis) == 1 ? 0 : view.axes[static_cast<size_t>(axis)].stride;
  };
  Place place{.bar = view.bar, .base = view.base, .element = view.element};
  place.channel = stride(channel);
  place.row = stride(row);
  place.depth = stride(depth);
  // Axes without a stride get the smallest strides of real files.
  if (place.row == 0)
    place.row =
        std::max<uint64_t>(kLine, RoundUp(uint64_t{view.element} * ExtentOf(view, 3), kLine));
  if (place.channel == 0) place.channel = place.row;
  if (place.depth == 0) place.depth = view.batch;
  if (place.depth == 0) place.depth = place.channel * std::max(1u, ExtentOf(view, channel));
  return place;
}

Place PlaceOf(const L2Block& block) {
  return {.in_l2 = true,
          .base = block.base,
          .channel = block.channel_stride,
          .row = block.row_stride,
          .depth = block.Bytes(),
          .group = block.Bytes()};
}

Status Planner::BindPorts() {
  views_.assign(graph_.values().size(), std::nullopt);
  halves_.assign(graph_.values().size(), std::nullopt);
  byte_ports_.assign(graph_.values().size(), std::nullopt);
  if (!graph_.ValuesOfKind(ValueKind::kState).empty()) {
    return Refuse("states: no file shows how a container holds a state");
  }
  std::vector<ValueId> tensors;
  for (const ValueId id : graph_.outputs()) {
    if (graph_.value(id).kind != ValueKind::kResult) {
      return Refuse(
          fmt::format("{} is an output, but no operation computes it", graph_.value(id).name));
    }
    if (std::ranges::find(tensors, id) != tensors.end()) {
      return Refuse(fmt::format("{} is an output twice", graph_.value(id).name));
    }
    tensors.push_back(id);
  }
  const std::vector<ValueId> inputs = graph_.ValuesOfKind(ValueKind::kInput);
  tensors.insert(tensors.end(), inputs.begin(), inputs.end());
  if (machine_.tensors_by_name) {
    std::ranges::sort(tensors, {}, [&](ValueId id) { return graph_.value(id).name; });
  }
  uint32_t bar = machine_.first_tensor_bar;
  for (const ValueId id : tensors) {
    ANECHECK_ASSIGN(const auto extents, ExtentsOf(graph_, id));
    if (bar > machine_.last_bar) return Refuse("more tensors than base addresses");
    if (PackedBytes(extents) > kMaxSurface) return Refuse("a tensor above 2 GiB");
    const bool bools = graph_.type(id).dtype == DType::kBool;
    if (bools && machine_.generation != emulator::Generation::kH13) {
      return Refuse(
          fmt::format("{} is bool: only records of h13 have such tensors", graph_.value(id).name));
    }
    (bools ? byte_ports_ : views_)[id] = PackedView(bar, 0, extents, bools ? kByte : kElement);
    bar += machine_.bar_step;
  }
  if (machine_.kernel_segment && bar > machine_.last_bar) {
    return Refuse("more tensors than base addresses");
  }
  kernel_bar_ = machine_.kernel_segment ? bar : machine_.constants_bar;
  return {};
}

std::span<const uint16_t> Planner::ConstHalves(ValueId id) {
  auto& halves = halves_[id];
  if (!halves) {
    const auto bytes = graph_.ConstData(id);
    if (graph_.type(id).dtype == DType::kBool) {
      halves.emplace(bytes.size());
      std::ranges::transform(bytes, halves->begin(),
                             [](uint8_t byte) { return byte != 0 ? kOne : uint16_t{0}; });
      return *halves;
    }
    halves.emplace(bytes.size() / kElement);
    std::memcpy(halves->data(), bytes.data(), halves->size() * kElement);
  }
  return *halves;
}

Result<View> Planner::ViewOf(ValueId id) {
  if (views_[id]) return *views_[id];
  ANECHECK_ASSIGN(const auto extents, ExtentsOf(graph_, id));
  if (!IsConst(id)) {
    ANECHECK_ASSIGN(views_[id], Temporary(extents));
    if (byte_ports_[id] && graph_.value(id).kind == ValueKind::kInput) {
      ANECHECK_RETURN_IF_ERROR(Copy(*byte_ports_[id], *views_[id], NotZero()));
    }
    return *views_[id];
  }
  views_[id] = Image(extents, ConstHalves(id));
  return *views_[id];
}

Result<View> Planner::StoredViewOf(ValueId id) {
  const bool bytes = byte_ports_[id] && graph_.value(id).kind == ValueKind::kInput;
  return bytes ? Result<View>(*byte_ports_[id]) : ViewOf(id);
}

Status Planner::StoreBools(ValueId id) {
  if (!byte_ports_[id]) return {};
  ANECHECK_ASSIGN(const View view, ViewOf(id));
  return Copy(view, *byte_ports_[id], NotZero());
}

View Planner::Image(const std::array<uint32_t, kAxes>& extents, std::span<const uint16_t> halves) {
  View view = PackedView(machine_.constants_bar, 0, extents);
  Bytes image(PackedBytes(extents));
  const size_t row = extents[3];
  for (size_t i = 0; i * row < halves.size(); ++i) {
    std::memcpy(&image[i * view.axes[2].stride], &halves[i * row], row * kElement);
  }
  view.base = Append(image, constants_);
  return view;
}

Result<View> Planner::ResultOf(ValueId id) {
  for (const Fused& fused : fused_) {
    if (fused.from == id) return ViewOf(fused.into);
  }
  return ViewOf(id);
}

Result<View> Planner::Temporary(const std::array<uint32_t, kAxes>& extents) {
  const uint64_t bytes = PackedBytes(extents);
  if (scratch_ + bytes > kMaxSurface) return Refuse("more than 2 GiB of scratch");
  const View view = PackedView(machine_.scratch_bar, scratch_, extents);
  scratch_ += bytes;
  return view;
}

void Planner::Fuse(ValueId id, ValueId into, Post post) {
  fused_.push_back({id, into, std::move(post)});
}

Post Planner::PostOf(ValueId id) const {
  const auto fused = std::ranges::find(fused_, id, &Fused::from);
  return fused == fused_.end() ? Post{} : fused->post;
}

bool Planner::IsFused(ValueId into) const {
  return std::ranges::find(fused_, into, &Fused::into) != fused_.end();
}

Result<L2Block> Planner::TakeL2(uint32_t channels, uint32_t rows, uint32_t columns) {
  const uint64_t channel = RoundUp(kElement * columns, kL2Line);
  const uint64_t bytes = channel * channels * rows;
  if (l2_next_ + bytes > kL2Bytes) {
    return Refuse(
        fmt::format("its tasks need {} bytes of L2, but L2 has {}", l2_next_ + bytes, kL2Bytes));
  }
  const L2Block block{.base = l2_next_,
                      .channels = channels,
                      .rows = rows,
                      .columns = columns,
                      .channel_stride = static_cast<uint32_t>(channel),
                      .row_stride = static_cast<uint32_t>(channel * channels)};
  l2_next_ += static_cast<uint32_t>(bytes);
  return block;
}

bool Planner::Holds(std::span<const Stream> streams, std::span<const Bytes> bytes) {
  return std::ranges::equal(streams, bytes, [&](const Stream& stream, const Bytes& wanted) {
    return std::ranges::equal(std::span(KernelBytes()).subspan(stream.base, stream.size), wanted);
  });
}

std::vector<Stream> Planner::AddStreams(const std::vector<Bytes>& streams) {
  const std::string name = KernelHash(streams);
  const auto known = streams_.find(name);
  if (known != streams_.end() && Holds(known->second, streams)) return known->second;
  std::vector<Stream> made;
  for (const Bytes& stream : streams) {
    const uint64_t offset = Append(stream, KernelBytes());
    kernel_names_.push_back({fmt::format("{}_ne_{}", name, made.size()), offset});
    made.push_back({offset, static_cast<uint32_t>(stream.size())});
  }
  streams_.emplace(name, made);
  return made;
}

uint64_t Planner::AddTable(const Bytes& table) {
  const Bytes stored = fault_ == Fault::kTableShift ? Shifted(table) : table;
  const uint64_t offset = Append(stored, KernelBytes());
  kernel_names_.push_back({KernelHash({&stored, 1}), offset});
  return offset;
}

void Planner::BindTable(const Bytes& table, uint32_t channels, Neural& neural) {
  const uint64_t offset = AddTable(table);
  if (machine_.table_apart) {
    neural.table_base = offset;
    return;
  }
  const uint32_t engines = std::min(channels, kEngineCount);
  neural.streams = std::vector<Stream>(engines, {offset, static_cast<uint32_t>(kTableBytes)});
}

// Sources: layout.md, rule 6; weights_layout_later.md, 1.
void Planner::BindStreams(std::vector<Bytes> streams, const Bytes& table, Neural& neural) {
  if (!table.empty() && machine_.table_apart) {
    neural.table_base = AddTable(table);
  } else {
    for (Bytes& stream : streams) stream.insert(stream.begin(), table.begin(), table.end());
  }
  neural.streams = AddStreams(streams);
}

Status Planner::Add(Task task) {
  ANECHECK_RETURN_IF_ERROR(CheckExtents(task.in));
  ANECHECK_RETURN_IF_ERROR(CheckExtents(task.out));
  ANECHECK_RETURN_IF_ERROR(CheckPlace(task.source1));
  if (task.source2) ANECHECK_RETURN_IF_ERROR(CheckPlace(*task.source2));
  ANECHECK_RETURN_IF_ERROR(CheckPlace(task.result));
  if (tasks_.size() == kMaxTasks) {
    return Refuse(fmt::format("more than {} tasks", kMaxTasks));
  }
  if (fault_ == Fault::kL2Base && task.source1.in_l2) task.source1.base += kL2Line;
  if (fault_ == Fault::kStride && !task.result.in_l2) {
    task.result.channel = std::max<uint64_t>(task.result.channel, kLine) - kLine;
  }
  tasks_.push_back(std::move(task));
  return {};
}

Status Planner::Copy(const View& from, const View& to, const Post& post) {
  View source = from, result = to;
  if (ColumnAxis(source) == ColumnAxis(result)) MergeAxes(source, result, 0, kAxes - 1);
  const int from_column = ColumnAxis(source), to_column = ColumnAxis(result);
  const bool transposes = from_column != to_column;
  std::vector<int> outer = LongAxes(source, from_column, transposes ? to_column : -1);
  const size_t fit = transposes ? 1 : 2;
  if (outer.size() > fit) {
    const int loop =
        *std::ranges::min_element(outer, {}, [&](int axis) { return ExtentOf(source, axis); });
    for (uint32_t i = 0; i < ExtentOf(source, loop); ++i) {
      ANECHECK_RETURN_IF_ERROR(Copy(At(source, loop, i), At(result, loop, i), post));
    }
    return {};
  }
  const int channel = transposes ? to_column : outer.empty() ? -1 : outer[0];
  const int row = transposes ? (outer.empty() ? -1 : outer[0]) : outer.size() < 2 ? -1 : outer[1];
  Task task = NeuralCopy({.width = ExtentOf(source, from_column),
                          .height = ExtentOf(source, row),
                          .channels = ExtentOf(source, channel)},
                         post);
  task.source1 = PlaceOf(source, channel, row);
  task.result = PlaceOf(result, transposes ? from_column : channel, row);
  task.transpose_result = transposes;
  if (!post.table.empty()) BindTable(post.table, task.in.channels, task.neural);
  return Add(std::move(task));
}

Status Planner::CopyToL2(const View& source, const L2Block& block, int channel, int row,
                         int column) {
  const int lies = ColumnAxis(source);
  if (lies >= 0 && lies != channel && lies != column) return Refuse(std::string(kNoOrder));
  if (lies < 0 && block.channels > 1 && block.columns > 1) {
    return ForRows(block, [&](const L2Block& part, uint32_t index) {
      const View from = row < 0 ? source : At(source, row, index);
      Task task = NeuralCopy({.height = part.rows, .channels = part.columns}, {});
      task.source1 = PlaceOf(from, column, channel);
      task.result = PlaceOf(part);
      task.transpose_result = true;
      return Add(std::move(task));
    });
  }
  const bool transposes = lies >= 0 ? lies == channel : block.columns > 1;
  Task task = NeuralCopy({.width = transposes ? block.channels : block.columns,
                          .height = block.rows,
                          .channels = transposes ? block.columns : block.channels},
                         {});
  task.source1 = PlaceOf(source, transposes ? column : channel, row);
  task.result = PlaceOf(block);
  task.transpose_result = transposes;
  return Add(std::move(task));
}

Status Planner::CopyFromL2(const L2Block& block, const View& result, int channel, int row,
                           int column) {
  const int lies = ColumnAxis(result);
  if (lies >= 0 && lies != channel && lies != column) return Refuse(std::string(kNoOrder));
  if (lies < 0 && block.channels > 1 && block.columns > 1) {
    return ForRows(block, [&](const L2Block& part, uint32_t index) {
      const View to = row < 0 ? result : At(result, row, index);
      Task task = NeuralCopy({.width = part.columns, .height = part.rows}, {});
      task.source1 = PlaceOf(part);
      task.result = PlaceOf(to, column, channel);
      task.transpose_result = true;
      return Add(std::move(task));
    });
  }
  const bool transposes = lies >= 0 ? lies == channel : block.columns > 1;
  Task task =
      NeuralCopy({.width = block.columns, .height = block.rows, .channels = block.channels}, {});
  task.source1 = PlaceOf(block);
  task.result = PlaceOf(result, transposes ? column : channel, row);
  task.transpose_result = transposes;
  return Add(std::move(task));
}

}  // namespace anecheck::encoder
