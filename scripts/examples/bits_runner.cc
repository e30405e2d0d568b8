// An external runner for anecheck in C++: abs, relu and identity on the bits of fp16, version 2 of
// the protocol (harness/runners/PROTOCOL.md).
//
//     apt-get install nlohmann-json3-dev zlib1g-dev
//     c++ -std=c++17 scripts/examples/bits_runner.cc -lz -o bits_runner
//     anecheck run --runner "exec:./bits_runner" --contract float
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

using Json = nlohmann::json;

namespace {

// An array of an .npz file: the header that NumPy writes, and the elements as bytes.
struct Array {
  std::string header, data;
};
using Arrays = std::map<std::string, Array>;

uint32_t Load(const std::string& text, size_t at, int width) {
  uint32_t value = 0;
  for (int i = width; i-- > 0;) value = value << 8 | static_cast<uint8_t>(text.at(at + i));
  return value;
}

void Store(std::string& text, uint32_t value, int width) {
  for (int i = 0; i < width; ++i) text += static_cast<char>(value >> (8 * i));
}

// The harness stores members one after another, without compression. A version 1 header begins with
// its length at 8.
Arrays ReadNpz(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Arrays arrays;
  for (size_t at = 0; at + 30 < text.size() && Load(text, at, 4) == 0x04034b50;) {
    const uint32_t size = Load(text, at + 18, 4), name = Load(text, at + 26, 2);
    const size_t begin = at + 30 + name + Load(text, at + 28, 2);
    const std::string member = text.substr(begin, size);
    const size_t data = 10 + Load(member, 8, 2);
    arrays[text.substr(at + 30, name - 4)] = {member.substr(0, data), member.substr(data)};
    at = begin + size;
  }
  return arrays;
}

// The fields of a member's header that the directory repeats: versions, method, time, checksum,
// sizes.
std::string MemberFields(const std::string& name, const std::string& member) {
  std::string fields;
  for (const uint32_t half : {20, 0, 0, 0, 0x21}) Store(fields, half, 2);
  const auto* bytes = reinterpret_cast<const Bytef*>(member.data());
  Store(fields, static_cast<uint32_t>(crc32(0, bytes, static_cast<uInt>(member.size()))), 4);
  for (int i = 0; i < 2; ++i) Store(fields, static_cast<uint32_t>(member.size()), 4);
  Store(fields, static_cast<uint32_t>(name.size()), 2);
  Store(fields, 0, 2);
  return fields;
}

void WriteNpz(const std::string& path, const Arrays& arrays) {
  std::string text, directory;
  for (const auto& [array, content] : arrays) {
    const std::string name = array + ".npy", member = content.header + content.data;
    const std::string fields = MemberFields(name, member);
    directory += "PK\1\2" + std::string("\x14\0", 2) + fields + std::string(10, '\0');
    Store(directory, static_cast<uint32_t>(text.size()), 4);
    directory += name;
    text += "PK\3\4" + fields + name + member;
  }
  std::string end = "PK\5\6" + std::string(4, '\0');
  for (int i = 0; i < 2; ++i) Store(end, static_cast<uint32_t>(arrays.size()), 2);
  Store(end, static_cast<uint32_t>(directory.size()), 4);
  Store(end, static_cast<uint32_t>(text.size()), 4);
  std::ofstream(path, std::ios::binary) << text << directory << end << std::string(2, '\0');
}

using Function = uint16_t (*)(uint16_t);
const std::map<std::string, Function> kFunctions = {
    {"abs", [](uint16_t bits) { return static_cast<uint16_t>(bits & 0x7fff); }},
    {"identity", [](uint16_t bits) { return bits; }},
    // Negative numbers become 0; NaN has no sign.
    {"relu", [](uint16_t bits) { return bits > 0x8000 && bits <= 0xfc00 ? uint16_t{0} : bits; }},
};

struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Arrays Evaluate(const Json& graph, Arrays values) {
  for (const Json& node : graph["ops"]) {
    const auto op = node["op"].get<std::string>();
    const auto function = kFunctions.find(op);
    const Json& result = node["outputs"][0];
    if (function == kFunctions.end() || result["dtype"] != "fp16") throw Unsupported(op);
    const auto operand = values.find(node["inputs"]["x"][0].get<std::string>());
    if (operand == values.end()) throw Unsupported(op + " of a constant");
    Array array = operand->second;
    for (size_t at = 0; at + 1 < array.data.size(); at += 2) {
      const uint16_t bits = function->second(static_cast<uint16_t>(Load(array.data, at, 2)));
      array.data[at] = static_cast<char>(bits);
      array.data[at + 1] = static_cast<char>(bits >> 8);
    }
    values[result["name"]] = std::move(array);
  }
  Arrays outputs;
  for (const Json& name : graph["outputs"]) outputs[name] = values.at(name);
  return outputs;
}

Json Answer(const Json& item, int version) {
  Json reply = {{"v", version}, {"id", item["id"]}, {"status", "ok"}};
  try {
    const Json graph = Json::parse(std::ifstream(item["graph"].get<std::string>()));
    WriteNpz(item["outputs"], Evaluate(graph, ReadNpz(item["inputs"])));
    if (item.contains("second")) {
      WriteNpz(item["second"]["outputs"], Evaluate(graph, ReadNpz(item["second"]["inputs"])));
    }
  } catch (const Unsupported& what) {
    reply.update({{"status", "unsupported"}, {"op", what.what()}});
  }
  return reply;
}

}  // namespace

int main() {
  int version = 1;
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    if (request.contains("hello")) {
      for (const int known : request.value("versions", std::vector<int>{1}))
        version = std::max(version, std::min(known, 2));
      Json hello = {{"v", version},
                    {"name", "bits_runner"},
                    {"engine", "other"},
                    {"batch", 16},
                    {"second", true}};
      for (const auto& [op, function] : kFunctions) hello["ops"].push_back(op);
      std::cout << hello << std::endl;
      continue;
    }
    for (const Json& item : request.value("cases", Json::array({request}))) {
      std::cout << Answer(item, version) << std::endl;
    }
  }
}
