/* Runs a MIL program of one fp16 input `x` and one output `y` of four elements each, three times.
   y is bound to x, so that the sum stays in the engine's buffer. Links to libanecheck_e5rt.

   usage: add_one PROGRAM.mil */
#include <stdint.h>
#include <stdio.h>

#include "harness/runners/wrapper/ane_e5rt.h"

static int fail(const char* call) {
  fprintf(stderr, "add_one: %s: %s\n", call, anecheck_e5rt_last_error());
  return 2;
}

int main(int argc, char** argv) {
  const char* x = "x";
  const char* y = "y";
  const size_t bytes = 8;
  const uint16_t zeros[4] = {0, 0, 0, 0};
  uint16_t sums[4];
  ane_e5rt_program_t* program;
  int i;
  if (argc != 2) {
    fprintf(stderr, "usage: add_one PROGRAM.mil\n");
    return 2;
  }
  program = ane_e5rt_program_compile(argv[1], NULL, 4, &x, &bytes, 1, &y, &bytes, 1);
  if (program == NULL) return fail("compile");
  if (ane_e5rt_program_share_buffer(program, 0, "y", 0, "x") != 0) return fail("share");
  if (ane_e5rt_program_set_input_fp16(program, "x", zeros, 4) != 0) return fail("input");
  for (i = 0; i < 3; ++i) {
    if (ane_e5rt_program_execute(program) != 0) return fail("execute");
  }
  if (ane_e5rt_program_get_output_fp16(program, "y", sums, 4) != 0) return fail("output");
  printf("bits of the sums: %04x %04x %04x %04x\n", sums[0], sums[1], sums[2], sums[3]);
  ane_e5rt_program_release(program);
  return 0;
}
