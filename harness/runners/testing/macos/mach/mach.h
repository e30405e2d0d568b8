// Mach: ports.
#pragma once
typedef int kern_return_t;
typedef unsigned int mach_port_t;
#define KERN_SUCCESS 0
#define MACH_PORT_NULL 0
extern "C" {
extern mach_port_t bootstrap_port;
mach_port_t mach_task_self(void);
kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t name);
}
