// The sanitizer's default options for fuzzers, linked into each. Parsers allocate much, and a
// fuzzer runs them thousands of times a second. Short allocation stacks, a small quarantine and no
// fake stack save a third of the time. Replays of corpora use the sanitizer's own defaults.
#ifdef ANECHECK_SANITIZED
extern "C" __attribute__((disable_sanitizer_instrumentation)) const char* __asan_default_options() {
  return "malloc_context_size=2:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:"
         "detect_stack_use_after_return=0";
}
#endif
