// Tries every truncation and several edits of every byte of every real MIL text. Checks that
// nothing crashes, that memory is bounded, and that a text that still parses is written back
// unchanged.
#include <array>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "harness/base/parallel_for.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/test_files.h"
#include "harness/formats/testing/allocation_meter.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::mil {
namespace {

constexpr size_t kSmall = 4096;  // size of files with every check at every edit
constexpr uint64_t kStride = 5;  // larger files: the format's checks at every kStride-th offset
constexpr uint64_t kJsonStride = 29;  // and the JSON form at every kJsonStride-th of those

// Parses the text. Returns a fault in its memory use or error offset, or "".
std::string FindParseFault(ByteSpan bytes) {
  const testing::AllocationMeter meter;
  const auto program =
      Parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (meter.Peak() > 16 * bytes.size() + (size_t{1} << 20)) return "allocates too much";
  if (!program.ok() && program.error().offset > bytes.size()) return "offset outside the text";
  return {};
}

std::string FindFormatFault(ByteSpan bytes, bool with_json) {
  std::string fault = testing::FindHostileFault(kFormat_mil, bytes);
  if (!fault.empty() || !with_json || !kFormat_mil.rewrite(bytes).ok()) return fault;
  return testing::FindJsonFault(kFormat_mil, bytes);
}

// Parses every truncation, and the text with each byte replaced by 0x00, 0xff and itself with bit 0
// flipped. At every kStride-th offset also runs the checks of the format, and at some of these the
// check of the JSON form.
void CheckWholeFile(const test::File& file) {
  const Bytes bytes = test::ToBytes(file.text);
  std::mutex mutex;
  std::string first;
  const Status status = ParallelFor(bytes.size(), DefaultJobs(), [&](uint64_t at) -> Status {
    const auto check = [&](ByteSpan input) {
      const std::string fault = at % kStride == 0
                                    ? FindFormatFault(input, at / kStride % kJsonStride == 0)
                                    : FindParseFault(input);
      if (fault.empty()) return;
      const std::lock_guard lock(mutex);
      if (first.empty()) first = fault + " at " + std::to_string(at);
    };
    check(ByteSpan(bytes).first(at));
    Bytes edited = bytes;
    for (const int value : {0x00, 0xff, bytes[at] ^ 0x01}) {
      if (value == bytes[at]) continue;
      edited[at] = static_cast<uint8_t>(value);
      check(edited);
    }
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(first, "") << file.name;
}

// Makes a function of each statement that has one line, and runs all checks at every edit of it.
void CheckLines(const test::File& file) {
  std::istringstream lines(file.text);
  std::string line;
  std::set<std::string> seen;
  while (std::getline(lines, line)) {
    if (!line.ends_with("];") || !line.starts_with("   ")) continue;
    // Checks only one of the lines that differ only in digits.
    std::string shape;
    for (const char c : line) {
      if (c < '0' || c > '9') shape += c;
    }
    if (!seen.insert(shape).second) continue;
    const std::string text = "program(1.3){func m<ios18>(){" + line + "}->();}";
    testing::CheckHostileEdits(kFormat_mil, test::ToBytes(text), file.name + ": " + line);
  }
}

TEST(MilHostile, EditsOfRealFilesNeverCrashNorAllocateTooMuch) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("mil"));
  for (const test::File& file : test::RealMilFiles()) {
    ASSERT_LT(file.text.size(), 65536u);
    if (file.text.size() < kSmall) {
      testing::CheckHostileEdits(kFormat_mil, test::ToBytes(file.text), file.name);
    } else {
      CheckWholeFile(file);
      CheckLines(file);
    }
  }
}

// Returns `count` copies of `piece`. In each copy a unique name replaces each `#`.
std::string Numbered(std::string_view piece, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    std::string name;
    for (size_t rest = i; rest != 0 || name.empty(); rest /= 26) {
      name += static_cast<char>('a' + rest % 26);
    }
    for (const char c : piece) c == '#' ? out += name : out += c;
  }
  return out;
}

// Each text maximises the size of one parser table or of the listing relative to its own size.
TEST(MilHostile, DenseTextsTakeMemoryInProportionToTheirSize) {
  const auto repeat = [](std::string_view piece, size_t size) {
    std::string out;
    while (out.size() < size) out += piece;
    return out;
  };
  constexpr size_t kSize = size_t{1} << 21;
  constexpr size_t kNames = size_t{1} << 18;
  const std::array texts = {
      test::WithBody("fp16 c = const()[val = fp16([" + repeat("1,", kSize) + "1])];"),
      test::WithBody("fp16 c = const()[val = fp16([" + repeat("[],", kSize) + "1])];"),
      test::WithBody("fp16 c = const()[val = fp16([" + repeat("?(1),", kSize) + "1])];"),
      test::WithBody("fp16 c = const()[val = fp16({" + repeat("{},", kSize) + "{}})];"),
      test::WithBody("fp16 c = const()[val = fp16({" + repeat("{1,1},", kSize) + "{}})];"),
      test::WithBody("tensor<fp16,[" + repeat("1,", kSize) + "1]> c = op();"),
      test::WithBody("tuple<" + repeat("?,", kSize) + "?> c = op();"),
      test::WithBody("tuple<" + repeat("tensor<?,[]>,", kSize) + "?> c = op();"),
      test::WithBody("fp16 c = op(" + repeat("1,", kSize) + "1);"),
      test::WithBody("fp16 c = op(" + repeat("a=1,", kSize) + "a=1);"),
      test::WithBody("fp16 c = op(" + Numbered("#=1,", kNames) + "A=1);"),
      test::WithBody(repeat("? a=a();", kSize)),
      test::WithBody(repeat("?a=a();", kSize)),
      test::WithBody(Numbered("?#=a();", kNames)),
      test::WithBody(repeat("?a,", kSize) + "?a=a();"),
      test::WithBody(Numbered("?#,", kNames) + "?a=a();"),
      test::WithBody(repeat("a();", kSize)),
      test::WithBody(Numbered("#();", kNames)),
      test::WithBody(repeat("a()[];", kSize)),
      test::WithBody("a()" + repeat("{}->()", kSize) + ";"),
      test::WithBody("a()" + repeat("{}->(a)", kSize) + ";"),
      test::WithBody("a(){}->(" + repeat("a,", kSize) + "a);"),
      test::WithBody(repeat("a(){}->();", kSize)),
      test::WithBody(repeat(" // comment\n", kSize)),
      test::WithBody("fp16 c = const()[val = string(\"" + repeat("\\\\", kSize) + "\")];"),
      repeat("program(", kSize),
      "program(1.3) {" + repeat("func f(){}->();", kSize) + "}",
      "program(1.3) {" + Numbered("func #(){}->();", kNames) + "}",
      "program(1.3) {func f(" + repeat("?a,", kSize) + "?a){}->();}",
      "program(1.3) {func f(" + Numbered("?#,", kNames) + "?A){}->();}",
      "program(1.3) {func f(" + Numbered("?#,", kNames) + "?A)[FlexibleShapeInformation=1]{}->();}",
      "program(1.3) {func f(){}->(" + repeat("a,", kSize) + "a);}",
      "program(1.3) {func f()[a=[" + repeat("1,", kSize) + "1]]{}->();}",
      "program(1.3) [" + repeat("a=1,", kSize) + "a=1] {}",
  };
  for (const std::string& text : texts) {
    const testing::AllocationMeter meter;
    const auto program = Parse(text);
    EXPECT_LE(meter.Peak(), 16 * text.size() + (size_t{1} << 20))
        << text.substr(0, 200) << "\n"
        << static_cast<double>(meter.Peak()) / static_cast<double>(text.size());
    // Checks the listing, the rules and the other functions of the format.
    EXPECT_EQ(testing::FindHostileFault(kFormat_mil, test::ToBytes(text)), "")
        << text.substr(0, 200);
  }
}

}  // namespace
}  // namespace anecheck::mil
