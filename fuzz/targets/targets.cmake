# The targets that are no row of formats.def.
anecheck_fuzzer(stabs SOURCES targets/stabs_target.cc DEPENDS anecheck_formats)
foreach(CODING "td_byte_address kByteAddress" "td_word_address kWordAddress")
  separate_arguments(CODING)
  list(GET CODING 0 NAME)
  list(GET CODING 1 ENUMERATOR)
  anecheck_fuzzer(${NAME} SOURCES targets/td_coding_target.cc DEPENDS anecheck_descriptors anecheck_fuzz_words)
  if(TARGET anecheck_fuzz_target_${NAME})
    target_compile_definitions(anecheck_fuzz_target_${NAME} PRIVATE
      ANECHECK_FUZZ_NAME=${NAME} ANECHECK_FUZZ_CODING=${ENUMERATOR})
  endif()
endforeach()
anecheck_fuzzer(graph_json
  SOURCES targets/graph_json_target.cc
  DEPENDS anecheck_lowering anecheck_generators anecheck_fuzz_words)
anecheck_fuzzer(mil_graph
  SOURCES targets/mil_graph_target.cc
  DEPENDS anecheck_lowering anecheck_generators anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(mil_printer
  SOURCES targets/mil_printer_target.cc
  DEPENDS anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(worker_wire
  SOURCES targets/worker_wire_target.cc
  DEPENDS anecheck_runners anecheck_targets)
anecheck_fuzzer(results_file SOURCES targets/results_file_target.cc DEPENDS anecheck_results)
anecheck_fuzzer(encode
  SOURCES targets/encode_target.cc
  DEPENDS anecheck_formats anecheck_descriptors)
anecheck_fuzzer(vmfb_archive
  SOURCES targets/vmfb_archive_target.cc
  DEPENDS anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(netlist_binary
  SOURCES targets/netlist_binary_target.cc
  DEPENDS anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(flatbuffer_e5
  SOURCES targets/flatbuffer_e5_target.cc
  DEPENDS anecheck_descriptors e5_schema anecheck_fuzz_words)
anecheck_fuzzer(flatbuffer_vmfb
  SOURCES targets/flatbuffer_vmfb_target.cc
  DEPENDS anecheck_descriptors vmfb_schema anecheck_fuzz_words)
anecheck_fuzzer(e5_program
  SOURCES targets/e5_program_target.cc
  DEPENDS anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(netlist_model
  SOURCES targets/netlist_model_target.cc
  DEPENDS anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(lower_evaluate
  SOURCES targets/lower_evaluate_target.cc
  DEPENDS anecheck_lowering anecheck_generators anecheck_oracles)
anecheck_fuzzer(engine_compile
  SOURCES targets/engine_compile_target.cc
  DEPENDS anecheck_device anecheck_lowering anecheck_generators anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(oracle_engine
  SOURCES targets/oracle_engine_target.cc
  DEPENDS anecheck_device anecheck_lowering anecheck_generators anecheck_oracles)
anecheck_fuzzer(legality_compile
  SOURCES targets/legality_compile_target.cc
  DEPENDS anecheck_device anecheck_lowering anecheck_generators anecheck_targets anecheck_oracles)
anecheck_fuzzer(exec_protocol
  SOURCES targets/exec_protocol_target.cc
  DEPENDS anecheck_runners anecheck_targets)
anecheck_fuzzer(weight_codecs
  SOURCES targets/weight_codecs_target.cc
  DEPENDS anecheck_formats anecheck_choice)
anecheck_fuzzer(emulator
  SOURCES targets/emulator_target.cc
  DEPENDS anecheck_emulator anecheck_programs anecheck_descriptors anecheck_fuzz_words)
anecheck_fuzzer(mlmodel
  SOURCES targets/mlmodel_target.cc
  DEPENDS anecheck_lowering anecheck_generators anecheck_fuzz_words)
anecheck_fuzzer(lzfse
  SOURCES targets/lzfse_target.cc
  DEPENDS anecheck_formats)
