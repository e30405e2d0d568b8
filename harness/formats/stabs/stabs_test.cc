// Tests that stabs strings of real files and of the specification are read and printed unchanged,
// and that other text is refused.
#include "harness/formats/stabs/stabs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace anecheck::stabs {
namespace {

TEST(Stabs, ReadsCatalogEntriesOfRealFiles) {
  const auto alias = ParseType("void:t1=1");
  ASSERT_TRUE(alias);
  EXPECT_EQ(alias->kind, TypeStab::Kind::kAlias);
  EXPECT_EQ(alias->base, 1u);
  const auto half = ParseType("float16:t5=r1;2;0");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->name, "float16");
  EXPECT_EQ(half->id, 5u);
  EXPECT_EQ(half->low, 2);
  const auto lut = ParseType("lut:t8=");
  ASSERT_TRUE(lut);
  EXPECT_EQ(lut->kind, TypeStab::Kind::kEmpty);
  const auto word = ParseType("int16:t4=r1;-32768;32767");
  ASSERT_TRUE(word);
  EXPECT_EQ(word->low, -32768);
  EXPECT_EQ(word->high, 32767);
}

TEST(Stabs, ReadsATensorFrame) {
  const std::string text =
      "probs@output:t16=ar1;0;1;17=s192n:ar1;0;3;18=s64c:ar1;0;1;19=s64h:ar1;0;77;20=s2w:5";
  const auto stab = ParseTensor(text);
  ASSERT_TRUE(stab);
  EXPECT_EQ(stab->name, "probs@output");
  EXPECT_EQ(stab->id, 16u);
  EXPECT_EQ(stab->element_type, 5u);
  ASSERT_EQ(stab->axis_count, 4);
  EXPECT_EQ(stab->Find('c')->extent, 3);
  EXPECT_EQ(stab->Find('w')->id, 20u);
  EXPECT_EQ(stab->Find('d'), nullptr);
  EXPECT_EQ(Print(*stab), text);
  EXPECT_EQ(PrintStrides(*stab), "s192n/s64c/s64h/s2w");
}

// Source: specification 000, listing 23.6.
TEST(Stabs, ReadsTheStrideLists) {
  for (const std::string text : {"s8192n/s1024c/s64h/s2w", "s64n/s64c/s64h/s2w"}) {
    const auto stab = ParseStrides(text);
    ASSERT_TRUE(stab) << text;
    EXPECT_EQ(PrintStrides(*stab), text);
  }
  EXPECT_EQ(ParseStrides("s8192n/s1024c/s64h/s2w")->Find('c')->stride, 1024u);
  for (const char* wrong : {"", "s64", "64n", "s64n/", "s064n", "s64n s2w"}) {
    EXPECT_FALSE(ParseStrides(wrong)) << wrong;
  }
}

TEST(Stabs, RefusesTextItCouldNotPrintBack) {
  for (const char* wrong :
       {"", "int8", "int8:t=1", "int8:t02=1", "int8:t2=r2;0", "int8:t2=r2;00;1", "int8:t2=r2;-0;1",
        "int8:t2=r2;0;127;", "int8:t2=x", "int8:t99999999999=1"}) {
    EXPECT_FALSE(ParseType(wrong)) << wrong;
  }
  for (const char* wrong : {"x:t11=", "x:t11=5", "x:t11=ar1;0;1;12=s192n:", "x:t11=ar1;0;1;12=s1:5",
                            "x:t11=ar1;0;1;12=s192n:5 ", "x:t11=ar1;0;1;12=s192N:5"}) {
    EXPECT_FALSE(ParseTensor(wrong)) << wrong;
  }
}

// The parser must search for the distant '=' once. A search for each mark would take minutes.
TEST(Stabs, ReadsManyMarksBeforeOneSignInOnePass) {
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += ":t";
  EXPECT_FALSE(ParseType(text));
  EXPECT_TRUE(ParseType(text + "7=1"));
  EXPECT_EQ(ParseType(text + "7=1")->name.size(), text.size() - 2);
  EXPECT_FALSE(ParseTensor(text + "=1"));
}

TEST(Stabs, CatalogsCountUpFromOne) {
  for (const size_t count : {10u, 15u, 23u, 24u}) {
    const auto catalog = Catalog(count);
    ASSERT_EQ(catalog.size(), count);
    for (size_t i = 0; i < count; ++i) {
      const auto stab = ParseType(catalog[i]);
      ASSERT_TRUE(stab) << catalog[i];
      EXPECT_EQ(stab->id, i + 1);
      EXPECT_EQ(Print(*stab), catalog[i]);
    }
  }
  EXPECT_TRUE(Catalog(11).empty());
}

// Source: specification 000, listing 23.5.
TEST(Stabs, CatalogHoldsTheEntriesOfTheSpecification) {
  EXPECT_EQ(Catalog(24)[15], "e4m3:t16=r1;1;0");
  EXPECT_EQ(Catalog(24)[22], "int4:t23=r1;-8;7");
}

RC_GTEST_PROP(Stabs, EveryFramePrintsBack, ()) {
  TensorStab stab;
  const std::string name = *rc::gen::container<std::string>(rc::gen::inRange('!', '~'));
  stab.name = name;
  stab.id = *rc::gen::arbitrary<uint32_t>();
  stab.axis_count = *rc::gen::inRange<uint8_t>(1, kMaxAxes + 1);
  for (size_t i = 0; i < stab.axis_count; ++i) {
    stab.axes[i] = {*rc::gen::arbitrary<uint32_t>(), *rc::gen::arbitrary<int64_t>(),
                    *rc::gen::arbitrary<int64_t>(),  *rc::gen::arbitrary<uint32_t>(),
                    *rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange('a', 'z')};
  }
  stab.element_type = *rc::gen::arbitrary<uint32_t>();
  const std::string text = Print(stab);
  const auto again = ParseTensor(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(Print(*again) == text);
}

RC_GTEST_PROP(Stabs, AcceptedTextPrintsBack, (const std::string& noise)) {
  for (const std::string& text : {noise, "a:t1=" + noise, "a:t1=r1;0;" + noise}) {
    if (const auto type = ParseType(text)) RC_ASSERT(Print(*type) == text);
    if (const auto tensor = ParseTensor(text)) RC_ASSERT(Print(*tensor) == text);
  }
}

}  // namespace
}  // namespace anecheck::stabs
