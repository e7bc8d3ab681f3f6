#include "report/decomposition_files.h"

#include <cmath>
#include <filesystem>

#include "data/png.h"
#include "report/and_or_pictures.h"
#include "report/effect_network.h"
#include "report/effect_pictures.h"
#include "tensor/npy.h"

namespace ascribe::core {

namespace {

using study::DecomposeResult;

constexpr int64_t kMostEffects = 30;
constexpr size_t kInNetwork = 20, kAsImages = 9;

std::vector<Effect> independent_effects(const EffectSummary& summary) {
  std::vector<Effect> singles;
  for (size_t p = 0; p < summary.independent.size(); ++p) {
    singles.push_back({{static_cast<int>(p)}, {}, summary.independent[p]});
  }
  return study::sorted_by_magnitude(singles, kMostEffects);
}

// The strongest of at least two players, and half of their 95 % intervals: in company, or alone if none was asked for.
struct Interactions {
  std::vector<Effect> effects;
  std::vector<double> errors;
};

Interactions interactions_of(const study::EstimatedEffects& found, size_t most) {
  Interactions strongest;
  for (const study::VerifiedSet& set : study::verified_sets(found, 2, most)) {
    strongest.effects.push_back({set.players, {}, set.value});
    strongest.errors.push_back(set.interval);
  }
  return strongest;
}

// Of estimated effects there are sets of any size.
void add_networks(std::vector<NamedBytes>& files, const EffectPictures& pictures, const DecomposeResult& result) {
  const Interactions many = interactions_of(*result.sparse, kInNetwork);
  const std::string told = study::told_in_company(*result.sparse) ? "the mean beside others" : "J(S)";
  files.push_back({"network.svg", network_svg(pictures, many.effects, many.errors, told)});
  if (!pictures.input) return;
  const Interactions few = interactions_of(*result.sparse, kAsImages);
  files.push_back({"sets.svg", sets_svg(pictures, few.effects, few.errors, told)});
}

std::vector<NamedBytes> pictures_of(const DecomposeResult& result) {
  const study::RowQuestion& question = result.question;
  const EffectSummary& summary = result.summary;
  EffectPictures pictures{summary, question.players, std::nullopt,
                          question.title(std::filesystem::path(result.model).filename().string())};
  std::vector<NamedBytes> files = {{"orders.svg", orders_svg(pictures)}};
  if (question.players.image && question.picture) {
    pictures.input = picture_of(question.x(), *question.players.image, question.picture->preprocess);
    files.push_back({"independent.svg", independent_svg(pictures)});
    files.push_back({"independent.png", encode_png(independent_map(pictures))});
    if (result.sparse) {
      add_networks(files, pictures, result);
      return files;
    }
    if (summary.order >= 2) files.push_back({"pairs.svg", pairs_svg(pictures)});
    if (summary.order >= 3) files.push_back({"triples.svg", triples_svg(pictures)});
    return files;
  }
  files.push_back(
      {"independent.svg", effect_bars_svg(pictures, independent_effects(summary), "Independent effects ψ(i)")});
  if (result.sparse) {
    add_networks(files, pictures, result);
  } else if (summary.order >= 2) {
    std::vector<Effect> together = summary.pairs;
    together.insert(together.end(), summary.triples.begin(), summary.triples.end());
    files.push_back({"interactions.svg", effect_bars_svg(pictures, study::sorted_by_magnitude(together, kMostEffects),
                                                         "The strongest interactions J(S) of pairs and triples")});
  }
  return files;
}

}  // namespace

std::vector<NamedBytes> decomposition_files(const DecomposeResult& result, const Json& document) {
  std::vector<NamedBytes> files = pictures_of(result);
  const std::string title = result.question.title(std::filesystem::path(result.model).filename().string());
  if (result.and_or_estimate) files.push_back({"and_or.svg", estimated_and_or_svg(result, title)});
  if (result.and_or) {
    files.push_back({"and_or.svg", and_or_svg(result, title)});
    files.push_back({"strengths.svg", strengths_svg(result, title)});
  }
  files.push_back({"effects.npz", format_npz(arrays_of(result))});
  files.push_back({"effects.json", document.dump() + "\n"});
  return files;
}

std::vector<std::string> decomposition_file_names() {
  return {"effects.npz",      "effects.json", "independent.svg", "independent.png", "pairs.svg",  "triples.svg",
          "interactions.svg", "orders.svg",   "network.svg",     "sets.svg",        "and_or.svg", "strengths.svg"};
}

}  // namespace ascribe::core
