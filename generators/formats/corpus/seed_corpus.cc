#include "generators/formats/corpus/seed_corpus.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "generators/formats/boundary/boundary.h"
#include "harness/base/json.h"

namespace anecheck {
namespace {

constexpr size_t kFewValues = 24;     // a member with more values is a name or a measurement
constexpr size_t kShortText = 24;     // a longer value is data
constexpr size_t kMostElements = 64;  // elements of an array that are examined

// The paths and values that occur in the JSON form of a file.
struct Facts {
  std::set<std::string> parts;
  std::map<std::string, std::set<std::string>> values;
};

void Collect(const Json& json, const std::string& path, Facts& facts) {
  if (json.is_object()) {
    for (const auto& [key, item] : json.items())
      Collect(item, fmt::format("{}.{}", path, key), facts);
  } else if (json.is_array()) {
    facts.parts.insert(fmt::format("{}[{}]", path, std::bit_width(json.size())));
    for (size_t i = 0; i < std::min(json.size(), kMostElements); ++i) {
      Collect(json[i], path + "[]", facts);
    }
  } else {
    facts.parts.insert(path);
    const std::string value = json.dump();
    if (value.size() <= kShortText) facts.values[path].insert(value);
  }
}

struct Candidate {
  Bytes bytes;
  uint64_t stream = 0;  // seed of its choice stream
  Facts facts;
};

std::vector<Candidate> DrawCandidates(const DescriptorGenerator& generator, const Format& format,
                                      uint64_t seed, const CorpusLimits& limits) {
  ChoiceStream source = ChoiceStream::FromSeed(seed);
  std::vector<Candidate> candidates;
  for (uint64_t i = 0; i < limits.drawn; ++i) {
    Candidate candidate;
    candidate.stream = source.Word();
    ChoiceStream choices = ChoiceStream::FromSeed(candidate.stream);
    candidate.bytes = generator.generate(choices);
    if (candidate.bytes.size() > limits.max_size && i + 1 < limits.drawn) continue;
    const Result<Json> json = format.to_json(candidate.bytes);
    if (json.ok()) Collect(*json, "", candidate.facts);
    candidates.push_back(std::move(candidate));
  }
  std::ranges::sort(candidates, {},
                    [](const Candidate& one) { return std::pair(one.bytes.size(), one.stream); });
  return candidates;
}

// Returns the paths that have few distinct values. They are choices of the format.
std::set<std::string> PathsOfChoices(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::set<std::string>> all;
  for (const Candidate& candidate : candidates) {
    for (const auto& [path, values] : candidate.facts.values) {
      std::set<std::string>& known = all[path];
      if (known.size() <= kFewValues) known.insert(values.begin(), values.end());
    }
  }
  std::set<std::string> paths;
  for (const auto& [path, values] : all) {
    if (values.size() <= kFewValues) paths.insert(path);
  }
  return paths;
}

// Adds the file's facts to `seen`. Returns the first new fact, or an empty text if there is none.
std::string NoteNew(const Facts& facts, const std::set<std::string>& choices,
                    std::set<std::string>& seen) {
  std::string first;
  const auto note = [&](const std::string& fact) {
    if (seen.insert(fact).second && first.empty()) first = fact;
  };
  for (const std::string& part : facts.parts) note(part);
  for (const auto& [path, values] : facts.values) {
    if (!choices.contains(path)) continue;
    for (const std::string& value : values) note(fmt::format("{} = {}", path, value));
  }
  return first;
}

struct PlaceOfFile {
  size_t file;
  boundary::Place place;
};

}  // namespace

std::vector<CorpusFile> ChooseValidFiles(const DescriptorGenerator& generator, const Format& format,
                                         uint64_t seed, const CorpusLimits& limits) {
  std::vector<Candidate> candidates = DrawCandidates(generator, format, seed, limits);
  const std::set<std::string> choices = PathsOfChoices(candidates);
  std::set<std::string> seen;
  std::vector<CorpusFile> files;
  for (Candidate& candidate : candidates) {
    if (files.size() == limits.max_files) break;
    const std::string fact = NoteNew(candidate.facts, choices, seen);
    if (fact.empty() && !files.empty()) continue;
    files.push_back({fmt::format("valid_{:03}", files.size()),
                     fmt::format("choice stream {}: the first with {}", candidate.stream, fact),
                     std::move(candidate.bytes)});
  }
  return files;
}

std::vector<CorpusFile> MakeEdgeFiles(std::string_view format, const std::vector<CorpusFile>& valid,
                                      size_t max_size) {
  // The first place of each field, in the smallest file that has the field.
  std::map<boundary::Role, std::map<std::string_view, PlaceOfFile>> fields;
  for (size_t i = 0; i < valid.size(); ++i) {
    for (const boundary::Place& place : boundary::PlacesOf(format, valid[i].bytes)) {
      fields[place.role].emplace(place.name, PlaceOfFile{i, place});
    }
  }
  std::vector<CorpusFile> files;
  for (const auto& [role, places] : fields) {
    const size_t edges = boundary::EdgeCount(role);
    auto next = places.begin();
    for (size_t i = 0; i < std::max(edges, places.size()); ++i) {
      // If the edge does not fit a field, the next field is tried.
      for (size_t tried = 0; tried < places.size(); ++tried) {
        const auto& [file, place] = next->second;
        if (++next == places.end()) next = places.begin();
        Bytes bytes = boundary::ApplyEdge(valid[file].bytes, place, i % edges, max_size);
        if (bytes == valid[file].bytes) continue;
        files.push_back(
            {fmt::format("edge_{:03}", files.size()),
             fmt::format("{}; {}", valid[file].name, boundary::EdgeText(place, i % edges)),
             std::move(bytes)});
        break;
      }
    }
  }
  return files;
}

}  // namespace anecheck
