// The differences between a text document and its canonical form. A document is a sequence of
// pieces (tokens and the white space and comments between them). The canonical writer produces
// every piece from the value tree; only pieces that differ in the file are stored. So rewriting is
// byte-exact without a copy of the text. Used by the property list and espresso writers.
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

// A piece in which the file differs: piece number `index` is `canonical` in the canonical text and
// `actual` in the file. An entry does not apply if an edit has changed its canonical piece.
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

// Joins the pieces to a text and applies the changes. `changes` must be in ascending order of index
// and must outlive the writer.
class PieceWriter final : public PieceSink {
 public:
  explicit PieceWriter(std::span<const PieceChange> changes) : changes_(changes) {
    constexpr size_t kSmallDocument = 512;  // avoids the cost of growing to it step by step
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
// `text`, ascending; both must outlive it. Pieces whose canonical form depends on the style of the
// file are left out at first and compared when the style is known.
class PieceComparer final : public PieceSink {
 public:
  PieceComparer(std::string_view text, std::span<const uint32_t> cuts) : text_(text), cuts_(cuts) {}
  void Piece(std::string_view canonical) override { Compare(LeaveOut(), canonical); }
  // Leaves the next piece out and returns its number.
  uint32_t LeaveOut() { return index_++; }
  // The file's piece with this number, or nothing if the file has fewer pieces.
  std::optional<std::string_view> Actual(uint32_t index) const;
  // Notes a change of piece `index`, if it differs.
  void Compare(uint32_t index, std::string_view canonical);
  // True if the canonical text has as many pieces as the file.
  bool Complete() const { return index_ == cuts_.size(); }
  // The changes, in ascending order of their index.
  std::vector<PieceChange> TakeChanges() &&;

 private:
  std::string_view text_;
  std::span<const uint32_t> cuts_;
  uint32_t index_ = 0;
  std::vector<PieceChange> changes_;
};

// Converts changes to [[index, canonical, actual], ...] and back. A wrong form or order is an
// Error.
Json ChangesToJson(std::span<const PieceChange> changes);
Result<std::vector<PieceChange>> ChangesFromJson(const Json& json);

}  // namespace anecheck::tree
