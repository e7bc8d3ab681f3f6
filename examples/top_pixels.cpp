// Prints the pixels that mattered most to a model, by three methods: top_pixels MODEL.onnx IMAGE.png
#include <cstdio>

#include <ascribe/ascribe.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: top_pixels MODEL.onnx IMAGE\n");
    return 2;
  }
  try {
    ascribe::Model model = ascribe::Model::load(argv[1]);
    ascribe::Question question;
    question.input = model.read_row(argv[2]);
    for (const char* method : {"gradient_x_input", "integrated_gradients", "occlusion"}) {
      const ascribe::Attribution a = model.explain(question, method);
      std::printf("%s: class %d, f(x) = %.4f, not explained %+.2g\n", method, static_cast<int>(a.target), a.output,
                  a.residual);
      for (const std::size_t player : a.strongest(5)) {
        std::printf("  %-8s %+.4f\n", a.players[player].c_str(), a.values[player]);
      }
    }
  } catch (const ascribe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
