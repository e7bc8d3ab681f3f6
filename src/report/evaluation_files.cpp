#include "report/evaluation_files.h"

#include "report/spectrum_picture.h"

namespace ascribe::core {

std::vector<NamedBytes> evaluation_files(const study::EvaluateResult& result, const Json& document,
                                         const std::string& page) {
  std::vector<NamedBytes> files = {
      {"summary.csv", summary_table(result).csv()}, {"summary.md", page}, {"results.json", document.dump() + "\n"}};
  if (!result.metrics.empty()) files.push_back({"scores.csv", scores_table(result).csv()});
  if (result.spectrum) {
    files.push_back({"order_spectrum.csv", profiles_table(result).csv()});
    files.push_back({"order_spectrum.svg", spectrum_svg(result)});
  }
  return files;
}

std::vector<std::string> evaluation_file_names() {
  return {"scores.csv", "summary.csv", "summary.md", "results.json", "order_spectrum.csv", "order_spectrum.svg"};
}

}  // namespace ascribe::core
