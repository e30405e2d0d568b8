#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/json.h"
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
    // Reserves some runs for the removal of bytes. It may remove many bytes even if the JSON form
    // cannot be reduced.
    runs_kept_ = runs_left_ / 4;
    while (MayDropParts() && DropParts()) {
    }
    runs_kept_ = 0;
    for (size_t run = best_.size() / 2; run > 0 && runs_left_ > 0; run /= 2) DropBytes(run);
    return std::move(best_);
  }

 private:
  bool Try(const Bytes& candidate) {
    if (enough_()) runs_left_ = encodings_left_ = 0;
    if (runs_left_-- <= 0 || !fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  bool MayDropParts() const { return runs_left_ > runs_kept_ && encodings_left_ > 0; }

  // Tries to leave out parts of the JSON form, the outermost first. Returns whether it succeeded.
  bool DropParts() {
    Result<Json> json = format_.to_json(best_);
    return json.ok() && DropBelow(*json, *json);
  }

  // Whether the file of `root` still fails. A file of the same size counts as smaller, because
  // containers are padded to pages.
  bool TryJson(const Json& root) {
    --encodings_left_;
    const Result<Bytes> candidate = format_.from_json(root);
    return candidate.ok() && candidate->size() <= best_.size() && *candidate != best_ &&
           Try(*candidate);
  }

  bool DropBelow(Json& root, Json& node) {
    bool dropped = node.is_array() ? DropElements(root, node) : DropMembers(root, node);
    if (!node.is_structured()) return dropped;
    for (Json& item : node) dropped |= DropBelow(root, item);
    return dropped;
  }

  // Tries to remove all elements, then halves, quarters and so on, from the end.
  bool DropElements(Json& root, Json& array) {
    bool dropped = false;
    for (size_t run = array.size(); run > 0; run /= 2) {
      for (size_t end = array.size(); end > 0 && MayDropParts();) {
        const size_t begin = end - std::min(run, end);
        Json kept = array;
        array.erase(array.begin() + static_cast<std::ptrdiff_t>(begin),
                    array.begin() + static_cast<std::ptrdiff_t>(end));
        if (TryJson(root)) {
          dropped = true;
        } else {
          array = std::move(kept);
        }
        end = begin;
      }
    }
    return dropped;
  }

  bool DropMembers(Json& root, Json& object) {
    if (!object.is_object()) return false;
    bool dropped = false;
    std::vector<std::string> keys;
    for (const auto& [key, item] : object.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      if (!MayDropParts()) break;
      Json kept = std::move(object[key]);
      object.erase(key);
      if (TryJson(root)) {
        dropped = true;
      } else {
        object[key] = std::move(kept);
      }
    }
    return dropped;
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
  int runs_kept_ = 0;
  int encodings_left_;  // remaining attempts to encode a JSON form; most of them need no run
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
