#include "harness/verdict/outcome.h"

namespace anecheck {

bool Outcome::Worsen(ShownVerdict shown) {
  if (shown.verdict <= shown_.verdict) return false;
  shown_ = std::move(shown);
  return true;
}

void Outcome::Charge(std::string op, std::string node) {
  shown_.op = std::move(op);
  shown_.node = std::move(node);
}

}  // namespace anecheck
