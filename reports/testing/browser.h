// A page in a real browser without network, for the tests of pages.
#pragma once

#include <string>

#include "harness/base/file.h"

namespace anecheck::reports {

// The path of a browser; empty if there is none.
std::string FindBrowser();

struct Visit {
  std::string document;  // after loading; empty if the browser failed
  std::string console;   // the browser's log; each line of a page contains "CONSOLE"
};

// Opens a file of `folder` with `address` ("#target=h13") added, at a window width in pixels.
Visit VisitPage(const std::string& browser, const TempDirectory& folder, const std::string& name,
                const std::string& address, int width = 1280);

}  // namespace anecheck::reports
