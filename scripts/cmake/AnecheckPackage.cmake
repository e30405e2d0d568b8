# The installable package: `cmake --install` installs headers and libraries of the formats, generators and
# oracles with their dependencies, and the configuration that find_package(anecheck) reads. Included last,
# when every target exists.

include(AnecheckLinkClosure)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The names that a project may link, as anecheck::<name>, and the library behind each.
set(ANECHECK_PACKAGE_ROOTS
  formats=anecheck_formats
  graph=anecheck_graph
  lowering=anecheck_lowering
  generators=anecheck_generators
  descriptors=anecheck_descriptors
  shrink=anecheck_shrink
  repair=anecheck_repair
  oracles=anecheck_oracles
  legality=anecheck_oracles
  metamorphic=anecheck_oracles
  plan=anecheck_oracles
  pairs=anecheck_descriptors
  file_set=anecheck_descriptors
  rapidcheck=anecheck_rapidcheck
  fuzz_mutator=anecheck_fuzz_mutator)

set(ROOTS)
set(ANECHECK_PACKAGE_TARGETS "")
file(READ "${CMAKE_CURRENT_LIST_DIR}/anecheckConfig.cmake.in" PACKAGE_TEXT)
foreach(PAIR ${ANECHECK_PACKAGE_ROOTS})
  string(REPLACE "=" ";" PAIR "${PAIR}")
  list(GET PAIR 0 NAME)
  list(GET PAIR 1 LIBRARY)
  list(APPEND ROOTS ${LIBRARY})
  if(NOT PACKAGE_TEXT MATCHES "\n#   anecheck::${NAME} ")
    message(FATAL_ERROR "anecheckConfig.cmake.in does not say what anecheck::${NAME} is")
  endif()
  string(APPEND ANECHECK_PACKAGE_TARGETS
    "anecheck_name_target(anecheck::${NAME} ${LIBRARY})\n")
endforeach()
anecheck_link_closure(CLOSURE ALIASES OTHERS ${ROOTS})
foreach(PAIR ${ALIASES})
  string(REPLACE "=" " " PAIR "${PAIR}")
  string(APPEND ANECHECK_PACKAGE_TARGETS "anecheck_name_target(${PAIR})\n")
endforeach()

# Builds the installed files and nothing else.
add_custom_target(anecheck_package)
foreach(ITEM ${CLOSURE})
  get_target_property(TYPE ${ITEM} TYPE)
  if(TYPE STREQUAL "STATIC_LIBRARY")
    add_dependencies(anecheck_package ${ITEM})
  endif()
endforeach()

# Users need the language standard, but not this project's warnings and sanitizers.
foreach(PROPERTY INTERFACE_COMPILE_OPTIONS INTERFACE_LINK_OPTIONS INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(VALUES anecheck_settings ${PROPERTY})
  if(VALUES)
    set_target_properties(anecheck_settings PROPERTIES ${PROPERTY} "$<BUILD_INTERFACE:${VALUES}>")
  endif()
endforeach()
target_compile_features(anecheck_settings INTERFACE "$<INSTALL_INTERFACE:cxx_std_23>")

set(PACKAGE_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/anecheck")
install(TARGETS ${CLOSURE} EXPORT anecheck_libraries COMPONENT anecheck_package
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/anecheck"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/anecheck")
# Names are not changed, since generator expressions of the libraries contain them.
install(EXPORT anecheck_libraries DESTINATION "${PACKAGE_FOLDER}" COMPONENT anecheck_package)
foreach(ROOM harness/base harness/verdict harness/graph harness/ops harness/targets harness/formats
             harness/lowering generators oracles)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${ROOM}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/anecheck/${ROOM}" COMPONENT anecheck_package
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "testing" EXCLUDE)
endforeach()

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/anecheckConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/anecheckConfig.cmake" INSTALL_DESTINATION "${PACKAGE_FOLDER}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/anecheckConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/anecheckConfig.cmake"
  "${PROJECT_BINARY_DIR}/anecheckConfigVersion.cmake"
  DESTINATION "${PACKAGE_FOLDER}" COMPONENT anecheck_package)

# Installs into the build folder, then builds and runs the example against the installed files. Skipped if the
# libraries need link options that the package leaves out.
if(ANECHECK_TESTS AND NOT ANECHECK_SANITIZE)
  add_test(NAME package_example
    COMMAND "${CMAKE_COMMAND}" "-DBINARY=${PROJECT_BINARY_DIR}"
      "-DEXAMPLE=${PROJECT_SOURCE_DIR}/scripts/examples/package"
      "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DFLAGS=${CMAKE_CXX_FLAGS}"
      -P "${CMAKE_CURRENT_LIST_DIR}/package_example.cmake")
  set_tests_properties(package_example PROPERTIES TIMEOUT 1800 LABELS "slow")
endif()
