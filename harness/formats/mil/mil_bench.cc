// Measures how fast the MIL parser lexes, parses and resolves text. The same run measures
// nlohmann_json on JSON of the same size for comparison. Also measures how many small programs per
// second the text writer writes.
#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/formats/mil/json.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/text_writer.h"

namespace anecheck::mil {
namespace {

// A generator of numbers with a fixed seed, so that the corpus is the same in every run.
class Shuffle {
 public:
  uint64_t Below(uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  uint64_t state_ = 1;
};

std::vector<std::string> RealTexts() {
  const char* set = std::getenv("ANECHECK_REAL_DATA");
  const std::filesystem::path root =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(ANECHECK_SOURCE_DIR) / "../shared/real";
  std::vector<std::string> texts;
  const auto names = ListFiles((root / "mil").string());
  if (!names.ok()) return texts;
  for (const std::string& name : *names) {
    auto text = ReadTextFile((root / "mil" / name).string());
    if (text.ok()) texts.push_back(std::move(text).value());
  }
  return texts;
}

// Makes a program from the lines of `text`. Shuffles the lines of statements and drops some, so
// that different programs have different sequences of tokens.
std::string Shuffled(const std::string& text, Shuffle& shuffle) {
  std::vector<std::string> head;
  std::vector<std::string> statements;
  std::vector<std::string> tail;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    std::string line = text.substr(at, end + 1 - at);
    at = end + 1;
    const bool statement = line.find(" = ") != std::string::npos &&
                           line.find(");\n") == std::string::npos &&
                           line.find("func ") == std::string::npos && line[0] == ' ';
    if (statement && line.find("];") != std::string::npos) {
      statements.push_back(std::move(line));
    } else if (statements.empty()) {
      head.push_back(std::move(line));
    } else {
      tail.push_back(std::move(line));
    }
  }
  std::string out;
  for (const std::string& line : head) out += line;
  for (size_t i = statements.size(); i > 1; --i) {
    std::swap(statements[i - 1], statements[shuffle.Below(i)]);
  }
  for (const std::string& line : statements) {
    if (shuffle.Below(4) != 0) out += line;
  }
  for (const std::string& line : tail) out += line;
  return out;
}

struct Corpus {
  std::vector<std::string> mil;
  std::vector<std::string> json;   // the JSON form of programs, as many bytes as `mil`
  std::vector<std::string> lines;  // the texts as JSON arrays of lines, which are fast to parse
  size_t mil_bytes = 0;
  size_t json_bytes = 0;
  size_t lines_bytes = 0;
};

const Corpus& SharedCorpus() {
  static const Corpus corpus = [] {
    constexpr size_t kBytes = size_t{8} << 20;
    Corpus made;
    const std::vector<std::string> texts = RealTexts();
    if (texts.empty()) return made;
    Shuffle shuffle;
    while (made.mil_bytes < kBytes) {
      std::string text = Shuffled(texts[shuffle.Below(texts.size())], shuffle);
      if (!Parse(text).ok()) continue;
      made.mil_bytes += text.size();
      made.mil.push_back(std::move(text));
    }
    for (const std::string& text : made.mil) {
      if (made.json_bytes >= made.mil_bytes) break;
      made.json.push_back(ProgramToJson(*Parse(text)).dump());
      made.json_bytes += made.json.back().size();
    }
    for (const std::string& text : made.mil) {
      nlohmann::json lines;
      std::istringstream stream(text);
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
      made.lines.push_back(lines.dump());
      made.lines_bytes += made.lines.back().size();
    }
    return made;
  }();
  return corpus;
}

void ParseMil(const Corpus& corpus) {
  for (const std::string& text : corpus.mil) {
    auto program = Parse(text);
    benchmark::DoNotOptimize(program);
  }
}

void ParseJsonTexts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    auto json = nlohmann::json::parse(text);
    benchmark::DoNotOptimize(json);
  }
}

bool HasCorpus(benchmark::State& state) {
  if (!SharedCorpus().mil.empty()) return true;
  state.SkipWithError("no real MIL files: set ANECHECK_REAL_DATA");
  return false;
}

void BM_ParseMil(benchmark::State& state) {
  if (!HasCorpus(state)) return;
  for (auto unused : state) ParseMil(SharedCorpus());
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * SharedCorpus().mil_bytes));
}
BENCHMARK(BM_ParseMil)->Unit(benchmark::kMillisecond);

void BM_ParseJson(benchmark::State& state) {
  if (!HasCorpus(state)) return;
  for (auto unused : state) ParseJsonTexts(SharedCorpus().json);
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * SharedCorpus().json_bytes));
}
BENCHMARK(BM_ParseJson)->Unit(benchmark::kMillisecond);

// Runs both parsers in turn, so that a busy machine slows both. `ratio` is the bytes per second of
// MIL text divided by the bytes per second of JSON. `ratio_lines` is the same ratio for JSON arrays
// of lines. Both use the fastest round.
void BM_MilOverJson(benchmark::State& state) {
  if (!HasCorpus(state)) return;
  const Corpus& corpus = SharedCorpus();
  double best_mil = 1e300;
  double best_json = 1e300;
  double best_lines = 1e300;
  const auto seconds = [](auto&& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (auto unused : state) {
    best_mil = std::min(best_mil, seconds([&] { ParseMil(corpus); }));
    best_json = std::min(best_json, seconds([&] { ParseJsonTexts(corpus.json); }));
    best_lines = std::min(best_lines, seconds([&] { ParseJsonTexts(corpus.lines); }));
  }
  const double mil_rate = static_cast<double>(corpus.mil_bytes) / best_mil;
  const double json_rate = static_cast<double>(corpus.json_bytes) / best_json;
  state.counters["mil_MBps"] = mil_rate / 1e6;
  state.counters["json_MBps"] = json_rate / 1e6;
  const double lines_rate = static_cast<double>(corpus.lines_bytes) / best_lines;
  state.counters["ratio"] = mil_rate / json_rate;
  state.counters["lines_MBps"] = lines_rate / 1e6;
  state.counters["ratio_lines"] = mil_rate / lines_rate;
}
BENCHMARK(BM_MilOverJson)->Unit(benchmark::kMillisecond)->Iterations(20);

// Writes a small convolution program with six constants and two operations.
void WriteSmallProgram(TextWriter& writer) {
  static constexpr std::array<int64_t, 4> kInput = {1, 8, 4, 4};
  static constexpr std::array<int64_t, 4> kWeight = {8, 8, 1, 1};
  static constexpr std::array<int32_t, 2> kOnes = {1, 1};
  static constexpr std::array<int32_t, 4> kPad = {0, 0, 0, 0};
  writer.BeginProgram();
  writer.BeginFunction("main");
  writer.Parameter(DataType::kFp16, kInput, "x");
  writer.BeginBody();
  writer.ConstString("pad_type", "valid");
  writer.ConstIntegers("strides", kOnes);
  writer.ConstIntegers("pad", kPad);
  writer.ConstIntegers("dilations", kOnes);
  writer.ConstInteger("groups", 1);
  writer.ConstBlob("w", DataType::kFp16, kWeight, "@model_path/weights/weight.bin", 64);
  writer.Result(DataType::kFp16, kInput, "c");
  writer.Op("conv");
  for (const std::string_view name : {"dilations", "groups", "pad", "pad_type", "strides"}) {
    writer.Name(name, name);
  }
  writer.Name("weight", "w");
  writer.Name("x", "x");
  writer.EndStatement("c");
  writer.Result(DataType::kFp16, kInput, "y");
  writer.Op("relu");
  writer.Name("x", "c");
  writer.EndStatement("y");
  writer.EndFunction({"y"});
  writer.EndProgram();
}

void BM_WriteSmallProgram(benchmark::State& state) {
  TextWriter writer;
  for (auto unused : state) {
    writer.Clear();
    WriteSmallProgram(writer);
    benchmark::DoNotOptimize(writer.text().data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_WriteSmallProgram);

void BM_ParseSmallProgram(benchmark::State& state) {
  TextWriter writer;
  WriteSmallProgram(writer);
  for (auto unused : state) {
    auto program = Parse(writer.text());
    benchmark::DoNotOptimize(program);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ParseSmallProgram);

}  // namespace
}  // namespace anecheck::mil
