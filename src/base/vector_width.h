// For functions that are compiled for AVX-512: GCC uses vectors of 256 bits unless the target says otherwise, in words
// that clang knows on the command line alone. target("avx512f" ASCRIBE_WIDE_VECTORS)
#pragma once

#ifdef __clang__
#define ASCRIBE_WIDE_VECTORS ""
#else
#define ASCRIBE_WIDE_VECTORS ",prefer-vector-width=512"
#endif
