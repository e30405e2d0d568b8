#include "harness/formats/tree/layout.h"

#include <algorithm>
#include <utility>

#include "harness/base/json.h"

namespace anecheck::tree {

void PieceWriter::Piece(std::string_view canonical) {
  const uint32_t index = index_++;
  while (!changes_.empty() && changes_.front().index < index) changes_ = changes_.subspan(1);
  if (!changes_.empty() && changes_.front().index == index &&
      changes_.front().canonical == canonical) {
    text_ += changes_.front().actual;
  } else {
    text_ += canonical;
  }
}

std::optional<std::string_view> PieceComparer::Actual(uint32_t index) const {
  if (index >= cuts_.size()) return std::nullopt;
  const uint32_t begin = index == 0 ? 0 : cuts_[index - 1];
  return std::string_view(text_.data() + begin, cuts_[index] - begin);
}

void PieceComparer::Compare(uint32_t index, std::string_view canonical) {
  const std::optional<std::string_view> actual = Actual(index);
  if (!actual || *actual == canonical) return;
  changes_.push_back(PieceChange{index, std::string(canonical), std::string(*actual)});
}

std::vector<PieceChange> PieceComparer::TakeChanges() && {
  if (!std::ranges::is_sorted(changes_, {}, &PieceChange::index)) {
    std::ranges::sort(changes_, {}, &PieceChange::index);
  }
  return std::move(changes_);
}

Json ChangesToJson(std::span<const PieceChange> changes) {
  Json json = Json::array();
  for (const PieceChange& change : changes) {
    json.push_back(Json::array({change.index, change.canonical, change.actual}));
  }
  return json;
}

Result<std::vector<PieceChange>> ChangesFromJson(const Json& json) {
  const auto bad = [] {
    return MakeError(ErrorCode::kInvalid,
                     "layout.changes: needs [index, canonical, actual] in ascending order");
  };
  if (!json.is_array()) return bad();
  std::vector<PieceChange> changes;
  for (const Json& item : json) {
    if (!item.is_array() || item.size() != 3 || !item[0].is_number_unsigned() ||
        !item[1].is_string() || !item[2].is_string() || item[0].get<uint64_t>() > UINT32_MAX) {
      return bad();
    }
    const auto index = item[0].get<uint32_t>();
    if (!changes.empty() && changes.back().index >= index) return bad();
    changes.push_back(PieceChange{index, item[1].get<std::string>(), item[2].get<std::string>()});
  }
  return changes;
}

}  // namespace anecheck::tree
