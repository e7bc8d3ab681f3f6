// What the machine can do at most, beside which the rows of bench/run.py are shown:
//   ascribe_bench_limits THREADS
// Prints one line of JSON: thousand millions of single precision additions and multiplications per second that fused
// multiply-adds on registers reach, the same for copying memory (bytes read and written), and which instructions it
// used.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <immintrin.h>

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kChains = 12;  // more than latency times ports, fewer than registers
constexpr int64_t kSteps = 4'000'000;
constexpr int kTries = 40;  // the best counts, so that a busy moment does not

__attribute__((target("avx512f"))) float multiply_add_512() {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_set1_ps(1.0F);
  const __m512 a = _mm512_set1_ps(0.999F), b = _mm512_set1_ps(1e-3F);
  for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (const __m512& sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}

__attribute__((target("avx2,fma"))) float multiply_add_256() {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_set1_ps(1.0F);
  const __m256 a = _mm256_set1_ps(0.999F), b = _mm256_set1_ps(1e-3F);
  for (int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (const __m256& sum : sums) total += _mm256_cvtss_f32(sum);
  return total;
}

// Seconds until all threads have run it once.
template <typename Run>
double together(int threads, const Run& run) {
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> running;
  for (int t = 1; t < threads; ++t) running.emplace_back([&run, t] { run(t); });
  run(0);
  for (std::thread& thread : running) thread.join();
  return since(start);
}

double multiply_adds_per_second(int threads, bool wide) {
  std::vector<float> sink(static_cast<size_t>(threads));
  const double lanes = wide ? 16 : 8;
  double best = 0;
  for (int repeat = 0; repeat < kTries; ++repeat) {
    const double seconds = together(
        threads, [&](int t) { sink[static_cast<size_t>(t)] = wide ? multiply_add_512() : multiply_add_256(); });
    best = std::max(best, 2.0 * lanes * kChains * static_cast<double>(kSteps) * threads / seconds);
  }
  return best;
}

// Blocks far larger than the caches, read and written.
double copied_per_second(int threads) {
  constexpr size_t kFloats = size_t{32} << 20;
  std::vector<std::vector<float>> from(static_cast<size_t>(threads)), to(static_cast<size_t>(threads));
  const size_t each = kFloats / static_cast<size_t>(threads);
  for (auto& block : from) block.assign(each, 1.0F);
  for (auto& block : to) block.assign(each, 0.0F);
  double best = 0;
  for (int repeat = 0; repeat < kTries; ++repeat) {
    const double seconds = together(threads, [&](int t) {
      const auto i = static_cast<size_t>(t);
      std::copy(from[i].begin(), from[i].end(), to[i].begin());
    });
    best = std::max(best, 2.0 * sizeof(float) * static_cast<double>(each) * threads / seconds);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::atoi(argv[1]) < 1) {
    std::fputs("usage: ascribe_bench_limits THREADS\n", stderr);
    return 2;
  }
  const int threads = std::atoi(argv[1]);
  const bool wide = __builtin_cpu_supports("avx512f") != 0;
  if (!wide && (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0)) {
    std::fputs("ascribe_bench_limits: the processor has no AVX2\n", stderr);
    return 1;
  }
  std::printf("{\"gflops\": %.1f, \"copy_gb\": %.1f, \"isa\": \"%s\"}\n", multiply_adds_per_second(threads, wide) / 1e9,
              copied_per_second(threads) / 1e9, wide ? "AVX-512" : "AVX2");
}
