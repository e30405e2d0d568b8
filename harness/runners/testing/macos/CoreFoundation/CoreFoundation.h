// Core Foundation: https://developer.apple.com/documentation/corefoundation
#pragma once
#include <stddef.h>
typedef const void* CFTypeRef;
typedef const struct __CFAllocator* CFAllocatorRef;
typedef const struct __CFDictionary* CFDictionaryRef;
typedef const struct __CFNumber* CFNumberRef;
typedef const struct __CFString* CFStringRef;
typedef long CFIndex;
typedef CFIndex CFNumberType;
enum { kCFNumberSInt64Type = 4 };
typedef struct {
  CFIndex version;
} CFDictionaryKeyCallBacks, CFDictionaryValueCallBacks;
extern "C" {
extern const CFAllocatorRef kCFAllocatorDefault;
extern const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
extern const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void* value);
CFDictionaryRef CFDictionaryCreate(CFAllocatorRef allocator, const void** keys, const void** values,
                                   CFIndex count, const CFDictionaryKeyCallBacks* key_calls,
                                   const CFDictionaryValueCallBacks* value_calls);
void CFRelease(CFTypeRef object);
}
