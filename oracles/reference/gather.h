// Computes the places at which gather and scatter kernels read or write. A place is a row of
// contiguous elements that one or more indices address.
#pragma once

#include <algorithm>
#include <array>

#include "oracles/reference/discrete.h"
#include "oracles/reference/layout.h"

namespace anecheck::reference {

// Row r of the indexed side (a gather's result, a scatter's updates) has the elements [r * inner,
// (r + 1) * inner). In the other tensor the row's elements begin at Base(r) plus the sum of index *
// stride over the indexed axes.
struct IndexedRows {
  int64_t inner = 1;
  int named = 1;
  std::array<int64_t, Shape::kMaxRank> extent{}, stride{};
  // Base(r) = r / base_every * base_step + r % base_inner.
  int64_t base_every = 1, base_step = 0, base_inner = 1;
  // The indices of row r begin at (r / index_every * index_period + r % index_period) * named.
  int64_t index_every = 1, index_period = 1;

  int64_t Base(int64_t row) const { return row / base_every * base_step + row % base_inner; }
  int64_t FirstIndex(int64_t row) const {
    return (row / index_every * index_period + row % index_period) * named;
  }
};

inline int64_t Product(const Shape& shape, int first, int end) {
  int64_t product = 1;
  for (int axis = first; axis < end; ++axis) product *= shape[axis];
  return product;
}

// For gather and scatter, whose indices address one axis. The first `batch` axes are shared.
inline IndexedRows RowsOfAxis(const Shape& data, const Shape& indices, int axis, int batch) {
  IndexedRows rows;
  rows.inner = Product(data, axis + 1, data.rank());
  rows.extent[0] = data[axis];
  rows.stride[0] = rows.inner;
  const int64_t count = std::max<int64_t>(1, Product(indices, batch, indices.rank()));
  rows.base_every = count;
  rows.base_step = data[axis] * rows.inner;
  rows.index_every = count * Product(data, batch, axis);
  rows.index_period = count;
  return rows;
}

// For gather_along_axis and scatter_along_axis, which have one index for each element.
inline IndexedRows RowsAlongAxis(const Shape& data, const Shape& indices, int axis) {
  IndexedRows rows;
  const int64_t inner = Product(data, axis + 1, data.rank());
  rows.extent[0] = data[axis];
  rows.stride[0] = inner;
  rows.base_every = std::max<int64_t>(1, indices[axis] * inner);
  rows.base_step = data[axis] * inner;
  rows.base_inner = inner;
  rows.index_every = rows.index_period = 1;
  return rows;
}

// For gather_nd and scatter_nd, whose vectors of indices address the axes after the shared axes.
inline IndexedRows RowsOfVectors(const Shape& data, const Shape& indices, int batch) {
  IndexedRows rows;
  rows.named = static_cast<int>(indices[indices.rank() - 1]);
  rows.inner = Product(data, batch + rows.named, data.rank());
  for (int i = 0; i < rows.named; ++i) {
    rows.extent[static_cast<size_t>(i)] = data[batch + i];
    rows.stride[static_cast<size_t>(i)] = Product(data, batch + i + 1, data.rank());
  }
  rows.base_every = std::max<int64_t>(1, Product(indices, batch, indices.rank() - 1));
  rows.base_step = Product(data, batch, data.rank());
  return rows;
}

// The places that the indices of one row may address. Programs before iOS 17 count negative indices
// from the end, as Value() does. coremltools leaves them undefined from iOS 17 on. A graph does not
// state its version, so all_inside() counts a negative index as out of range.
class Addresses {
 public:
  Addresses(const IndexedRows& rows, const BoundedTensor& indices, int64_t row)
      : rows_(rows),
        indices_(indices),
        first_(static_cast<size_t>(rows.FirstIndex(row))),
        base_(rows.Base(row)) {
    for (int i = 0; i < rows.named; ++i) {
      const size_t at = first_ + static_cast<size_t>(i);
      const auto extent = static_cast<double>(rows.extent[static_cast<size_t>(i)]);
      known_ &= indices.low[at] == indices.high[at];
      inside_ &= -extent <= indices.value[at] && indices.value[at] < extent;
      all_inside_ &= 0 <= indices.low[at] && indices.high[at] < extent;
    }
  }
  bool known() const { return known_; }            // only one place is admitted
  bool inside() const { return inside_; }          // the indices' values are in range
  bool all_inside() const { return all_inside_; }  // every admitted index is in range

  // Returns the element that the indices' values address. Precondition: inside().
  size_t Value() const {
    int64_t place = base_;
    for (int i = 0; i < rows_.named; ++i) {
      place += Wrapped(i, indices_.value[first_ + static_cast<size_t>(i)]);
    }
    return static_cast<size_t>(place);
  }

  // Calls visit(element) for every admitted place in range. Returns false if there are too many
  // places. Some calls may then have been made.
  template <typename Visit>
  bool ForEach(const Visit& visit) const {
    return Walk(0, base_, visit);
  }

 private:
  int64_t Wrapped(int axis, double index) const {
    const auto a = static_cast<size_t>(axis);
    const auto whole = static_cast<int64_t>(index);
    return (whole < 0 ? whole + rows_.extent[a] : whole) * rows_.stride[a];
  }
  template <typename Visit>
  bool Walk(int axis, int64_t place, const Visit& visit) const {
    if (axis == rows_.named) {
      visit(static_cast<size_t>(place));
      return true;
    }
    const size_t at = first_ + static_cast<size_t>(axis);
    const auto extent = static_cast<double>(rows_.extent[static_cast<size_t>(axis)]);
    bool counted = true;
    const bool few = ForEachMember(indices_, at, kMostPlaces, [&](double index) {
      const bool in_range = -extent <= index && index < extent;
      if (in_range) counted = Walk(axis + 1, place + Wrapped(axis, index), visit) && counted;
    });
    return few && counted;
  }

  static constexpr uint32_t kMostPlaces = 1 << 16;
  const IndexedRows& rows_;
  const BoundedTensor& indices_;
  size_t first_;
  int64_t base_;
  bool known_ = true;
  bool inside_ = true;
  bool all_inside_ = true;
};

}  // namespace anecheck::reference
