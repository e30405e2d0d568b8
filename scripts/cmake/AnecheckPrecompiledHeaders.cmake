# Precompiled standard and library headers: most of a build from an empty compiler cache is spent
# reading them. clang only: g++ and builds with the option off show that every source includes the headers that it uses.
# No header of the project is precompiled, so that an edit rebuilds only its dependents.
include_guard(GLOBAL)

option(ANECHECK_PRECOMPILED_HEADERS "Read standard and library headers precompiled (clang only)" ON)
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(ANECHECK_PRECOMPILED_HEADERS OFF)
endif()

set(ANECHECK_COMMON_HEADERS
  <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <set> <span> <sstream> <string> <string_view> <thread> <unordered_map> <utility>
  <variant> <vector> <fmt/format.h>)
# rapidcheck.h assumes <exception>, which no other header of libc++ 19 includes.
set(ANECHECK_TEST_HEADERS <exception> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>)

# Commands only read options and print, so development builds do not optimise them, and other builds optimise them little.
set(ANECHECK_CLI_OPTIONS "$<$<CONFIG:None>:-O0>" "$<$<CONFIG:Release>:-O1>")
# Reports mostly wait for the results file, so they need little optimisation.
set(ANECHECK_REPORT_OPTIONS "$<$<CONFIG:Release>:-O1>")

# Test code is compiled once and run once, and optimising it would take a third of a build from an empty
# cache. The code under test is optimised.
set(ANECHECK_TEST_OPTIONS "$<$<CONFIG:None>:-O0>")

# anecheck_precompiled_target(NAME headers...): a target whose precompiled headers other targets use.
function(anecheck_precompiled_target NAME)
  set(SOURCE "${PROJECT_BINARY_DIR}/generated/${NAME}.cc")
  file(CONFIGURE OUTPUT "${SOURCE}" CONTENT "namespace anecheck {}\n")
  add_library(${NAME} STATIC "${SOURCE}")
  target_link_libraries(${NAME} PRIVATE anecheck_settings fmt::fmt)
  target_precompile_headers(${NAME} PRIVATE ${ARGN})
  # Without this, the compiler cache would never hit: the precompiled header contains its time.
  target_compile_options(${NAME} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

if(ANECHECK_PRECOMPILED_HEADERS)
  anecheck_precompiled_target(anecheck_precompiled ${ANECHECK_COMMON_HEADERS})
  anecheck_precompiled_target(anecheck_precompiled_cli ${ANECHECK_COMMON_HEADERS})
  target_compile_options(anecheck_precompiled_cli PRIVATE ${ANECHECK_CLI_OPTIONS})
  if(ANECHECK_TESTS)
    anecheck_precompiled_target(anecheck_precompiled_test
      ${ANECHECK_COMMON_HEADERS} ${ANECHECK_TEST_HEADERS})
    target_link_libraries(anecheck_precompiled_test PRIVATE
      GTest::gtest GTest::gmock_main rapidcheck rapidcheck_gtest)
    target_compile_options(anecheck_precompiled_test PRIVATE ${ANECHECK_TEST_OPTIONS})
  endif()
endif()

# anecheck_use_precompiled(TARGET FROM): a library, or a binary made as position-independent as the
# headers were; FROM is one of the targets above.
function(anecheck_use_precompiled TARGET FROM)
  if(NOT TARGET ${FROM})
    return()
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM ${FROM})
  get_target_property(TYPE ${TARGET} TYPE)
  if(TYPE STREQUAL "EXECUTABLE")
    set_target_properties(${TARGET} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${TARGET} PRIVATE -fPIC)
  endif()
endfunction()
