# What `cmake --install` puts where: the tool, the simulated engine, the manual page and completion
# of shells. The last two are printed by the tool itself.
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
# harness/runners/e5rt_library.cc looks there, seen from the tool.
install(TARGETS anecheck_espresso LIBRARY DESTINATION lib/anecheck COMPONENT anecheck)
install(FILES "${TEXTS}/anecheck.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT anecheck)
install(FILES "${TEXTS}/anecheck.bash" RENAME anecheck COMPONENT anecheck
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${TEXTS}/_anecheck" COMPONENT anecheck
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
