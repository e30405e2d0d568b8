// Foundation: https://developer.apple.com/documentation/foundation
#pragma once
#include <Availability.h>
#include <objc/NSObject.h>
#include <objc/objc.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin
@class NSDictionary<KeyType, ObjectType>;

// https://developer.apple.com/documentation/foundation/nsfastenumeration
typedef struct {
  unsigned long state;
  id __unsafe_unretained _Nullable* _Nullable itemsPtr;
  unsigned long* _Nullable mutationsPtr;
  unsigned long extra[5];
} NSFastEnumerationState;
@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained _Nullable[_Nonnull])buffer
                                    count:(NSUInteger)len;
@end
@protocol NSCopying
@end

// https://developer.apple.com/documentation/foundation/nsstring
@interface NSString : NSObject <NSCopying>
+ (nullable instancetype)stringWithUTF8String:(const char*)nullTerminatedCString;
@property(nullable, readonly) const char* UTF8String;
@end

// https://developer.apple.com/documentation/foundation/nsnumber
@interface NSNumber : NSObject
+ (NSNumber*)numberWithUnsignedLongLong:(unsigned long long)value;
@property(readonly) unsigned long long unsignedLongLongValue;
@property(readonly) long long longLongValue;
@end

// https://developer.apple.com/documentation/foundation/nsarray
@interface NSArray<__covariant ObjectType> : NSObject <NSFastEnumeration>
@property(nullable, nonatomic, readonly) ObjectType firstObject;
@end
// https://developer.apple.com/documentation/foundation/nsmutablearray
@interface NSMutableArray<ObjectType> : NSArray <ObjectType>
+ (instancetype)array;
- (void)insertObject:(ObjectType)anObject atIndex:(NSUInteger)index;
@end

// https://developer.apple.com/documentation/foundation/nsset
@interface NSSet<__covariant ObjectType> : NSObject <NSFastEnumeration>
@end

// https://developer.apple.com/documentation/foundation/nsdictionary
@interface NSDictionary<__covariant KeyType, __covariant ObjectType> : NSObject
- (nullable ObjectType)objectForKeyedSubscript:(KeyType)key;
@end
// https://developer.apple.com/documentation/foundation/nsmutabledictionary
@interface NSMutableDictionary<KeyType, ObjectType> : NSDictionary <KeyType, ObjectType>
+ (instancetype)dictionary;
- (void)setObject:(nullable ObjectType)obj forKeyedSubscript:(KeyType<NSCopying>)key;
@end

// https://developer.apple.com/documentation/foundation/nsurl
@interface NSURL : NSObject
+ (NSURL*)fileURLWithPath:(NSString*)path;
@property(nullable, readonly, copy) NSString* path;
@end

// https://developer.apple.com/documentation/foundation/nserror
typedef NSString* NSErrorUserInfoKey;
extern "C" NSErrorUserInfoKey const NSUnderlyingErrorKey;
@interface NSError : NSObject
@property(readonly, copy) NSString* localizedDescription;
@property(readonly, copy) NSDictionary<NSErrorUserInfoKey, id>* userInfo;
@end

// https://developer.apple.com/documentation/foundation/nsbundle
@interface NSBundle : NSObject
+ (NSBundle*)bundleForClass:(Class)aClass;
@property(nullable, readonly, copy) NSDictionary<NSString*, id>* infoDictionary;
@end

// https://developer.apple.com/documentation/foundation/nsprocessinfo
typedef struct {
  NSInteger majorVersion;
  NSInteger minorVersion;
  NSInteger patchVersion;
} NSOperatingSystemVersion;
@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo* processInfo;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion;
@end
#pragma clang assume_nonnull end
