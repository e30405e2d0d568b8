#include "harness/formats/submission/structures.h"

#include <algorithm>
#include <iterator>

namespace anecheck::submission {
namespace {

constexpr FieldSource kGuide = {FactEvidence::kPublicNotes, "public guide, chapter 27 (measured)"};
constexpr FieldSource kListing = {FactEvidence::kPublicNotes,
                                  "public listings of the system's client library"};
constexpr FieldSource kSequence = {
    FactEvidence::kPublicNotes,
    "specification 000 and public guide, chapter 27 name it; the client library calls it a "
    "transaction identifier"};
constexpr FieldSource kIoCategory = {
    FactEvidence::kPublicNotes,
    "public guide, chapter 27 (measured: 2); otherwise: public notes on a later kernel place the "
    "number of inputs here"};
constexpr FieldSource kSurfaces = {
    FactEvidence::kPublicNotes,
    "public guide, chapter 27 gives the start; its division into inputs, outputs and intermediate "
    "surfaces has no source"};
constexpr FieldSource kAlike = {
    FactEvidence::kAssumed,
    "the structures of unprepare and destroy begin in the same way; a public program for an older "
    "system sets the field"};

constexpr RecordField kOpenFields[] = {device_open::kUsage, device_open::kCallback,
                                       device_open::kReceiver, device_open::kTimeout};
constexpr RecordField kInfoFields[] = {device_info::kSessionToken, device_open::kCallback,
                                       device_open::kReceiver,     device_open::kTimeout,
                                       device_info::kVersion,      device_info::kVersionSecond,
                                       device_info::kEngines,      device_info::kCpuSubtype};
constexpr RecordField kRequestFields[] = {
    program_request::kToken,    program_request::kSequence,  program_request::kQualityOfService,
    program_request::kPriority, program_request::kProcedure, program_request::kIoCategory,
    program_request::kSurfaces};
constexpr RecordField kReplyFields[] = {program_reply::kSequence, program_reply::kToken,
                                        program_reply::kStatus};
constexpr RecordField kTokenFields[] = {kProgramToken};
constexpr RecordField kInstanceFields[] = {indirect::kArguments, indirect::kArgumentsSize,
                                           indirect::kOutput, indirect::kOutputSize};
constexpr RecordField kChainingFields[] = {indirect::kArguments, indirect::kArgumentsSize};

constexpr FieldSource kOpenSources[] = {kGuide, kGuide, kGuide, kGuide};
constexpr FieldSource kInfoSources[] = {kGuide, kGuide, kGuide, kGuide,
                                        kGuide, kGuide, kGuide, kGuide};
constexpr FieldSource kRequestSources[] = {kGuide,   kSequence,   kGuide,   kGuide,
                                           kListing, kIoCategory, kSurfaces};
constexpr FieldSource kReplySources[] = {kGuide, kGuide, kGuide};
constexpr FieldSource kListed[] = {kListing, kListing, kListing, kListing};
constexpr FieldSource kAssumed[] = {kAlike};

constexpr Structure kStructures[] = {
    {"device_open", "ANE_DeviceOpen", Direction::kIn, 104, kOpenFields, kOpenSources},
    {"device_info", "ANE_DeviceOpen", Direction::kOut, 104, kInfoFields, kInfoSources},
    {"program_request", "ANE_ProgramSendRequest", Direction::kIn, 2376, kRequestFields,
     kRequestSources},
    {"program_reply", "ANE_ProgramSendRequest", Direction::kOut, 40, kReplyFields, kReplySources},
    {"program_prepare", "ANE_ProgramPrepare", Direction::kIn, 56, kTokenFields, kAssumed},
    {"program_unprepare", "ANE_ProgramUnprepare", Direction::kIn, 56, kTokenFields, kListed},
    {"program_destroy", "ANE_ProgramDestroy", Direction::kIn, 16, kTokenFields, kListed},
    {"program_instance", "ANE_ProgramCreateInstance", Direction::kIn, 32, kInstanceFields, kListed},
    {"chaining_prepare", "ANE_ProgramChainingPrepare", Direction::kIn, 16, kChainingFields,
     kListed},
};

}  // namespace

std::span<const Structure> Structures() { return kStructures; }

const Structure* FindStructure(std::string_view method, Direction direction, size_t size) {
  const auto* found =
      std::find_if(std::begin(kStructures), std::end(kStructures), [&](const Structure& structure) {
        return structure.method == method && structure.direction == direction &&
               structure.size == size;
      });
  return found == std::end(kStructures) ? nullptr : found;
}

const Structure* StructureOfName(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kStructures), std::end(kStructures),
                   [&](const Structure& structure) { return structure.name == name; });
  return found == std::end(kStructures) ? nullptr : found;
}

}  // namespace anecheck::submission
