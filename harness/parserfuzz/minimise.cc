#include <nlohmann/json.hpp>
#include <utility>

#include "harness/parserfuzz/parser_fuzz.h"

namespace anecheck::parserfuzz {
namespace {

class Minimiser {
 public:
  Minimiser(const Format& format, Bytes file, int runs,
            const std::function<bool(const Bytes&)>& fails, const std::function<bool()>& enough)
      : format_(format),
        best_(std::move(file)),
        runs_left_(runs),
        encodings_left_(8 * runs),
        fails_(fails),
        enough_(enough) {}

  Bytes Run() && {
    if (enough_()) return std::move(best_);
    while (runs_left_ > 0 && encodings_left_ > 0 && DropOneElement()) {
    }
    for (size_t run = best_.size() / 2; run > 0 && runs_left_ > 0; run /= 2) DropBytes(run);
    return std::move(best_);
  }

 private:
  bool Try(const Bytes& candidate) {
    if (enough_()) runs_left_ = encodings_left_ = 0;
    if (candidate.size() >= best_.size() || runs_left_-- <= 0 || !fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  // Elements of arrays, from the outermost array on, last element first.
  bool DropOneElement() {
    Result<Json> json = format_.to_json(best_);
    return json.ok() && DropBelow(*json, *json);
  }

  bool DropBelow(Json& root, Json& node) {
    if (node.is_array()) {
      for (size_t i = node.size(); i-- > 0;) {
        if (encodings_left_-- <= 0) return false;
        const Json kept = node[i];
        node.erase(i);
        const Result<Bytes> candidate = format_.from_json(root);
        if (candidate.ok() && Try(*candidate)) return true;
        node.insert(node.begin() + static_cast<Json::difference_type>(i), kept);
      }
    }
    if (!node.is_structured()) return false;
    for (Json& item : node) {
      if (DropBelow(root, item)) return true;
    }
    return false;
  }

  void DropBytes(size_t run) {
    for (size_t at = 0; at + run <= best_.size() && runs_left_ > 0;) {
      Bytes candidate = best_;
      const auto begin = candidate.begin() + static_cast<ptrdiff_t>(at);
      candidate.erase(begin, begin + static_cast<ptrdiff_t>(run));
      if (!Try(candidate)) at += run;
    }
  }

  const Format& format_;
  Bytes best_;
  int runs_left_;
  int encodings_left_;  // of the JSON form, most of which do not get as far as a run
  const std::function<bool(const Bytes&)>& fails_;
  const std::function<bool()>& enough_;
};

}  // namespace

Bytes Minimise(const Format& format, Bytes file, int runs,
               const std::function<bool(const Bytes&)>& fails,
               const std::function<bool()>& enough) {
  return Minimiser(format, std::move(file), runs, fails, enough).Run();
}

}  // namespace anecheck::parserfuzz
