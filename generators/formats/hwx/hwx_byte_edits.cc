// Edits of the banner, and edits that typed records cannot express. See hwx_mutations.cc.
#include "generators/formats/hwx/hwx_edit_support.h"
#include "generators/formats/hwx/hwx_edits.h"

namespace anecheck::hwx_edits {

// ---- banner and the rest ------------------------------------------------------------------------

// Replaces `from` in the banner by text of the same length.
static bool ReplaceInBanner(Container& c, std::string_view from, std::string_view to) {
  if (c.build_infos.size() != 1) return false;
  std::string text(c.build_infos.front().text);
  const size_t at = text.find(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  c.build_infos.front().text = c.OwnText(text);
  return true;
}
bool WrongBannerHead(Container& c, uint64_t, uint64_t) {
  return ReplaceInBanner(c, "ANEC v1", "ANEC v9");
}
bool WrongBannerTarget(Container& c, uint64_t, uint64_t) {
  return ReplaceInBanner(c, "-t h1", "-t h9");
}
bool NoBannerPath(Container& c, uint64_t, uint64_t) { return ReplaceInBanner(c, "\t-o ", "\t-p "); }

bool UnclaimedBytes(Bytes& bytes, const Container& c, uint64_t a, uint64_t) {
  uint64_t end = 0;
  for (const hwx::Symtab& table : c.symtabs) {
    end = std::max(end, uint64_t{table.stroff} + table.strsize);
  }
  for (const Section& section : c.sections) {
    end = std::max<uint64_t>(end, section.reloff + 8 * section.relocations.size());
  }
  for (const hwx::Note& note : c.notes) end = std::max(end, note.offset + note.size);
  if (end >= bytes.size() || bytes[end] != 0 || end % hwx::kPage == 0) return false;
  bytes[end] = static_cast<uint8_t>(1 + a % 255);
  return true;
}

bool CutShort(Bytes& bytes, const Container&, uint64_t a, uint64_t b) {
  bytes.resize((a << 16 | b) % bytes.size());
  return true;
}
bool OverflowNcmds(Bytes& bytes, const Container&, uint64_t a, uint64_t) {
  SetWord(bytes, 16, 0xffff0000 | static_cast<uint32_t>(a));
  return true;
}
bool OverflowNsyms(Bytes& bytes, const Container& c, uint64_t a, uint64_t) {
  const Command* symtab = FindCommand(c, hwx::kSymtabCommand, 0);
  if (symtab == nullptr) return false;
  SetWord(bytes, symtab->offset + 12, 0x10000000 | static_cast<uint32_t>(a));
  return true;
}
bool OverflowSections(Bytes& bytes, const Container& c, uint64_t a, uint64_t b) {
  const Command* segment = FindCommand(c, hwx::kSegmentCommand, a);
  if (segment == nullptr) return false;
  SetWord(bytes, segment->offset + 64, 0x7fff0000 | static_cast<uint32_t>(b));
  return true;
}
bool ResizeSymbols(Container& c, uint64_t a, uint64_t) {
  auto& symbols = Symbols(c);
  if (symbols.size() < 2) return false;
  symbols.resize(1 + a % (symbols.size() - 1));
  return Relay(c);
}

}  // namespace anecheck::hwx_edits
