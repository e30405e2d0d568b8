// A program for tests of the exec runner. It obeys a command word that replaces the MIL text.
#pragma once

namespace anecheck::testing {

// The first argument that makes a test binary this program.
inline constexpr const char* kHostileArgument = "--hostile-runner";

// Reads requests from standard input and obeys the command word in each request's MIL file. For an
// unknown word it copies the input x to the output y. argv[2], if present, is a word that decides
// the answer to the hello: "well" (the default), "silent", "gone", "nameless", "chatty" (prints an
// additional line), "h17s" (has that target only), "silicon" (names a chip), "packages" (asks for
// packages, and refuses each with the text of its program), "batch" (takes four cases together),
// "once" (dies at the hello if the file argv[3] exists, else makes that file) or "log". With "log"
// and "batch" it adds to the file argv[3] the id of each request, and whether it names a text of a
// range.
int HostileMain(int argc, char** argv);

}  // namespace anecheck::testing
