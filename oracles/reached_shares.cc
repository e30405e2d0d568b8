#include "oracles/reached_shares.h"

namespace anecheck {
namespace {

constexpr ReachedShare kShares[] = {
#define ANECHECK_REACHED_SHARE(op, share) {#op, share},
#include "oracles/reached_shares.def"
#undef ANECHECK_REACHED_SHARE
};

}  // namespace

std::span<const ReachedShare> RecordedShares() { return kShares; }

}  // namespace anecheck
