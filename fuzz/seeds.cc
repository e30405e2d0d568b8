#include "fuzz/seeds.h"

#include <fmt/format.h>

namespace anecheck::fuzz {
namespace {

void AddMutations(const DescriptorGenerator& generator, uint64_t seed, const Bytes& file,
                  ChoiceStream& choices, std::vector<SeedCandidate>& candidates) {
  for (const MutationKind& kind : generator.mutations) {
    const std::optional<Mutation> mutation = kind.propose(file, choices);
    if (!mutation) continue;
    Result<Bytes> mutated = kind.apply(file, *mutation);
    if (!mutated.ok()) continue;
    std::string reason = fmt::format("generator, seed {}, then {}", seed, kind.id);
    if (!kind.breaks_rule.empty()) reason += fmt::format(" (breaks {})", kind.breaks_rule);
    candidates.push_back(
        {fmt::format("{:04}-{}", seed, kind.id), std::move(reason), std::move(*mutated)});
  }
}

}  // namespace

std::vector<SeedCandidate> MakeSeedCandidates(const FuzzTarget& target, uint64_t count,
                                              size_t max_size) {
  std::vector<SeedCandidate> candidates;
  const bool own = target.generate != nullptr;
  if (!own && target.generator == nullptr) return candidates;
  for (uint64_t seed = 0; seed < count; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes file = own ? target.generate(choices) : target.generator->generate(choices);
    candidates.push_back(
        {fmt::format("{:04}", seed), fmt::format("generator, seed {}", seed), file});
    if (target.generator != nullptr) {
      AddMutations(*target.generator, seed, file, choices, candidates);
    }
  }
  std::erase_if(candidates,
                [&](const SeedCandidate& seed) { return seed.bytes.size() > max_size; });
  return candidates;
}

}  // namespace anecheck::fuzz
