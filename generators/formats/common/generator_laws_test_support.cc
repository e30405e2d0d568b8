#include "generators/formats/common/generator_laws_test_support.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "harness/base/json.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::testing {
namespace {

void ExpectRoundTrip(const Format& format, ByteSpan bytes, const std::string& what) {
  const Bytes original(bytes.begin(), bytes.end());
  const Result<Bytes> rewritten = format.rewrite(bytes);
  ASSERT_TRUE(rewritten.ok()) << what << ": " << rewritten.error().message;
  EXPECT_EQ(*rewritten, original) << what;
  const Result<Json> json = format.to_json(bytes);
  ASSERT_TRUE(json.ok()) << what << ": " << json.error().message;
  const Result<Bytes> back = format.from_json(*json);
  ASSERT_TRUE(back.ok()) << what << ": " << back.error().message;
  EXPECT_EQ(*back, original) << what << "\n" << json->dump(1);
}

// Calls every function of the format on arbitrary bytes.
void RunAll(const Format& format, ByteSpan bytes) {
  (void)format.recognise(bytes, "");
  const Result<Json> json = format.to_json(bytes);
  const Result<std::vector<Violation>> violations = format.verify(bytes);
  EXPECT_EQ(json.ok(), violations.ok());
  if (!json.ok()) {
    EXPECT_EQ(FindMessageFault(json.error().message), "");
    EXPECT_FALSE(format.print(bytes).ok());
    return;
  }
  for (const Violation& violation : *violations) {
    EXPECT_NE(violation.rule, nullptr);
    EXPECT_LE(violation.offset, bytes.size()) << violation.message;
    EXPECT_EQ(FindMessageFault(violation.message), "");
  }
  EXPECT_TRUE(format.print(bytes).ok());
  const Result<ByteCounts> coverage = format.count_bytes(bytes);
  ASSERT_TRUE(coverage.ok());
  EXPECT_EQ(coverage->total, bytes.size());
  EXPECT_LE(coverage->typed + coverage->payload + coverage->fill, coverage->total);
  const Result<Bytes> back = format.from_json(*json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_TRUE(std::equal(back->begin(), back->end(), bytes.begin(), bytes.end()));
}

// Rules named "...-open" concern facts that bytes do not determine. They may also warn.
void ExpectBreaksExactly(const Format& format, const MutationKind& kind, ByteSpan mutated) {
  const Result<std::vector<Violation>> violations = format.verify(mutated);
  if (!violations.ok()) {
    EXPECT_NE(violations.error().message.find(kind.breaks_rule), std::string::npos)
        << kind.id << ": " << violations.error().message;
    EXPECT_NE(violations.error().offset, Error::kNoOffset) << kind.id;
    return;
  }
  const bool broken = std::ranges::any_of(*violations, [&](const Violation& violation) {
    return violation.rule->id == kind.breaks_rule;
  });
  EXPECT_TRUE(broken) << kind.id << " broke nothing";
  for (const Violation& violation : *violations) {
    const bool open = violation.IsWarning() && violation.rule->id.ends_with("-open");
    if (open && violation.rule->id != kind.breaks_rule) continue;
    EXPECT_EQ(violation.rule->id, kind.breaks_rule) << kind.id << ": " << violation.message;
    EXPECT_NE(violation.offset, Error::kNoOffset) << kind.id;
    EXPECT_NE(violation.message.find(kind.breaks_rule), std::string::npos) << violation.message;
  }
}

// Mutations accept the result of another mutation if it parses, or report that they do not apply.
void ExpectMutationsChain(const Format& format, const DescriptorGenerator& generator) {
  constexpr int kSecondMutations = 6;
  ChoiceStream choices = ChoiceStream::FromSeed(77);
  for (const MutationKind& first : generator.mutations) {
    const Bytes bytes = generator.generate(choices);
    const std::optional<Mutation> mutation = first.propose(bytes, choices);
    const Result<Bytes> mutated = mutation ? first.apply(bytes, *mutation) : Result<Bytes>(bytes);
    if (!mutated.ok() || !format.rewrite(*mutated).ok()) continue;
    for (int i = 0; i < kSecondMutations; ++i) {
      const MutationKind& second = choices.Pick(generator.mutations);
      const std::optional<Mutation> next = second.propose(*mutated, choices);
      if (next) EXPECT_TRUE(second.apply(*mutated, *next).ok()) << first.id << ", " << second.id;
    }
  }
}

}  // namespace

void ExpectValidFiles(const Format& format, const DescriptorGenerator& generator, int seeds) {
  EXPECT_EQ(format.name, generator.format);
  for (int seed = 0; seed < seeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(static_cast<uint64_t>(seed));
    const Bytes bytes = generator.generate(choices);
    const std::string what = std::string(format.name) + " seed " + std::to_string(seed);
    const Result<std::vector<Violation>> violations = format.verify(bytes);
    ASSERT_TRUE(violations.ok()) << what << ": " << violations.error().message;
    for (const Violation& violation : *violations) {
      // Rules of such a name concern facts that the bytes of a valid file do not determine.
      if (violation.IsWarning() && violation.rule->id.ends_with("-open")) continue;
      ADD_FAILURE() << what << ": " << violation.message;
    }
    ExpectRoundTrip(format, bytes, what);
    EXPECT_TRUE(format.print(bytes).ok()) << what;
    ChoiceStream again = ChoiceStream::FromSeed(static_cast<uint64_t>(seed));
    EXPECT_EQ(generator.generate(again), bytes) << what << " is not deterministic";
  }
  // A stream without choices gives the simplest file.
  ChoiceStream none = ChoiceStream::FromBytes({});
  EXPECT_TRUE(format.verify(generator.generate(none)).ok());
}

void ExpectMutationsKeepTheirPromises(const Format& format, const DescriptorGenerator& generator,
                                      int seeds) {
  EXPECT_GE(generator.mutations.size(), std::min<size_t>(12, format.rules.size()));
  std::set<std::string_view> ids;
  for (const MutationKind& kind : generator.mutations) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id << " stands twice";
    int applied = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(static_cast<uint64_t>(seed) + 1000);
      const Bytes bytes = generator.generate(choices);
      const std::optional<Mutation> mutation = kind.propose(bytes, choices);
      if (!mutation) continue;
      ++applied;
      EXPECT_EQ(mutation->kind, kind.id);
      const Result<Bytes> mutated = kind.apply(bytes, *mutation);
      ASSERT_TRUE(mutated.ok()) << kind.id << ": " << mutated.error().message;
      EXPECT_NE(*mutated, bytes) << kind.id << " changed nothing";
      EXPECT_EQ(*kind.apply(bytes, *mutation), *mutated) << kind.id << " does not replay";
      if (!kind.breaks_rule.empty()) ExpectBreaksExactly(format, kind, *mutated);
      RunAll(format, *mutated);
      // Parameters that do not fit the file are refused.
      EXPECT_FALSE(kind.apply(Bytes(), Mutation{mutation->kind, {~uint64_t{0}, 1}}).ok());
    }
    EXPECT_GT(applied, 0) << kind.id << " never applied";
  }
  ExpectMutationsChain(format, generator);
}

void ExpectEveryRuleIsBroken(const Format& format, const DescriptorGenerator& generator) {
  for (const Rule& rule : format.rules) {
    bool broken = false;
    for (const MutationKind& kind : generator.mutations) broken |= kind.breaks_rule == rule.id;
    EXPECT_TRUE(broken) << rule.id << " has no input that breaks it";
    EXPECT_FALSE(rule.statement.empty());
    EXPECT_FALSE(rule.source.empty());
  }
}

void ExpectHarmlessDamage(const Format& format, ByteSpan bytes, size_t stride) {
  for (size_t size = 0; size < bytes.size(); size += stride) RunAll(format, bytes.first(size));
  Bytes damaged(bytes.begin(), bytes.end());
  for (size_t i = 0; i < damaged.size(); i += stride) {
    const uint8_t kept = damaged[i];
    for (const uint8_t value : {uint8_t{0}, uint8_t{0xff}, static_cast<uint8_t>(~kept)}) {
      damaged[i] = value;
      RunAll(format, damaged);
    }
    damaged[i] = kept;
  }
}

namespace {

// A name that is longer than any message and has control sequences that must not reach a terminal.
std::string HostileText() { return "\x1b[2J\r\n\xc2\x9b" + std::string(5000, 'x'); }

// Checks the length of the messages of from_json, and of verify for the resulting file.
void ExpectBoundedMessages(const Format& format, const Json& json) {
  const Result<Bytes> bytes = format.from_json(json);
  if (!bytes.ok()) {
    EXPECT_EQ(FindMessageFault(bytes.error().message), "");
    return;
  }
  const Result<std::vector<Violation>> violations = format.verify(*bytes);
  if (!violations.ok()) {
    EXPECT_EQ(FindMessageFault(violations.error().message), "");
    return;
  }
  for (const Violation& violation : *violations) {
    EXPECT_EQ(FindMessageFault(violation.message), "");
  }
}

// Adds an extra member with a hostile name to each object in turn.
void ExpectHostileNamesAreQuoted(const Format& format, Json& json, Json& at) {
  if (at.is_object()) {
    at[HostileText()] = HostileText();
    ExpectBoundedMessages(format, json);
    at.erase(HostileText());
  }
  if (!at.is_structured()) return;
  for (Json& item : at) ExpectHostileNamesAreQuoted(format, json, item);
}

void CollectScalars(Json& json, std::vector<Json*>& found) {
  if (json.is_structured()) {
    for (Json& item : json) CollectScalars(item, found);
  } else {
    found.push_back(&json);
  }
}

}  // namespace

void ExpectHarmlessJson(const Format& format, ByteSpan bytes) {
  Json json = format.to_json(bytes).value();
  std::vector<Json*> scalars;
  CollectScalars(json, scalars);
  for (Json* scalar : scalars) {
    const Json kept = *scalar;
    for (const Json& other :
         {Json(nullptr), Json(-1), Json(1e30), Json("0xzz"), Json("f"), Json::array(),
          Json::object(), Json(true), Json(~uint64_t{0}), Json(HostileText())}) {
      *scalar = other;
      ExpectBoundedMessages(format, json);
    }
    *scalar = kept;
  }
  ExpectHostileNamesAreQuoted(format, json, json);
  for (const Json& other : {Json(nullptr), Json(3), Json::array(), Json::object()}) {
    EXPECT_FALSE(format.from_json(other).ok());
  }
}

}  // namespace anecheck::testing
