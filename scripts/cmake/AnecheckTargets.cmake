# One function for each kind of target: library, test, benchmark, fuzzer.

# anecheck_library(NAME [SOURCES a.cc ...] [DEPENDS lib ...])
# A static library. Its sources are relative to the folder.
function(anecheck_library NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_SOURCES})
  target_link_libraries(${NAME} PUBLIC anecheck_settings ${ARG_DEPENDS})
  anecheck_use_precompiled(${NAME} anecheck_precompiled)
  anecheck_unity(${NAME})
endfunction()

# anecheck_sources(NAME a.cc ...): the sources that a room adds to a library of several rooms.
function(anecheck_sources NAME)
  target_sources(${NAME} PRIVATE ${ARGN})
  foreach(SOURCE ${ARGN})
    # A generated source: only this folder has the rule for it.
    if(IS_ABSOLUTE "${SOURCE}")
      cmake_path(GET SOURCE STEM STEM)
      add_dependencies(${NAME} ${STEM})
    endif()
  endforeach()
endfunction()

# anecheck_name_data(TEST): passes the folders of real data to the test in environment variables of their names.
function(anecheck_name_data TEST)
  foreach(FOLDER ANECHECK_REAL_DATA ANECHECK_VECTORS ANECHECK_CASES ANECHECK_FACTS)
    set_property(TEST ${TEST} APPEND PROPERTY ENVIRONMENT "${FOLDER}=${${FOLDER}}")
  endforeach()
endfunction()

# anecheck_test(NAME SOURCES a_test.cc ... [DEPENDS lib ...] [TIMEOUT seconds] [LABELS ...])
# One GoogleTest binary for each room, and one ctest entry for it.
function(anecheck_test NAME)
  if(NOT ANECHECK_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES} $<TARGET_OBJECTS:anecheck_skip_report>)
  target_link_libraries(${NAME} PRIVATE anecheck_settings ${ARG_DEPENDS}
    GTest::gtest GTest::gmock_main rapidcheck rapidcheck_gtest)
  target_compile_options(${NAME} PRIVATE ${ANECHECK_TEST_OPTIONS})
  anecheck_use_precompiled(${NAME} anecheck_precompiled_test)
  anecheck_unity(${NAME})
  target_compile_definitions(${NAME} PRIVATE
    ANECHECK_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ANECHECK_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${NAME} COMMAND ${NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  anecheck_name_data(${NAME})
endfunction()

# anecheck_python_test(NAME SCRIPT [ARGUMENTS ...] [PYTHON interpreter] [TIMEOUT seconds] [LABELS ...])
# A test that is a Python program, relative to the folder; exit code 77 means that it was skipped.
function(anecheck_python_test NAME SCRIPT)
  if(NOT ANECHECK_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "PYTHON;TIMEOUT" "ARGUMENTS;LABELS" ${ARGN})
  if(NOT ARG_PYTHON)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(ARG_PYTHON "${Python3_EXECUTABLE}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
  endif()
  add_test(NAME ${NAME}
    COMMAND "${ARG_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${SCRIPT}" ${ARG_ARGUMENTS})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
    SKIP_RETURN_CODE 77)
  anecheck_name_data(${NAME})
endfunction()

# anecheck_benchmark(NAME SOURCES a_bench.cc ... [DEPENDS lib ...])
function(anecheck_benchmark NAME)
  if(NOT ANECHECK_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE anecheck_settings ${ARG_DEPENDS}
    benchmark::benchmark benchmark::benchmark_main)
endfunction()

# anecheck_link_fuzzing_engine(TARGET): gives it a fuzzer's main and puts it into build/fuzzers.
function(anecheck_link_fuzzing_engine TARGET)
  if(ANECHECK_FUZZING_ENGINE)
    separate_arguments(ENGINE UNIX_COMMAND "${ANECHECK_FUZZING_ENGINE}")
    target_link_libraries(${TARGET} PRIVATE ${ENGINE})
  else()
    target_link_options(${TARGET} PRIVATE -fsanitize=fuzzer)
  endif()
  target_sources(${TARGET} PRIVATE "${PROJECT_SOURCE_DIR}/fuzz/sanitizer_options.cc")
  set_target_properties(${TARGET} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzzers")
endfunction()

# anecheck_fuzzer(NAME SOURCES x_target.cc [DEPENDS lib ...])
# A fuzz target: the object anecheck_fuzz_target_NAME, which defines anecheck::fuzz::kTarget_NAME.
# With ANECHECK_FUZZERS also the libFuzzer binary NAME_fuzzer. ctest replays the committed seeds and
# regressions of corpus/{seeds,regress}/NAME with anecheck_fuzz_tool, which contains every target. Together
# they must check each law of the target.
function(anecheck_fuzzer NAME)
  if(ANECHECK_FUZZ_ONLY AND NOT NAME IN_LIST ANECHECK_FUZZ_ONLY)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(anecheck_fuzz_target_${NAME} OBJECT ${ARG_SOURCES})
  target_link_libraries(anecheck_fuzz_target_${NAME} PUBLIC
    anecheck_settings anecheck_fuzz_laws anecheck_choice ${ARG_DEPENDS})
  anecheck_use_precompiled(anecheck_fuzz_target_${NAME} anecheck_precompiled)
  set_property(GLOBAL APPEND PROPERTY ANECHECK_FUZZ_TARGETS ${NAME})
  if(ANECHECK_FUZZERS)
    add_executable(${NAME}_fuzzer "${PROJECT_SOURCE_DIR}/fuzz/fuzzer_main.cc")
    target_compile_definitions(${NAME}_fuzzer PRIVATE ANECHECK_FUZZ_TARGET=${NAME})
    target_link_libraries(${NAME}_fuzzer PRIVATE
      anecheck_settings anecheck_fuzz_target_${NAME} anecheck_descriptors)
    anecheck_link_fuzzing_engine(${NAME}_fuzzer)
  endif()
  set(FOLDERS)
  foreach(KIND seeds regress)
    if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/corpus/${KIND}/${NAME}")
      list(APPEND FOLDERS "${PROJECT_SOURCE_DIR}/corpus/${KIND}/${NAME}")
    endif()
  endforeach()
  if(ANECHECK_TESTS AND FOLDERS)
    add_test(NAME replay_${NAME} COMMAND anecheck_fuzz_tool replay ${NAME} --every-law ${FOLDERS})
    set_tests_properties(replay_${NAME} PROPERTIES TIMEOUT 120 LABELS "replay")
  endif()
endfunction()

# anecheck_add_rooms(): every subfolder with a CMakeLists.txt.
function(anecheck_add_rooms)
  file(GLOB ROOMS CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" */CMakeLists.txt)
  list(SORT ROOMS)
  foreach(ROOM ${ROOMS})
    get_filename_component(FOLDER "${ROOM}" DIRECTORY)
    add_subdirectory(${FOLDER})
  endforeach()
endfunction()
