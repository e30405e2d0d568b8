#include "harness/formats/hwx/bindings.h"

namespace anecheck::hwx {
namespace {

// Compilers after 4.2.1 call an output "probs@output" and its port and stab "probs" (containers of
// 7.6.4 and 9.509).
std::string_view WithoutDirection(std::string_view tensor) {
  constexpr std::string_view kOfOutput = "@output";
  if (tensor.ends_with(kOfOutput)) tensor.remove_suffix(kOfOutput.size());
  return tensor;
}

}  // namespace

Bindings::Bindings(const Container& container)
    : c(container), is_h13(c.header.cpusubtype == kH13Subtype) {
  ForEachSection(c, [&](const Segment&, const Section& section, uint64_t) {
    if (IsWindow(section)) windows.emplace(section.addr, &section);
  });
  ForEachPort(c, [&](const Port& port, const Command&) {
    cut_names_ = cut_names_ || port.byte_size.has_value();
    const auto window = windows.find(port.vmaddr);
    if (window != windows.end()) ports[port.name] = window->second;
  });
  ForEachTile(c, [&](const Symbol& symbol, const Section& section, uint64_t) {
    tiles[symbol.sect].insert(symbol.value - section.addr);
  });
  ForEachSymbol(c, [&](const Symbol& symbol, uint64_t) {
    if (symbol.type == kTypeStabSymbol) {
      if (const auto number = TypeNumber(symbol)) catalog.insert(*number);
    } else if (symbol.type == kTensorStabSymbol) {
      if (const auto stab = stabs::ParseTensor(symbol.name)) frames.emplace(stab->name, *stab);
    }
  });
}

std::optional<uint32_t> TypeNumber(const Symbol& stab) {
  const auto type = stabs::ParseType(stab.name);
  return type ? type->id : stabs::OddTypeId(stab.name);
}

const Section* Bindings::WindowOf(std::string_view tensor) const {
  auto port = ports.find(tensor);
  if (port == ports.end()) port = ports.find(WithoutDirection(tensor));
  // The specification's port record has room for eight bytes of a name.
  if (port == ports.end() && cut_names_) port = ports.find(tensor.substr(0, 8));
  return port == ports.end() ? nullptr : port->second;
}

const stabs::TensorStab* Bindings::FrameOf(std::string_view tensor) const {
  auto frame = frames.find(tensor);
  if (frame == frames.end()) frame = frames.find(WithoutDirection(tensor));
  return frame == frames.end() ? nullptr : &frame->second;
}

}  // namespace anecheck::hwx
