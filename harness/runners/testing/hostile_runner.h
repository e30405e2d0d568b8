// A program for tests of the exec runner that obeys a word in place of MIL text.
#pragma once

namespace anecheck::testing {

// The first argument that makes a test binary this program.
inline constexpr const char* kHostileArgument = "--hostile-runner";

// Reads requests from standard input and acts by the word in the request's MIL file; an unknown
// word copies the input x to the output y. argv[2], if present, is a word for the answer to the
// hello: "well" (also without one), "silent", "gone", "nameless", "h17s" (has that target only),
// "silicon" (names a chip), "packages" (asks for packages, and refuses each with the text of its
// program), "once" (dies at the hello if the file argv[3] is there, and makes it) or "log" (adds to
// that file the id of each request, and whether it names a text of a range).
int HostileMain(int argc, char** argv);

}  // namespace anecheck::testing
