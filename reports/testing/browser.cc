#include "reports/testing/browser.h"

#include <cstdlib>

namespace anecheck::reports {
namespace {

std::string Command(const std::string& browser, const TempDirectory& folder, int width,
                    int height) {
  return "timeout 300 '" + browser +
         "' --headless --no-sandbox --disable-gpu --disable-background-networking "
         "--disable-component-update --disable-sync --no-first-run --enable-logging=stderr --v=0 "
         "--host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=20000 --hide-scrollbars "
         "--window-size=" +
         std::to_string(width) + "," + std::to_string(height) + " --user-data-dir='" +
         folder.File("profile") + "'";
}

}  // namespace

std::string FindBrowser() {
  for (const char* path :
       {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}) {
    if (ReadFile(path, 1).ok() || ReadFile(path).ok()) return path;
  }
  return {};
}

Visit VisitPage(const std::string& browser, const TempDirectory& folder, const std::string& name,
                const std::string& address, int width) {
  const std::string document = folder.File("document");
  const std::string log = folder.File("log");
  const std::string command = Command(browser, folder, width, 900) + " --dump-dom 'file://" +
                              folder.File(name) + address + "' >'" + document + "' 2>'" + log + "'";
  if (std::system(command.c_str()) != 0) return {};
  const auto text = ReadTextFile(document);
  const auto console = ReadTextFile(log);
  return {text.ok() ? *text : "", console.ok() ? *console : ""};
}

}  // namespace anecheck::reports
