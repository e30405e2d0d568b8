// The calls of the recording engine (recording_espresso.cc) besides the e5rt symbols. Tests find
// them by dlsym.
#pragma once

#include <cstdint>

extern "C" {

// The symbols called since the record was cleared, in order, each followed by a line end.
const char* anecheck_recorded();
void anecheck_forget_recorded();
// Makes the next call of `symbol` return -1 and do nothing.
void anecheck_refuse_once(const char* symbol);
// The block of the last submission.
void* anecheck_submitted_block();
// The number of events that the last call bound an operation to wait for.
uint64_t anecheck_events_bound();
// The folder that was requested for the last program's bundle.
const char* anecheck_cache_location();

}  // extern "C"
