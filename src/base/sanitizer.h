// Whether AddressSanitizer watches, which holds on to memory and makes everything larger. GCC and clang say it in words
// of their own.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ASCRIBE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASCRIBE_ADDRESS_SANITIZER 1
#endif
#endif
