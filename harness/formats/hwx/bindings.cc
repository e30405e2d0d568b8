#include "harness/formats/hwx/bindings.h"

namespace anecheck::hwx {
namespace {

// Removes the suffix "@output". Compilers after 4.2.1 name an output "probs@output" but its port
// and stab "probs" (containers of 7.6.4 and 9.509).
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
  for (const Symtab& table : c.symtabs) {
    uint32_t types = 0;
    all_stabs.reserve(all_stabs.size() + table.symbols.size());
    for (size_t i = 0; i < table.symbols.size(); ++i) {
      const Symbol& symbol = table.symbols[i];
      const uint64_t at = table.symoff + kSymbolRecord.kSize * i;
      if (symbol.type == kTypeStabSymbol) {
        if (const auto frame = stabs::ParseTensor(symbol.name)) {
          all_stabs.push_back({&symbol, at, 0, {}, frame});
          continue;
        }
        const auto type = stabs::ParseType(symbol.name);
        const auto number = type ? type->id : stabs::OddTypeId(symbol.name);
        all_stabs.push_back({&symbol, at, ++types, number, {}});
        if (number) catalog.insert(*number);
      } else if (symbol.type == kTensorStabSymbol) {
        all_stabs.push_back({&symbol, at, 0, {}, stabs::ParseTensor(symbol.name)});
      }
    }
  }
  for (const Stab& stab : all_stabs) {
    if (stab.tensor) frames_.emplace(stab.tensor->name, &*stab.tensor);
  }
  ForEachThread(c, [&](const Thread& thread, uint64_t words) {
    if (IsTensor(thread)) tensors.emplace_back(TensorOf(thread), words);
  });
  for (const Command& command : c.commands) {
    if (command.opaque || command.cmd != kBuildInfoCommand) continue;
    banners.emplace_back(ParseBanner(c.build_infos[command.index].text),
                         command.offset + kCommandHead);
  }
}

const Section* Bindings::WindowOf(std::string_view tensor) const {
  auto port = ports.find(tensor);
  if (port == ports.end()) port = ports.find(WithoutDirection(tensor));
  // The specification's port record has only the first eight bytes of a name.
  if (port == ports.end() && cut_names_) port = ports.find(tensor.substr(0, 8));
  return port == ports.end() ? nullptr : port->second;
}

const stabs::TensorStab* Bindings::FrameOf(std::string_view tensor) const {
  auto frame = frames_.find(tensor);
  if (frame == frames_.end()) frame = frames_.find(WithoutDirection(tensor));
  return frame == frames_.end() ? nullptr : frame->second;
}

}  // namespace anecheck::hwx
