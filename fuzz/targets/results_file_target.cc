// A results file that anything may have happened to: it opens or is refused in words, it is never
// changed by a refusal, and a query of a damaged one ends.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "harness/base/file.h"
#include "harness/campaign/schema_sql.h"
#include "harness/campaign/store.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws =
    LawList("errors have words", "the temporary folder can be written",
            "reading changes no results file", "what is refused is left untouched");
using Laws = LawBook<kLaws>;

const std::string& Folder() {
  static const auto* folder = new TempDirectory(TempDirectory::Create("anecheck-fuzz-").value());
  return folder->path();
}

void Remove(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    (void)std::remove((path + suffix).c_str());
  }
}

void Look(Store& store) {
  for (const char* query :
       {"SELECT * FROM runs", "SELECT * FROM cases LIMIT 100", "SELECT * FROM findings LIMIT 100",
        "SELECT target, route, op, sum(cases) FROM reach GROUP BY 1, 2, 3"}) {
    const auto rows = store.Query(query);
    if (!rows.ok()) Laws::Require(!rows.error().message.empty(), "errors have words");
  }
}

bool Check(ByteSpan input) {
  const std::string path = Folder() + "/results.sqlite";
  Remove(path);
  Laws::Require(WriteFileAtomic(path, input).ok(), "the temporary folder can be written");
  if (auto store = Store::OpenReadOnly(path); store.ok()) Look(*store);
  const auto after_reading = ReadFile(path);
  Laws::Require(after_reading.ok() && std::ranges::equal(*after_reading, input),
                "reading changes no results file");
  if (auto store = Store::Open(path); store.ok()) {
    Look(*store);
  } else {
    const auto after = ReadFile(path);
    Laws::Require(after.ok() && std::ranges::equal(*after, input),
                  "what is refused is left untouched", store.error().message);
  }
  Remove(path);
  return true;
}

// The identifiers of the schema.
WordTables Words() {
  WordTable identifiers = {"schema"};
  std::string word;
  for (const char c : std::string_view(kSchemaSql)) {
    const bool inside = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (inside) word += c;
    if (!inside && word.size() > 2) identifiers.Text(word);
    if (!inside) word.clear();
  }
  return {identifiers};
}

Bytes Generate(ChoiceStream& choices) {
  const std::string path = Folder() + "/seed.sqlite";
  Remove(path);
  {
    auto store = Store::Open(path).value();
    const int64_t run = store.BeginRun({.uuid = "u", .command = "run", .options = "{}"}).value();
    BatchRecord batch;
    batch.cases.resize(choices.Below(4));
    for (CaseRecord& record : batch.cases) {
      record.target = "h13";
      record.verdict = "pass";
      record.outputs.resize(1);
    }
    if (!batch.cases.empty()) {
      batch.findings.push_back({.id = "f1", .op = "relu", .target = "h13", .verdict = "wrong"});
      batch.reach[{"h13", "mil", "relu"}].cases = 3;
    }
    (void)store.Append(run, batch);
    (void)store.FinishRun(run, "finished", "2026-01-01T00:00:00Z");
  }
  Bytes bytes = ReadFile(path).value();
  Remove(path);
  return bytes;
}

}  // namespace

extern const FuzzTarget kTarget_results_file;
const FuzzTarget kTarget_results_file = {
    .name = "results_file", .check = Check, .laws = kLaws, .words = Words, .generate = Generate};

}  // namespace anecheck::fuzz
