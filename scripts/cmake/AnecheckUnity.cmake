# Compiles several sources of a target as one, since most of a build from an empty compiler cache reads the
# same headers again. For one-time builds; a development build would recompile too much after an edit of one
# source.
include_guard(GLOBAL)

# anecheck_unity(TARGET): its sources may be compiled as one.
function(anecheck_unity TARGET)
  set_property(GLOBAL APPEND PROPERTY ANECHECK_UNITY_TARGETS ${TARGET})
endfunction()

# anecheck_group_sources(): called once every target has its sources.
function(anecheck_group_sources)
  if(NOT ANECHECK_UNITY)
    return()
  endif()
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  get_property(TARGETS GLOBAL PROPERTY ANECHECK_UNITY_TARGETS)
  set(LINES "")
  foreach(TARGET ${TARGETS})
    get_target_property(SOURCES ${TARGET} SOURCES)
    get_target_property(FOLDER ${TARGET} SOURCE_DIR)
    string(APPEND LINES "${TARGET}")
    foreach(SOURCE ${SOURCES})
      cmake_path(ABSOLUTE_PATH SOURCE BASE_DIRECTORY "${FOLDER}" NORMALIZE)
      string(APPEND LINES ";${SOURCE}")
    endforeach()
    string(APPEND LINES "\n")
  endforeach()
  file(WRITE "${PROJECT_BINARY_DIR}/generated/unity_sources.txt" "${LINES}")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scripts/cmake/unity_groups.py"
      "${PROJECT_BINARY_DIR}/generated/unity_sources.txt"
      "${PROJECT_BINARY_DIR}/generated/unity_groups.cmake" "${PROJECT_SOURCE_DIR}"
    COMMAND_ERROR_IS_FATAL ANY)
  include("${PROJECT_BINARY_DIR}/generated/unity_groups.cmake")
endfunction()
