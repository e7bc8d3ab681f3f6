// What the model says of a row with some of it masked, or with other numbers in it.
#include "serve/asking.h"
#include "serve/drawing.h"
#include "serve/requests.h"

namespace ascribe::core::serve {

Json predict(Session& session, const JsonPlace& body, const study::Run& run) {
  study::OpenRow& open = session.open(asking_from(body), run);
  const study::ChangedRow changed = open.changed(change_from(body, open.places()), run);
  return Json::object(
      {{"output", changed.output}, {"change", changed.output - open.values().output}, {"top", top_json(changed.top)}});
}

}  // namespace ascribe::core::serve
