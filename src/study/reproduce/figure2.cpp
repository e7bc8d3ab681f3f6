// Figure 2: methods as allocations, measured: on one small question, what every method gives to every player of the
// effect J(S) of every set of players (theory/set_allocation.h).
#include "draw/allocation_sheet.h"
#include "game/subsets.h"
#include "study/bundled.h"
#include "study/few_players.h"
#include "study/reproduce/experiment.h"

namespace ascribe::core::study::paper {

namespace {

constexpr const char* kImage = "ankle_boot.png";
constexpr const char* kStrips = "grid:1x4";

// Windows of half the image's side, which hold two players.
std::vector<ChosenMethod> allocating_methods() {
  return choose_methods({"all"}, {"deep_shap.samples=2", "expected_gradients.steps=256", "occlusion_patch.size=14"});
}

std::string bundled_image(const std::string& name) {
  for (const std::string& path : bundled_images()) {
    if (path.ends_with(name)) return path;
  }
  return bundled_file("images/" + name);
}

QuestionRequest small_question() {
  QuestionRequest request;
  request.rows.files = {bundled_image(kImage)};
  request.players = kStrips;
  return request;
}

struct MeasuredAllocation {
  ChosenMethod chosen;
  SetAllocation allocation;
};

std::vector<MeasuredAllocation> measured(const PaperRun& run, const FewPlayers& asked, const Running& running,
                                         Reproduced& made) {
  std::vector<MeasuredAllocation> all;
  for (const ChosenMethod& chosen : allocating_methods()) {
    try {
      all.push_back({chosen, settled_of(chosen, asked, running).allocation});
      report(run.running.progress(), fmt::format("{}, {}", run.name, chosen.method.name), std::ssize(all), 14);
    } catch (const Error& error) {
      if (!may_be_left_out(chosen, error.kind())) throw;
      made.notes.push_back(fmt::format("{} is left out: {}", chosen.method.name, error.what()));
    }
  }
  if (all.empty()) fail(ErrorKind::unsupported, run.networks[0].path, "no method can be run on this model");
  return all;
}

// One player first, then two, and so on.
std::vector<uint64_t> sets_by_size(int players) {
  std::vector<uint64_t> sets;
  for (uint64_t set = 1; set < uint64_t{1} << players; ++set) sets.push_back(set);
  std::stable_sort(sets.begin(), sets.end(),
                   [](uint64_t a, uint64_t b) { return std::popcount(a) < std::popcount(b); });
  return sets;
}

AllocationSheet sheet_of(const std::vector<MeasuredAllocation>& all, const std::string& title) {
  const SetAllocation& first = all[0].allocation;
  AllocationSheet sheet{title,
                        "rows: sets of the four strips of the image and their effects J(S); cells: what each strip is "
                        "given of it; framed: given to a strip outside of the set",
                        first.players,
                        sets_by_size(first.players),
                        {},
                        {}};
  for (const uint64_t set : sheet.sets) sheet.effects.push_back(first.effects[set]);
  for (const MeasuredAllocation& one : all) {
    AllocationBlock& block = sheet.blocks.emplace_back(AllocationBlock{one.chosen.method.title, {}, {}});
    double sum = 0;
    for (const uint64_t set : sheet.sets) {
      for (int i = 0; i < first.players; ++i) block.given.push_back(one.allocation(i, set));
    }
    for (const double value : one.allocation.attribution()) sum += value;
    block.remark = fmt::format("gives {:+.3g} of {:+.3g}", sum, first.change());
  }
  return sheet;
}

std::string csv(const std::vector<MeasuredAllocation>& all) {
  Table table{{"method", "set", "effect", "player", "given"}};
  for (const MeasuredAllocation& one : all) {
    for (const uint64_t set : sets_by_size(one.allocation.players)) {
      for (int i = 0; i < one.allocation.players; ++i) {
        std::string members;
        for (const int p : members_of(set)) members += fmt::format("{}{}", members.empty() ? "" : " ", p + 1);
        table.rows.push_back({one.chosen.method.name, members, fmt::format("{:.6g}", one.allocation.effects[set]),
                              std::to_string(i + 1), fmt::format("{:.6g}", one.allocation(i, set))});
      }
    }
  }
  return table.csv();
}

std::string markdown(const std::vector<MeasuredAllocation>& all, const RowQuestion& question,
                     const std::string& model) {
  Table table{{"method", "sum of the attribution", "to players outside of a set", "more or less than the effects"}};
  for (const MeasuredAllocation& one : all) {
    double sum = 0, unrelated = 0, given = 0, defect = 0, effects = 0;
    for (const double value : one.allocation.attribution()) sum += value;
    for (uint64_t set = 1; set < one.allocation.sets(); ++set) {
      for (int i = 0; i < one.allocation.players; ++i) {
        const double part = std::abs(one.allocation(i, set));
        given += part;
        if ((set >> i & 1) == 0) unrelated += part;
      }
      defect += std::abs(one.allocation.given(set) - one.allocation.effects[set]);
      effects += std::abs(one.allocation.effects[set]);
    }
    table.rows.push_back(
        {one.chosen.method.title, fmt::format("{:+.4g}", sum), percent(unrelated / given), percent(defect / effects)});
  }
  return fmt::format(
      "# Figure 2: methods as allocations\n\n![Allocations](figure2.svg)\n\n"
      "The paper draws how a method hands out effects; here it is measured. `{}`, {}; f(x) − f(b) = {:+.4g}, "
      "baseline {}. The players are four strips of the image, from left to right. A row is a set of strips, with the "
      "effect J(S) that they have together only; a cell is what one strip is given of it, a(i ← J(S)) = Σ over T ⊆ S "
      "of (−1)^(|S| − |T|) a_i(x_T): the method is run on all sixteen masked inputs. Rows of a faithful allocation are "
      "empty outside of the set and sum to the effect. Windows of Occlusion-patch are 14 × 14 pixels, which hold two "
      "strips. Below: what is given to players outside of a set, as a share of all that is given, and how far the sums "
      "of rows are from the effects, as a share of these. What a method gives with every strip masked is in "
      "neither.\n\n{}",
      model, question.target_text(), all[0].allocation.change(), question.baseline, table.markdown());
}

Json settings(const PaperRun&) {
  Json methods;
  for (const ChosenMethod& chosen : allocating_methods()) {
    if (!chosen.given.empty()) methods[chosen.method.name] = chosen.given;
  }
  return Json::object({{"image", kImage}, {"players", kStrips}, {"baseline", "zero"}, {"methods", methods}});
}

Reproduced run(const PaperRun& run) {
  Reproduced made;
  Run quiet = run.request.run;
  quiet.note = {};
  Running running(quiet);
  const Subject subject = run.open(run.networks.front(), DType::f32);
  const QuestionRequest request = small_question();
  const FewPlayers asked = ask_few_players(subject, request, running);
  const std::vector<MeasuredAllocation> all = measured(run, asked, running, made);
  made.svg = allocation_sheet_svg(
      sheet_of(all, fmt::format("{}: what fourteen methods give of every effect", run.networks[0].name)));
  made.csv = csv(all);
  made.markdown = markdown(all, asked.question, run.networks[0].name);
  return made;
}

}  // namespace

PaperExperiment figure2() { return {"figure2", "Figure 2: methods as allocations", {"relu_vgg"}, 0, settings, run}; }

}  // namespace ascribe::core::study::paper
