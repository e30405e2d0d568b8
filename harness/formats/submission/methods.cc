#include "harness/formats/submission/methods.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

namespace anecheck::submission {
namespace {

constexpr std::string_view kTable = "specification 000, table 23.14";
constexpr std::string_view kGuide = "public guide, chapter 27";
constexpr std::string_view kAppendix = "public guide, appendix C.2";

constexpr Method kMethods[] = {
    {"ANE_DeviceOpen", Client::kMerged, 0, kUnstated, 104, kUnstated, 104, kTable},
    {"ANE_ProgramSendRequest", Client::kMerged, 2, kUnstated, 2376, kUnstated, 40, kTable},
    {"ANE_ProgramCreate", Client::kMerged, 3, kUnstated, 32, kUnstated, 0, kTable},
    {"ANE_ProgramOutputSetEnqueue", Client::kMerged, 3, kUnstated, 40, kUnstated, 0, kTable},
    {"ANE_ProgramPrepare", Client::kMerged, 4, kUnstated, 56, kUnstated, kUnstated, kTable},
    {"ANE_ProgramInputsReady", Client::kMerged, 4, kUnstated, 3104, kUnstated, 0, kTable},
    {"ANE_MemoryMapRequest", Client::kMerged, 5, 1, 0, kUnstated, 2080, kTable},
    {"ANE_ProgramDestroy", Client::kMerged, 6, kUnstated, 16, kUnstated, 0, kTable},
    {"ANE_ProgramCreateInstance", Client::kMerged, 8, kUnstated, 32, kUnstated, 0, kTable},
    {"ANE_ProgramChainingSetActiveProcedure", Client::kMerged, 8, kUnstated, 32, kUnstated, 0,
     kTable},
    {"ANE_ProgramChainingPrepare", Client::kMerged, 9, kUnstated, 16, kUnstated, kUnstated, kTable},
    {"ANE_DeviceOpen", Client::kControl, 0, 0, 104, 0, 104, kGuide},
    {"ANE_DeviceClose", Client::kControl, 1, 0, 0, 0, 0, kGuide},
    {"ANE_ProgramSendRequest", Client::kControl, 2, 1, 2376, 0, 40, kGuide},
    {"ANE_ProgramCreate", Client::kControl, 3, 0, 32, 0, 0, kGuide},
    {"ANE_ProgramPrepare", Client::kControl, 4, 0, 56, 0, 56, kGuide},
    {"ANE_ProgramUnprepare", Client::kControl, 5, 0, 56, 0, 0, kGuide},
    {"ANE_ProgramDestroy", Client::kControl, 6, 0, 16, 0, 0, kGuide},
    {"ANE_GetStatus", Client::kControl, 7, 0, 0, 0, 32, kGuide},
    {"ANE_ProgramCreateInstance", Client::kControl, 8, 0, 32, 0, 0, kGuide},
    {"ANE_ProgramChainingPrepare", Client::kControl, 9, 0, 16, 0, 24, kGuide},
    {"ANE_GetVersion", Client::kControl, 10, 0, 0, 1, 0, kGuide},
    {"ANE_RegisterDebugWorkProcessor", Client::kControl, 11, 0, 24, 0, 0, kGuide},
    {"ANE_UnregisterDebugWorkProcessor", Client::kControl, 12, 0, 0, 0, 0, kGuide},
    {"ANE_GetDebugWorkProcessorItem", Client::kControl, 13, 2, 0, 0, 0, kGuide},
    {"ANE_CompleteDebugWorkProcessorItem", Client::kControl, 14, 2, 0, 0, 0, kGuide},
    {"ANE_ReleaseDebugWorkProcessorBuffers", Client::kControl, 15, 0, 0, 0, 0, kGuide},
    {"ANE_LoadFirmware", Client::kControl, 16, 3, 0, 0, 0, kGuide},
    {"ANE_DeviceOpen", Client::kDirect, 0, 0, 104, 0, 104, kGuide},
    {"ANE_DeviceClose", Client::kDirect, 1, 0, 0, 0, 0, kGuide},
    {"ANE_ProgramSendRequest", Client::kDirect, 2, 1, 2376, 0, 40, kGuide},
    {"ANE_ProgramOutputSetEnqueue", Client::kDirect, 3, 0, 40, 0, 0, kGuide},
    {"ANE_ProgramInputsReady", Client::kDirect, 4, 0, 3104, 0, 0, kGuide},
    {"ANE_MemoryMapRequest", Client::kDirect, 5, 1, 2080, 1, 0, kGuide},
    {"ANE_MemoryUnMapRequest", Client::kDirect, 6, 0, 2080, 0, 0, kGuide},
    {"ANE_SessionHintRequest", Client::kDirect, 7, 0, 16, 0, 24, kGuide},
    {"ANE_ProgramChainingSetActiveProcedure", Client::kDirect, 8, 0, 32, 0, 0, kGuide},
    {"ANE_ProgramInputsReady", Client::kMerged, 21, 0, 3104, 0, 0, kAppendix},
    {"ANE_MemoryMapRequest", Client::kMerged, 22, 1, 2080, 1, 0, kAppendix},
};

constexpr ReturnCode kReturnCodes[] = {
    {0x00000000, "kIOReturnSuccess", "success", "public guide, appendix C.3; IOReturn.h"},
    {0xe0000001, "kIOReturnError", "general failure", "public guide, appendix C.3"},
    {0xe00002bc, "kIOReturnError", "general failure", "IOReturn.h"},
    {0xe0000007, "kIOReturnBusy", "gate or command busy", "public guide, appendix C.3"},
    {0xe00002d5, "kIOReturnBusy", "busy", "IOReturn.h"},
    {0xe00002bd, "kIOReturnNoMemory", "allocation failed",
     "public guide, appendix C.3; IOReturn.h"},
    {0xe00002be, "kIOReturnNoResources", "queue or slot exhausted",
     "public guide, appendix C.3; IOReturn.h"},
    {0xe00002c1, "kIOReturnNotPrivileged", "privilege", "public guide, appendix C.3; IOReturn.h"},
    {0xe00002c2, "kIOReturnBadArgument", "argument sizes",
     "public guide, appendix C.3; IOReturn.h"},
    {0xe00002c5, "kIOReturnExclusiveAccess", "client closed or closing", "IOReturn.h"},
    {24, "usage type not supported", "device open with usage 2", "public guide, chapter 27"},
    {0xe00002cd, "kIOReturnNotOpen", "device not open", "IOReturn.h"},
    {0xe00002c7, "kIOReturnUnsupported", "disabled, stub, or entitlement absent",
     "public guide, appendix C.3; IOReturn.h"},
    {0xe00002d0, "kIOReturnNotReady", "device not ready", "public guide, appendix C.3"},
    {0xe00002d8, "kIOReturnNotReady", "not ready", "IOReturn.h"},
    {0xe00002e2, "kIOReturnNotPermitted", "program not signed by the daemon", "IOReturn.h"},
    {0xe00002eb, "kIOReturnAborted", "aborted", "public guide, appendix C.3; IOReturn.h"},
    {0xe00002f0, "kIOReturnNotFound", "no such program or process",
     "public guide, appendix C.3; IOReturn.h"},
    {0xe0000404, "kIOReturnTimeout", "firmware timed out", "public guide, appendix C.3"},
    {0xe00002d6, "kIOReturnTimeout", "timed out", "IOReturn.h"},
    {0xe0000001, "kIOReturnInvalid", "should never be seen", "IOReturn.h"},
    {0xe00002d0, "kIOReturnNotAligned", "alignment error", "IOReturn.h"},
};

}  // namespace

std::string_view ClientName(Client client) {
  constexpr std::array<std::string_view, kClientCount> kNames = {"merged", "control", "direct"};
  return kNames[static_cast<size_t>(client)];
}

std::span<const Method> Methods() { return kMethods; }

Result<std::vector<const Method*>> FindMethods(Client client, uint32_t selector,
                                               uint32_t struct_in) {
  std::vector<const Method*> rows;
  std::set<uint32_t> sizes;
  for (const Method& method : kMethods) {
    if (method.selector != selector) continue;
    if (client != Client::kMerged && method.client != client) continue;
    sizes.insert(method.struct_in);
    if (method.struct_in == struct_in) rows.push_back(&method);
  }
  if (!rows.empty()) return rows;
  return MakeError(
      ErrorCode::kNotFound,
      sizes.empty()
          ? fmt::format("selector {} is no method of the {} client", selector, ClientName(client))
          : fmt::format("selector {} of the {} client takes no structure of {} bytes, "
                        "only {}",
                        selector, ClientName(client), struct_in, fmt::join(sizes, ", ")));
}

std::vector<std::string_view> MethodNames(std::span<const Method* const> rows) {
  std::vector<std::string_view> names;
  for (const Method* row : rows) {
    if (std::find(names.begin(), names.end(), row->name) == names.end()) {
      names.push_back(row->name);
    }
  }
  return names;
}

std::span<const ReturnCode> ReturnCodes() { return kReturnCodes; }

std::string ReturnCodeText(uint32_t code) {
  std::string text;
  for (const ReturnCode& row : kReturnCodes) {
    if (row.code == code) text += fmt::format("{}{}", text.empty() ? "" : " or ", row.name);
  }
  return text.empty() ? fmt::format("0x{:x}", code) : text;
}

}  // namespace anecheck::submission
