# The files that `cmake --install` installs, and where: the tool, the simulated engine, the manual
# page and completion of shells. The last two are printed by the tool itself.
include(GNUInstallDirs)

set(TEXTS "${PROJECT_BINARY_DIR}")
add_custom_command(
  OUTPUT "${TEXTS}/anecheck.1" "${TEXTS}/anecheck.bash" "${TEXTS}/_anecheck"
  COMMAND anecheck help --man > "${TEXTS}/anecheck.1"
  COMMAND anecheck help --completion bash > "${TEXTS}/anecheck.bash"
  COMMAND anecheck help --completion zsh > "${TEXTS}/_anecheck"
  DEPENDS anecheck
  COMMENT "Writing the manual page and the completion of shells"
  VERBATIM)
add_custom_target(anecheck_help_texts ALL
  DEPENDS "${TEXTS}/anecheck.1" "${TEXTS}/anecheck.bash" "${TEXTS}/_anecheck")

install(TARGETS anecheck COMPONENT anecheck)
# harness/runners/e5rt_library.cc searches this folder, relative to the tool.
install(TARGETS anecheck_espresso LIBRARY DESTINATION lib/anecheck COMPONENT anecheck)
install(FILES "${TEXTS}/anecheck.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT anecheck)
install(FILES "${TEXTS}/anecheck.bash" RENAME anecheck COMPONENT anecheck
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${TEXTS}/_anecheck" COMPONENT anecheck
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/anecheck" COMPONENT anecheck)
install(FILES "${PROJECT_SOURCE_DIR}/scripts/examples/README.md"
  "${PROJECT_SOURCE_DIR}/scripts/examples/numpy_runner.py"
  "${PROJECT_SOURCE_DIR}/scripts/examples/hwx_tasks.py"
  "${PROJECT_SOURCE_DIR}/scripts/examples/plist_parser.py"
  "${PROJECT_SOURCE_DIR}/scripts/examples/classifier.mil"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/anecheck/examples" COMPONENT anecheck)

# `cmake --build FOLDER --target package`: one archive, and on Debian one package, of the tool and of
# the libraries for other fuzzers.
set(CPACK_PACKAGE_VENDOR "anecheck")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_COMPONENTS_ALL anecheck anecheck_fuzz_mutator)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/cpack_generator.cmake")
find_program(ANECHECK_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(ANECHECK_SHLIBDEPS)
if(ANECHECK_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The anecheck engineers")
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)

if(ANECHECK_TESTS AND ANECHECK_SHLIBDEPS AND NOT ANECHECK_SANITIZE AND NOT ANECHECK_FUZZERS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME debian_package
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/package_test.py" "${PROJECT_BINARY_DIR}")
  set_tests_properties(debian_package PROPERTIES TIMEOUT 600)
endif()
