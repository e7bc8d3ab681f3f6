#include "report/evaluation_files.h"

#include "report/spectrum_picture.h"

namespace ascribe::core {

Json results_document(Json document, Json* times) {
  Json taken = Json::object();
  for (const char* key : {"seconds", "planned"}) {
    if (document.contains(key)) taken[key] = document[key];
    document.erase(key);
  }
  for (const char* list : {"methods", "metrics"}) {
    Json each = Json::object();
    for (Json& one : document[list].items()) {
      each[one["name"].text()] = one["seconds"];
      one.erase("seconds");
    }
    taken[list] = std::move(each);
  }
  if (times != nullptr) *times = std::move(taken);
  return document;
}

std::vector<NamedBytes> evaluation_files(const study::EvaluateResult& result, const Json& document,
                                         const std::string& page) {
  Json times;
  const Json results = results_document(document, &times);
  std::vector<NamedBytes> files = {
      {"summary.csv", summary_table(result).csv()}, {"summary.md", page}, {"results.json", results.dump() + "\n"}};
  if (result.seconds > 0) files.push_back({"timings.json", times.dump() + "\n"});  // parts do not say
  if (!result.metrics.empty()) files.push_back({"scores.csv", scores_csv(result)});
  if (result.spectrum) {
    files.push_back({"order_spectrum.csv", profiles_table(result).csv()});
    files.push_back({"order_spectrum.svg", spectrum_svg(result)});
  }
  return files;
}

std::vector<std::string> evaluation_file_names() {
  return {"scores.csv",   "summary.csv",        "summary.md",        "results.json",
          "timings.json", "order_spectrum.csv", "order_spectrum.svg"};
}

}  // namespace ascribe::core
