#!/usr/bin/env python3
"""What names a failure for the scripts around fuzzing: the same in every checkout, another for each bug."""

import sys
import unittest

sys.dont_write_bytecode = True
import fuzz_common  # noqa: E402

FRAMES = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55
READ of size 4 at 0x602000000014 thread T0
    #0 0x55c1 in __asan_memcpy (/w/build/fuzz/fuzzers/hwx_fuzzer+0xc93fd) (BuildId: f4ff)
    #1 0x55c2 in U32 %s/build/fuzz/../../harness/base/byte_reader.h:84:5
    #2 0x55c3 in ReadHeader %s/build/fuzz/../../harness/formats/hwx/load.cc:30:9
    #3 0x55c4 in anecheck::hwx::(anonymous namespace)::%s(std::span<unsigned char const, 18446744073709551615ul>) %s/harness/formats/hwx/load.cc:50:7
    #4 0x55c5 in std::optional<anecheck::hwx::File> anecheck::hwx::Read<anecheck::hwx::File>(int) %s/harness/formats/hwx/load.cc:9:1
    #5 0x55c6 in anecheck::fuzz::$_2::__invoke(int) %s/fuzz/targets/hwx_target.cc:9:1

allocated by thread T0 here:
    #0 0x55c7 in anecheck::Other() %s/harness/formats/hwx/other.cc:1:1

SUMMARY: AddressSanitizer: heap-buffer-overflow %s/build/fuzz/../../harness/base/byte_reader.h:84:5 in U32
"""


class SignatureTest(unittest.TestCase):
    def signature(self, report):
        return fuzz_common.signature_of(report)

    def overflow(self, function="Load", folder="/w"):
        return self.signature(FRAMES.replace("%s(", f"{function}(").replace("%s", folder))

    def test_a_failure_is_named_by_the_functions_behind_runtime_and_helpers(self):
        self.assertEqual(self.overflow(), "heap-buffer-overflow in ReadHeader < hwx::Load < hwx::Read")

    def test_two_bugs_behind_one_reader_differ_and_two_checkouts_do_not(self):
        self.assertNotEqual(self.overflow("Load"), self.overflow("Relocate"))
        self.assertEqual(self.overflow(folder="/w"), self.overflow(folder="/home/me/fuzz/project"))

    def test_assertions_in_a_namespace_without_a_name_differ(self):
        report = ("==7== ERROR: libFuzzer: deadly signal\n    #0 0x1 in __sanitizer_print_stack_trace (/w/f+0x1)\n"
                  "    #1 0x2 in raise sysdeps/raise.c:3\n"
                  "    #2 0x3 in anecheck::(anonymous namespace)::%s(int) /w/harness/formats/mil/a.cc:1:2\n"
                  "SUMMARY: libFuzzer: deadly signal\n")
        self.assertEqual(self.signature(report % "First"), "deadly signal in First")
        self.assertEqual(self.signature(report % "Second"), "deadly signal in Second")

    def test_a_slow_input_is_named_by_what_it_entered_since_where_it_was_is_chance(self):
        report = ("ERROR: libFuzzer: timeout after 30 seconds\n%s"
                  "    #1 0x2 in anecheck::mil::Items() /w/harness/formats/mil/a.cc:1:2\n"
                  "    #2 0x2 in anecheck::mil::Block() /w/harness/formats/mil/a.cc:2:2\n"
                  "    #3 0x2 in anecheck::mil::Parse() /w/harness/formats/mil/a.cc:3:2\n"
                  "    #4 0x2 in anecheck::fuzz::Check() /w/fuzz/targets/mil_target.cc:3:2\n")
        for inner in ("Skip", "Peek"):
            frame = f"    #0 0x1 in anecheck::mil::{inner}() /w/harness/formats/mil/a.cc:9:2\n"
            self.assertEqual(self.signature(report % frame), "timeout in mil::Items < mil::Block < mil::Parse")

    def test_a_stack_without_names_gives_its_places_in_the_fuzzer(self):
        report = ("ERROR: AddressSanitizer: SEGV on unknown address 0x1 (pc 0x2)\n"
                  "    #0 0x55d1  (/w/fuzzers/hwx_fuzzer+0x1a2b) (BuildId: f4)\n    #1 0x55d2  (/w/fuzzers/hwx_fuzzer+0xff)\n")
        self.assertEqual(self.signature(report), "SEGV in hwx_fuzzer+1a2b < hwx_fuzzer+ff")

    def test_an_undefined_value_keeps_its_place_and_its_callers(self):
        report = "/w/harness/base/byte_reader.h:7:3: runtime error: shift exponent 99 is too large\n%s"
        self.assertEqual(self.signature(report % ""), "byte_reader.h:7:3: runtime error: shift exponent")
        self.assertEqual(self.signature(report % "    #0 0x1 in anecheck::td::Read(int) /w/harness/formats/td/a.cc:1:1\n"),
                         "byte_reader.h:7:3: runtime error: shift exponent in td::Read")

    def test_one_law_broken_by_two_formats_has_two_signatures(self):
        for text, name in (("[hwx]: at 7", "[hwx]"), ("[hwx]: at 9", "[hwx]"), ("[e5]: at 7", "[e5]")):
            self.assertEqual(self.signature(f"law broken: write(parse(x)) is x {text}"), f"write(parse(x)) is x {name}")

    def test_a_kind_alone_is_vague(self):
        for report in ("ERROR: libFuzzer: deadly signal", "ERROR: libFuzzer: timeout after 30 seconds", ""):
            self.assertTrue(fuzz_common.is_vague(self.signature(report)), report)
        self.assertFalse(fuzz_common.is_vague(self.overflow()))
        self.assertFalse(fuzz_common.is_vague(self.signature("law broken: coverage adds up [hwx]: no")))


if __name__ == "__main__":
    unittest.main()
