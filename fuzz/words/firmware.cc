#include "harness/formats/firmware/firmware.h"

#include "fuzz/words/words.h"
#include "harness/formats/enums/firmware_commands.h"

namespace anecheck::fuzz {

WordTables words::firmware() {
  WordTable magic = {"magic"};
  for (const uint32_t word : {firmware::kPackageMagic, firmware::kProgramMagic,
                              firmware::kSectionMagic, firmware::kControlMagic}) {
    magic.Number(word, 4);
  }
  WordTable commands = {"commands"};
  for (const FirmwareCommand& command : FirmwareCommands()) {
    commands.Number(command.index, 4);
    if (command.wire_evidence != WireIdEvidence::kUnknown) commands.Number(command.wire_id, 4);
  }
  WordTable ids = {"ids"};
  ids.Number(firmware::kInvalidId, 4);
  return {magic, commands, ids};
}

}  // namespace anecheck::fuzz
