// The edges of texts. The texts are fields of fixed width, numbers written as text, quotations,
// brackets, and the end of the file.
#include <array>

#include "generators/formats/boundary/edges.h"

namespace anecheck::boundary {
namespace {

using Text = std::string_view;

template <size_t kCount>
std::string Repeat(Text old) {
  std::string text;
  for (size_t i = 0; i < kCount; ++i) text += old;
  return text;
}

// One character, repeated to the length of the old text.
template <char kCharacter>
std::string Fill(Text old) {
  return std::string(old.size(), kCharacter);
}

std::string FirstBecomes(Text old, Text bytes) {
  std::string text(old);
  for (size_t i = 0; i < bytes.size() && i < text.size(); ++i) text[i] = bytes[i];
  return text;
}

constexpr auto kNames = std::to_array<TextEdge>({
    {"no zero byte", Fill<'A'>},
    {"empty", Fill<'\0'>},
    {"one character", [](Text old) { return FirstBecomes(Fill<'\0'>(old), "A"); }},
    {"only the last byte is not zero",
     [](Text old) { return std::string(old.empty() ? 0 : old.size() - 1, '\0') + "A"; }},
    {"last byte is not zero",
     [](Text old) { return std::string(old.substr(0, old.empty() ? 0 : old.size() - 1)) + "A"; }},
    {"not UTF-8", [](Text old) { return FirstBecomes(old, "\xff\xfe"); }},
    {"cut inside a character", [](Text old) { return FirstBecomes(Fill<'\0'>(old), "a\xe2\x82"); }},
    {"overlong UTF-8", [](Text old) { return FirstBecomes(old, "\xc0\x80"); }},
    {"surrogate in UTF-8", [](Text old) { return FirstBecomes(old, "\xed\xa0\x80"); }},
    {"beyond Unicode", [](Text old) { return FirstBecomes(old, "\xf4\x90\x80\x80"); }},
    {"conversions of printf", [](Text old) { return FirstBecomes(old, "%n%s%s%s"); }},
    {"a path upwards", [](Text old) { return FirstBecomes(old, "../../../a"); }},
    {"line feed", [](Text old) { return FirstBecomes(old, "\n"); }},
});

template <char kDigit>
std::string LongNumber(Text) {
  return std::string(400, kDigit);
}

#define ANECHECK_WRITTEN(text) {text, [](Text) { return std::string(text); }}
constexpr auto kDigits = std::to_array<TextEdge>({
    ANECHECK_WRITTEN("0"),
    ANECHECK_WRITTEN("-0"),
    ANECHECK_WRITTEN("1"),
    ANECHECK_WRITTEN("-1"),
    ANECHECK_WRITTEN("9"),
    ANECHECK_WRITTEN("17"),
    ANECHECK_WRITTEN("33"),
    ANECHECK_WRITTEN("65"),
    ANECHECK_WRITTEN("127"),
    ANECHECK_WRITTEN("128"),
    ANECHECK_WRITTEN("255"),
    ANECHECK_WRITTEN("256"),
    ANECHECK_WRITTEN("257"),
    ANECHECK_WRITTEN("1025"),
    ANECHECK_WRITTEN("32767"),
    ANECHECK_WRITTEN("32768"),
    ANECHECK_WRITTEN("65535"),
    ANECHECK_WRITTEN("65536"),
    ANECHECK_WRITTEN("65537"),
    ANECHECK_WRITTEN("-32769"),
    ANECHECK_WRITTEN("268435457"),
    ANECHECK_WRITTEN("536870913"),
    ANECHECK_WRITTEN("1073741825"),
    ANECHECK_WRITTEN("2147483647"),
    ANECHECK_WRITTEN("2147483648"),
    ANECHECK_WRITTEN("-2147483648"),
    ANECHECK_WRITTEN("-2147483649"),
    ANECHECK_WRITTEN("4294967295"),
    ANECHECK_WRITTEN("4294967296"),
    ANECHECK_WRITTEN("4294967297"),
    ANECHECK_WRITTEN("4611686018427387905"),
    ANECHECK_WRITTEN("9223372036854775807"),
    ANECHECK_WRITTEN("9223372036854775808"),
    ANECHECK_WRITTEN("-9223372036854775808"),
    ANECHECK_WRITTEN("18446744073709551615"),
    ANECHECK_WRITTEN("18446744073709551616"),
    ANECHECK_WRITTEN("1e308"),
    ANECHECK_WRITTEN("1e309"),
    ANECHECK_WRITTEN("-1e309"),
    ANECHECK_WRITTEN("5e-324"),
    ANECHECK_WRITTEN("1e39"),
    ANECHECK_WRITTEN("65520.0"),
    ANECHECK_WRITTEN("0.5"),
    ANECHECK_WRITTEN("nan"),
    ANECHECK_WRITTEN("inf"),
    ANECHECK_WRITTEN("0x10"),
    ANECHECK_WRITTEN("1."),
    ANECHECK_WRITTEN("1e"),
    ANECHECK_WRITTEN("--1"),
    ANECHECK_WRITTEN(""),
    {"400 digits", LongNumber<'7'>},
    {"400 zeros", LongNumber<'0'>},
    {"twice", Repeat<2>},
    {"negated", [](Text old) { return "-" + std::string(old); }},
});

template <size_t kCount>
std::string Long(Text) {
  return std::string(kCount, 'A');
}

constexpr auto kQuoted = std::to_array<TextEdge>({
    ANECHECK_WRITTEN(""),
    {"a zero byte", [](Text old) { return std::string(1, '\0') + std::string(old); }},
    {"not UTF-8", [](Text old) { return "\xff\xfe" + std::string(old); }},
    {"cut inside a character", [](Text old) { return std::string(old) + "\xe2\x82"; }},
    {"overlong UTF-8", [](Text old) { return "\xc0\x80" + std::string(old); }},
    {"surrogate in UTF-8", [](Text old) { return "\xed\xa0\x80" + std::string(old); }},
    {"two-byte characters", [](Text old) { return Repeat<32>("\xc3\xa9") + std::string(old); }},
    {"four-byte characters",
     [](Text old) { return Repeat<16>("\xf0\x9f\x98\x80") + std::string(old); }},
    {"combining character", [](Text old) { return std::string(old) + "\xcc\x81"; }},
    {"escaped zero", [](Text old) { return "\\u0000" + std::string(old); }},
    {"half a surrogate", [](Text old) { return "\\ud800" + std::string(old); }},
    {"half an escape", [](Text old) { return std::string(old) + "\\u12"; }},
    {"backslash at the end", [](Text old) { return std::string(old) + "\\"; }},
    {"entity", [](Text old) { return "&#0;&#x110000;&amp" + std::string(old); }},
    {"conversions of printf", [](Text old) { return "%n%s%s%s" + std::string(old); }},
    {"a path upwards", [](Text old) { return "../../../" + std::string(old); }},
    {"15 bytes", Long<15>},
    {"16 bytes", Long<16>},
    {"17 bytes", Long<17>},
    {"32 bytes", Long<32>},
    {"33 bytes", Long<33>},
    {"64 bytes", Long<64>},
    {"65 bytes", Long<65>},
    {"128 bytes", Long<128>},
    {"129 bytes", Long<129>},
    {"256 bytes", Long<256>},
    {"300 bytes", Long<300>},
    {"1025 bytes", Long<1025>},
    {"5000 bytes", Long<5000>},
    {"65536 bytes", Long<65536>},
    {"twice", Repeat<2>},
    {"@model_path/", [](Text) { return std::string("@model_path/"); }},
    {"a number", [](Text) { return std::string("-1"); }},
});

// Values of every type of a property list. A parser expects only one of the types.
constexpr auto kElements = std::to_array<TextEdge>({
    ANECHECK_WRITTEN(""),
    {"twice", Repeat<2>},
    {"17 times", Repeat<17>},
    {"257 times", Repeat<257>},
    ANECHECK_WRITTEN("<true/>"),
    ANECHECK_WRITTEN("<integer>-1</integer>"),
    ANECHECK_WRITTEN("<integer>0x10</integer>"),
    ANECHECK_WRITTEN("<integer></integer>"),
    ANECHECK_WRITTEN("<real>0.5</real>"),
    ANECHECK_WRITTEN("<real>nan</real>"),
    ANECHECK_WRITTEN("<real>-inf</real>"),
    ANECHECK_WRITTEN("<real>1e309</real>"),
    ANECHECK_WRITTEN("<string></string>"),
    ANECHECK_WRITTEN("<string/>"),
    ANECHECK_WRITTEN("<string>a</string>"),
    ANECHECK_WRITTEN("<key>a</key>"),
    ANECHECK_WRITTEN("<data>====</data>"),
    ANECHECK_WRITTEN("<data>QUJ</data>"),
    ANECHECK_WRITTEN("<date>9999-99-99T99:99:99Z</date>"),
    ANECHECK_WRITTEN("<array/>"),
    ANECHECK_WRITTEN("<array></array>"),
    ANECHECK_WRITTEN("<dict/>"),
    ANECHECK_WRITTEN("<dict></dict>"),
    ANECHECK_WRITTEN("<dict><key>a</key></dict>"),
    {"in an array", [](Text old) { return "<array>" + std::string(old) + "</array>"; }},
    {"in a dictionary",
     [](Text old) { return "<dict><key>a</key>" + std::string(old) + "</dict>"; }},
    {"in a comment", [](Text old) { return "<!--" + std::string(old) + "-->"; }},
    {"a comment without end", [](Text old) { return "<!--" + std::string(old); }},
    {"as characters", [](Text old) { return "<![CDATA[" + std::string(old) + "]]>"; }},
});
#undef ANECHECK_WRITTEN

constexpr auto kOpeners = std::to_array<TextEdge>({
    {"left out", [](Text) { return std::string(); }},
    {"twice", Repeat<2>},
    {"17 times", Repeat<17>},
    {"65 times", Repeat<65>},
    {"300 times", Repeat<300>},
    {"2000 times", Repeat<2000>},
    {"20000 times", Repeat<20000>},
    {"100000 times", Repeat<100000>},
});

constexpr auto kEnds = std::to_array<TextEdge>({
    {"left out", [](Text) { return std::string(); }},
    {"a zero byte", [](Text old) { return std::string(old) + '\0'; }},
    {"a quotation mark", [](Text old) { return std::string(old) + '"'; }},
    {"a backslash", [](Text old) { return std::string(old) + '\\'; }},
    {"a digit", [](Text old) { return std::string(old) + '1'; }},
    {"an opening bracket", [](Text old) { return std::string(old) + '['; }},
    {"4096 zero bytes", [](Text old) { return std::string(old) + std::string(4096, '\0'); }},
});

}  // namespace

std::span<const TextEdge> TextEdges(Role role) {
  switch (role) {
    case Role::kName:
      return kNames;
    case Role::kDigits:
      return kDigits;
    case Role::kQuoted:
      return kQuoted;
    case Role::kOpener:
      return kOpeners;
    case Role::kElement:
      return kElements;
    case Role::kEnd:
      return kEnds;
    case Role::kNumber:
      break;
  }
  return {};
}

}  // namespace anecheck::boundary
