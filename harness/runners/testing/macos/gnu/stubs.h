// No function of the C library is a stub; see README.md.
#pragma once
