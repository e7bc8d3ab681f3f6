// Pages printed by a browser: here by scripts in its place, which fail in every way that a browser can. Whatever
// happens, no process, no temporary file and no half a page is left. tests/browser/print_test.py prints with a real
// one.
#include "report/pdf.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/sha256.h"
#include "base/watch.h"
#include "cli/run_ascribe.h"
#include "report/page.h"
#include "report/report_files.h"
#include "support/errors.h"
#include "support/folder.h"
#include "support/sample_documents.h"

namespace ascribe::core {
namespace {

namespace fs = std::filesystem;

// An environment variable, until the end of the test.
class Environment {
 public:
  Environment(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    if (value != nullptr) ::setenv(name_.c_str(), value, 1);
    else ::unsetenv(name_.c_str());
  }
  ~Environment() {
    if (before_) ::setenv(name_.c_str(), before_->c_str(), 1);
    else ::unsetenv(name_.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

class Pdf : public testing::Test {
 protected:
  Pdf() {
    fs::create_directory(temporary());
    ::setenv("HERE", folder_.root().c_str(), 1);
  }

  fs::path temporary() const { return folder_.root() / "tem p'\"$(x)"; }

  // A script in a browser's place; $out is where the PDF is wanted, $page the page's address.
  std::string browser(const std::string& body) const {
    const std::string path =
        folder_.write("browser",
                      "#!/bin/sh\necho \"$@\" > \"$HERE/arguments\"\necho $$ > \"$HERE/pid\"\n"
                      "for a; do case \"$a\" in --print-to-pdf=*) out=${a#*=};; file://*) page=$a;; esac; done\n" +
                          body + "\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }

  std::string arguments() const { return read_file(folder_.path("arguments")); }

  void expect_nothing_left() const {
    EXPECT_TRUE(fs::is_empty(temporary()));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child, not even one that has ended
    EXPECT_EQ(errno, ECHILD);
    for (const char* name : {"pid", "second"}) {
      if (!fs::exists(folder_.path(name))) continue;
      const int pid = std::stoi(read_file(folder_.path(name)));
      for (int i = 0; i < 200 && ::kill(pid, 0) == 0 && !is_dead(pid); ++i) {  // others collect its children
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_TRUE(::kill(pid, 0) != 0 || is_dead(pid)) << name;
    }
  }

  // Ended, and not yet collected by the process that inherited it.
  static bool is_dead(int pid) {
    const std::string status = fmt::format("/proc/{}/stat", pid);
    std::error_code ignored;
    if (!fs::exists(status, ignored)) return true;
    std::string text(256, '\0');
    FILE* file = std::fopen(status.c_str(), "r");
    if (file == nullptr) return true;
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text.find(") Z") != std::string::npos || text.find(") X") != std::string::npos;
  }

  TemporaryFolder folder_;
  Environment here_{"HERE", nullptr};
  Environment chosen_{"ASCRIBE_BROWSER", nullptr};
  Environment tmp_{"TMPDIR", temporary().c_str()};
};

constexpr const char* kPrints = "printf '%%PDF-1.4\\n...\\n%%%%EOF\\n' > \"$out\"";

TEST_F(Pdf, IsWhatTheBrowserPrints) {
  const std::string bytes = pdf_of("<html><head></head></html>", {browser(kPrints)});
  EXPECT_EQ(bytes, "%PDF-1.4\n...\n%%EOF\n");
  EXPECT_NE(arguments().find("--headless"), std::string::npos);
  EXPECT_NE(arguments().find("file:///"), std::string::npos);
  EXPECT_NE(arguments().find("tem%20p%27%22%24%28x%29"), std::string::npos) << arguments();
  expect_nothing_left();
}

TEST_F(Pdf, ThePageIsPrintedOnA4) {
  const std::string script = browser(std::string("cp \"$(dirname \"$out\")/page.html\" \"$HERE/seen\"; ") + kPrints);
  pdf_of("<html><head><title>t</title></head><body>x</body></html>", {script});
  EXPECT_EQ(read_file(folder_.path("seen")),
            "<html><head><title>t</title><style>@page{size:A4}</style></head><body>x</body></html>");
}

TEST_F(Pdf, ABrowserThatFailsSaysWhy) {
  expect_error(ErrorKind::io, "it ended with code 7); it said: no such display;",
               [&] { pdf_of("page", {browser("echo no such display >&2; exit 7")}); });
  expect_nothing_left();
}

TEST_F(Pdf, ABrowserThatWritesNothingOrHalfAPageIsAnError) {
  expect_error(ErrorKind::io, "wrote no PDF", [&] { pdf_of("page", {browser("exit 0")}); });
  expect_error(ErrorKind::io, "wrote no PDF", [&] { pdf_of("page", {browser("printf '%%PDF-1.4 ha' > \"$out\"")}); });
  expect_error(ErrorKind::io, "wrote no PDF", [&] { pdf_of("page", {browser("echo hello > \"$out\"")}); });
  expect_nothing_left();
}

TEST_F(Pdf, ABrowserThatHangsIsEndedWithWhatItHasStarted) {
  const std::string hangs = browser("sleep 100 & echo $! > \"$HERE/second\"; trap '' TERM INT HUP; wait; sleep 100");
  expect_error(ErrorKind::io, "within 0.5 s and was ended", [&] { pdf_of("page", {hangs, 0.5}); });
  ASSERT_TRUE(fs::exists(folder_.path("second")));
  expect_nothing_left();
}

TEST_F(Pdf, ABrowserThatEndsLeavesNoProcessOfItsOwn) {
  pdf_of("page", {browser(std::string("sleep 100 & echo $! > \"$HERE/second\"; ") + kPrints)});
  expect_nothing_left();
}

TEST_F(Pdf, ABrowserThatPrintsAndDoesNotEndIsEnough) {
  EXPECT_EQ(pdf_of("page", {browser(std::string(kPrints) + "; sleep 100"), 60}), "%PDF-1.4\n...\n%%EOF\n");
  expect_nothing_left();
}

TEST_F(Pdf, IsStoppedByAWatch) {
  const Watch watch([](std::string_view, int64_t, int64_t) { cancel(); });
  expect_error(ErrorKind::cancelled, "stopped", [&] { pdf_of("page", {browser("sleep 100")}); });
  expect_nothing_left();
}

TEST_F(Pdf, DoesWithoutTheSandboxWhereThereIsNone) {
  const std::string picky =
      browser(std::string("case \"$*\" in *--no-sandbox*) ;; *) echo No usable sandbox >&2; exit 1;; "
                          "esac; ") +
              kPrints);
  EXPECT_EQ(pdf_of("page", {picky}), "%PDF-1.4\n...\n%%EOF\n");
}

TEST_F(Pdf, SaysWhatToInstallWhereThereIsNoBrowser) {
  const Environment path("PATH", temporary().c_str());
  expect_error(ErrorKind::io, "apt install chromium", [] { found_browser(); });
  expect_error(ErrorKind::io, "ASCRIBE_BROWSER", [] { check_page("x.pdf"); });
  check_page("x.html");
  const Environment other("ASCRIBE_BROWSER", "/no/such/browser");
  expect_error(ErrorKind::io, "[ASCRIBE_BROWSER] there is no program '/no/such/browser'", [] { found_browser(); });
}

TEST_F(Pdf, IsFoundByTheVariableOrOnThePath) {
  const std::string script = browser(kPrints);
  {
    const Environment chosen("ASCRIBE_BROWSER", script.c_str());
    EXPECT_EQ(found_browser(), script);
  }
  fs::rename(script, folder_.path("google-chrome"));
  const Environment path("PATH", ("/no/such/folder::" + folder_.root().string()).c_str());
  EXPECT_EQ(found_browser(), folder_.path("google-chrome"));
}

// A shell takes an empty entry of the PATH for the current folder, in which anything may lie.
TEST_F(Pdf, ABrowserInTheCurrentFolderIsNotRun) {
  fs::rename(browser(kPrints), folder_.path("chromium"));
  const fs::path before = fs::current_path();
  fs::current_path(folder_.root());
  for (const char* list : {"", ":/no/such/folder", ".", "./", "../"}) {
    const Environment path("PATH", list);
    expect_error(ErrorKind::io, "none of chromium", [] { found_browser(); });
  }
  fs::current_path(before);
}

TEST_F(Pdf, WithoutAPlaceForItIsRefusedBeforeTheWork) {
  const Environment chosen("ASCRIBE_BROWSER", browser(kPrints).c_str());
  const Environment nowhere("TMPDIR", folder_.path("gone").c_str());
  expect_error(ErrorKind::io, "/gone] cannot make a folder here", [] { check_page("x.pdf"); });
  expect_error(ErrorKind::io, "TMPDIR", [] { pdf_of("page"); });
  check_page("x.html");
}

TEST_F(Pdf, ReportsArePrintedWithTheirDataBesideThem) {
  const Environment chosen("ASCRIBE_BROWSER", browser(kPrints).c_str());
  const std::vector<NamedBytes> files = report_files(image_document(), "folder/boot.pdf");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "boot.json");
  EXPECT_EQ(files[1].name, "boot.pdf");
  EXPECT_TRUE(files[1].bytes.starts_with("%PDF"));
}

TEST_F(Pdf, CommandsLeaveNoHalfAFileAndKeepTheOldOne) {
  folder_.write("report.json", file_text(image_document()));
  folder_.write("old.pdf", "old");
  const Environment chosen("ASCRIBE_BROWSER", browser("exit 3").c_str());
  const auto render = [&](const std::string& page, std::vector<std::string> more) {
    more.insert(more.begin(), {"render", folder_.path("report.json"), "-o", folder_.path(page)});
    return run_ascribe(more);
  };
  Said said = render("new.pdf", {});
  EXPECT_EQ(said.code, 5) << said.err;
  EXPECT_NE(said.err.find("wrote no PDF"), std::string::npos) << said.err;
  EXPECT_FALSE(fs::exists(folder_.path("new.pdf")));
  EXPECT_EQ(render("old.pdf", {"--force"}).code, 5);
  EXPECT_EQ(read_file(folder_.path("old.pdf")), "old");
  browser(kPrints);
  said = render("new.pdf", {});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(read_file(folder_.path("new.pdf")).starts_with("%PDF"));
  expect_nothing_left();
}

TEST_F(Pdf, AnAnswerIsNotLostWithAPageThatIsNotPrinted) {
  const Environment chosen("ASCRIBE_BROWSER", browser("exit 3").c_str());
  const std::string models = ASCRIBE_SOURCE_DIR "/models/", page = folder_.path("new/page.pdf");
  std::string table = read_file(models + "tabular_sample.csv");
  table += table.substr(table.find('\n') + 1);
  const std::string rows = folder_.write("rows.csv", table);
  const std::vector<std::string> start = {"report", models + "tabular_mlp.onnx", rows, "--method", "gradient", "-o",
                                          page};
  std::vector<std::string> one = start, many = start;
  one.insert(one.end(), {"--row", "3"});
  many.insert(many.end(), {"--rows", "30"});
  for (const std::vector<std::string>& words : {one, many}) {
    fs::create_directory(folder_.path("new"));
    const Said said = run_ascribe(words);
    EXPECT_EQ(said.code, 5) << said.err;
    EXPECT_NE(said.err.find("the answer is kept in " + folder_.path("new/page.json")), std::string::npos) << said.err;
    EXPECT_FALSE(fs::exists(page));
    const Said made = run_ascribe({"render", folder_.path("new/page.json"), "-o", folder_.path("new/page.html")});
    EXPECT_EQ(made.code, 0) << made.err;
    fs::remove_all(folder_.path("new"));
  }
  expect_nothing_left();
}

// ---- what is in the margins ----

TEST(PaperMargins, NameTheModelAndTheRecord) {
  document::Document document = image_document();
  document.created = "2026-11-17 15:08 UTC";
  const std::string page = report_page(document), hash = sha256(file_text(document));
  EXPECT_EQ(document::file_hash(document), hash);
  const size_t margins = page.find("@bottom-left{content:");
  ASSERT_NE(margins, std::string::npos);
  const std::string content = page.substr(margins, page.find('}', margins) - margins);
  EXPECT_NE(content.find(hash.substr(0, 16)), std::string::npos) << content;
  EXPECT_NE(content.find(document.model_hash().substr(0, 16)), std::string::npos) << content;
  EXPECT_NE(content.find("2026"), std::string::npos);
  EXPECT_NE(page.find(">" + hash + "<"), std::string::npos);  // in full among the settings
}

TEST(PaperMargins, HostileNamesStayInTheirString) {
  document::Document document = image_document();
  document.title = "\"}</style><script>alert(1)</script>\n\\";
  document.program.version = "1\";}*{display:none";
  const std::string page = report_page(document);
  const size_t start = page.find("@page{@top-left{content:\"");
  ASSERT_NE(start, std::string::npos);
  const std::string rule = page.substr(start, page.find("@page:first", start) - start);
  EXPECT_EQ(rule.find('<'), std::string::npos) << rule;
  EXPECT_EQ(rule.find("display:none"), std::string::npos) << rule;
  EXPECT_NE(rule.find("\\22 \\7d \\3c \\2f style\\3e "), std::string::npos) << rule;
}

}  // namespace
}  // namespace ascribe::core
