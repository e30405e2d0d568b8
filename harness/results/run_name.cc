#include "harness/results/run_name.h"

#include "harness/base/json_text.h"

namespace anecheck {

std::string LabelOf(const RunRow& run) {
  const Result<Json> json = ParseJson(run.options);
  if (!json.ok() || !json->is_object()) return {};
  const auto label = json->find("label");
  return label == json->end() || !label->is_string() ? std::string() : label->get<std::string>();
}

std::string RunName(const RunRow& run) {
  const std::string label = LabelOf(run);
  return label.empty() ? run.started.substr(0, 10) + ", seed " + std::to_string(run.seed) : label;
}

}  // namespace anecheck
