/* The wrapper ABI that users of this ecosystem know (specification 001, section 4): a program is
   compiled once and run many times; several operations may share one stream, be chained by events
   and hand buffers on. libanecheck_e5rt has it on every system: over Espresso on macOS, over the
   simulated engine elsewhere, or over the library that ANECHECK_ESPRESSO names.

   Calls that return int give 0, but add_op, or -1 where they fail; anecheck_e5rt_last_error then
   says why. The specification gives the signatures of the calls. What add_op returns, the type of
   completion callbacks and that execute runs every operation of the program are those of the public
   source that the specification names. One program is used by one thread at a time. */
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

/* The reason of this thread's last failure, in the engine's words where it gave any. */
ANECHECK_E5RT_EXPORT const char* anecheck_e5rt_last_error(void);

/* ---- one operation (section 4.1). Sizes are bytes; ports hold zeros at first. NULL on failure.
   The bundle is written to `cache_dir`, which may be NULL; operations that are added have folders
   op1, op2 and so on in it. ---- */
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

/* ---- several operations in one stream (section 4.2). The compiled one has index 0; add_op returns
   the index of the new one. ---- */
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
/* `dst_op_idx` waits for `src_op_idx` under execute_async; execute ignores events. What an
   operation waits for, and where its ports are bound to, cannot change after its first execution:
   chain_ops and share_buffer then refuse a `dst_op_idx` that took part in it. An operation has one
   completion event, made and named when it is compiled: `event_name` is not used. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_chain_ops(ane_e5rt_program_t* program, size_t src_op_idx,
                                                    size_t dst_op_idx, const char* event_name);
/* Binds the buffer of an output port to an input port. With the two of one operation its state
   stays resident from one execution to the next. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_share_buffer(ane_e5rt_program_t* program,
                                                       size_t src_op_idx, const char* src_out_port,
                                                       size_t dst_op_idx, const char* dst_in_port);
/* The value of the operation's completion event. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_chain_event_last_signaled(ane_e5rt_program_t* program,
                                                                        size_t op_idx,
                                                                        uint64_t* out);

/* ---- asynchronous (section 4.3). One submission of a program is in flight at a time. Calls that
   execute, read or write buffers or release wait for its final event first, and fail where it did;
   release does not say so. ---- */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_execute_async(ane_e5rt_program_t* program);
ANECHECK_E5RT_EXPORT int ane_e5rt_program_wait_for_completion(ane_e5rt_program_t* program);
/* The value of the final event, that of the last operation, before the last execute_async and after
   its wait. */
ANECHECK_E5RT_EXPORT int ane_e5rt_program_get_final_event_signaled(ane_e5rt_program_t* program,
                                                                   uint64_t* before,
                                                                   uint64_t* after);
/* An Objective-C block that calls `cb` with `ctx` and gives 0; NULL without `cb` or memory. It may
   be freed as soon as it was handed to the engine, which calls it nevertheless. Its memory stays
   until the process ends, since nobody can tell when the engine looks at it last. */
ANECHECK_E5RT_EXPORT void* ane_e5rt_make_completion_block(ane_e5rt_completion_cb_t cb, void* ctx);
ANECHECK_E5RT_EXPORT void ane_e5rt_free_completion_block(void* block);

/* ---- hand-over between processes (section 4.4): a program stays in the process that compiled it,
   which is fed and read through memory that others open by its name: an IOSurface on macOS, POSIX
   shared memory elsewhere. The names of these calls are this project's. No published call binds a
   surface to a port, so that tensors are copied. ---- */
typedef struct anecheck_e5rt_shared anecheck_e5rt_shared_t;
/* New memory of that name, or that of another process. NULL on failure. */
ANECHECK_E5RT_EXPORT anecheck_e5rt_shared_t* anecheck_e5rt_shared_create(const char* name,
                                                                         size_t bytes);
ANECHECK_E5RT_EXPORT anecheck_e5rt_shared_t* anecheck_e5rt_shared_open(const char* name);
ANECHECK_E5RT_EXPORT void anecheck_e5rt_shared_release(anecheck_e5rt_shared_t* shared);
/* Elements from the first on, for who feeds and reads. */
ANECHECK_E5RT_EXPORT int anecheck_e5rt_shared_write_fp16(anecheck_e5rt_shared_t* shared,
                                                         const uint16_t* data, size_t n);
ANECHECK_E5RT_EXPORT int anecheck_e5rt_shared_read_fp16(anecheck_e5rt_shared_t* shared,
                                                        uint16_t* dest, size_t n);
/* The same between the memory and a port, for who runs the program. */
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
