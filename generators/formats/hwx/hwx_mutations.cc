#include "generators/formats/hwx/hwx_mutations.h"

#include <array>

#include "generators/formats/common/model_edit.h"
#include "generators/formats/hwx/hwx_edit_support.h"
#include "generators/formats/hwx/hwx_edits.h"
#include "harness/formats/hwx/container.h"

namespace anecheck {
namespace {

using Edit = ModelEdit<hwx::Container>;

constexpr auto kEdits = std::to_array<Edit>({
    {.id = "wrong-cputype", .breaks_rule = "header-cputype", .edit = hwx_edits::WrongCputype},
    {.id = "unknown-cpusubtype",
     .breaks_rule = "header-cpusubtype",
     .edit = hwx_edits::UnknownCpusubtype},
    {.id = "wrong-filetype", .breaks_rule = "header-filetype", .edit = hwx_edits::WrongFiletype},
    {.id = "wrong-flags", .breaks_rule = "header-flags", .edit = hwx_edits::WrongFlags},
    {.id = "wrong-sizeofcmds",
     .breaks_rule = "header-sizeofcmds",
     .edit = hwx_edits::WrongSizeofcmds},
    {.id = "odd-cmdsize", .breaks_rule = "command-aligned", .edit = hwx_edits::OddCmdsize},
    {.id = "endless-banner", .patch = hwx_edits::EndlessBanner},
    {.id = "bad-thread", .breaks_rule = "command-shape", .edit = hwx_edits::BadThread},
    {.id = "trailing-bytes", .breaks_rule = "command-trailing", .edit = hwx_edits::TrailingBytes},
    {.id = "unknown-command", .breaks_rule = "command-known", .edit = hwx_edits::UnknownCommand},
    {.id = "bad-note", .breaks_rule = "note-known", .edit = hwx_edits::BadNote},
    {.id = "pack-pages", .edit = hwx_edits::PackPages},
    {.id = "two-symtabs", .breaks_rule = "one-symtab", .edit = hwx_edits::TwoSymtabs},
    {.id = "two-banners", .breaks_rule = "one-build-info", .edit = hwx_edits::TwoBanners},
    {.id = "other-flavor", .breaks_rule = "aperture-table", .edit = hwx_edits::OtherFlavor},
    {.id = "swap-commands", .edit = hwx_edits::SwapCommands},
    {.id = "odd-segment-size", .breaks_rule = "segment-page", .edit = hwx_edits::OddSegmentSize},
    {.id = "overlap-segments",
     .breaks_rule = "segments-disjoint",
     .edit = hwx_edits::OverlapSegments},
    {.id = "file-beyond-memory",
     .breaks_rule = "segment-file-in-memory",
     .edit = hwx_edits::FileBeyondMemory},
    {.id = "section-outside",
     .breaks_rule = "section-inside-segment",
     .edit = hwx_edits::SectionOutside},
    {.id = "wrong-section-offset",
     .breaks_rule = "section-file-offset",
     .edit = hwx_edits::WrongSectionOffset},
    {.id = "wrong-segname", .breaks_rule = "section-segname", .edit = hwx_edits::WrongSegname},
    {.id = "wrong-align", .breaks_rule = "section-aligned", .edit = hwx_edits::WrongAlign},
    {.id = "alias-sections", .breaks_rule = "sections-disjoint", .edit = hwx_edits::AliasSections},
    {.id = "many-sections", .edit = hwx_edits::ManySections},
    {.id = "unknown-kind", .breaks_rule = "section-kind", .edit = hwx_edits::UnknownKind},
    {.id = "wrong-relocation-flag",
     .breaks_rule = "section-relocation-flag",
     .edit = hwx_edits::WrongRelocationFlag},
    {.id = "window-with-file",
     .breaks_rule = "window-without-file",
     .edit = hwx_edits::WindowWithFile},
    {.id = "drop-port", .breaks_rule = "window-port", .edit = hwx_edits::DropPort},
    {.id = "port-nowhere", .breaks_rule = "port-window", .edit = hwx_edits::PortNowhere},
    {.id = "repeat-port", .breaks_rule = "port-name-unique", .edit = hwx_edits::RepeatPort},
    {.id = "mix-ports", .breaks_rule = "port-kinds", .edit = hwx_edits::MixPorts},
    {.id = "specification-port", .breaks_rule = "port-form", .edit = hwx_edits::SpecificationPort},
    {.id = "swap-ports", .edit = hwx_edits::SwapPorts},
    {.id = "wrong-text-slot", .breaks_rule = "aperture-text", .edit = hwx_edits::WrongTextSlot},
    {.id = "wrong-const-slot", .breaks_rule = "aperture-const", .edit = hwx_edits::WrongConstSlot},
    {.id = "drop-io-slot", .breaks_rule = "aperture-io", .edit = hwx_edits::DropIoSlot},
    {.id = "wrong-task-count", .breaks_rule = "task-count", .edit = hwx_edits::WrongTaskCount},
    {.id = "wrong-first-task-words",
     .breaks_rule = "first-task-words",
     .edit = hwx_edits::WrongFirstTaskWords},
    {.id = "later-aperture", .breaks_rule = "aperture-later", .edit = hwx_edits::LaterAperture},
    {.id = "tensor-without-port",
     .breaks_rule = "tensor-port",
     .edit = hwx_edits::TensorWithoutPort},
    {.id = "wrong-direction", .breaks_rule = "tensor-direction", .edit = hwx_edits::WrongDirection},
    {.id = "wrong-stride", .breaks_rule = "tensor-stab", .edit = hwx_edits::WrongStride},
    {.id = "wrong-shape", .breaks_rule = "tensor-stab", .edit = hwx_edits::WrongShape},
    {.id = "end-of-catalog", .breaks_rule = "tensor-element", .edit = hwx_edits::EndOfCatalog},
    {.id = "small-window", .breaks_rule = "tensor-fits-window", .edit = hwx_edits::SmallWindow},
    {.id = "unknown-symbol-type",
     .breaks_rule = "symbol-type",
     .edit = hwx_edits::UnknownSymbolType},
    {.id = "wrong-symbol-section",
     .breaks_rule = "symbol-section",
     .edit = hwx_edits::WrongSymbolSection},
    {.id = "symbol-outside", .breaks_rule = "symbol-in-section", .edit = hwx_edits::SymbolOutside},
    {.id = "broken-stab", .breaks_rule = "stab-shape", .edit = hwx_edits::BrokenStab},
    {.id = "wrong-stab-desc", .breaks_rule = "stab-desc", .edit = hwx_edits::WrongStabDesc},
    {.id = "swap-catalog-entries",
     .breaks_rule = "catalog-order",
     .edit = hwx_edits::SwapCatalogEntries},
    {.id = "unaligned-tile", .breaks_rule = "tile-aligned", .edit = hwx_edits::UnalignedTile},
    {.id = "skip-lane", .breaks_rule = "tile-lanes", .edit = hwx_edits::SkipLane},
    {.id = "wrong-tile-desc", .breaks_rule = "tile-desc", .edit = hwx_edits::WrongTileDesc},
    {.id = "relocation-outside",
     .breaks_rule = "relocation-inside",
     .edit = hwx_edits::RelocationOutside},
    {.id = "relocation-kind", .breaks_rule = "relocation-kind", .edit = hwx_edits::RelocationKind},
    {.id = "relocation-elsewhere",
     .breaks_rule = "relocation-register",
     .edit = hwx_edits::RelocationElsewhere},
    {.id = "relocation-to-no-tile",
     .breaks_rule = "relocation-tile",
     .edit = hwx_edits::RelocationToNoTile},
    {.id = "rename-text", .breaks_rule = "text-present", .edit = hwx_edits::RenameText},
    {.id = "loop-tasks", .breaks_rule = "text-decodes", .patch = hwx_edits::LoopTasks},
    {.id = "wrong-banner-head", .breaks_rule = "banner-format", .edit = hwx_edits::WrongBannerHead},
    {.id = "wrong-banner-target",
     .breaks_rule = "banner-target",
     .edit = hwx_edits::WrongBannerTarget},
    {.id = "no-banner-path", .breaks_rule = "banner-paths", .edit = hwx_edits::NoBannerPath},
    {.id = "unclaimed-bytes", .breaks_rule = "unclaimed-bytes", .patch = hwx_edits::UnclaimedBytes},
    {.id = "cut-short", .patch = hwx_edits::CutShort},
    {.id = "overflow-ncmds", .patch = hwx_edits::OverflowNcmds},
    {.id = "overflow-nsyms", .patch = hwx_edits::OverflowNsyms},
    {.id = "overflow-sections", .patch = hwx_edits::OverflowSections},
    {.id = "resize-symbols", .edit = hwx_edits::ResizeSymbols},
    {.id = "task-position", .breaks_rule = "td-task-position", .edit = hwx_edits::TaskPosition},
    {.id = "next-size", .breaks_rule = "td-next-size", .edit = hwx_edits::NextSize},
    {.id = "next-step", .breaks_rule = "td-next-step", .edit = hwx_edits::NextStep},
    {.id = "write-outside", .breaks_rule = "td-write-in-block", .edit = hwx_edits::WriteOutside},
    {.id = "run-over", .breaks_rule = "td-run-in-block", .edit = hwx_edits::RunOver},
    {.id = "write-outside-published",
     .breaks_rule = "td-write-in-published-block",
     .edit = hwx_edits::WriteOutsidePublished},
    {.id = "run-over-published",
     .breaks_rule = "td-run-in-published-block",
     .edit = hwx_edits::RunOverPublished},
    {.id = "later-tail", .breaks_rule = "td-later-tail", .edit = hwx_edits::LaterTail},
    {.id = "open-header", .breaks_rule = "td-header-open", .edit = hwx_edits::OpenHeader},
    {.id = "odd-address", .breaks_rule = "td-word-address", .edit = hwx_edits::OddAddress},
    {.id = "text-tail", .breaks_rule = "td-tail", .edit = hwx_edits::TextTail},
    {.id = "reserved-bits", .breaks_rule = "td-reserved-bits", .edit = hwx_edits::ReservedBits},
    {.id = "task-id", .breaks_rule = "td-task-id", .edit = hwx_edits::TaskId},
    {.id = "no-section-header",
     .breaks_rule = "td-section-header",
     .edit = hwx_edits::NoSectionHeader},
    {.id = "long-header", .breaks_rule = "td-header-words", .edit = hwx_edits::LongHeader},
});

// Parses a container. Fails if it lacks parts that the edits need. These are tasks, tensors,
// apertures, and symbols whose sections exist.
Result<hwx::Container> ParseWhole(ByteSpan bytes) {
  ANECHECK_ASSIGN(hwx::Container container, hwx::Parse(bytes));
  if (container.symtabs.empty() || container.ports.empty() || container.build_infos.empty() ||
      hwx_edits::ApertureTable(container) == nullptr ||
      hwx_edits::PickTensor(container, 0) == nullptr ||
      hwx_edits::TextSection(container) == nullptr) {
    return MakeError(ErrorCode::kInvalid, "the container lacks a part that the edits need");
  }
  for (const hwx::Symbol& symbol : container.symtabs.front().symbols) {
    if (symbol.type == hwx::kPlaceSymbol &&
        (symbol.sect == 0 || symbol.sect > container.sections.size())) {
      return MakeError(ErrorCode::kInvalid, "a symbol belongs to no section");
    }
  }
  return container;
}

constexpr auto kTable = ModelMutations<ParseWhole, hwx::Write, kEdits>::Make();

}  // namespace

const std::span<const MutationKind> kHwxMutations = kTable;

}  // namespace anecheck
