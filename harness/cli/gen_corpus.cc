#include "harness/cli/gen_corpus.h"

#include <span>
#include <utility>
#include <vector>

#include "fuzz/format_dictionary.h"
#include "generators/formats/corpus/seed_corpus.h"
#include "generators/formats/registry/file_set.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {

Result<Json> WriteCorpus(const std::string& format, uint64_t seed, const std::string& folder) {
  ANECHECK_ASSIGN(const DescriptorGenerator* generator, GeneratorOf(format));
  ANECHECK_ASSIGN(const Format* known, FindFormat(format));
  ANECHECK_ASSIGN(const std::string dictionary, fuzz::DictionaryOfFormat(format));
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  const CorpusLimits limits;
  std::vector<CorpusFile> files = ChooseValidFiles(*generator, *known, seed, limits);
  std::vector<CorpusFile> edges = MakeEdgeFiles(format, files, limits.max_size);
  files.insert(files.end(), std::make_move_iterator(edges.begin()),
               std::make_move_iterator(edges.end()));
  Json list = Json::array();
  for (const CorpusFile& file : files) {
    ANECHECK_RETURN_IF_ERROR(
        WriteFileAtomic(folder + "/" + file.name, std::span<const uint8_t>(file.bytes)));
    list.push_back({{"file", file.name}, {"size", file.bytes.size()}, {"reason", file.reason}});
  }
  const std::string path = folder + ".dict";
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, dictionary));
  return Json{{"format", format}, {"seed", seed}, {"files", std::move(list)}, {"dictionary", path}};
}

}  // namespace anecheck
