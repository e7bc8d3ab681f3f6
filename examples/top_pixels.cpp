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
    const ascribe::Question question(argv[2]);
    const ascribe::Explanation all = model.explain(question, {"gradient_x_input", "integrated_gradients", "occlusion"});
    for (std::size_t m = 0; m < all.methods(); ++m) {
      const ascribe::Attribution a = all.attribution(m);
      std::printf("%s: class %d, f(x) = %.4f, not explained %+.2g\n", a.method().c_str(), static_cast<int>(a.target()),
                  a.output(), a.residual());
      for (const std::size_t player : a.strongest(5)) {
        std::printf("  %-8s %+.4f\n", a.players()[player].c_str(), a.values()[player]);
      }
    }
    for (const std::string& note : all.notes()) std::printf("note: %s\n", note.c_str());
  } catch (const ascribe::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
