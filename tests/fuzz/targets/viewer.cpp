// What the page of the viewer may send: questions, changes of a row, names of methods.
#include "fuzz/target.h"
#include "serve/asking.h"

namespace ascribe::core::fuzz::target_viewer {
namespace {

void feed(Bytes bytes) {
  const Json json = serve::parse_body(text_of(bytes));
  const JsonPlace place(json, "request", ErrorKind::argument);
  const auto readers = {+[](const JsonPlace& body) { serve::asking_from(body); },
                        +[](const JsonPlace& body) { serve::change_from(body, 16); },
                        +[](const JsonPlace& body) { serve::methods_from(body.at("methods")); }};
  for (const auto reader : readers) {
    try {
      reader(place);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) throw;
    }
  }
}

const RegisterTarget registered({"viewer", "requests of the viewer's page", Form::json, 1024, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_viewer
