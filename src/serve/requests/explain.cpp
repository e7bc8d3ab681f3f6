// What methods say of a row, drawn as on a report.
#include "serve/asking.h"
#include "serve/drawing.h"
#include "serve/requests.h"

namespace ascribe::core::serve {

Json explain(Session& session, const JsonPlace& body, const study::Run& run) {
  study::OpenRow& open = session.open(asking_from(body), run);
  document::Row row = open.explained(methods_from(body.at("methods")), run);
  for (document::LeftOut& left : row.left_out) left.reason = session.settings().said(left.reason);
  Json json = drawing(row, 0);
  Json unsuited = Json::list();
  for (const document::LeftOut& left : row.left_out) {
    unsuited.push(Json::object({{"method", left.method}, {"reason", left.reason}}));
  }
  json["unsuited"] = std::move(unsuited);
  return json;
}

}  // namespace ascribe::core::serve
