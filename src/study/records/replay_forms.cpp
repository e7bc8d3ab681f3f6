// What a replay found, as JSON.
#include "study/records/replay.h"

namespace ascribe::core::study {

namespace {

const char* word_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::same: return "same";
    case Agreement::within: return "within tolerance";
    case Agreement::different: return "different";
  }
  return "";
}

Json at_json(const PartDifference::At& at) {
  return Json::object({{"place", at.place}, {"then", at.then}, {"now", at.now}, {"difference", at.difference()}});
}

Json difference_json(const PartDifference& one) {
  Json json = Json::object({{"part", one.part},
                            {"agreement", word_of(one.agreement)},
                            {"numbers", one.count},
                            {"compared", one.compared},
                            {"beyond", one.differing}});
  if (!one.what.empty()) json["what"] = one.what;
  if (one.first) json["first"] = at_json(*one.first);
  if (one.largest) json["largest"] = at_json(*one.largest);
  return json;
}

}  // namespace

Json to_json(const ReplayResult& result) {
  Json contents = Json::list();
  for (const CheckedContent& one : result.contents) {
    Json json = to_json(one.recorded);
    json["looked_at"] = one.path;
    json["sha256_now"] = one.sha256;
    json["state"] = one.state == ContentState::same      ? "same"
                    : one.state == ContentState::changed ? "changed"
                                                         : "missing";
    if (!one.why.empty()) json["why"] = one.why;
    contents.push(std::move(json));
  }
  Json differences = Json::list();
  for (const PartDifference& one : result.comparing.differences) differences.push(difference_json(one));
  Json json = Json::object({{"verb", result.verb},
                            {"computed", result.computed},
                            {"contents", std::move(contents)},
                            {"version", Json::object({{"then", result.version}, {"now", ASCRIBE_VERSION}})},
                            {"threads", Json::object({{"then", result.threads_then}, {"now", result.threads_now}})},
                            {"same_machine", result.same_machine},
                            {"precision", result.precision},
                            {"notes", result.notes}});
  if (!result.computed) return json;
  json["agreement"] = word_of(result.comparing.agreement);
  json["parts"] = result.comparing.parts;
  json["numbers"] = result.comparing.numbers;
  json["tolerance"] = result.comparing.tolerance;
  json["largest_difference"] = result.comparing.largest;
  json["differences"] = std::move(differences);
  return json;
}

}  // namespace ascribe::core::study
