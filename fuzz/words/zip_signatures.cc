#include <string>
#include <vector>

#include "fuzz/words/words.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::fuzz {

// The signatures of an archive with one member. They begin its local header, its directory entry
// and the end record.
WordTable words::ZipSignatures() {
  constexpr size_t kSignature = 4;
  constexpr size_t kEndRecord = 22;
  npz::ZipArchive archive;
  const std::vector<uint8_t> content = {1};
  WordTable signatures = {"zip_signatures"};
  if (!npz::AddToZip(archive, "x", content, false).ok() || !npz::FinishZip(archive).ok()) {
    return signatures;
  }
  const std::vector<uint8_t> bytes = npz::WriteZip(archive);
  const std::string text(bytes.begin(), bytes.end());
  for (const size_t at : {size_t{0}, size_t{archive.directory_offset}, text.size() - kEndRecord}) {
    signatures.Text(text.substr(at, kSignature));
  }
  return signatures;
}

}  // namespace anecheck::fuzz
