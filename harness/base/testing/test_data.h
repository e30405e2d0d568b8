// The folders of test files that are not part of the project: files made by real tools and
// published test vectors. A test whose files are missing skips and names the variables to set.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck::testing {

// Return the path of `relative` in a folder that an environment variable names. The variables are,
// in the order of these functions, ANECHECK_REAL_DATA (default: ../shared/real beside the source
// tree), ANECHECK_VECTORS (default: ../shared/vectors), ANECHECK_CASES (default: ../shared/cases)
// and ANECHECK_FACTS (default: ../shared/facts). The path need not exist.
std::string RealDataPath(std::string_view relative);
std::string VectorPath(std::string_view relative);
std::string CasePath(std::string_view relative);
std::string FactPath(std::string_view relative);

// Returns the path of `relative` in the source tree.
std::string SourcePath(std::string_view relative);

bool PathExists(const std::string& path);

// The skip reason of a test without its files begins with this text (see skip_report.cc).
inline constexpr std::string_view kMissingData = "no data: ";

// Returns whether `path` is a file, or a folder with a file at any depth.
bool HasTestData(const std::string& path);

// Returns the regular files under `folder`, at any depth, sorted; none if there is no such folder.
std::vector<std::string> FilesUnder(const std::string& folder);

// Returns the unpacked content of a .gz file, at most 1 GiB.
Result<std::string> ReadGzipFile(const std::string& path);

}  // namespace anecheck::testing

// Skips the enclosing test if `path` does not exist or is a folder without files. A loop over no
// files would pass without an assertion.
#define ANECHECK_SKIP_WITHOUT(path)                                                      \
  do {                                                                                   \
    if (!::anecheck::testing::HasTestData(path)) {                                       \
      GTEST_SKIP() << ::anecheck::testing::kMissingData << (path)                        \
                   << " is missing or empty; set ANECHECK_REAL_DATA, ANECHECK_VECTORS,"  \
                      " ANECHECK_CASES and ANECHECK_FACTS to the folders of real files," \
                      " vectors, cases and tables of facts";                             \
    }                                                                                    \
  } while (false)
