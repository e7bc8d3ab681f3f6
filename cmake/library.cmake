# libascribe.so: the objects without the command line and the viewer, showing what include/ascribe declares and nothing
# else (docs/decisions/008-one-shared-library.md).
set_target_properties(ascribe_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON)
add_library(ascribe_library SHARED
  $<FILTER:$<TARGET_OBJECTS:ascribe_objects>,EXCLUDE,/src/cli/|/unity_src_cli|/src/serve/|/unity_src_serve|viewer_assets>)
set_target_properties(ascribe_library PROPERTIES OUTPUT_NAME ascribe EXPORT_NAME ascribe LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(ascribe_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(ascribe_library INTERFACE cxx_std_20)
target_link_libraries(ascribe_library PRIVATE ${ASCRIBE_DEPENDENCIES})

include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/ascribe)
install(TARGETS ascribe_library EXPORT ascribe LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ascribe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ascribe FILE ascribeConfig.cmake NAMESPACE ascribe:: DESTINATION ${config})
write_basic_package_version_file(ascribeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ascribeConfigVersion.cmake DESTINATION ${config})
