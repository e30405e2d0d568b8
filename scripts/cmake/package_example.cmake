# Run by the test package_example: installs the package of the build folder BINARY into it, builds
# the project EXAMPLE against the installed files with COMPILER and FLAGS, and runs it.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE CODE OUTPUT_VARIABLE TEXT ERROR_VARIABLE TEXT)
  if(NOT CODE EQUAL 0)
    list(JOIN ARGN " " COMMAND)
    message(FATAL_ERROR "${COMMAND}\n${TEXT}")
  endif()
  message(STATUS "${TEXT}")
endfunction()

set(PACKAGE "${BINARY}/package")
file(REMOVE_RECURSE "${PACKAGE}" "${BINARY}/package_example")
run("${CMAKE_COMMAND}" --build "${BINARY}" --target anecheck_package)
run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${PACKAGE}" --component anecheck_package)
run("${CMAKE_COMMAND}" -G Ninja -S "${EXAMPLE}" -B "${BINARY}/package_example"
  "-DCMAKE_PREFIX_PATH=${PACKAGE}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${BINARY}/package_example")
run("${BINARY}/package_example/properties")
run("${BINARY}/package_example/mutate_files")
