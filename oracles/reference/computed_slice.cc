#include "oracles/reference/computed_slice.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "oracles/reference/discrete.h"

namespace anecheck::reference {
namespace {

// The places at which a slice may begin.
class Starts {
 public:
  Starts(const ComputedSlice& slice, const BoundedTensor* places) : slice_(slice), places_(places) {
    for (int axis = 0; axis < slice.rank; ++axis) {
      const ComputedAxis& along = slice.axes[static_cast<size_t>(axis)];
      const auto at = static_cast<size_t>(axis);
      if (along.read) known_ &= places->low[at] == places->high[at];
      if (along.count == 1) continue;
      strides_[static_cast<size_t>(view_.rank())] = along.stride * along.step;
      view_.Append(along.count);
    }
  }

  bool known() const { return known_; }
  // The slice as a view of the sliced tensor. view() and strides() leave out axes of extent 1.
  const Shape& view() const { return view_; }
  const Strides& strides() const { return strides_; }

  // Returns the start of the slice for the values of the places, or nothing if it is out of range.
  std::optional<int64_t> Value() const {
    int64_t start = 0;
    for (int axis = 0; axis < slice_.rank; ++axis) {
      const ComputedAxis& along = slice_.axes[static_cast<size_t>(axis)];
      const double place =
          along.read ? places_->value[static_cast<size_t>(axis)] : static_cast<double>(along.first);
      const auto first = FirstAt(along, place);
      if (!first) return std::nullopt;
      start += *first * along.stride;
    }
    return start;
  }

  // Calls visit(start) for every admitted start that is in range. Returns false if an admitted
  // start is out of range or if there are too many starts. Some calls may then have been made.
  template <typename Visit>
  bool ForEach(const Visit& visit) {
    left_ = kMostStarts;
    return Walk(0, 0, visit);
  }

 private:
  static constexpr uint32_t kMostStarts = 4096;

  // Returns the first index for `place`. A negative place counts from the end. Returns nothing if
  // the slice does not fit.
  static std::optional<int64_t> FirstAt(const ComputedAxis& along, double place) {
    const auto extent = static_cast<double>(along.extent);
    if (!(-extent <= place && place < extent)) return std::nullopt;
    const auto given = static_cast<int64_t>(place);
    const int64_t first = given < 0 ? given + along.extent : given;
    const int64_t last = first + (along.count - 1) * along.step;
    if (last < 0 || last >= along.extent) return std::nullopt;
    return first;
  }

  template <typename Visit>
  bool Walk(int axis, int64_t start, const Visit& visit) {
    if (axis == slice_.rank) {
      if (left_ == 0) return false;
      --left_;
      visit(start);
      return true;
    }
    const ComputedAxis& along = slice_.axes[static_cast<size_t>(axis)];
    bool counted = true;
    const auto go_on = [&](double place) {
      const auto first = FirstAt(along, place);
      counted = counted && first && Walk(axis + 1, start + *first * along.stride, visit);
    };
    if (!along.read) {
      go_on(static_cast<double>(along.first));
      return counted;
    }
    const bool few = ForEachMember(*places_, static_cast<size_t>(axis), kMostStarts, go_on);
    return few && counted;
  }

  const ComputedSlice& slice_;
  const BoundedTensor* places_;
  Shape view_;
  Strides strides_{};
  bool known_ = true;
  uint32_t left_ = 0;
};

void AdmitAnythingEverywhere(BoundedTensor& result) {
  for (size_t i = 0; i < result.size; ++i) AdmitAnything(result, i);
}

// For each element of the sliced tensor, the index of the update element that replaces it, or -1.
void FillSources(const Starts& starts, int64_t start, std::vector<int64_t>& sources) {
  std::fill(sources.begin(), sources.end(), int64_t{-1});
  ForEachSource(starts.view(), starts.strides(), start,
                [&](size_t from, size_t to) { sources[to] = static_cast<int64_t>(from); });
}

}  // namespace

void CutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor* places,
                 const ComputedSlice& slice, BoundedTensor& result) {
  Starts starts(slice, places);
  const auto start = starts.Value();
  if (start && starts.known()) {
    MoveByView(context, x, result, starts.view(), starts.strides(), *start);
    return;
  }
  PrepareMove(context, result, false);
  for (size_t i = 0; !start && i < result.size; ++i) PutElement(0, result, i);
  if (start) {
    ForEachSource(starts.view(), starts.strides(), *start,
                  [&](size_t at, size_t from) { MoveElement(x, from, result, at); });
  }
  const bool counted = starts.ForEach([&](int64_t other) {
    ForEachSource(starts.view(), starts.strides(), other,
                  [&](size_t at, size_t from) { AdmitElement(x, from, result, at); });
  });
  FinishMove(x, result);
  if (!start || !counted) AdmitAnythingEverywhere(result);
}

void PutComputed(KernelContext& context, const BoundedTensor& x, const BoundedTensor& update,
                 const BoundedTensor* places, const ComputedSlice& slice, BoundedTensor& result) {
  Starts starts(slice, places);
  const auto start = starts.Value();
  const bool sure = start && starts.known();
  std::vector<int64_t> sources(result.size, -1);
  if (start) FillSources(starts, *start, sources);
  PrepareMove(context, result, sure && x.point() && update.point());
  for (size_t i = 0; i < result.size; ++i) {
    const bool kept = sources[i] < 0;
    MoveElement(kept ? x : update, kept ? i : static_cast<size_t>(sources[i]), result, i);
  }
  FinishMove(x, result);
  FinishMove(update, result);
  if (sure) return;
  const bool counted = starts.ForEach([&](int64_t other) {
    FillSources(starts, other, sources);
    for (size_t i = 0; i < result.size; ++i) {
      const bool kept = sources[i] < 0;
      AdmitElement(kept ? x : update, kept ? i : static_cast<size_t>(sources[i]), result, i);
    }
  });
  if (!start || !counted) AdmitAnythingEverywhere(result);
}

}  // namespace anecheck::reference
