// The e5rt C ABI as libanecheck_espresso.so exports it. It has the calls of Espresso that reach the
// engine. Argument orders are those of facts/e5rt_abi.md and facts/more/e5rt_symbols_plus.csv:
// out-pointers come first, except in the compile and retain calls. Every call except
// e5rt_get_last_error_message returns 0 or an error code. If a call fails, it sets the last error
// message of its thread.
//
// The message of a refused program ends in " @ " and the name of the stage that refused it: Parser,
// Frontend, Floor, Hal, Validator, Codegen or Load.
//
// Handles are opaque. A call refuses a handle that was released or is of another kind, and never
// dereferences it. The calls may be made from any thread, but only one thread at a time may execute
// a stream. Each thread has its own last error message.
//
// An operation is bound before it is encoded (specification 001, sections 2.2 and 2.3). In the code
// that the specification describes, Espresso never changes the bindings of an encoded operation.
// Therefore no call encodes an operation with an unbound port. An encoded operation keeps its
// buffers and events until its stream is reset or released and the operation is prepared again.
// Assumed: all ports must be bound, events must not change while they are used, and an operation
// cannot be prepared while it is encoded in a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#define ANECHECK_E5RT extern "C" __attribute__((visibility("default")))

ANECHECK_E5RT const char* e5rt_get_last_error_message();

// Compiler configuration. The bundle written at `path` contains analytics.mil.
ANECHECK_E5RT int64_t e5rt_e5_compiler_config_options_create(void** out);
ANECHECK_E5RT int64_t e5rt_e5_compiler_config_options_release(void** config);
ANECHECK_E5RT int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void* config,
                                                                                const char* path);
ANECHECK_E5RT int64_t
e5rt_e5_compiler_config_options_set_bundle_cache_apfs_purgeable(void* config, int purgeable);

ANECHECK_E5RT int64_t e5rt_e5_compiler_create(void** out);
ANECHECK_E5RT int64_t e5rt_e5_compiler_create_with_config(void** out, void* config);
ANECHECK_E5RT int64_t e5rt_e5_compiler_release(void** compiler);
ANECHECK_E5RT int64_t e5rt_e5_compiler_compile(void* compiler, const char* mil_path, void* options,
                                               void** out_library);
// Sources give only the name of this call. Its arguments are assumed to be those of the compile
// call.
ANECHECK_E5RT int64_t e5rt_e5_compiler_is_new_compile_required(void* compiler, const char* mil_path,
                                                               void* options, int* out);

ANECHECK_E5RT int64_t e5rt_e5_compiler_options_create(void** out);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_release(void** options);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_set_compute_device_types_mask(void* options,
                                                                             uint64_t mask);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_get_compute_device_types_mask(void* options,
                                                                             uint64_t* out);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_set_force_recompilation(void* options, int force);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_set_segmenter(void* options, const char* name);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_set_custom_ane_compiler_options(void* options,
                                                                               const char* text);
ANECHECK_E5RT int64_t e5rt_e5_compiler_options_set_force_bnns_graph(void* options, int force);

ANECHECK_E5RT int64_t e5rt_program_library_create(void** out, const char* bundle_path);
ANECHECK_E5RT int64_t e5rt_program_library_release(void** library);
ANECHECK_E5RT int64_t e5rt_program_library_get_num_functions(void* library, uint64_t* out);
ANECHECK_E5RT int64_t e5rt_program_library_get_function_names(void* library, uint64_t count,
                                                              const char** names);
ANECHECK_E5RT int64_t e5rt_program_library_retain_program_function(void* library, const char* name,
                                                                   void** out);
ANECHECK_E5RT int64_t e5rt_program_function_release(void** function);
ANECHECK_E5RT int64_t e5rt_program_function_get_name(void* function, const char** out);
ANECHECK_E5RT int64_t e5rt_program_function_load_for_execution(void* function);

ANECHECK_E5RT int64_t
e5rt_precompiled_compute_op_create_options_create_with_program_function(void** out, void* function);
ANECHECK_E5RT int64_t
e5rt_precompiled_compute_op_create_options_set_operation_name(void* options, const char* name);
ANECHECK_E5RT int64_t e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(
    void* options, int allocate);
ANECHECK_E5RT int64_t e5rt_precompiled_compute_op_create_options_release(void** options);

ANECHECK_E5RT int64_t
e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(void** out,
                                                                                  void* op_options);
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_release(void** operation);
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_retain_input_port(void* operation,
                                                                        const char* name,
                                                                        void** out);
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_retain_output_port(void* operation,
                                                                         const char* name,
                                                                         void** out);
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_prepare_op_for_encode(void* operation);
// An operation may have several events of either kind, because specification 001, section 2.5,
// binds one event per pair of chained operations. Assumed: a further call adds events. No call
// unbinds an event.
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_bind_completion_event(void* operation,
                                                                            void* event);
ANECHECK_E5RT int64_t e5rt_execution_stream_operation_bind_dependent_events(void* operation,
                                                                            void** events,
                                                                            uint64_t count);

// On families without resident states each state of the program is also an input and output port
// with the state's name. If a buffer is bound to the port, it stores the state, and the buffer's
// content is the state's first value. Otherwise the operation stores the state, zero at first, as
// on the other families. The port's name is assumed, because no source states it.
ANECHECK_E5RT int64_t e5rt_io_port_bind_buffer_object(void* port, void* buffer);
ANECHECK_E5RT int64_t e5rt_io_port_release(void** port);

ANECHECK_E5RT int64_t e5rt_buffer_object_alloc(void** out, size_t bytes, uint32_t type);
ANECHECK_E5RT int64_t e5rt_buffer_object_get_data_ptr(void* buffer, void** out);
ANECHECK_E5RT int64_t e5rt_buffer_object_get_size(void* buffer, size_t* out);
ANECHECK_E5RT int64_t e5rt_buffer_object_release(void** buffer);

ANECHECK_E5RT int64_t e5rt_execution_stream_create(void** out);
ANECHECK_E5RT int64_t e5rt_execution_stream_release(void** stream);
ANECHECK_E5RT int64_t e5rt_execution_stream_reset(void* stream);
ANECHECK_E5RT int64_t e5rt_execution_stream_encode_operation(void* stream, void* operation);
ANECHECK_E5RT int64_t e5rt_execution_stream_execute_sync(void* stream);
// `block` is an Objective-C block, which is called without further arguments. The switch
// "block-at-completion" (simulator_control.h) decides when the block is called and whether its
// result counts. The block may release the stream. The block must stay valid after this call,
// because the call retains the block, and the engine releases it after the request is done and the
// block was called. A NULL block crashes the process, as on the real system. No source tells the
// effects of a request that fails. Assumed: the operations behind the failed one do not run, events
// advance as if the request had succeeded, and e5rt_async_event_sync_wait returns the error if it
// waits for an event of a failed operation. An operation that waits for such an event fails with
// that error too. In a block that is called at completion e5rt_get_last_error_message returns the
// message of the error, or "" if the request succeeded.
ANECHECK_E5RT int64_t e5rt_execution_stream_submit_async(void* stream, void* block);
// Submits without a block. The call is assumed to work, although public notes say that it answers
// "Use submit_async".
ANECHECK_E5RT int64_t e5rt_execution_stream_async_submit(void* stream);
ANECHECK_E5RT int64_t e5rt_execution_stream_set_quality_of_service(void* stream, uint64_t qos);
ANECHECK_E5RT int64_t e5rt_execution_stream_set_ane_execution_priority(void* stream,
                                                                       uint64_t priority);

ANECHECK_E5RT int64_t e5rt_async_event_create(void** out, const char* name, uint32_t initial);
ANECHECK_E5RT int64_t e5rt_async_event_release(void** event);
ANECHECK_E5RT int64_t e5rt_async_event_sync_wait(void* event);
ANECHECK_E5RT int64_t e5rt_async_event_get_last_signaled_value(void* event, uint64_t* out);
ANECHECK_E5RT int64_t e5rt_async_event_signal(void* event);
ANECHECK_E5RT int64_t e5rt_async_event_set_active_future_value(void* event, uint64_t value);
