// The edits behind the mutations of hardware containers. The table in hwx_mutations.cc gives each
// edit its id and the rule that it breaks. An edit returns false if it does not apply. `a` and `b`
// choose among places and values.
#pragma once

#include <cstdint>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx_edits {

bool WrongCputype(hwx::Container& c, uint64_t a, uint64_t b);
bool UnknownCpusubtype(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongFiletype(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongFlags(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongSizeofcmds(hwx::Container& c, uint64_t a, uint64_t b);
bool OddCmdsize(hwx::Container& c, uint64_t a, uint64_t b);
bool BadThread(hwx::Container& c, uint64_t a, uint64_t b);
bool TrailingBytes(hwx::Container& c, uint64_t a, uint64_t b);
bool UnknownCommand(hwx::Container& c, uint64_t a, uint64_t b);
bool BadNote(hwx::Container& c, uint64_t a, uint64_t b);
bool TwoSymtabs(hwx::Container& c, uint64_t a, uint64_t b);
bool TwoBanners(hwx::Container& c, uint64_t a, uint64_t b);
bool OtherFlavor(hwx::Container& c, uint64_t a, uint64_t b);
bool SwapCommands(hwx::Container& c, uint64_t a, uint64_t b);
bool OddSegmentSize(hwx::Container& c, uint64_t a, uint64_t b);
bool PackPages(hwx::Container& c, uint64_t a, uint64_t b);
bool OverlapSegments(hwx::Container& c, uint64_t a, uint64_t b);
bool FileBeyondMemory(hwx::Container& c, uint64_t a, uint64_t b);
bool SectionOutside(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongSectionOffset(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongSegname(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongAlign(hwx::Container& c, uint64_t a, uint64_t b);
bool ManySections(hwx::Container& c, uint64_t a, uint64_t b);
bool AliasSections(hwx::Container& c, uint64_t a, uint64_t b);
bool UnknownKind(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongRelocationFlag(hwx::Container& c, uint64_t a, uint64_t b);
bool WindowWithFile(hwx::Container& c, uint64_t a, uint64_t b);
bool DropPort(hwx::Container& c, uint64_t a, uint64_t b);
bool PortNowhere(hwx::Container& c, uint64_t a, uint64_t b);
bool RepeatPort(hwx::Container& c, uint64_t a, uint64_t b);
bool MixPorts(hwx::Container& c, uint64_t a, uint64_t b);
bool SpecificationPort(hwx::Container& c, uint64_t a, uint64_t b);
bool LaterAperture(hwx::Container& c, uint64_t a, uint64_t b);
bool LaterTail(hwx::Container& c, uint64_t a, uint64_t b);
bool WriteOutsidePublished(hwx::Container& c, uint64_t a, uint64_t b);
bool RunOverPublished(hwx::Container& c, uint64_t a, uint64_t b);
bool OpenHeader(hwx::Container& c, uint64_t a, uint64_t b);
bool SwapPorts(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongTextSlot(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongConstSlot(hwx::Container& c, uint64_t a, uint64_t b);
bool DropIoSlot(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongTaskCount(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongFirstTaskWords(hwx::Container& c, uint64_t a, uint64_t b);
bool TensorWithoutPort(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongDirection(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongStride(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongShape(hwx::Container& c, uint64_t a, uint64_t b);
bool EndOfCatalog(hwx::Container& c, uint64_t a, uint64_t b);
bool SmallWindow(hwx::Container& c, uint64_t a, uint64_t b);
bool UnknownSymbolType(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongSymbolSection(hwx::Container& c, uint64_t a, uint64_t b);
bool SymbolOutside(hwx::Container& c, uint64_t a, uint64_t b);
bool BrokenStab(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongStabDesc(hwx::Container& c, uint64_t a, uint64_t b);
bool SwapCatalogEntries(hwx::Container& c, uint64_t a, uint64_t b);
bool UnalignedTile(hwx::Container& c, uint64_t a, uint64_t b);
bool SkipLane(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongTileDesc(hwx::Container& c, uint64_t a, uint64_t b);
bool RelocationOutside(hwx::Container& c, uint64_t a, uint64_t b);
bool RelocationKind(hwx::Container& c, uint64_t a, uint64_t b);
bool RelocationElsewhere(hwx::Container& c, uint64_t a, uint64_t b);
bool RelocationToNoTile(hwx::Container& c, uint64_t a, uint64_t b);
bool RenameText(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongBannerHead(hwx::Container& c, uint64_t a, uint64_t b);
bool WrongBannerTarget(hwx::Container& c, uint64_t a, uint64_t b);
bool NoBannerPath(hwx::Container& c, uint64_t a, uint64_t b);
bool ResizeSymbols(hwx::Container& c, uint64_t a, uint64_t b);
bool TaskPosition(hwx::Container& c, uint64_t a, uint64_t b);
bool NextSize(hwx::Container& c, uint64_t a, uint64_t b);
bool NextStep(hwx::Container& c, uint64_t a, uint64_t b);
bool WriteOutside(hwx::Container& c, uint64_t a, uint64_t b);
bool RunOver(hwx::Container& c, uint64_t a, uint64_t b);
bool OddAddress(hwx::Container& c, uint64_t a, uint64_t b);
bool TextTail(hwx::Container& c, uint64_t a, uint64_t b);
bool ReservedBits(hwx::Container& c, uint64_t a, uint64_t b);
bool TaskId(hwx::Container& c, uint64_t a, uint64_t b);
bool NoSectionHeader(hwx::Container& c, uint64_t a, uint64_t b);
bool LongHeader(hwx::Container& c, uint64_t a, uint64_t b);
bool EndlessBanner(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool LoopTasks(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool UnclaimedBytes(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool CutShort(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool OverflowNcmds(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool OverflowNsyms(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);
bool OverflowSections(Bytes& bytes, const hwx::Container& c, uint64_t a, uint64_t b);

}  // namespace anecheck::hwx_edits
