# Compiled and linked so that a mistake of ours is harder to use: tests/tools/check_hardening.py reads the result.
# Sanitizers bring their own checks and do not go together with FORTIFY.
# Paths in messages begin at the clone, so that the same sources give the same bytes wherever they lie.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(ASCRIBE_SANITIZE OR ASCRIBE_THREADS)
  return()
endif()
add_compile_options(-fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-fcf-protection=full)
endif()
# It needs an optimising compiler; systems that define it themselves have at least this.
add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
# Everything is looked up before main, and what was looked up cannot be written any more.
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
