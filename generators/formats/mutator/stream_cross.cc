#include "generators/formats/mutator/stream_cross.h"

#include <algorithm>
#include <vector>

namespace anecheck {
namespace {

using Log = std::vector<ChoiceStream::LoggedDraw>;

constexpr int kAttempts = 8;

Log ReadStream(StreamReader draw, ByteSpan bytes) {
  Log log;
  ChoiceStream stream = ChoiceStream::FromBytes(bytes, &log);
  draw(stream);
  return log;
}

// A parent and its draws. The index `log.size()` denotes the end.
struct Parent {
  ByteSpan bytes;
  Log log;

  size_t Position(size_t draw) const {
    return draw < log.size() ? log[draw].position : bytes.size();
  }
  bool Has(size_t draw, uint64_t bound) const {
    return draw < log.size() && log[draw].bound == bound;
  }
};

// Returns the index of a draw of `of` that has the same bound as draw `at` of `like` and is not
// before draw `after`. Prefers a draw whose next draw has the same bound as draw `at` + 1 of
// `like`. Returns the end of `of` if `at` is the end of `like` or if no draw has that bound.
size_t Counterpart(const Parent& like, size_t at, const Parent& of, size_t after,
                   ChoiceStream& choices) {
  if (at >= like.log.size()) return of.log.size();
  std::vector<size_t> alike;
  std::vector<size_t> followed_alike;
  for (size_t i = after; i < of.log.size(); ++i) {
    if (!of.Has(i, like.log[at].bound)) continue;
    alike.push_back(i);
    if (at + 1 < like.log.size() && of.Has(i + 1, like.log[at + 1].bound)) {
      followed_alike.push_back(i);
    }
  }
  if (alike.empty()) return of.log.size();
  return choices.Pick(followed_alike.empty() ? alike : followed_alike);
}

// The draws of a child. They are [0, from) of a, [begin, end) of b, and those of a from `to` on.
struct Plan {
  size_t from = 0, to = 0;
  size_t begin = 0, end = 0;
};

Plan DrawPlan(const Parent& a, const Parent& b, ChoiceStream& choices) {
  Plan plan;
  plan.from = choices.Below(a.log.size());
  plan.begin = Counterpart(a, plan.from, b, 0, choices);
  plan.to = a.log.size();
  plan.end = b.log.size();
  if (plan.begin < plan.end && choices.Coin()) {
    plan.end = plan.begin + 1 + choices.Below(b.log.size() - plan.begin);
    plan.to = Counterpart(b, plan.end, a, plan.from, choices);
  }
  return plan;
}

void Append(ByteSpan from, size_t begin, size_t end, Bytes& to) {
  to.insert(to.end(), from.begin() + static_cast<ptrdiff_t>(begin),
            from.begin() + static_cast<ptrdiff_t>(end));
}

Bytes Join(const Parent& a, const Parent& b, const Plan& plan) {
  Bytes child;
  Append(a.bytes, 0, a.Position(plan.from), child);
  Append(b.bytes, b.Position(plan.begin), b.Position(plan.end), child);
  Append(a.bytes, a.Position(plan.to), a.bytes.size(), child);
  return child;
}

// The number of leading draws of the child whose bounds equal those in the parents. The
// corresponding draw of a parent is the one from which the bytes of the child's draw come.
size_t ReadAsBefore(const Log& child, const Parent& a, const Parent& b, const Plan& plan) {
  const size_t from_b = plan.from + (plan.end - plan.begin);
  const size_t all = from_b + (a.log.size() - plan.to);
  for (size_t i = 0; i < all; ++i) {
    const auto& before = i < plan.from ? a.log[i]
                         : i < from_b  ? b.log[plan.begin + (i - plan.from)]
                                       : a.log[plan.to + (i - from_b)];
    if (i >= child.size() || child[i].bound != before.bound) return i;
  }
  return all;
}

}  // namespace

Bytes CrossStreams(StreamReader draw, ByteSpan a_bytes, ByteSpan b_bytes, size_t max_size,
                   ChoiceStream& choices) {
  const Parent a = {a_bytes, ReadStream(draw, a_bytes)};
  const Parent b = {b_bytes, ReadStream(draw, b_bytes)};
  Bytes best;
  if (a.log.empty() || b.log.empty()) return best;
  double best_share = -1;
  for (int attempt = 0; attempt < kAttempts && best_share < 1; ++attempt) {
    const Plan plan = DrawPlan(a, b, choices);
    if (plan.begin == b.log.size()) continue;
    Bytes child = Join(a, b, plan);
    const size_t draws = plan.from + (plan.end - plan.begin) + (a.log.size() - plan.to);
    const size_t kept = ReadAsBefore(ReadStream(draw, child), a, b, plan);
    const double share =
        static_cast<double>(kept) / static_cast<double>(std::max<size_t>(draws, 1));
    if (share <= best_share) continue;
    best_share = share;
    best = std::move(child);
  }
  if (best.size() > max_size) best.resize(max_size);
  return best;
}

}  // namespace anecheck
