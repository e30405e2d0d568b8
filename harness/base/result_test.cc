#include "harness/base/result.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace anecheck {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return MakeError(ErrorCode::kInvalid, "odd", 7);
  return value / 2;
}

Result<int> Quarter(int value) {
  ANECHECK_ASSIGN(const int half, Half(value));
  ANECHECK_ASSIGN(const int quarter, Half(half));
  return quarter;
}

Status CheckEven(int value, int* visited) {
  ANECHECK_RETURN_IF_ERROR(Half(value));
  ++*visited;
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> good = 3;
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(good.value(), 3);
  *good = 4;
  EXPECT_EQ(*good, 4);

  const Result<int> bad = MakeError(ErrorCode::kIo, "disk", 12);
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().code, ErrorCode::kIo);
  EXPECT_EQ(bad.error().message, "disk");
  EXPECT_EQ(bad.error().offset, 12U);
  EXPECT_EQ(MakeError(ErrorCode::kIo, "disk").offset, Error::kNoOffset);
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 5);
  Result<std::string> text = std::string("abc");
  EXPECT_EQ(text->size(), 3U);
  const Result<std::string>& constant = text;
  EXPECT_EQ(constant->size(), 3U);
  EXPECT_EQ(constant.value(), "abc");
  EXPECT_EQ(std::move(text).value(), "abc");
}

TEST(Result, MovesItsErrorOut) {
  Result<int> bad = MakeError(ErrorCode::kIo, "disk");
  EXPECT_EQ(std::move(bad).error().message, "disk");
  Status status = MakeError(ErrorCode::kLimit, "full");
  EXPECT_EQ(std::move(status).error().message, "full");
}

TEST(Result, AssignPassesTheFirstErrorOn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_EQ(Quarter(3).error().offset, 7U);
}

TEST(Result, ReturnIfErrorStopsTheFunction) {
  int visited = 0;
  EXPECT_TRUE(CheckEven(2, &visited).ok());
  EXPECT_EQ(visited, 1);
  const Status bad = CheckEven(1, &visited);
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(visited, 1);
}

TEST(ErrorCode, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    names.insert(ErrorCodeName(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(ErrorCode::kInternal) + 1);
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(ErrorCodeName(ErrorCode::kTruncated), "truncated");
  EXPECT_EQ(ErrorCodeName(ErrorCode::kNotFound), "not found");
  EXPECT_EQ(ErrorCodeName(static_cast<ErrorCode>(0xee)), "unknown");
}

}  // namespace
}  // namespace anecheck
