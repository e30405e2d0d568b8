# Compiler settings that every target of the project shares.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

option(ANECHECK_WERROR "Treat compiler warnings as errors" ON)
option(ANECHECK_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(ANECHECK_FUZZERS "Link the fuzz targets with libFuzzer (clang only)" OFF)
set(ANECHECK_FUZZING_ENGINE "" CACHE STRING
    "With ANECHECK_FUZZERS: what to link for a main, where the flags of the compiler bring the instrumentation (empty: libFuzzer, and the project adds it)")
set(ANECHECK_FUZZ_ONLY "" CACHE STRING "Names of the fuzz targets to build (empty: all)")
option(ANECHECK_TESTS "Build the tests" ON)
include(CMakeDependentOption)
# The benchmarks link the helpers of the tests.
cmake_dependent_option(ANECHECK_BENCHMARKS "Build the benchmarks" ON ANECHECK_TESTS OFF)
option(ANECHECK_UNITY "Compile several sources of a library as one (AnecheckUnity.cmake)" OFF)

set(ANECHECK_REAL_DATA "${CMAKE_SOURCE_DIR}/../shared/real" CACHE PATH
    "Files made by real tools; tests that need them skip where the folder is missing")
set(ANECHECK_VECTORS "${CMAKE_SOURCE_DIR}/../shared/vectors" CACHE PATH
    "Published test vectors; tests that need them skip where the folder is missing")
set(ANECHECK_CASES "${CMAKE_SOURCE_DIR}/../shared/cases" CACHE PATH
    "Small inputs with known answers; tests that need them skip where the folder is missing")
set(ANECHECK_FACTS "${CMAKE_SOURCE_DIR}/../shared/facts" CACHE PATH
    "Tables of public facts; tests that need them skip where the folder is missing")

find_program(ANECHECK_CCACHE ccache)
if(ANECHECK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ANECHECK_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ANECHECK_CCACHE})
endif()

find_program(ANECHECK_LLD NAMES ld.lld-19 ld.lld)
if(ANECHECK_LLD AND NOT APPLE)
  # Links already run on all processors, so the linker's own threads would gain nothing.
  add_link_options(-fuse-ld=lld LINKER:--threads=1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ looks for a program called ld.lld, without a version, in the given folders.
    file(REAL_PATH "${ANECHECK_LLD}" ANECHECK_LLD_PROGRAM)
    cmake_path(GET ANECHECK_LLD_PROGRAM PARENT_PATH ANECHECK_LLD_FOLDER)
    add_link_options("-B${ANECHECK_LLD_FOLDER}")
  endif()
endif()

add_library(anecheck_settings INTERFACE)
target_include_directories(anecheck_settings INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>")
# Contraction would let the two compilers round the same source differently.
target_compile_options(anecheck_settings INTERFACE
  -ffp-contract=off -Wall -Wextra
  # If sources are compiled as one, a name of one source may hide a name of another.
  $<$<NOT:$<BOOL:${ANECHECK_UNITY}>>:-Wshadow>
  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>")
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(anecheck_settings INTERFACE -Wimplicit-fallthrough -Wextra-semi)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these inside libstdc++ at -O2.
  target_compile_options(anecheck_settings INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
    -Wno-missing-field-initializers -Wno-stringop-overread -Wno-dangling-pointer)
  # g++ reports types of unnamed namespaces in included files, which sources of unity builds are.
  target_compile_options(anecheck_settings INTERFACE
    $<$<AND:$<BOOL:${ANECHECK_UNITY}>,$<COMPILE_LANGUAGE:CXX>>:-Wno-subobject-linkage>)
else()
  target_compile_options(anecheck_settings INTERFACE -Wno-missing-field-initializers
    -Wno-missing-designated-field-initializers)
endif()
if(ANECHECK_WERROR)
  target_compile_options(anecheck_settings INTERFACE -Werror)
endif()
if(ANECHECK_SANITIZE)
  target_compile_options(anecheck_settings INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(anecheck_settings INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(anecheck_settings INTERFACE ANECHECK_SANITIZED=1)
endif()
if(ANECHECK_FUZZERS AND NOT ANECHECK_FUZZING_ENGINE)
  # Coverage counters in every object; libFuzzer's main only where a fuzzer links.
  target_compile_options(anecheck_settings INTERFACE -fsanitize=fuzzer-no-link
    "-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/scripts/cmake/uncounted_functions.txt")
  if(ANECHECK_SANITIZE)
    target_compile_options(anecheck_settings INTERFACE
      "-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/scripts/cmake/unchecked_sources.txt"
      # The check costs time in every function that has locals with an address; the preset `asan` has it.
      -fsanitize-address-use-after-return=never)
  endif()
  target_link_options(anecheck_settings INTERFACE -fsanitize=fuzzer-no-link)
  if(NOT APPLE)
    # libFuzzer clears every counter of the program before each input. Dropping functions that a target never
    # calls also drops their counters.
    target_compile_options(anecheck_settings INTERFACE -ffunction-sections)
    target_link_options(anecheck_settings INTERFACE LINKER:--gc-sections LINKER:-z,start-stop-gc)
  endif()
  # scripts/check-planted-bugs switches them on one at a time (harness/base/planted_bug.h).
  target_compile_definitions(anecheck_settings INTERFACE ANECHECK_PLANTED_BUGS=1)
endif()
