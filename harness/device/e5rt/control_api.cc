// The control interface of the simulated engine (simulator_control.h).
#include <string>

#include "harness/base/json.h"
#include "harness/device/e5rt/handles.h"
#include "harness/device/e5rt/state.h"
#include "harness/device/fault.h"
#include "harness/device/quirk.h"
#include "harness/device/simulator_control.h"

namespace anecheck::device::e5rt {
namespace {

std::string FaultsJson() {
  Json array = Json::array();
  for (const Fault& fault : Faults()) {
    array.push_back({{"id", fault.id},
                     {"description", fault.description},
                     {"op", fault.op},
                     {"class", fault.op_class},
                     {"kind", FaultKindName(fault.kind)},
                     {"ulps", fault.ulps},
                     {"share", fault.share},
                     {"admitted", fault.admitted}});
  }
  return array.dump();
}

std::string QuirksJson() {
  Json array = Json::array();
  for (const Quirk& quirk : Quirks()) {
    Json families = Json::array();
    for (int family = 0; family < 8; ++family) {
      if ((quirk.default_families >> family & 1) != 0) {
        families.push_back("A" + std::to_string(11 + family));
      }
    }
    array.push_back({{"id", quirk.id},
                     {"area", quirk.area},
                     {"trigger", quirk.trigger},
                     {"symptom", quirk.symptom},
                     {"kind", quirk.kind},
                     {"families", quirk.families},
                     {"default_families", families},
                     {"implemented", quirk.implemented}});
  }
  return array.dump();
}

}  // namespace
}  // namespace anecheck::device::e5rt

#define ANECHECK_SIM extern "C" __attribute__((visibility("default")))

using namespace anecheck::device;        // NOLINT: the ABI stands outside of namespaces
using namespace anecheck::device::e5rt;  // NOLINT

ANECHECK_SIM const char anecheck_simulated_engine[] = "anecheck simulated engine 1";

ANECHECK_SIM uint32_t anecheck_sim_abi_version(void) { return ANECHECK_SIM_ABI_VERSION; }

ANECHECK_SIM int anecheck_sim_set_target(const char* name) {
  if (name == nullptr) return ANECHECK_SIM_INVALID;
  return SetDefaultTarget(name) ? ANECHECK_SIM_OK : ANECHECK_SIM_UNKNOWN;
}

ANECHECK_SIM const char* anecheck_sim_target(void) { return DefaultTargetName().data(); }

ANECHECK_SIM int anecheck_sim_set_quirk(const char* id, int state) {
  if (id == nullptr || state < -1 || state > 1) return ANECHECK_SIM_INVALID;
  return SetQuirk(id, state) ? ANECHECK_SIM_OK : ANECHECK_SIM_UNKNOWN;
}

ANECHECK_SIM int anecheck_sim_enable_fault(const char* id) {
  if (id == nullptr) return ANECHECK_SIM_INVALID;
  const auto status = EnableFault(id);
  if (status.ok()) return ANECHECK_SIM_OK;
  return status.error().code == anecheck::ErrorCode::kNotFound ? ANECHECK_SIM_UNKNOWN
                                                               : ANECHECK_SIM_INVALID;
}

ANECHECK_SIM int anecheck_sim_disable_fault(const char* id) {
  if (id == nullptr) return ANECHECK_SIM_INVALID;
  return DisableFault(id) ? ANECHECK_SIM_OK : ANECHECK_SIM_UNKNOWN;
}

ANECHECK_SIM const char* anecheck_sim_faults_json(void) {
  static const auto* text = new std::string(FaultsJson());
  return text->c_str();
}

ANECHECK_SIM const char* anecheck_sim_quirks_json(void) {
  static const auto* text = new std::string(QuirksJson());
  return text->c_str();
}

ANECHECK_SIM void anecheck_sim_reset(void) { ResetSettings(); }

ANECHECK_SIM int anecheck_sim_hold_queue(int hold) {
  HoldQueue(hold != 0);
  return ANECHECK_SIM_OK;
}

ANECHECK_SIM int anecheck_sim_set_reading(const char* id, int on) {
  if (id == nullptr || on < 0 || on > 1) return ANECHECK_SIM_INVALID;
  return SetReading(id, on != 0) ? ANECHECK_SIM_OK : ANECHECK_SIM_UNKNOWN;
}

ANECHECK_SIM int anecheck_sim_write_files(int on) {
  SetWritesFiles(on != 0);
  return ANECHECK_SIM_OK;
}

ANECHECK_SIM int anecheck_sim_get_counts(anecheck_sim_counts* out) {
  if (out == nullptr) return ANECHECK_SIM_INVALID;
  const Counts counts = GetCounts();
  *out = {Handles().live(), counts.loaded_programs, counts.in_flight,
          counts.compiles,  counts.executions,      counts.dispatches};
  return ANECHECK_SIM_OK;
}
