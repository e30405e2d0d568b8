// A real parser as a persistent driver for `anecheck fuzz`: libplist, which reads network
// descriptions.
//
//   cc -g -I ~/.local/include libplist_target.c -lplist-2.0 -o libplist_target
//   anecheck fuzz --format netlist --time 10m -- ./libplist_target
#include <plist/plist.h>
#define ANECHECK_FUZZ_MAIN
#include "anecheck_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  plist_t tree = NULL;
  char* text = NULL;
  uint32_t length = 0;
  plist_from_memory((const char*)data, (uint32_t)size, &tree);
  if (tree == NULL) return 1;
  plist_to_xml(tree, &text, &length);
  free(text);
  plist_free(tree);
  return 0;
}
