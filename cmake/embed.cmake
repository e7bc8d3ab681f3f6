# Turns text files into a C++ source: cmake -D OUT=assets.cpp -D HEADER=report/page/assets.h -D NAMESPACE=ascribe::core::page
# -D "FILES=kName=path;kOther=path" -P embed.cmake. No text may hold the end of a raw string, )embedded".
set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" text)
  string(APPEND source "const std::string_view ${name} = R\"embedded(${text})embedded\";\n\n")
endforeach()
string(APPEND source "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${source}")
