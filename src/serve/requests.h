// What the page can ask for, a file each in requests/. Requests and answers are JSON; docs/howto/serve.md tells them to
// people.
#pragma once

#include "base/json_place.h"
#include "serve/session.h"

namespace ascribe::core::serve {

Json rows(Session& session, const JsonPlace& body, const study::Run& run);     // names, and what the model says of each
Json open(Session& session, const JsonPlace& body, const study::Run& run);     // a row: what it is, what the model says
Json predict(Session& session, const JsonPlace& body, const study::Run& run);  // of the row masked or changed
Json explain(Session& session, const JsonPlace& body, const study::Run& run);  // methods, drawn as on a report
Json compare(Session& session, const JsonPlace& body, const study::Run& run);  // two methods and their difference
Json why(Session& session, const JsonPlace& body, const study::Run& run);      // they differ, in a sentence
Json dropped(Session& session, const std::string& name, std::string bytes);    // a file, as rows to choose from

Json text(Session& session, const JsonPlace& body, const study::Run& run);  // likewise a text that was typed

struct SavedReport {
  std::string page;  // HTML
  std::string name;  // for the file
};
SavedReport report(Session& session, const JsonPlace& body, const study::Run& run);

}  // namespace ascribe::core::serve
