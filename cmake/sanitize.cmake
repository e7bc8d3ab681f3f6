# Flags of the build under AddressSanitizer and UndefinedBehaviorSanitizer. With clang, everything counts its branches
# for libFuzzer as well, so that one tree serves `./dev test --sanitize` and `./dev fuzz`.
add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
add_link_options(-fsanitize=address,undefined)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Without the time in the precompiled header, what was compiled from it can be found in a cache. Loops that count their
  # branches are not made of vector instructions, and need not be.
  add_compile_options(-fsanitize=fuzzer-no-link "SHELL:-Xclang -fno-pch-timestamp" -Wno-pass-failed)
endif()
