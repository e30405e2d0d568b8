/* The wrapper ABI that existing clients use (specification 001, section 4). A program is compiled
   once and run many times. Several operations may share one stream, wait for each other's events,
   and share buffers. libanecheck_e5rt has this ABI on every system. It calls the library that
   ANECHECK_ESPRESSO names, or else Espresso on macOS and the simulated engine elsewhere.

   Calls that return int return 0 for success and -1 for a failure. After a failure
   anecheck_e5rt_last_error returns the reason. add_op returns an index in place of 0. The
   specification gives the signatures of the calls. It names the public source for three points: the
   result of add_op, the type of completion callbacks, and that execute runs every operation of the
   program. One thread at a time may use a program. */
#ifndef ANECHECK_ANE_E5RT_H_
#define ANECHECK_ANE_E5RT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ANECHECK_E5RT_EXPORT __attribute__((visibility("default")))

typedef struct ane_e5rt_program ane_e5rt_program_t;
/* `rc` is always 0. */
typedef void (*ane_e5rt_completion_cb_t)(void* ctx, int rc);

/* Returns the reason of this thread's last failure: the engine's own message if there is one. */
ANECHECK_E5RT_EXPORT const char* anecheck_e5rt_last_error(void);

/* ---- one operation (section 4.1). Sizes are in bytes. Ports contain zeros at first. NULL on
   failure. The compiler writes its bundle to `cache_dir`, which may be NULL; each operation that is
   added later has a folder op1, op2, ... in it. ---- */
ANECHECK_E5RT_EXPORT ane_e5rt_program_t* ane_e5rt_program_compile(
    const char* mil_path, const char* cache_dir, uint64_t device_mask,
    const char* const* input_names, const size_t* input_sizes, size_t n_inputs,
    const char* const* output_names, const size_t* output_sizes, size_t n_outputs);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_set_input_fp16(ane_e5rt_program_t* program,
                                                         const char* port, const uint16_t* data,
                                                         size_t n_elems);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_execute(ane_e5rt_program_t* program);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_output_fp16(ane_e5rt_program_t* program,
                                                          const char* port, uint16_t* dest,
                                                          size_t n_elems);
ANECHECK_E5RT_EXPORT void ane_e5rt_program_release(ane_e5rt_program_t* program);

/* ---- several operations in one stream (section 4.2). The operation of program_compile has index
   0; add_op returns the index of the new operation. ---- */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_add_op(ane_e5rt_program_t* program, const char* mil_path,
                                                 const char* input_name, size_t input_size,
                                                 const char* output_name, size_t output_size);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_set_input_fp16_op(ane_e5rt_program_t* program,
                                                            size_t op_idx, const char* port,
                                                            const uint16_t* data, size_t n);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_output_fp16_op(ane_e5rt_program_t* program,
                                                             size_t op_idx, const char* port,
                                                             uint16_t* dest, size_t n);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_execute_multi(ane_e5rt_program_t* program);
ANECHECK_E5RT_EXPORT size_t ane_e5rt_program_get_op_count(ane_e5rt_program_t* program);
/* With execute_async, the operation `dst_op_idx` waits for `src_op_idx`. execute ignores events.
   The events that an operation waits for, and the buffers of its ports, cannot change after its
   first execution: chain_ops and share_buffer then refuse the operation as `dst_op_idx`. An
   operation has one completion event, which is made and named when the operation is compiled, so
   `event_name` is not used. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_chain_ops(ane_e5rt_program_t* program, size_t src_op_idx,
                                                    size_t dst_op_idx, const char* event_name);
/* Binds the buffer of an output port to an input port. If both ports belong to one operation, the
   operation's state stays in the buffer from one execution to the next. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_share_buffer(ane_e5rt_program_t* program,
                                                       size_t src_op_idx, const char* src_out_port,
                                                       size_t dst_op_idx, const char* dst_in_port);
/* Stores the value of the operation's completion event in `out`. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_chain_event_last_signaled(ane_e5rt_program_t* program,
                                                                        size_t op_idx,
                                                                        uint64_t* out);

/* ---- asynchronous (section 4.3). One submission of a program is in flight at a time. Calls that
   execute the program, read or write its buffers, or release it first wait for the final event of
   the submission. They fail if the submission failed, except release, which reports nothing.
   ---- */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_execute_async(ane_e5rt_program_t* program);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_wait_for_completion(ane_e5rt_program_t* program);
/* Stores the values of the final event before the last execute_async and after the wait for it.
   The final event is the event of the last operation. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_final_event_signaled(ane_e5rt_program_t* program,
                                                                   uint64_t* before,
                                                                   uint64_t* after);
/* Returns an Objective-C block that calls `cb` with `ctx` and returns 0; NULL if `cb` is NULL or
   there is no memory. The caller may free the block after it has submitted the block, and the
   engine still calls it. The memory of the block stays until the process ends, because no source
   states when the engine reads it for the last time. */
ANECHECK_E5RT_EXPORT void* ane_e5rt_make_completion_block(ane_e5rt_completion_cb_t cb, void* ctx);
ANECHECK_E5RT_EXPORT void ane_e5rt_free_completion_block(void* block);

/* ---- tensors of other processes (section 4.4). A program stays in the process that compiled it.
   Other processes pass tensors to it and from it through memory that they open by a name: an
   IOSurface on macOS, POSIX shared memory elsewhere. This project chose the names of these calls.
   No published call binds a surface to a port, so the calls copy tensors. ---- */
typedef struct anecheck_e5rt_shared anecheck_e5rt_shared_t;
/* create makes memory of this name; open opens the memory of another process. NULL on failure. */
ANECHECK_E5RT_EXPORT anecheck_e5rt_shared_t* anecheck_e5rt_shared_create(const char* name,
                                                                         size_t bytes);
ANECHECK_E5RT_EXPORT anecheck_e5rt_shared_t* anecheck_e5rt_shared_open(const char* name);
ANECHECK_E5RT_EXPORT void anecheck_e5rt_shared_release(anecheck_e5rt_shared_t* shared);
/* For the processes that pass tensors: copy `n` elements, from the first on. */
ANECHECK_E5RT_EXPORT int anecheck_e5rt_shared_write_fp16(anecheck_e5rt_shared_t* shared,
                                                         const uint16_t* data, size_t n);
ANECHECK_E5RT_EXPORT int anecheck_e5rt_shared_read_fp16(anecheck_e5rt_shared_t* shared,
                                                        uint16_t* dest, size_t n);
/* For the process that runs the program: copy `n` elements between the memory and a port. */
ANECHECK_E5RT_EXPORT int anecheck_e5rt_input_from_shared(ane_e5rt_program_t* program, size_t op_idx,
                                                         const char* port,
                                                         anecheck_e5rt_shared_t* shared, size_t n);
ANECHECK_E5RT_EXPORT int anecheck_e5rt_output_to_shared(ane_e5rt_program_t* program, size_t op_idx,
                                                        const char* port,
                                                        anecheck_e5rt_shared_t* shared, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* ANECHECK_ANE_E5RT_H_ */
