# The library that lets calls to the system fail, and a sample of what ./dev faults tries with it
# (docs/decisions/044-faults-are-injected-from-outside.md).
add_library(ascribe_faults MODULE tests/faults/inject.cpp)
set_target_properties(ascribe_faults PROPERTIES PREFIX "")
target_link_libraries(ascribe_faults PRIVATE ${CMAKE_DL_LIBS})
# It defines the functions that FORTIFY would define inline.
target_compile_options(ascribe_faults PRIVATE "SHELL:-U_FORTIFY_SOURCE")  # SHELL: or it is dropped as said before
# A sanitizer has an allocator of its own, which nothing may stand before.
if(NOT ASCRIBE_SANITIZE AND NOT ASCRIBE_THREADS)
  add_test(NAME faults.a_sample_of_commands_survives COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/faults/run.py
    $<TARGET_FILE:ascribe> $<TARGET_FILE:ascribe_faults> --quick 6)
  set_tests_properties(faults.a_sample_of_commands_survives PROPERTIES TIMEOUT 900)
  add_test(NAME faults.the_check_finds_what_is_wrong COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/faults/run_test.py)
endif()
