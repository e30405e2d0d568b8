// Edits of ports, apertures, tensors and symbols. See hwx_mutations.cc.
#include "generators/formats/hwx/hwx_edit_support.h"
#include "generators/formats/hwx/hwx_edits.h"

namespace anecheck::hwx_edits {

// ---- ports and apertures ------------------------------------------------------------------------

bool DropPort(Container& c, uint64_t, uint64_t) {
  // Binds a port to another window, so that its own window has no port. Applies only if two tensors
  // have the same direction. The tensor that is not larger gets the other's window.
  if (c.ports.size() < 2) return false;
  Thread* first = PickTensor(c, 0);
  Thread* second = PickTensor(c, 1);
  if (first == nullptr || second == nullptr || first == second) return false;
  const hwx::TensorRecord one = hwx::TensorOf(*first);
  const hwx::TensorRecord two = hwx::TensorOf(*second);
  if (one.direction != two.direction) return false;
  const bool first_smaller = one.strides[0] * one.shape[0] <= two.strides[0] * two.shape[0];
  const std::string_view small = first_smaller ? one.name : two.name;
  const std::string_view large = first_smaller ? two.name : one.name;
  Port* from = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == small; });
  const Port* to = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == large; });
  if (from == nullptr || to == nullptr) return false;
  from->vmaddr = to->vmaddr;
  return true;
}
bool PortNowhere(Container& c, uint64_t a, uint64_t b) {
  const Command* command = PickWhere(c.commands, a, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  if (command == nullptr || !HasRoom(c, 512)) return false;
  Port port;
  port.name = c.OwnText("nowhere");
  port.vmaddr = 0x7f000000 + 0x4000 * (b % 256);
  c.commands.push_back({.cmd = command->cmd, .index = static_cast<uint32_t>(c.ports.size())});
  c.ports.push_back(port);
  return Relay(c);
}
bool RepeatPort(Container& c, uint64_t a, uint64_t) {
  const Port* port = Pick(c.ports, a);
  if (port == nullptr || !HasRoom(c, 512)) return false;
  const Command* command = PickWhere(c.commands, 0, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  const Command copy = *command;
  c.commands.push_back(copy);
  return Relay(c);
}
// Makes a port record have the form of the specification, {byteSize, apertureVA, nameRef}.
bool SpecificationPort(Container& c, uint64_t a, uint64_t b) {
  const Command* command = PickCommand(c, hwx::kPortCommand, a);
  if (command == nullptr) return false;
  c.ports[command->index].byte_size = 0x4000 * (1 + static_cast<uint32_t>(b % 64));
  return true;
}
bool MixPorts(Container& c, uint64_t, uint64_t) {
  Command* last = PickWhere(c.commands, c.ports.size() - 1, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  if (last == nullptr || c.ports.size() < 2 || !HasRoom(c, 512)) return false;
  last->cmd = last->cmd == hwx::kPortCommand ? hwx::kShortPortCommand : hwx::kPortCommand;
  return Relay(c);
}
bool SwapPorts(Container& c, uint64_t a, uint64_t b) {
  if (c.ports.size() < 2) return false;
  Port& one = c.ports[a % c.ports.size()];
  Port& two = c.ports[b % c.ports.size()];
  if (&one == &two) return false;
  std::swap(one.vmaddr, two.vmaddr);
  return true;
}

bool WrongTextSlot(Container& c, uint64_t a, uint64_t b) {
  if (c.header.cpusubtype != 4) return false;
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  const uint32_t word = b % 2 == 0 ? 0 : hwx::kTextAddressWord;
  hwx::SetPair(*table, word, hwx::Pair(*table, word) + 0x4000 * (1 + a));
  return true;
}
bool WrongConstSlot(Container& c, uint64_t a, uint64_t) {
  if (c.header.cpusubtype != 4) return false;
  Thread* table = ApertureTable(c);
  const bool has_const =
      PickWhere(c.sections, 0, [](const Section& s) {
        return hwx::TextOf(s.segname) == "__TEXT" && hwx::TextOf(s.sectname) == "__const";
      }) != nullptr;
  if (table == nullptr || !has_const) return false;
  hwx::SetPair(*table, 2, hwx::Pair(*table, 2) + 0x40 * (1 + a));
  return true;
}
bool DropIoSlot(Container& c, uint64_t a, uint64_t) {
  if (c.header.cpusubtype != 4) return false;
  Thread* table = ApertureTable(c);
  if (table == nullptr || c.ports.empty()) return false;
  const auto slot = hwx::kFirstIoSlot + static_cast<uint32_t>(a % c.ports.size());
  hwx::SetPair(*table, 2 * slot, 0);
  return true;
}
bool WrongTaskCount(Container& c, uint64_t a, uint64_t) {
  if (c.header.cpusubtype != 4) return false;
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->words[hwx::kTaskCountWord] += 1 + static_cast<uint32_t>(a);
  return true;
}
bool WrongFirstTaskWords(Container& c, uint64_t a, uint64_t) {
  if (c.header.cpusubtype != 4) return false;
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->words[hwx::kFirstTaskWordsWord] += 1 + static_cast<uint32_t>(a);
  return true;
}

bool LaterAperture(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr || c.header.cpusubtype == 4) return false;
  table->words[hwx::kTaskCountWord] += 1 + static_cast<uint32_t>(a);
  return true;
}

// ---- tensors ------------------------------------------------------------------------------------

// Adds a tensor record and its stab, without a port.
bool TensorWithoutPort(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  const std::string_view name = hwx::TensorOf(*tensor).name;
  Port* port = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == name; });
  if (port == nullptr || name.empty()) return false;
  std::string other(name);
  other[0] = other[0] == 'z' ? 'y' : 'z';
  port->name = c.OwnText(other);
  return true;
}
bool WrongDirection(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kDirectionWord] ^= 3;
  return true;
}
bool WrongStride(Container& c, uint64_t a, uint64_t b) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kStrideWord + 2 + 2 * (b % 3)] += 64;
  return true;
}
bool WrongShape(Container& c, uint64_t a, uint64_t b) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kShapeWord + 1 + b % 3] += 1;
  return true;
}
// Gives a tensor and its stab a type number past the end of the type catalog.
bool EndOfCatalog(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr || !HasRoom(c, 512)) return false;
  const std::string_view name = hwx::TensorOf(*tensor).name;
  Symbol* stab = PickWhere(Symbols(c), 0, [&](const Symbol& s) {
    return s.type == hwx::kTensorStabSymbol && s.name.starts_with(name) &&
           s.name.substr(name.size()).starts_with(":t") && s.name.ends_with(":5");
  });
  if (stab == nullptr) return false;
  tensor->words[hwx::kElementTypeWord] = 55;
  stab->name = c.OwnText(std::string(stab->name) + "5");
  return Relay(c);
}
bool SmallWindow(Container& c, uint64_t a, uint64_t) {
  Section* window = PickWindow(c, a);
  if (window == nullptr || window->size < 128) return false;
  window->size -= 64;
  return true;
}

// ---- symbols ------------------------------------------------------------------------------------

bool UnknownSymbolType(Container& c, uint64_t a, uint64_t) {
  // Edits a port symbol, because no other part depends on port symbols.
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->type = 0x44;
  return true;
}
bool WrongSymbolSection(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type != hwx::kPlaceSymbol || !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->sect = static_cast<uint8_t>(200 + b % 50);
  return true;
}
bool SymbolOutside(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->value -= 1 + b;
  return true;
}
bool BrokenStab(Container& c, uint64_t a, uint64_t) {
  Symbol* symbol = PickSymbol(c, hwx::kTypeStabSymbol, a);
  if (symbol == nullptr || symbol->name.starts_with("float16")) return false;
  std::string text(symbol->name);
  const size_t at = text.find('=');
  if (at == std::string::npos) return false;
  text[at] = '-';
  symbol->name = c.OwnText(text);
  return true;
}
bool WrongStabDesc(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol =
      PickWhere(Symbols(c), a, [](const Symbol& s) { return s.type != hwx::kPlaceSymbol; });
  if (symbol == nullptr) return false;
  symbol->desc ^= static_cast<uint16_t>(1 + b % 255);
  return true;
}
bool SwapCatalogEntries(Container& c, uint64_t a, uint64_t b) {
  Symbol* one = PickSymbol(c, hwx::kTypeStabSymbol, a);
  Symbol* two = PickSymbol(c, hwx::kTypeStabSymbol, b);
  if (one == two || one == nullptr) return false;
  std::swap(one->name, two->name);
  return Relay(c);
}
// Adds a symbol that begins inside a used tile and to which no relocation refers.
bool UnalignedTile(Container& c, uint64_t, uint64_t b) {
  Symbol* first = PickTile(c, 0);
  if (first == nullptr || !HasRoom(c, 512)) return false;
  Symbol copy = *first;
  copy.name = c.OwnText("Kunaligned");
  copy.value += 1 + b % 63;
  Symbols(c).insert(Symbols(c).begin(), copy);
  return Relay(c);
}
bool SkipLane(Container& c, uint64_t, uint64_t) {
  Symbol* tile = PickWhere(Symbols(c), 0, [](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && s.name.ends_with("_ne_0");
  });
  if (tile == nullptr || !HasRoom(c, 512)) return false;
  // Adds a kernel that has only lane 1.
  Symbol copy = *tile;
  copy.name = c.OwnText("Klonely_ne_1");
  Symbols(c).insert(Symbols(c).begin(), copy);
  return Relay(c);
}
bool WrongTileDesc(Container& c, uint64_t a, uint64_t) {
  Symbol* tile = PickTile(c, a);
  if (tile == nullptr) return false;
  tile->desc ^= 2;
  return true;
}

}  // namespace anecheck::hwx_edits
