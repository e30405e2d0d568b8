// The calls of the recording engine (recording_espresso.cc) beside the e5rt symbols. Found by
// dlsym.
#pragma once

#include <cstdint>

extern "C" {

// The symbols called since the record was forgotten, each with a line end, in order.
const char* anecheck_recorded();
void anecheck_forget_recorded();
// The next call of `symbol` gives -1 and does nothing.
void anecheck_refuse_once(const char* symbol);
// The block of the last submission.
void* anecheck_submitted_block();
// How many events the last call made an operation wait for.
uint64_t anecheck_events_bound();
// The place that was asked for the last program's bundle.
const char* anecheck_cache_location();

}  // extern "C"
