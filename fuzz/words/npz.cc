#include "harness/formats/npz/npz.h"

#include <string>
#include <vector>

#include "fuzz/words/words.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::fuzz {
namespace {

// The keys of the header that the writer makes. They are the quoted texts before a colon.
WordTable HeaderKeys() {
  const std::string header = npz::HeaderDict("<f2", false, std::vector<uint64_t>{2, 3});
  WordTable keys = {"header_keys"};
  for (size_t open = header.find('\''); open != std::string::npos;) {
    const size_t close = header.find('\'', open + 1);
    const std::string quoted = header.substr(open, close + 1 - open);
    if (header.compare(close + 1, 1, ":") == 0) keys.Text(quoted);
    open = header.find('\'', close + 1);
  }
  return keys;
}

}  // namespace

WordTables words::npz() {
  const npz::Array array = {.type = npz::ElementType::kFloat16, .shape = {}, .data = {0, 0}};
  const std::vector<uint8_t> file = npz::WriteNpy(array).value();
  constexpr size_t kMagicAndVersion = 8;
  WordTable magic = {"npy_magic"};
  magic.Text(std::string(file.begin(), file.begin() + kMagicAndVersion));
  WordTable types = {"element_types"};
  for (int type = 0; type <= static_cast<int>(npz::ElementType::kBool); ++type) {
    types.Text(npz::ElementDescr(static_cast<npz::ElementType>(type)));
  }
  WordTable methods = {"zip_methods"};
  methods.Number(npz::kStored, 2);
  methods.Number(npz::kDeflated, 2);
  return {ZipSignatures(), magic, HeaderKeys(), types, methods};
}

}  // namespace anecheck::fuzz
