# Of the build under sanitizers: the tests that are quick there and see most hostile bytes, as a program of their own
# (`./dev test --sanitize --fast`); and, with clang, all fuzz targets as one program (`./dev fuzz`).
set(fast_tests ${ASCRIBE_TESTS})
# Whole folders, and of others the files that need no more than some seconds.
set(fast_folders "base|tensor|data|fuzz|support")
set(fast_files "onnx/[a-z_]+|graph/[a-z_]+|study/(document|labels)_test|study/parts/(part_file|shard)_test"
  "study/records/(content_hash|findings|run_log)_test|game/(players|baseline|moebius)_test|metrics/evaluation_test"
  "report/(page|places)_test|cli/terminal_(text|map)_test")
list(JOIN fast_files "|" fast_files)
list(FILTER fast_tests INCLUDE REGEX "/tests/((${fast_folders})/|(${fast_files})\\.cpp$)")

# Compiled as ascribe_tests is; with a precompiled header of its own, so that not all tests must be built.
function(ascribe_like_tests target)
  target_include_directories(${target} PRIVATE tests)
  target_compile_definitions(${target} PRIVATE ASCRIBE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    ASCRIBE_BINARY="$<TARGET_FILE:ascribe>")
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <fmt/format.h> <fmt/ranges.h> <graph/builder.h>
    <tensor/rows.h>)
  target_link_libraries(${target} PRIVATE ascribe_objects ${ARGN})
endfunction()

add_executable(ascribe_fast_tests EXCLUDE_FROM_ALL ${fast_tests})
ascribe_like_tests(ascribe_fast_tests ${ONNX_SCHEMAS} GTest::gtest GTest::gtest_main)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*.cpp tests/fuzz/mutators/*.cpp tests/fuzz/targets/*.cpp
    tests/support/html_page.cpp)
  list(FILTER fuzz_sources EXCLUDE REGEX "_test\\.cpp$")
  add_executable(ascribe_fuzzer EXCLUDE_FROM_ALL ${fuzz_sources})
  ascribe_like_tests(ascribe_fuzzer GTest::gtest)
  target_link_options(ascribe_fuzzer PRIVATE -fsanitize=fuzzer)
endif()
