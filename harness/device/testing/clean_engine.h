// The fixture of the ABI's tests. It resets all settings and requires that no object stays alive.
#pragma once

#include <gtest/gtest.h>

#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {

class CleanEngine : public ::testing::Test {
 protected:
  void SetUp() override { before_ = Counts(); }
  // No object may stay alive after a test.
  void TearDown() override {
    EXPECT_EQ(Counts().live_handles, before_.live_handles);
    EXPECT_EQ(Counts().loaded_programs, before_.loaded_programs);
    EXPECT_EQ(Counts().in_flight, before_.in_flight);
  }
  static anecheck_sim_counts Counts() {
    anecheck_sim_counts counts{};
    ENGINE(anecheck_sim_get_counts)(&counts);
    return counts;
  }

 private:
  CleanSettings clean_;
  anecheck_sim_counts before_{};
};

}  // namespace anecheck::device::testing
