# anecheck_embed(OUTPUT_VARIABLE NAMESPACE file ...): generates a source file at build time with one
# `std::string_view` for each data file, `anecheck::NAMESPACE::k<FileName>`, declared by the room's header.

set(ANECHECK_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake")

function(anecheck_embed OUTPUT_VARIABLE NAMESPACE)
  set(GENERATED "${CMAKE_CURRENT_BINARY_DIR}/${NAMESPACE}_embedded.cc")
  set(INPUTS)
  foreach(FILE ${ARGN})
    list(APPEND INPUTS "${CMAKE_CURRENT_SOURCE_DIR}/${FILE}")
  endforeach()
  string(REPLACE ";" "|" JOINED "${INPUTS}")
  add_custom_command(
    OUTPUT "${GENERATED}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${GENERATED}" "-DNAMESPACE=${NAMESPACE}"
            "-DINPUTS=${JOINED}" -P "${ANECHECK_EMBED_SCRIPT}"
    DEPENDS ${INPUTS} "${ANECHECK_EMBED_SCRIPT}"
    COMMENT "Embedding the data files of ${NAMESPACE}"
    VERBATIM)
  add_custom_target(${NAMESPACE}_embedded DEPENDS "${GENERATED}")
  set(${OUTPUT_VARIABLE} "${GENERATED}" PARENT_SCOPE)
endfunction()
