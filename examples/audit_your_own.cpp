// Explains an image by three methods, audits a fourth that is a function of this program, and writes a report with all
// of them: audit_your_own MODEL.onnx IMAGE.png REPORT.html
#include <cstdio>
#include <vector>

#include <ascribe/ascribe.h>

// Each player gets what the output loses when it alone is set to the baseline: one evaluation per player.
std::vector<double> leave_one_out(const ascribe::Asked& asked) {
  const ascribe::Array x = asked.x(), b = asked.baselines();
  const int64_t players = asked.player_count(), size = x.size();
  std::vector<double> rows;
  for (int64_t p = -1; p < players; ++p) {  // the first row is x itself
    for (int64_t i = 0; i < size; ++i) rows.push_back(asked.owners()[i] == p && p >= 0 ? b[i] : x[i]);
  }
  const std::vector<double> f = asked.values({rows.data(), {players + 1, size}});
  std::vector<double> values;
  for (int64_t p = 1; p <= players; ++p) values.push_back(f[0] - f[p]);
  return values;
}

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: audit_your_own MODEL.onnx IMAGE REPORT.html\n"), 2;
  try {
    ascribe::Model model = ascribe::Model::load(argv[1]);
    ascribe::Question question(argv[2]);
    question.players("grid:3x3");
    const ascribe::Method mine("leave_one_out", leave_one_out);

    const ascribe::Explanation explanation =
        model.explain(question, {"gradient_x_input", "shapley", "lrp_epsilon", mine});
    for (std::size_t m = 0; m < explanation.methods(); ++m) {
      const ascribe::Attribution a = explanation.attribution(m);
      std::printf("%-18s sums to %+.4f, f(x) - f(b) is %+.4f\n", a.method().c_str(), a.sum(),
                  a.output() - a.baseline_output());
    }

    const ascribe::Audit audit = model.audit(question, {mine});
    std::printf("\n%s holds %d of 3 principles on this question\n", audit.method_name(0).c_str(), audit.held(0));
    for (const std::string& sentence : audit.sentences(0)) std::printf("  %s\n", sentence.c_str());

    ascribe::Options how;
    how.progress([](std::string_view, int64_t, int64_t) { return true; });  // false would stop the work
    model.report(question, {"gradient_x_input", "shapley", "lrp_epsilon", mine}, how).write(argv[3], true);
    std::printf("\n%s\n", argv[3]);
  } catch (const ascribe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
