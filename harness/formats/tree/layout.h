// The differences between a text document and its canonical form. A document is a sequence of
// pieces (tokens and the white space and comments between them). The canonical writer makes every
// piece from the value tree, and only pieces that differ in the file are stored. So a rewrite is
// exact without a copy of the text. Used by the property list and espresso writers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck::tree {

// A piece that differs. Piece number `index` is `canonical` in the canonical text and `actual` in
// the file. If an edit has changed the canonical piece, the change does not apply.
struct PieceChange {
  uint32_t index = 0;
  std::string canonical;
  std::string actual;
  friend bool operator==(const PieceChange&, const PieceChange&) = default;
};

// Receives the pieces of a canonical text in order.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  virtual void Piece(std::string_view canonical) = 0;
};

// Concatenates the pieces and applies the changes. `changes` must be in ascending order of index
// and must outlive the writer.
class PieceWriter final : public PieceSink {
 public:
  explicit PieceWriter(std::span<const PieceChange> changes) : changes_(changes) {
    constexpr size_t kSmallDocument = 512;  // avoids reallocations for small texts
    text_.reserve(kSmallDocument);
  }
  void Piece(std::string_view canonical) override;
  std::string Take() && { return std::move(text_); }

 private:
  std::span<const PieceChange> changes_;
  uint32_t index_ = 0;
  std::string text_;
};

// Compares the canonical pieces with those of a file. `cuts` are the ends of the file's pieces in
// `text`, in ascending order. Both must outlive the comparer. If the canonical form of a piece
// depends on the style of the file, the caller first leaves it out and compares it when the style
// is known.
class PieceComparer final : public PieceSink {
 public:
  PieceComparer(std::string_view text, std::span<const uint32_t> cuts) : text_(text), cuts_(cuts) {}
  void Piece(std::string_view canonical) override { Compare(LeaveOut(), canonical); }
  // Skips the next piece and returns its number.
  uint32_t LeaveOut() { return index_++; }
  // Returns the file's piece with this number, or nothing if the file has fewer pieces.
  std::optional<std::string_view> Actual(uint32_t index) const;
  // Adds a change for piece `index` if it differs.
  void Compare(uint32_t index, std::string_view canonical);
  // Returns whether the canonical text has as many pieces as the file.
  bool Complete() const { return index_ == cuts_.size(); }
  // Returns the changes in ascending order of their index.
  std::vector<PieceChange> TakeChanges() &&;

 private:
  std::string_view text_;
  std::span<const uint32_t> cuts_;
  uint32_t index_ = 0;
  std::vector<PieceChange> changes_;
};

// Convert changes to [[index, canonical, actual], ...] and back. A wrong form or order is an Error.
Json ChangesToJson(std::span<const PieceChange> changes);
Result<std::vector<PieceChange>> ChangesFromJson(const Json& json);

}  // namespace anecheck::tree
