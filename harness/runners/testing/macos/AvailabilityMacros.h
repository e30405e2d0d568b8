// AvailabilityMacros.h: versions of macOS; nothing here asks for one.
#pragma once
