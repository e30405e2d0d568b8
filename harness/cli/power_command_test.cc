// Tests of `anecheck power` and `anecheck coverage` as a script runs them.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck {
namespace {

class PowerCommand : public ::testing::Test {
 protected:
  // Runs the tool and returns its exit code.
  int Tool(const std::string& arguments) {
    const std::string command = std::string(ANECHECK_TOOL) + " " + arguments + " >" +
                                folder_->File("out") + " 2>" + folder_->File("err");
    const int status = std::system(command.c_str());
    out_ = *ReadTextFile(folder_->File("out"));
    err_ = *ReadTextFile(folder_->File("err"));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  Json Output() const {
    auto json = ParseJson(out_);
    EXPECT_TRUE(json.ok()) << out_ << err_;
    return json.ok() ? *json : Json();
  }

  Result<TempDirectory> folder_ = TempDirectory::Create("anecheck-power-command-");
  std::string out_, err_;
};

TEST_F(PowerCommand, HuntsOneFaultAndWritesItsPage) {
  const std::string folder = folder_->File("power");
  ASSERT_EQ(Tool("power --cases 64 --fault sub-swapped --shrink-tries 50 --jobs 1 --json --out " +
                 folder),
            0)
      << err_;
  const Json json = Output();
  EXPECT_EQ(json["faults"][0]["id"], "sub-swapped");
  EXPECT_EQ(json["faults"][0]["found"], true);
  EXPECT_EQ(json["faults"][0]["reproducer_nodes"], 1);
  EXPECT_EQ(json["false_findings"], 0);
  const auto page = ReadTextFile(folder + "/power.html");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("sub-swapped"), std::string::npos);
  EXPECT_TRUE(ReadTextFile(folder + "/power.json").ok());
}

TEST_F(PowerCommand, MeasuresTheSmallestErrorOfOneOperation) {
  ASSERT_EQ(Tool("power --magnitudes-of relu --cases 512 --targets h15 --jobs 1 --json"), 0)
      << err_;
  const Json json = Output();
  ASSERT_EQ(json["magnitudes"].size(), 3u);
  EXPECT_EQ(json["magnitudes"][0]["share"], 0.01);
  EXPECT_EQ(json["magnitudes"][0]["ulps"], 1);
  EXPECT_TRUE(json["faults"].empty());
  EXPECT_EQ(Tool("power --magnitudes-of nothing"), 2);
  EXPECT_NE(err_.find("nothing"), std::string::npos) << err_;
}

TEST_F(PowerCommand, AFaultThatIsNoLongerFoundIsAFinding) {
  // The fault's result lies inside the bounds, so no case shows it.
  const std::string hunt = "power --cases 32 --fault softmax-truncates --jobs 1 --json";
  EXPECT_EQ(Tool(hunt), 0) << err_;
  EXPECT_TRUE(Output()["lost"].is_null());
  const std::string list = folder_->File("list");
  ASSERT_TRUE(WriteFileAtomic(list, "# none\n").ok());
  EXPECT_EQ(Tool(hunt + " --max-seconds 0 --not-found " + list), 1) << err_;
  EXPECT_EQ(Output()["lost"], Json::array({"softmax-truncates"}));
  ASSERT_TRUE(WriteFileAtomic(list, "softmax-truncates\twhat it gives is admitted\n").ok());
  EXPECT_EQ(Tool(hunt + " --max-seconds 0 --not-found " + list), 0) << err_;
  EXPECT_EQ(Output()["lost"], Json::array());
  EXPECT_EQ(Tool(hunt + " --not-found " + folder_->File("nosuch")), 2);
}

TEST_F(PowerCommand, RefusesAnUnknownFault) {
  EXPECT_EQ(Tool("power --fault no-such-fault"), 2);
  EXPECT_EQ(err_,
            "anecheck: error: --fault no-such-fault: the engine has no fault and acts on no known "
            "defect of that id\n");
}

TEST_F(PowerCommand, ShowsTheCoverageOfASteeredCampaign) {
  const std::string db = folder_->File("a.sqlite");
  ASSERT_EQ(Tool("run --steer --cases 64 --seed 3 --targets h15 --jobs 1 --db " + db), 0) << err_;
  ASSERT_EQ(Tool("coverage --json --db " + db), 0) << err_;
  const Json json = Output();
  EXPECT_EQ(json["cases"], 64);
  uint64_t covered = 0;
  for (const Json& kind : json["kinds"]) covered += kind["covered"].get<uint64_t>();
  EXPECT_GT(covered, 100u);
  ASSERT_EQ(Tool("coverage --empty 1 --db " + db), 0) << err_;
  EXPECT_NE(out_.find("op_pair"), std::string::npos);
}

TEST_F(PowerCommand, SteersNoShard) {
  EXPECT_EQ(Tool("run --steer --shard 1/2 --cases 64 --db " + folder_->File("b.sqlite")), 2);
  EXPECT_NE(err_.find("--steer cannot be given with --shard"), std::string::npos) << err_;
}

}  // namespace
}  // namespace anecheck
