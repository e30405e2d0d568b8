// Loads the AFL++ mutator as AFL++ does, by its exported names, with and without a format.
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vector>

#include "generators/formats/mutator/anecheck_fuzz_mutator.h"
#include "harness/formats/registry/registry.h"

namespace {

using Init = void* (*)(void*, unsigned int);
using Deinit = void (*)(void*);
using Fuzz = size_t (*)(void*, uint8_t*, size_t, uint8_t**, uint8_t*, size_t, size_t);

class AflMutator : public ::testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(ANECHECK_AFL_MUTATOR, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    init_ = reinterpret_cast<Init>(dlsym(library_, "afl_custom_init"));
    deinit_ = reinterpret_cast<Deinit>(dlsym(library_, "afl_custom_deinit"));
    fuzz_ = reinterpret_cast<Fuzz>(dlsym(library_, "afl_custom_fuzz"));
    ASSERT_TRUE(init_ != nullptr && deinit_ != nullptr && fuzz_ != nullptr);
  }

  void* library_ = nullptr;
  Init init_ = nullptr;
  Deinit deinit_ = nullptr;
  Fuzz fuzz_ = nullptr;
};

using AflMutatorDeathTest = AflMutator;

TEST_F(AflMutatorDeathTest, EndsTheFuzzerWithOneLineWithoutAFormat) {
  unsetenv("ANECHECK_FORMAT");
  EXPECT_EXIT(init_(nullptr, 1), ::testing::ExitedWithCode(2),
              "^anecheck: ANECHECK_FORMAT is not set; set it to one of:.* hwx .*\n$");
  setenv("ANECHECK_FORMAT", "HWX", 1);
  EXPECT_EXIT(init_(nullptr, 1), ::testing::ExitedWithCode(2),
              "^anecheck: ANECHECK_FORMAT 'HWX' is no format; set it to one of:.* hwx .*\n$");
}

TEST_F(AflMutator, ChangesInputsWithinTheirSize) {
  setenv("ANECHECK_FORMAT", "td", 1);
  void* mutator = init_(nullptr, 7);
  ASSERT_NE(mutator, nullptr);
  std::vector<uint8_t> input(64, 0x11);
  std::vector<uint8_t> other(32, 0x22);
  int changed = 0;
  for (int i = 0; i < 100; ++i) {
    uint8_t* out = nullptr;
    const size_t size =
        fuzz_(mutator, input.data(), input.size(), &out, other.data(), other.size(), 256);
    ASSERT_LE(size, 256u);
    changed += std::vector<uint8_t>(out, out + size) != input ? 1 : 0;
  }
  EXPECT_EQ(changed, 100);
  deinit_(mutator);
}

// A corpus also contains files that no generator makes. These are files that were mutated more than
// once, and children of such files.
TEST(FuzzMutator, MutatesItsOwnResultsAgain) {
  constexpr int kSteps = 150;
  constexpr size_t kMaxSize = 1 << 17;
  for (const char* const* name = anecheck_fuzz_formats(); *name != nullptr; ++name) {
    const anecheck::Format& format = *anecheck::FindFormat(*name).value();
    std::vector<anecheck::Bytes> files = {{}};
    for (uint64_t seed = 0; seed < kSteps; ++seed) {
      const anecheck::Bytes& first = files[(seed * 7) % files.size()];
      const anecheck::Bytes& second = files[(seed * 5) % files.size()];
      anecheck::Bytes child = first;
      child.resize(kMaxSize);
      const size_t size =
          seed % 3 == 2
              ? anecheck_fuzz_crossover(*name, first.data(), first.size(), second.data(),
                                        second.size(), child.data(), child.size(), seed)
              : anecheck_fuzz_mutator(*name, child.data(), first.size(), child.size(), seed);
      ASSERT_LE(size, kMaxSize);
      child.resize(size);
      if (format.rewrite(child).ok()) files.push_back(child);
    }
    EXPECT_GT(files.size(), kSteps / 10u) << *name;
  }
}

TEST(FuzzMutator, OneSeedGivesOneChange) {
  std::vector<uint8_t> first(512, 0x11);
  std::vector<uint8_t> second = first;
  const size_t size = anecheck_fuzz_mutator("hwx", first.data(), 64, first.size(), 3);
  EXPECT_EQ(anecheck_fuzz_mutator("hwx", second.data(), 64, second.size(), 3), size);
  EXPECT_EQ(first, second);
}

}  // namespace
