# The parts for fuzzers of third-party parsers: libanecheck_fuzz_mutator.a, one archive of the mutator and of
# every library of this project that it needs, its header, a pkg-config file that lists the external
# libraries, and the AFL++ mutator. Included last, when every target exists.
include(AnecheckLinkClosure)
include(GNUInstallDirs)

# External libraries and the pkg-config module of each; empty for header-only libraries and parts of the C
# library.
set(ANECHECK_FUZZ_MUTATOR_MODULES
  fmt::fmt=fmt
  flatbuffers::flatbuffers=flatbuffers
  nlohmann_json::nlohmann_json=
  PkgConfig::LIBDEFLATE=libdeflate
  PkgConfig::PLIST=libplist-2.0
  Threads::Threads=
  ZLIB::ZLIB=zlib)

anecheck_link_closure(CLOSURE ALIASES OTHERS anecheck_fuzz_mutator_api)
set(OBJECTS)
foreach(ITEM ${CLOSURE})
  get_target_property(TYPE ${ITEM} TYPE)
  if(TYPE STREQUAL "STATIC_LIBRARY")
    list(APPEND OBJECTS "$<TARGET_OBJECTS:${ITEM}>")
  endif()
endforeach()
add_library(anecheck_fuzz_mutator STATIC ${OBJECTS})
set_target_properties(anecheck_fuzz_mutator PROPERTIES
  LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(HEADER_FOLDER "generators/formats/mutator")
target_include_directories(anecheck_fuzz_mutator INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${HEADER_FOLDER}>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/anecheck/${HEADER_FOLDER}>")

set(MODULES)
foreach(OTHER ${OTHERS})
  set(KNOWN FALSE)
  foreach(PAIR ${ANECHECK_FUZZ_MUTATOR_MODULES})
    if(PAIR MATCHES "^${OTHER}=(.*)$")
      set(KNOWN TRUE)
      list(APPEND MODULES ${CMAKE_MATCH_1})
      target_link_libraries(anecheck_fuzz_mutator INTERFACE ${OTHER})
    endif()
  endforeach()
  if(NOT KNOWN)
    message(FATAL_ERROR "the fuzz mutator links ${OTHER}: name its pkg-config module in ${CMAKE_CURRENT_LIST_FILE}")
  endif()
endforeach()
list(JOIN MODULES " " MODULES)

# C programs are linked without the C++ standard libraries.
set(RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM RUNTIME ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES RUNTIME)
list(TRANSFORM RUNTIME PREPEND "-l")
list(APPEND RUNTIME ${CMAKE_THREAD_LIBS_INIT})
list(JOIN RUNTIME " " RUNTIME)

file(RELATIVE_PATH TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" TO_PREFIX "${TO_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/anecheck_fuzz_mutator.pc.in"
  "${PROJECT_BINARY_DIR}/anecheck_fuzz_mutator.pc" @ONLY)

install(TARGETS anecheck_fuzz_mutator COMPONENT anecheck_fuzz_mutator
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS anecheck_afl_mutator COMPONENT anecheck_fuzz_mutator
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/anecheck")
# The persistent drivers of `anecheck fuzz`: a header for C and C++, modules for Python and Rust.
set(DRIVERS "${PROJECT_SOURCE_DIR}/harness/parserfuzz/drivers")
install(FILES "${DRIVERS}/anecheck_fuzz.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT anecheck_fuzz_mutator)
install(FILES "${DRIVERS}/anecheck_fuzz.py" "${DRIVERS}/anecheck_fuzz.rs"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/anecheck/fuzz" COMPONENT anecheck_fuzz_mutator)
install(FILES "${PROJECT_SOURCE_DIR}/${HEADER_FOLDER}/anecheck_fuzz_mutator.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT anecheck_fuzz_mutator)
install(FILES "${PROJECT_BINARY_DIR}/anecheck_fuzz_mutator.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT anecheck_fuzz_mutator)
