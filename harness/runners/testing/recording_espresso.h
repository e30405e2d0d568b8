// The functions of the recording engine (recording_espresso.cc) besides the e5rt symbols. Tests
// resolve them with dlsym.
#pragma once

#include <cstdint>

extern "C" {

// Returns the symbols that were called since the record was cleared, in order, one per line.
const char* anecheck_recorded();
void anecheck_forget_recorded();
// Makes the next call of `symbol` return -1 and do nothing.
void anecheck_refuse_once(const char* symbol);
// Returns the block of the last submission.
void* anecheck_submitted_block();
// Returns the number of events in the last call of bind_dependent_events.
uint64_t anecheck_events_bound();
// Returns the folder that was requested for the last program's bundle.
const char* anecheck_cache_location();

}  // extern "C"
