#include "harness/emulator/program.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace anecheck::emulator {
namespace {

// Calls visit(offset) for every element of a port, in row-major order.
template <typename Visit>
void ForEachElement(const Port& port, Visit visit) {
  for (uint64_t n = 0; n < port.shape[0]; ++n) {
    for (uint64_t c = 0; c < port.shape[1]; ++c) {
      for (uint64_t h = 0; h < port.shape[2]; ++h) {
        for (uint64_t w = 0; w < port.shape[3]; ++w) {
          visit(port.offset + n * port.strides[0] + c * port.strides[1] + h * port.strides[2] +
                w * port.strides[3]);
        }
      }
    }
  }
}

}  // namespace

uint64_t Port::Count() const {
  unsigned __int128 count = 1;
  for (const uint32_t extent : shape) {
    count *= extent;
    if (count > UINT64_MAX) return UINT64_MAX;
  }
  return static_cast<uint64_t>(count);
}

const Port* Program::FindPort(std::string_view name) const {
  const auto found = std::ranges::find(ports, name, &Port::name);
  return found == ports.end() ? nullptr : &*found;
}

Status Program::WritePort(std::string_view name, std::span<const uint16_t> values) {
  const Port* port = FindPort(name);
  if (port == nullptr) {
    return MakeError(ErrorCode::kNotFound, fmt::format("the container has no port {}", name));
  }
  if (values.size() != port->Count()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("port {} takes {} elements, not {}", name,
                                                      port->Count(), values.size()));
  }
  std::vector<uint8_t>& bytes = memory.regions()[port->region].bytes;
  const uint16_t* from = values.data();
  ForEachElement(
      *port, [&](uint64_t offset) { std::memcpy(bytes.data() + offset, from++, port->element); });
  return {};
}

Result<std::vector<uint16_t>> Program::ReadPort(std::string_view name) const {
  const Port* port = FindPort(name);
  if (port == nullptr) {
    return MakeError(ErrorCode::kNotFound, fmt::format("the container has no port {}", name));
  }
  const std::vector<uint8_t>& bytes = memory.regions()[port->region].bytes;
  std::vector<uint16_t> values(port->Count());
  uint16_t* to = values.data();
  ForEachElement(*port,
                 [&](uint64_t offset) { std::memcpy(to++, bytes.data() + offset, port->element); });
  return values;
}

}  // namespace anecheck::emulator
