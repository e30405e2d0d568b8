# anecheck_flatbuffer_schema(NAME FILES a.fbs ...)
# An interface library of the files that flatc generates from the schemas at build time: for each a.fbs the
# accessors a_generated.h and the embedded binary schema a_bfbs_generated.h, found as
# "generated/flatbuffer_schemas/NAME/...".
include_guard(GLOBAL)

function(anecheck_flatbuffer_schema NAME)
  cmake_parse_arguments(ARG "" "" "FILES" ${ARGN})
  set(FOLDER "${PROJECT_BINARY_DIR}/generated/flatbuffer_schemas/${NAME}")
  set(HEADERS)
  foreach(FILE ${ARG_FILES})
    get_filename_component(STEM "${FILE}" NAME_WE)
    set(OUTPUTS "${FOLDER}/${STEM}_generated.h" "${FOLDER}/${STEM}_bfbs_generated.h")
    add_custom_command(
      OUTPUT ${OUTPUTS}
      COMMAND flatbuffers::flatc --cpp --scoped-enums --gen-object-api --bfbs-gen-embed --bfbs-builtins
              -o "${FOLDER}" "${CMAKE_CURRENT_SOURCE_DIR}/${FILE}"
      DEPENDS "${FILE}"
      COMMENT "flatc ${FILE}" VERBATIM)
    list(APPEND HEADERS ${OUTPUTS})
  endforeach()
  add_custom_target(${NAME}_headers DEPENDS ${HEADERS})
  add_library(${NAME} INTERFACE)
  add_dependencies(${NAME} ${NAME}_headers)
  target_link_libraries(${NAME} INTERFACE flatbuffers::flatbuffers)
endfunction()
