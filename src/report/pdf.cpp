#include "report/pdf.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/watch.h"

namespace ascribe::core {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr const char* kBrowsers[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                                     "microsoft-edge"};
constexpr double kUsualSeconds = 120, kBytesPerSecond = 2e5;  // a second more for each of these
constexpr Seconds kAfterTheEnd{3.0};                          // a browser that has printed and does not end
constexpr size_t kMostSaid = 300;                             // of the browser's own words
constexpr size_t kMostPdf = size_t{1} << 31;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// Empty: there is none.
std::string on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::absolute(name).string() : "";
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders != nullptr ? folders : "/usr/bin:/bin");
  for (std::string folder; std::getline(list, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    if (path.is_absolute() && is_program(path)) return path.string();
  }
  return "";
}

// A folder that only we can read, and that goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* chosen = std::getenv("TMPDIR");
    const fs::path folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    std::string name = (folder / "ascribe-pdf-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      fail(ErrorKind::io, folder.string(),
           "cannot make a folder here for what the browser prints; {}; the environment variable TMPDIR names another "
           "place",
           std::strerror(errno));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    // Processes that were just ended may still have been writing.
    for (int i = 0; i < 20; ++i) {
      std::error_code error;
      fs::remove_all(path_, error);
      if (!error && !fs::exists(path_, error)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string address_of(const std::string& path) {
  std::string address = "file://";
  for (const char c : path) {
    const bool plain = is_ascii_letter_or_digit(c) || std::string_view("/-_.~").find(c) < 5;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

// Nothing is fetched: the page forbids it, and the browser itself has nobody to ask.
std::vector<std::string> arguments_of(const std::string& browser, const TemporaryFolder& folder, bool sandbox) {
  std::vector<std::string> options = {"headless=new",
                                      "disable-gpu",
                                      "disable-dev-shm-usage",
                                      "disable-extensions",
                                      "disable-default-apps",
                                      "disable-background-networking",
                                      "disable-component-update",
                                      "disable-domain-reliability",
                                      "disable-sync",
                                      "disable-breakpad",
                                      "metrics-recording-only",
                                      "no-first-run",
                                      "no-default-browser-check",
                                      "no-pdf-header-footer",
                                      "password-store=basic",
                                      "proxy-server=127.0.0.1:9",
                                      "proxy-bypass-list=<-loopback>",
                                      "user-data-dir=" + folder / "profile",
                                      "print-to-pdf=" + folder / "page.pdf"};
  if (!sandbox) options.emplace_back("no-sandbox");
  std::vector<std::string> arguments = {browser};
  for (const std::string& option : options) arguments.push_back(std::string(2, '-') + option);
  arguments.push_back(address_of(folder / "page.html"));
  return arguments;
}

// The whole PDF, or nothing.
std::string whole_pdf(const std::string& path) {
  std::error_code missing;
  if (!fs::exists(path, missing)) return "";
  std::string bytes = read_file(path, kMostPdf);
  const bool whole = bytes.starts_with("%PDF-") &&
                     bytes.find("%%EOF", bytes.size() - std::min<size_t>(64, bytes.size())) < bytes.size();
  return whole ? bytes : "";
}

// Its last words, in one line.
std::string said(const TemporaryFolder& folder) {
  std::error_code missing;
  if (!fs::exists(folder / "said.txt", missing)) return "";
  std::string words;
  for (const char c : read_file(folder / "said.txt")) {
    const bool space = is_ascii_space(c);
    if (space && (words.empty() || words.back() == ' ')) continue;
    words += space ? ' ' : (is_ascii_printable(c) ? c : '?');
  }
  while (words.ends_with(' ')) words.pop_back();
  return words.size() > kMostSaid ? "..." + words.substr(words.size() - kMostSaid) : words;
}

struct Attempt {
  std::string pdf;  // empty: none
  bool late = false;
  int exit_code = 0;
};

Attempt attempt(const std::string& browser, const TemporaryFolder& folder, double seconds, bool sandbox) {
  const std::string result = folder / "page.pdf";
  RunningChild child({arguments_of(browser, folder, sandbox),
                      {{"XDG_CONFIG_HOME", folder / "config"}, {"XDG_CACHE_HOME", folder / "cache"}},
                      folder / "said.txt"});
  const Clock::time_point start = Clock::now();
  std::optional<Clock::time_point> printed;
  bool late = false;
  while (!child.wait(std::chrono::milliseconds(50))) {
    poll();
    const Clock::time_point now = Clock::now();
    if (!printed && !whole_pdf(result).empty()) printed = now;
    late = now - start > Seconds(seconds);
    if (late || (printed && now - *printed > kAfterTheEnd)) break;
  }
  child.end();
  return {whole_pdf(result), late, child.exit_code()};
}

// A4, which the page itself leaves to whoever prints it.
std::string on_a4(const std::string& page) {
  constexpr std::string_view kEndOfHead = "</head>";
  const size_t at = page.find(kEndOfHead);
  if (at == std::string::npos) return page;
  return page.substr(0, at) + "<style>@page{size:A4}</style>" + page.substr(at);
}

constexpr const char* kOtherwise = "an .html page can be printed from any browser";

}  // namespace

std::string found_browser(const std::string& wanted) {
  const char* chosen = std::getenv("ASCRIBE_BROWSER");
  const std::string name = !wanted.empty() ? wanted : (chosen != nullptr ? chosen : "");
  if (!name.empty()) {
    if (std::string path = on_path(name); !path.empty()) return path;
    fail(ErrorKind::io, wanted.empty() ? "ASCRIBE_BROWSER" : "browser",
         "there is no program '{}'; expected the path of a Chromium or Chrome, or its name on the PATH", name);
  }
  for (const char* known : kBrowsers) {
    if (std::string path = on_path(known); !path.empty()) return path;
  }
  fail(ErrorKind::io, "pdf",
       "a PDF is printed by a browser, and none of {} is on the PATH; install Chromium (Debian: apt install chromium), "
       "or name another one in the environment variable ASCRIBE_BROWSER; {}",
       fmt::join(kBrowsers, ", "), kOtherwise);
}

void check_pdf() {
  found_browser();
  const TemporaryFolder folder;
}

std::string pdf_of(const std::string& page, const PdfOptions& options) {
  const std::string browser = found_browser(options.browser);
  const double seconds =
      options.seconds > 0 ? options.seconds : kUsualSeconds + static_cast<double>(page.size()) / kBytesPerSecond;
  const TemporaryFolder folder;
  write_file(folder / "page.html", on_a4(page), false);
  // Chromium refuses to run for root in its sandbox; containers may not allow it for others either. The page is ours,
  // runs no script but its own and fetches nothing, so that it can do without.
  const bool root = ::geteuid() == 0;
  Attempt tried = attempt(browser, folder, seconds, !root);
  if (tried.pdf.empty() && !tried.late && !root && said(folder).find("andbox") != std::string::npos) {
    tried = attempt(browser, folder, seconds, false);
  }
  if (!tried.pdf.empty()) return std::move(tried.pdf);
  const std::string words = said(folder);
  if (tried.late) {
    fail(ErrorKind::io, browser, "the browser did not print the page within {:g} s and was ended; {}{}", seconds,
         words.empty() ? "" : fmt::format("it said: {}; ", words), kOtherwise);
  }
  fail(
      ErrorKind::io, browser,
      "the browser wrote no PDF (it ended with code {}); {}a browser from a snap sees no temporary folder but those in "
      "your home, which TMPDIR can name; {}",
      tried.exit_code, words.empty() ? "" : fmt::format("it said: {}; ", words), kOtherwise);
}

}  // namespace ascribe::core
