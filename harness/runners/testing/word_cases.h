// Requests for hostile engines and runners, with a graph of one relu and a word as the MIL text.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "harness/ops/op.h"
#include "harness/runners/runner.h"

namespace anecheck::testing {

inline Graph ReluGraph() {
  Graph graph;
  const ValueId x = graph.AddInput({DType::kFp16, {1, 4}}, "x");
  graph.BeginNode(&GetOp(OpKind::kRelu).schema);
  graph.AddArgument(0, x);
  graph.AddOutput(*graph.FinishNode(std::vector<std::string>{"y"}));
  return graph;
}

class WordCases {
 public:
  explicit WordCases(std::vector<std::string> words) : words_(std::move(words)) {
    for (uint64_t i = 0; i < words_.size(); ++i) {
      requests_.push_back({i, "h13", words_[i], &graph_, inputs_});
    }
  }
  WordCases(const WordCases&) = delete;
  WordCases& operator=(const WordCases&) = delete;

  std::span<const RunRequest> all() const { return requests_; }
  const std::vector<uint8_t>& input() const { return inputs_[0].bytes; }

 private:
  Graph graph_ = ReluGraph();
  std::vector<Tensor> inputs_ = {{{DType::kFp16, {1, 4}}, {1, 2, 3, 4, 5, 6, 7, 8}}};
  std::vector<std::string> words_;
  std::vector<RunRequest> requests_;
};

// Returns the reply to a single word. An error of the runner fails the test.
inline RunReply RunWord(Runner& runner, const std::string& word) {
  const WordCases cases({word});
  const auto replies = runner.Run(cases.all());
  EXPECT_TRUE(replies.ok()) << replies.error().message;
  return replies.ok() ? replies->front() : RunReply{};
}

// Makes every write into the folders of `home` fail, even for root.
inline void PutFilesInPlaceOfFolders(const std::string& home) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(home)) {
    folders.push_back(entry.path());
  }
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::remove_all(folder);
    std::ofstream(folder) << "in the way";
  }
}

}  // namespace anecheck::testing
