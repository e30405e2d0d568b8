// What the recording engine (recording_espresso.cc) tells beside the e5rt symbols. Found by dlsym.
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
// Where the last program's bundle was asked to be.
const char* anecheck_cache_location();

}  // extern "C"
