// A row: what it is, and what the model says of it. Also a file that was dropped, as rows to choose from.
#include "report/page/sections.h"
#include "serve/asking.h"
#include "serve/drawing.h"
#include "serve/requests.h"

namespace ascribe::core::serve {

namespace {

constexpr int64_t kMostClasses = 2000;  // that can be chosen from a list

Json image_json(const study::OpenRow& open, const document::Row& row) {
  const std::optional<Image> baseline = open.baseline_picture();
  return Json::object({{"width", row.image->width},
                       {"height", row.image->height},
                       {"picture", page::data_uri(*row.image)},
                       {"baseline", baseline ? Json(page::data_uri(*baseline)) : Json()}});
}

Json text_json(const document::Row& row) {
  Json list = Json::list();
  for (const document::TextToken& token : row.text) {
    list.push(Json::object({{"text", token.text}, {"space", token.space}}));
  }
  return list;
}

Json columns_json(const study::OpenRow& open) {
  Json list = Json::list();
  for (const study::PlaceFacts& one : open.place_facts()) {
    Json column = Json::object({{"name", one.name}, {"value", one.value}, {"baseline", one.baseline}});
    if (!one.categories.empty()) column["categories"] = one.categories;
    list.push(std::move(column));
  }
  return list;
}

// The classes or numbers that can be asked about, by what they are called; null: they are not a list.
Json classes_json(const study::OpenRow& open) {
  const study::Prediction& said = open.prediction();
  if (!said.ranked() || said.size > kMostClasses) return {};
  Json names = Json::list();
  for (int64_t i = 0; i < said.size; ++i) {
    if (i < std::ssize(open.labels())) names.push(open.labels()[static_cast<size_t>(i)]);
    else names.push(fmt::format("{} {}", said.scores == study::ScoreKind::values ? "value" : "class", i));
  }
  return names;
}

}  // namespace

Json open(Session& session, const JsonPlace& body, const study::Run& run) {
  const Asking asking = asking_from(body);
  const study::OpenRow& open = session.open(asking, run);
  const document::Row row = open.row();
  std::vector<std::string> notes;
  for (const std::string& note : open.notes()) notes.push_back(session.settings().said(note));
  Json json = Json::object({{"row", asking.row},
                            {"count", session.rows(asking.file).count()},
                            {"source", row.source},
                            {"kind", to_string(row.kind)},
                            {"explained", page::explained_text(row)},
                            {"explains", row.explains},
                            {"target", row.target.index},
                            {"output", open.values().output},
                            {"baseline_output", open.values().baseline_output},
                            {"baseline", row.baseline},
                            {"top", top_json(row.top)},
                            {"classes", classes_json(open)},
                            {"places", open.places()},
                            {"notes", notes}});
  if (row.image) json["image"] = image_json(open, row);
  if (row.series) {
    json["series"] = Json::object({{"steps", row.series->steps}, {"channels", row.series->channels}});
  }
  if (row.kind == document::RowKind::text) json["text"] = text_json(row);
  else if (!row.image) json["columns"] = columns_json(open);
  return json;
}

namespace {

Json rows_of_file(const Session& session) {
  return Json::object({{"count", session.rows(true).count()}, {"name", session.rows(true).name(0)}});
}

}  // namespace

Json dropped(Session& session, const std::string& name, std::string bytes) {
  session.take_file(name, std::move(bytes));
  return rows_of_file(session);
}

Json text(Session& session, const JsonPlace& body, const study::Run&) {
  session.take_text(body.text("text"));
  return rows_of_file(session);
}

}  // namespace ascribe::core::serve
