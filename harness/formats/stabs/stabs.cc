#include "harness/formats/stabs/stabs.h"

#include <charconv>
#include <fmt/format.h>

#include "harness/base/planted_bug.h"

namespace anecheck::stabs {
namespace {

// Reads a text from the front. Accepts a number only in the spelling that Print writes.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool Take(std::string_view token) {
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  template <typename T>
  bool Number(T& value) {
    const char* begin = text_.data();
    const char* end = begin + text_.size();
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) return false;
    const char* digits = *begin == '-' ? begin + 1 : begin;
    const bool padded = *digits == '0' && (rest - digits > 1 || digits != begin);
    if (padded && !IsPlanted(PlantedBug::kStabsPaddedNumber)) return false;
    text_.remove_prefix(static_cast<size_t>(rest - begin));
    return true;
  }
  bool Letter(char& letter) {
    if (text_.empty() || text_[0] < 'a' || text_[0] > 'z') return false;
    letter = text_[0];
    text_.remove_prefix(1);
    return true;
  }
  bool AtEnd() const { return text_.empty(); }

 private:
  std::string_view text_;
};

// Splits `name:t<id>=rest`.
bool TakeHead(std::string_view text, std::string_view& name, uint32_t& id, std::string_view& rest) {
  size_t equals = 0;  // the first '=' from `at` on; updated when `at` passes it
  for (size_t at = text.find(":t"); at != std::string_view::npos; at = text.find(":t", at + 1)) {
    if (equals < at + 2) equals = text.find('=', at + 2);
    if (equals == std::string_view::npos) return false;
    Cursor number(text.substr(at + 2, equals - at - 2));
    if (!number.Number(id) || !number.AtEnd()) continue;
    name = text.substr(0, at);
    rest = text.substr(equals + 1);
    return true;
  }
  return false;
}

bool TakeAxis(Cursor& cursor, Axis& axis) {
  return cursor.Take("ar") && cursor.Number(axis.index) && cursor.Take(";") &&
         cursor.Number(axis.low) && cursor.Take(";") && cursor.Number(axis.extent) &&
         cursor.Take(";") && cursor.Number(axis.id) && cursor.Take("=s") &&
         cursor.Number(axis.stride) && cursor.Letter(axis.axis) && cursor.Take(":");
}

constexpr auto kCatalog = std::to_array<std::string_view>({
    "void:t1=1",
    "int8:t2=r2;0;127",
    "uint8:t3=r1;0;255",
    "int16:t4=r1;-32768;32767",
    "float16:t5=r1;2;0",
    "float:t6=r1;4;0",
    "raw10:t7=r1;-512;511",
    "lut:t8=",
    "uint4:t9=r1;0;15",
    "uint6:t10=r1;0;63",
    "uint1:t11=r1;0;1",
    "uint2:t12=r1;0;3",
    "uint3:t13=r1;0;7",
    "uint16:t14=r1;0;65535",
    "int32:t15=r1;-2147483648;2147483647",
    "e4m3:t16=r1;1;0",
    "e5m2:t17=r1;1;0",
    "uint32:t18=r1;0;4294967295",
    "int64:t19=r1;8;0",
    "uint64:t20=r1;8;0",
    "bfloat16:t21=r1;2;0",
    "int2:t22=r1;-2;1",
    "int4:t23=r1;-8;7",
    "int1:t24=r1;-1;0",
});

}  // namespace

const Axis* TensorStab::Find(char letter) const {
  for (const Axis& candidate : Axes()) {
    if (candidate.axis == letter) return &candidate;
  }
  return nullptr;
}

std::optional<TypeStab> ParseType(std::string_view text) {
  TypeStab stab;
  std::string_view rest;
  if (!TakeHead(text, stab.name, stab.id, rest)) return std::nullopt;
  if (rest.empty()) return stab;
  Cursor cursor(rest);
  if (cursor.Take("r")) {
    stab.kind = TypeStab::Kind::kRange;
    const bool complete = cursor.Number(stab.base) && cursor.Take(";") && cursor.Number(stab.low) &&
                          cursor.Take(";") && cursor.Number(stab.high);
    if (!complete || !cursor.AtEnd()) return std::nullopt;
    return stab;
  }
  stab.kind = TypeStab::Kind::kAlias;
  if (!cursor.Number(stab.base) || !cursor.AtEnd()) return std::nullopt;
  return stab;
}

std::optional<uint32_t> OddTypeId(std::string_view text) {
  if (text == "uint1:t11=r1;0,1") return 11;
  if (text == "uint64:t20=r1;0;18446744073709551615") return 20;
  return std::nullopt;
}

std::optional<TensorStab> ParseTensor(std::string_view text) {
  TensorStab stab;
  std::string_view rest;
  if (!TakeHead(text, stab.name, stab.id, rest) || !rest.starts_with("ar")) return std::nullopt;
  Cursor cursor(rest);
  Cursor attempt = cursor;
  Axis axis;
  while (stab.axis_count < kMaxAxes && TakeAxis(attempt, axis)) {
    stab.axes[stab.axis_count++] = axis;
    cursor = attempt;
  }
  if (stab.axis_count == 0 || !cursor.Number(stab.element_type) || !cursor.AtEnd()) {
    return std::nullopt;
  }
  return stab;
}

std::string Print(const TypeStab& stab) {
  std::string text = fmt::format("{}:t{}=", stab.name, stab.id);
  if (stab.kind == TypeStab::Kind::kAlias) text += fmt::format("{}", stab.base);
  if (stab.kind == TypeStab::Kind::kRange) {
    text += fmt::format("r{};{};{}", stab.base, stab.low, stab.high);
  }
  return text;
}

std::string Print(const TensorStab& stab) {
  std::string text = fmt::format("{}:t{}=", stab.name, stab.id);
  for (const Axis& axis : stab.Axes()) {
    text += fmt::format("ar{};{};{};{}=s{}{}:", axis.index, axis.low, axis.extent, axis.id,
                        axis.stride, axis.axis);
  }
  return text + fmt::format("{}", stab.element_type);
}

std::string PrintStrides(const TensorStab& stab) {
  std::string text;
  for (const Axis& axis : stab.Axes()) {
    text += fmt::format("{}s{}{}", text.empty() ? "" : "/", axis.stride, axis.axis);
  }
  return text;
}

std::optional<TensorStab> ParseStrides(std::string_view text) {
  TensorStab stab;
  Cursor cursor(text);
  do {
    if (stab.axis_count == kMaxAxes) return std::nullopt;
    Axis& axis = stab.axes[stab.axis_count++];
    if (!cursor.Take("s") || !cursor.Number(axis.stride) || !cursor.Letter(axis.axis)) {
      return std::nullopt;
    }
  } while (cursor.Take("/"));
  if (!cursor.AtEnd()) return std::nullopt;
  return stab;
}

std::span<const std::string_view> Catalog(size_t count) {
  if (count != 10 && count != 15 && count != 23 && count != 24) return {};
  return std::span(kCatalog).first(count);
}

}  // namespace anecheck::stabs
