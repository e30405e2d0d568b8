// Opens pages in a real browser without network, for the tests of pages.
#pragma once

#include <string>

#include "harness/base/file.h"

namespace anecheck::reports {

// Returns the path of a browser, or an empty text if there is none.
std::string FindBrowser();

struct Visit {
  std::string document;  // the document after loading; empty if the browser failed
  std::string console;   // the browser's log; each line from a page contains "CONSOLE"
};

// Opens a file of `folder` in a window of `width` pixels. `address` (such as "#target=h13") is
// appended to the file's address.
Visit VisitPage(const std::string& browser, const TempDirectory& folder, const std::string& name,
                const std::string& address, int width = 1280);

}  // namespace anecheck::reports
