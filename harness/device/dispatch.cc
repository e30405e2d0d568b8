#include "harness/device/dispatch.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace anecheck::device {
namespace {

using Node = Executable::Node;

// Returns, by index of operation, the operations that must run before it: the producers of its
// operands and, if it writes a state, the earlier writers and readers of that state.
std::vector<std::vector<size_t>> OrderOf(const Executable& executable) {
  std::vector<std::vector<size_t>> makers(executable.values.size());
  std::vector<std::vector<size_t>> readers(executable.values.size());
  std::vector<std::vector<size_t>> before(executable.nodes.size());
  for (size_t i = 0; i < executable.nodes.size(); ++i) {
    const Node& node = executable.nodes[i];
    std::vector<size_t>& own = before[i];
    for (const uint32_t value : node.inputs) {
      own.insert(own.end(), makers[value].begin(), makers[value].end());
      readers[value].push_back(i);
    }
    for (const uint32_t value : node.outputs) {
      own.insert(own.end(), makers[value].begin(), makers[value].end());
      own.insert(own.end(), readers[value].begin(), readers[value].end());
      makers[value] = {i};
      readers[value].clear();
    }
  }
  return before;
}

// Assigns a wave to each operation. The wave is the greatest number of steps into or out of a cut
// on any path of operands that ends at the operation.
class Cutter {
 public:
  explicit Cutter(Executable& executable)
      : nodes_(executable.nodes), before_(OrderOf(executable)), wave_(nodes_.size(), 0) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const size_t earlier : before_[i]) {
        const int apart = Cuts(i) || Cuts(earlier) ? 1 : 0;
        wave_[i] = std::max(wave_[i], wave_[earlier] + apart);
      }
    }
    Delay();
  }

  // Sorts the cuts of a wave before its other operations, which neither feed these cuts nor read
  // their results.
  void Sort() {
    std::vector<std::pair<std::pair<int, bool>, size_t>> order;
    order.reserve(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const int wave = nodes_[i].move ? std::numeric_limits<int>::max() : wave_[i];
      order.push_back({{wave, !Cuts(i)}, i});
    }
    std::ranges::sort(order);
    std::vector<Node> sorted;
    sorted.reserve(nodes_.size());
    for (const auto& [place, i] : order) sorted.push_back(std::move(nodes_[i]));
    nodes_ = std::move(sorted);
  }

  uint64_t Count() const {
    std::set<int> shared;
    uint64_t cuts = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (Cuts(i)) ++cuts;
      if (nodes_[i].pass == Pass::kShared && !nodes_[i].move) shared.insert(wave_[i]);
    }
    return std::max<uint64_t>(1, cuts + shared.size());
  }

 private:
  bool Cuts(size_t i) const { return nodes_[i].pass == Pass::kCut; }

  // Moves the fused operations of a wave to the next wave that has fused operations. It does not
  // move them if a cut of that next wave or of an earlier wave reads one of them.
  void Delay() {
    std::set<int> waves;
    std::map<int, int> first_reader;  // by wave: the first wave with a cut that reads it
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!Cuts(i) && !nodes_[i].move) waves.insert(wave_[i]);
      for (const size_t earlier : before_[i]) {
        if (!Cuts(i) || Cuts(earlier)) continue;
        const auto [reader, fresh] = first_reader.emplace(wave_[earlier], wave_[i]);
        if (!fresh) reader->second = std::min(reader->second, wave_[i]);
      }
    }
    for (auto at = waves.begin(); at != waves.end() && std::next(at) != waves.end(); ++at) {
      const int next = *std::next(at);
      const auto reader = first_reader.find(*at);
      if (reader != first_reader.end() && reader->second <= next) continue;
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (!Cuts(i) && wave_[i] == *at) wave_[i] = next;
      }
      if (reader == first_reader.end()) continue;
      const auto [other, fresh] = first_reader.emplace(next, reader->second);
      if (!fresh) other->second = std::min(other->second, reader->second);
    }
  }

  std::vector<Node>& nodes_;
  std::vector<std::vector<size_t>> before_;
  std::vector<int> wave_;
};

}  // namespace

void CutIntoDispatches(Executable& executable) {
  const auto cuts = [](const Node& node) { return node.pass == Pass::kCut; };
  if (std::ranges::none_of(executable.nodes, cuts)) return;
  Cutter cutter(executable);
  executable.dispatches = cutter.Count();
  cutter.Sort();
}

}  // namespace anecheck::device
