// What the program prints cannot control a terminal, whatever stands in the files that it reads; and what it says of
// files that cannot be read or written is about them.
#include "cli/guarded_streams.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "cli/run_ascribe.h"
#include "onnx/model_maker.h"
#include "support/folder.h"

namespace ascribe::core {
namespace {

using cli::TextGuard;

// An escape sequence, the end of a title, a line that is overwritten, CSI as one character of the second set, a text
// that runs backwards.
const std::string kHostile =
    "a\x1b]0;owned\x07\r\x7f\xc2\x9b"
    "31m\xe2\x80\xae"
    "b\xff";
const std::string kVisible = "a\\x1b]0;owned\\x07\\x0d\\x7f\\xc2\\x9b31m\\xe2\\x80\\xaeb\\xff";

TEST(VisibleText, HasNothingThatControlsATerminal) {
  EXPECT_EQ(visible_text(kHostile), kVisible);
  EXPECT_EQ(visible_text("Größe 漢字 🙂"), "Größe 漢字 🙂");
  EXPECT_EQ(visible_text("a\nb\t"), "a\\x0ab\\x09");
}

TEST(VisibleText, OfJsonIsTheSameDocument) {
  const nlohmann::json document = {{"name", "a\x1b\x7f\xc2\x9b\xe2\x80\xae"}, {"more", {1, 2}}};
  const std::string shown = visible_json(document.dump(2));
  EXPECT_EQ(nlohmann::json::parse(shown), document);
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(shown.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(shown.find('\x7f'), std::string::npos);
}

TEST(TextGuard, PassesLinesAndOurOwnColoursOnATerminalAlone) {
  const std::string coloured = "\x1b[31mred\x1b[0m\t1\n";
  EXPECT_EQ(TextGuard({.colours = true}).passed(coloured), coloured);
  EXPECT_EQ(TextGuard({}).passed(coloured), "\\x1b[31mred\\x1b[0m\t1\n");
  EXPECT_EQ(TextGuard({.colours = true}).passed("\x1b[2J\x1b[1;1H\x1b]8;;\r"), "\\x1b[2J\\x1b[1;1H\\x1b]8;;\\x0d");
  EXPECT_EQ(TextGuard({.colours = true, .bar = true}).passed("\r3 of 4\x1b[K"), "\r3 of 4\x1b[K");
}

TEST(TextGuard, GivesTheSameForPiecesOfAnySize) {
  const std::string text = "\x1b[38;2;1;2;3mGröße\x1b[0m 🙂 " + kHostile + "\n" + kHostile;
  TextGuard whole({.colours = true});
  std::string expected = whole.passed(text);
  expected += whole.rest();
  for (size_t size = 1; size < 9; ++size) {
    TextGuard guard({.colours = true});
    std::string got;
    for (size_t at = 0; at < text.size(); at += size) got += guard.passed(std::string_view(text).substr(at, size));
    got += guard.rest();
    EXPECT_EQ(got, expected) << size;
  }
}

class HostileNames : public testing::Test {
 protected:
  std::string model(const std::string& name) {
    ModelMaker maker;
    maker.input("x", {"N", 2}).output(name);
    maker.floats("w", {2, 2}, {1, 2, 3, 4});
    maker.node("MatMul", {"x", "w"}, {"h" + name}, "node " + name);
    maker.node("Relu", {"h" + name}, {name}, name);
    return folder_.write("model.onnx", maker.bytes());
  }
  std::string row(const std::string& name = "row.csv") { return folder_.write(name, "a,b\n1,2\n"); }
  TemporaryFolder folder_;
};

void expect_tame(const std::vector<std::string>& arguments) {
  const Said said = run_ascribe(arguments);
  for (const std::string& text : {said.out, said.err}) {
    for (const char* wild : {"\x1b", "\x07", "\r", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff"}) {
      EXPECT_EQ(text.find(wild), std::string::npos) << arguments[0] << ": " << text;
    }
  }
}

TEST_F(HostileNames, NamesOfFilesNodesColumnsAndLabelsDoNotControlTheTerminal) {
  // Protocol buffers hold UTF-8 alone.
  const std::string hostile = kHostile.substr(0, kHostile.size() - 1);
  const std::string asked = model(hostile), x = row("row " + kHostile + ".csv");
  const std::string labels = folder_.write("labels.txt", hostile.substr(0, 6) + "\nsecond\n");
  const std::string table = folder_.write("t.csv", "\"" + kHostile + "\",\"=1+1\"\n1,2\n");
  expect_tame({"inspect", asked});
  expect_tame({"predict", asked, x});
  expect_tame({"predict", asked, x, "--json"});
  expect_tame({"predict", asked, x, "--labels", labels});
  expect_tame({"explain", asked, table, "--method", "all"});
  expect_tame({"explain", asked, table, "--method", "all", "--json"});
  expect_tame({"explain", asked, table, "--method", "lrp_epsilon", "--trace"});
  expect_tame({"decompose", asked, table});
  expect_tame({"predict", asked, folder_.path(kHostile)});
  expect_tame({"predict", asked, x, "--output", kHostile});
  expect_tame({"explain", asked, x, "--method", kHostile});
  expect_tame({kHostile});
}

TEST_F(HostileNames, StreamsAreRefusedPlainly) {
  const std::string asked = model("y"), pipe = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& stream : {std::string("-"), pipe, std::string("/dev/null")}) {
    const Said said = run_ascribe({"predict", asked, stream});
    EXPECT_EQ(said.code, 5);
    EXPECT_NE(said.err.find("the standard input are not read"), std::string::npos) << said.err;
  }
}

// As a shell runs it, with its streams as `redirections` say; both that are left are one.
Said run_in_shell(const std::vector<std::string>& arguments, const std::string& redirections,
                  const std::string& before = "") {
  std::string line = before + " '" + ASCRIBE_BINARY + "' ";
  for (const std::string& word : arguments) line += "'" + word + "' ";
  std::string said;
  FILE* pipe = ::popen((line + redirections).c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "", said, 0};
}

// Limits of files' sizes end a program that does not ask to be told (ulimit -f, in units of 512 bytes; clang's OpenMP
// needs two before our program begins).
TEST_F(HostileNames, AFileThatMayNotGrowIsAnError) {
  const std::string asked = model("y"), x = row(), out = folder_.path("o.npz"), log = folder_.path("journal");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"explain", asked, x, "--method", "gradient", "-o", out},
           {"evaluate", asked, x, "--method", "gradient", "--metric", "complexity", "--out", log},
           {"report", asked, x, "-o", folder_.path("o.html")}}) {
    const Said said = run_in_shell(words, "2>&1", "ulimit -f 2;");
    EXPECT_EQ(said.code, 5) << words[0] << " " << said.err;
    EXPECT_NE(said.err.find("File too large"), std::string::npos) << words[0] << " " << said.err;
    EXPECT_FALSE(std::filesystem::exists(out) || std::filesystem::exists(folder_.path("o.html"))) << words[0];
  }
}

// Root may do anything, so another user asks.
Said run_as_nobody(const std::vector<std::string>& arguments) {
  return run_in_shell(arguments, "2>&1", "setpriv --reuid 65534 --regid 65534 --clear-groups");
}

TEST_F(HostileNames, AStreamForErrorsThatIsClosedOrFullDoesNotEndTheProgram) {
  const std::string asked = model("y"), x = row();
  for (const char* streams : {"2>&-", "2>/dev/full", ">&- 2>&-", "</dev/null >/dev/full 2>/dev/full", "<&- >&- 2>&-"}) {
    EXPECT_EQ(run_in_shell({"predict", asked, folder_.path("no.csv")}, streams).code, 5) << streams;
    EXPECT_EQ(run_in_shell({"explain", asked, x, "--method", "grad"}, streams).code, 4) << streams;
    EXPECT_EQ(run_in_shell({"no-such-command"}, streams).code, 2) << streams;
  }
  EXPECT_EQ(run_in_shell({"predict", asked, x}, "2>&-").code, 0);
}

TEST_F(HostileNames, AnAnswerThatCannotBePrintedIsAnError) {
  const std::string asked = model("y"), x = row();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"predict", asked, x}, {"methods"}, {"--help"}, {"explain", "--help"}, {"--version"}}) {
    for (const char* streams : {"2>&1 >/dev/full", "2>&1 >&-"}) {
      const Said said = run_in_shell(words, streams);
      EXPECT_EQ(said.code, 5) << words[0] << " " << streams;
      EXPECT_NE(said.err.find("cannot write to the standard output"), std::string::npos) << said.err;
    }
  }
}

// A file that is opened gets the lowest free number, which is that of a closed stream.
TEST_F(HostileNames, WhatIsPrintedNeverGetsIntoAFile) {
  const std::string asked = model("y"), x = row();
  const auto explained = [&](const std::string& name, const char* streams) {
    const std::string out = folder_.path(name);
    const Said said = run_in_shell({"explain", asked, x, "--method", "all", "-o", out}, streams);
    EXPECT_TRUE(said.code == 0 || said.code == 5) << streams << " " << said.code;
    return read_file(out);
  };
  const std::string expected = explained("whole.npz", "2>&1");
  int i = 0;
  for (const char* streams : {">&- 2>&-", "2>&-", "<&- >&- 2>&-", "<&-"}) {
    EXPECT_EQ(explained("closed" + std::to_string(i++) + ".npz", streams), expected) << streams;
  }
}

TEST_F(HostileNames, AFolderThatMayNotBeLookedIntoIsWhatTheErrorIsAbout) {
  namespace fs = std::filesystem;
  const std::string asked = model("y"), x = row(), closed = folder_.path("closed");
  fs::permissions(folder_.root(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::create_directories(closed + "/inner");
  fs::permissions(closed, fs::perms::owner_all);
  if (::geteuid() != 0) fs::permissions(closed, fs::perms::none);
  const auto run = ::geteuid() == 0 ? run_as_nobody : run_ascribe;
  for (const std::vector<std::string>& one : std::vector<std::vector<std::string>>{
           {"explain", asked, x, "--method", "gradient", "-o", closed + "/o.npz"},
           {"explain", asked, x, "--method", "gradient", "-o", closed + "/inner/o.npz"},
           {"explain", asked, x, "--method", "gradient", "-o", closed + "/inner/folder"},
           {"explain", asked, closed + "/inner", "--method", "gradient"},
           {"evaluate", asked, closed + "/inner", "--method", "gradient", "--metric", "complexity"},
           {"report", asked, closed + "/inner"},
           {"predict", asked, closed + "/inner/x.csv"}}) {
    const Said said = run(one);
    EXPECT_EQ(said.code, 5) << one[0] << " " << said.err;
    EXPECT_EQ(said.err.find("standard output"), std::string::npos) << one[0] << " " << said.err;
    EXPECT_NE(said.err.find("Permission denied"), std::string::npos) << one[0] << " " << said.err;
  }
  fs::permissions(closed, fs::perms::owner_all);
}

}  // namespace
}  // namespace ascribe::core
