// Errors that users of the interface see are its own, wherever they come from.
#include <filesystem>

#include <gtest/gtest.h>

#include "api/state.h"

namespace ascribe {
namespace {

TEST(InterfaceErrors, OfTheFileSystemAreErrorsOfFiles) {
  const std::string name(5000, 'a');  // too long for any system
  try {
    translated([&] { return std::filesystem::is_directory(name); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("File name too long"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ascribe
