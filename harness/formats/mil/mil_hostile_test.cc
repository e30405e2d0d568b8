// Tries every truncation and many edits of every byte of every real MIL text. Nothing crashes,
// memory stays bounded, and a text that still parses is written back unchanged.
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

constexpr size_t kSmall = 4096;  // files that get every check at every edit
constexpr uint64_t kStride = 5;  // every kStride-th place of larger files gets the format's checks
constexpr uint64_t kJsonStride = 29;  // every kJsonStride-th of those gets the JSON form too

// Parses the text; returns the fault in its memory use or error offset, or "".
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

// Every truncation, and every byte replaced by 0x00, 0xff and itself with bit 0 flipped, is parsed;
// every kStride-th place gets the checks of the format, some of them its JSON form.
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

// Puts each statement of one line alone in a function, and runs all checks at every edit of it.
void CheckLines(const test::File& file) {
  std::istringstream lines(file.text);
  std::string line;
  std::set<std::string> seen;
  while (std::getline(lines, line)) {
    if (!line.ends_with("];") || !line.starts_with("   ")) continue;
    // Lines that differ only in digits take the same path through the parser.
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

// `count` copies of `piece`, each with its own name in place of each `#`.
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

// Each text makes one table of the parser, or the listing, as large as possible for its own size.
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
