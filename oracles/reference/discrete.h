// Discrete results, which are judged as sets: comparisons, roundings to whole numbers, positions of
// extremes and of ranks, and choices. An operand that is an interval admits several results, but no
// number between these results. Therefore an element has a list of its admitted numbers
// (BoundedTensor::members), or it is known to be a whole number. Used by comparison, reduction,
// sorting and gathering kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/reference/dot.h"
#include "oracles/reference/kernel.h"
#include "oracles/reference/store.h"

namespace anecheck::reference {

// Whether a condition may be true and whether it may be false.
struct Truth {
  bool may_hold = false;
  bool may_fail = false;
};

// Calls visit(number) for every admitted number of element `i`, in ascending order. Returns false
// without a call if these numbers cannot be counted or are more than `most`.
template <typename Visit>
bool ForEachMember(const BoundedTensor& x, size_t i, uint32_t most, const Visit& visit) {
  if (x.point() || x.low[i] == x.high[i]) {
    visit(x.low[i]);
    return true;
  }
  if (x.members != nullptr && x.members[i].count != 0) {
    const Members& set = x.members[i];
    if (set.count > most) return false;
    for (uint32_t k = 0; k < set.count; ++k) visit(set.data[k]);
    return true;
  }
  const bool whole = x.whole || !IsFloat(x.type.dtype);
  if (!whole || !(x.high[i] - x.low[i] < most)) return false;
  const double first = std::ceil(x.low[i]);
  for (uint32_t k = 0; first + k <= x.high[i]; ++k) visit(first + k);
  return true;
}

// Collects the sets of a result's elements. Elements without a set have only their interval.
class MemberSets {
 public:
  // Collects sets for the node's first result, or for `result`.
  explicit MemberSets(KernelContext& context) : MemberSets(context, context.Result()) {}
  MemberSets(KernelContext& context, const BoundedTensor& result)
      : context_(context), size_(result.size) {}

  // `numbers` must be ascending without repetition; they are copied.
  void Set(size_t i, std::span<const double> numbers);
  // Gives the sets to the result, if any element has one. Call after the store.
  void Give(BoundedTensor& result) const { result.members = sets_; }
  // As Give, but keeps a set that the result already has for an element without a set here.
  void MergeInto(BoundedTensor& result) const;

 private:
  KernelContext& context_;
  size_t size_;
  Members* sets_ = nullptr;
};

// The places that one of several numbers (a lane) may take when the numbers are sorted. At least
// `least` and at most `most` other lanes come before this lane. Equal lanes have any order if the
// contract allows it (Term::kAnyTie), else the order of their positions. If some lane may be NaN,
// every lane may take every place.
struct Places {
  uint32_t least = 0;
  uint32_t most = 0;
};
// Fills `places[k]` for each lane; `descending` puts the largest first.
void FindPlaces(const Contract& contract, const Lanes& lanes, size_t count, bool descending,
                std::span<Places> places);

// Returns the position of the largest or least of `count` values. This is the first of equal
// extremes, or the first NaN if there is one.
size_t FirstExtreme(const double* values, size_t count, bool largest);

// Whether `count` positions stay different if an engine may round them to fp16.
inline bool IndicesStayApart(const Contract& contract, size_t count) {
  return count <= 2049 || !contract.Allows(Term::kIndexRounding);
}

// Stores positions or counts as integers. An element gets the value and the hull of its set. The
// set is kept too if it has members other than the hull's ends. If the contract allows an engine to
// round an index to fp16 (Term::kIndexRounding), the rounded index is admitted too.
class IndexStore {
 public:
  IndexStore(KernelContext& context, BoundedTensor& result);

  // `indices` must be ascending without repetition and not empty.
  void Put(size_t i, double value, std::span<const double> indices);
  void Finish();

 private:
  BoundedTensor& result_;
  Raw raw_;
  MemberSets sets_;
  bool half_;
  std::vector<double> numbers_;
};

}  // namespace anecheck::reference
