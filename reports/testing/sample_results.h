// A small results file with two runs, known defects, new findings, and hostile text in every field
// that an engine or another machine sets. Used by the tests of this folder.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/ops/op.h"
#include "harness/ops/sheet.h"

namespace anecheck::reports {

// Text that would be markup in HTML, XML, Markdown, CSV or JSON, with bytes that are not valid
// text.
inline constexpr const char* kHostile =
    "</script><script>document.body.dataset.hacked=1</script><img src=x onerror=alert(1)>|`*_ "
    "\"quoted\", 'single' & ]]> {{data}} {{script}} \x01\xff\r\n=1+1 @all \u2028";

// Returns the number of operations that the matrix lists. They are the operations of the table and
// operations that are only catalogued.
inline size_t ListedOps() { return kOpCount + CataloguedOps().size(); }

// Writes the file. The content is always the same.
Status WriteSampleResults(const std::string& path);

// Adds a later simulated run. In this run conv is right, add was run too, and the second of two
// cases has matmul's known defect after 100 seconds.
Status WriteLaterResults(const std::string& path);

}  // namespace anecheck::reports
