#include "api/part_state.h"
#include "study/parts/game_part.h"

namespace ascribe {

namespace study = core::study;

Part Model::decompose_part(const Question& question, const std::string& folder, const Options& options) {
  return verb(state_, options, [&] {
    const Options::State& how = options.state();
    how.check("decompose_part", {"shard", "index", "order", "influence", "absence", "at_any_cost"});
    study::GamePartRequest request;
    request.what.question = question.state().request;
    request.what.index = how.index;
    request.what.influence = how.influence;
    request.what.absence = how.absence;
    request.what.order = how.order;
    request.what.at_any_cost = how.at_any_cost;
    request.what.run = how.run;
    request.folder = folder;
    if (!how.shard.empty()) request.shard = study::parse_shard(how.shard);
    study::GamePartResult result = study::game_part(state_->subject, request);
    Part part;
    part.path = folder;
    part.was_finished = result.computed == 0;
    part.samples = result.mine;
    part.samples_of_work = result.subcubes;
    part.computed = result.computed;
    part.notes = std::move(result.notes);
    return part;
  });
}

}  // namespace ascribe
