// What the library shows. The interface lives in ascribe::v1, which its users see as ascribe: the library's own parts
// bear some of the same names in ascribe itself.
#pragma once

#define ASCRIBE_API __attribute__((visibility("default")))

#ifdef ASCRIBE_IMPLEMENTATION
#define ASCRIBE_INLINE
#else
#define ASCRIBE_INLINE inline
#endif
