// The runner over Core ML, for macOS: anecheck run --runner exec:anecheck-coreml.
#include "harness/runners/coreml/coreml_runner.h"
#include "harness/runners/coreml/framework_macos.h"

int main(int argc, char** argv) {
  const auto framework = anecheck::coreml::SystemFramework();
  return anecheck::coreml::RunnerMain(argc, argv, *framework);
}
