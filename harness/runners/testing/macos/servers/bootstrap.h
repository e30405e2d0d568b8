// Ports by their names: <servers/bootstrap.h> of https://github.com/apple-oss-distributions/launchd
#pragma once
#include <mach/mach.h>
typedef char name_t[128];
extern "C" {
kern_return_t bootstrap_register(mach_port_t bootstrap, name_t service, mach_port_t port)
    __attribute__((deprecated));
kern_return_t bootstrap_look_up(mach_port_t bootstrap, const name_t service, mach_port_t* port);
}
