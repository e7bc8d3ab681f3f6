// The first screen: what was looked at, what the model says, what matters, how sure that is, what is not said.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/dataset/sections.h"

namespace ascribe::core::page::dataset {

namespace {

constexpr size_t kFirstFeatures = 5;
constexpr double kManyTogether = 0.3, kLowAgreement = 0.7;

void answer(Html& html, const std::string& question, const std::function<void()>& content) {
  html.in("div", {{"class", "point"}}, [&] {
    html.in("h3", question);
    content();
  });
}

std::string explained(const DatasetDocument& document) {
  return document.outputs.explains == "value" ? "number" : document.outputs.explains;
}

void what_was_seen(Html& html, const DatasetDocument& document) {
  html.in("p", fmt::format("{} explained: {}.{}", count_text(document.rows_explained, "row"), document.sampling,
                           document.data.empty() ? "" : " The data: " + document.data + "."));
  if (document.rows_explained < document.rows_wanted - document.failed_rows) {
    html.in("p", fmt::format("{} were wanted; there was no time for more.", count_text(document.rows_wanted, "row")));
  }
}

void what_it_says(Html& html, const DatasetDocument& document) {
  const document::Outputs& outputs = document.outputs;
  if (!outputs.classes.empty()) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < std::min<size_t>(3, outputs.classes.size()); ++i) {
      const double share = static_cast<double>(outputs.classes[i].rows) / static_cast<double>(document.rows_explained);
      parts.push_back(fmt::format("{} ({:.0f} %)", outputs.classes[i].name, 100 * share));
    }
    const auto classes = std::ssize(outputs.classes) + outputs.other_classes;
    html.in("p", fmt::format("{}{}.", classes > 3 ? "Most often: " : "", listed(parts)));
    html.in("p", {{"class", "faint"}},
            fmt::format("What is explained is the {} of the class in each row.", explained(document)));
    return;
  }
  html.in("p", fmt::format("Numbers from {} to {}, half of them below {}.", number_text(outputs.least),
                           number_text(outputs.most), number_text(outputs.median)));
}

double total_strength(const DatasetDocument& document) {
  double all = 0;
  for (const Mean& mean : document.trusted_method().magnitudes) all += mean.mean.value_or(0);
  return all;
}

void what_matters(Html& html, const DatasetDocument& document) {
  const DatasetMethod& method = document.trusted_method();
  const double all = total_strength(document);
  if (!document.words.empty()) {
    html.in("p", "Of the words that several rows have, these matter most where they stand:");
    html.in("ol", {{"class", "ranking"}}, [&] {
      for (size_t i = 0; i < std::min(kFirstFeatures, document.words.size()); ++i) {
        html.in("li", fmt::format("{}: {} in {}", document.words[i].word, mean_text(document.words[i].magnitude),
                                  count_text(document.words[i].rows, "row")));
      }
    });
    return;
  }
  if (document.drawn.empty()) {
    html.in("p", "The rows have nothing in common that could be compared.");
    return;
  }
  if (all == 0) {
    html.in("p", fmt::format("None of the {}s: in no row does any of them change what the model says.", document.noun));
    return;
  }
  html.in("ol", {{"class", "ranking"}}, [&] {
    for (size_t d = 0; d < std::min(kFirstFeatures, document.drawn.size()); ++d) {
      const Mean& mean = method.magnitudes[document.drawn[d]];
      const double share = mean.mean.value_or(0) / all;
      html.in("li", {}, [&] {
        html.in("b", feature_name(document, document.drawn[d]));
        html.text(fmt::format(": {:.0f} % of all strength; moves the {} by {:.3g}", 100 * share, explained(document),
                              mean.mean.value_or(0)));
        if (mean.low && mean.high) html.text(fmt::format(" ({:.3g} to {:.3g})", *mean.low, *mean.high));
        html.in("span", {{"class", "meter"}}, [&] {
          html.in("span", {{"style", fmt::format("width:{:.1f}%", 100 * share)}}, "");
        });
      });
    }
  });
  html.in("p", {{"class", "faint"}},
          fmt::format("By {}; means over all rows, in brackets their 95 % interval. Compared with the baseline {}.",
                      method.title, document.baseline));
}

void how_sure(Html& html, const DatasetDocument& document) {
  html.in("p", document.trust);
  if (!document.agreement_mean.mean) {
    html.in("p", "There is one method only, so nothing it says is checked by another.");
    return;
  }
  html.in("p", fmt::format("The {} methods place {} of the strength in the same places, on average over rows and pairs "
                           "of methods.",
                           document.agreeing.size(), percent_text(document.agreement_mean.mean)));
}

void where_not(Html& html, const DatasetDocument& document) {
  std::vector<std::pair<std::string, std::string>> points;  // text, anchor
  if (!document.disagreements.empty() && document.disagreements[0].measure) {
    points.push_back({fmt::format("In row {} two methods place {} of the strength differently; {} like it are listed",
                                  document.disagreements[0].number, percent_text(document.disagreements[0].measure),
                                  count_text(std::ssize(document.disagreements), "row")),
                      "disagreement"});
  }
  if (document.agreement_mean.mean && *document.agreement_mean.mean < kLowAgreement) {
    points.push_back({"On the whole the methods agree little: do not act on one of them alone", "disagreement"});
  }
  if (document.misses_of_promised.value_or(0) > document::kSmallMiss) {
    points.push_back({fmt::format("A method that promises to add up misses {} of the strength in its worst row",
                                  percent_text(document.misses_of_promised)),
                      "misses"});
  }
  if (document.spectrum && !document.spectrum->orders.empty()) {
    const double together = 1 - document.spectrum->orders[0].mean.value_or(1);
    if (together > kManyTogether) {
      points.push_back({fmt::format("{:.0f} % of the strength is what {}s do only together: one number per {} hides it",
                                    100 * together, document.noun, document.noun),
                        "spectrum"});
    }
  }
  if (!document.far_baseline.empty()) {
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min<size_t>(3, document.far_baseline.size()); ++i) {
      names.push_back(document.features[document.far_baseline[i]].name);
    }
    if (document.far_baseline.size() > 3) names.push_back(fmt::format("{} more", document.far_baseline.size() - 3));
    points.push_back({fmt::format("The baseline {} is far from anything in these rows in {}: contributions there say "
                                  "what is added to a case that does not occur. A baseline made of data is better",
                                  document.baseline, listed(names)),
                      "settings"});
  }
  if (document.failed_rows > 0) {
    points.push_back({fmt::format("{} could not be explained", count_text(document.failed_rows, "row")), "failed"});
  }
  if (points.empty()) {
    html.in("p", "Nothing here stands out. The rows below are still the ones to look at first.");
    return;
  }
  html.in("ul", {}, [&] {
    for (const auto& point : points) {
      html.in("li", {}, [&] { html.in("a", {{"href", "#" + point.second}}, point.first); });
    }
  });
}

}  // namespace

void write_first(Html& html, const DatasetDocument& document) {
  html.in("section", {{"id", "summary"}, {"class", "overview"}, {"aria-labelledby", "summary-heading"}}, [&] {
    html.in("h2", {{"id", "summary-heading"}}, "In short");
    html.in("div", {{"class", "points"}}, [&] {
      answer(html, "What was looked at?", [&] { what_was_seen(html, document); });
      answer(html, "What does the model say?", [&] { what_it_says(html, document); });
      answer(html, fmt::format("Which {}s matter most?", document.noun), [&] { what_matters(html, document); });
      answer(html, "How sure is that?", [&] { how_sure(html, document); });
      answer(html, "Where should it not be trusted?", [&] { where_not(html, document); });
      answer(html, "What does this page not say?", [&] {
        html.in("p",
                "Whether the model is right, and whether anything here is a cause in the world. It describes what the "
                "model does with these rows, compared with this baseline; other data or another baseline can look "
                "different.");
      });
    });
  });
}

}  // namespace ascribe::core::page::dataset
