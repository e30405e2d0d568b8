// A real parser as a command for `anecheck fuzz`: LIEF reads hardware containers as Mach-O files
// once their magic number is that of Mach-O. Exit code 0: parsed, 1: refused; anything else is a
// fault of LIEF.
//
//   c++ -std=c++17 -g lief_parser.cc -o lief_parser -lLIEF
//   anecheck fuzz --format hwx --count 1000 -- ./lief_parser @@
#include <LIEF/MachO.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: lief_parser FILE\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  const uint8_t magic[] = {0xcf, 0xfa, 0xed, 0xfe};  // MH_MAGIC_64
  for (size_t i = 0; i < sizeof magic && i < bytes.size(); ++i) bytes[i] = magic[i];
  try {
    const auto fat = LIEF::MachO::Parser::parse(bytes, argv[1]);
    if (fat == nullptr || fat->size() == 0) return 1;
    size_t named = 0;
    for (const LIEF::MachO::Symbol& symbol : (*fat)[0].symbols()) named += !symbol.name().empty();
    std::printf("%zu commands, %zu symbols\n", static_cast<size_t>((*fat)[0].commands().size()),
                named);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    return 1;
  }
}
