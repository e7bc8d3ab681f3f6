// The report of the present row, as `ascribe report` makes it.
#include "study/report.h"

#include "base/ascii.h"
#include "report/page.h"
#include "serve/asking.h"
#include "serve/requests.h"

namespace ascribe::core::serve {

namespace {

constexpr size_t kLongestName = 60;

// Letters that every system takes.
std::string file_name(std::string_view source) {
  std::string name;
  for (const char c : source) {
    const bool plain = is_ascii_letter_or_digit(c) || c == '_';
    if (plain) name += c;
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  name.resize(std::min(name.size(), kLongestName));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return "report-" + (name.empty() ? "row" : name) + ".html";
}

}  // namespace

SavedReport report(Session& session, const JsonPlace& body, const study::Run& run) {
  const Asking asking = asking_from(body);
  study::ReportRequest request = session.settings().report;
  request.question = session.question(asking);
  request.question.players = session.settings().question.players;  // as a report chooses them
  request.run = run;
  document::Document document = study::report(session.subject(), request);
  each_note(document, [&](std::string& note) { note = session.settings().said(note); });
  return {report_page(document), file_name(session.rows(asking.file).name(asking.row))};
}

}  // namespace ascribe::core::serve
