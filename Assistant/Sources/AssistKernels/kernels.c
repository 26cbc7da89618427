#include "AssistKernels.h"
#include <math.h>

// The instruction set of the build: SSE2 on x86-64, NEON on ARM.
#define NAME(x) base_##x
#define TARGET
#define ROWS 4
#define PANEL_PARTS 4
#include "variant.h"
#undef NAME
#undef TARGET
#undef ROWS
#undef PANEL_PARTS

#if defined(__x86_64__)
#define NAME(x) avx2_##x
#define TARGET __attribute__((target("avx2,fma")))
#define ROWS 6
#define PANEL_PARTS 2
#include "variant.h"
#undef NAME
#undef TARGET
#undef ROWS
#undef PANEL_PARTS

#define NAME(x) avx512_##x
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"), min_vector_width(512)))
#define ROWS 12
#define PANEL_PARTS 1
#include "variant.h"
#undef NAME
#undef TARGET
#undef ROWS
#undef PANEL_PARTS

// The instruction set of the processor: 2 for AVX-512, 1 for AVX2, 0 for the instruction set of the build. Threads that call
// this at the same time store the same value.
static int level(void) {
  static int found = -1;
  int value = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (value >= 0) return value;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    value = 2;
  else
    value = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  __atomic_store_n(&found, value, __ATOMIC_RELAXED);
  return value;
}

#define DISPATCH(call) \
  switch (level()) { \
    case 2: return avx512_##call; \
    case 1: return avx2_##call; \
    default: return base_##call; \
  }
#else
#define DISPATCH(call) return base_##call
#endif

void assist_pack(const float *matrix, size_t outputs, size_t inputs, float *packed) {
  for (size_t output = 0; output < outputs; output++) {
    float *panel = packed + output / ASSIST_PANEL * ASSIST_PANEL * inputs + output % ASSIST_PANEL;
    for (size_t k = 0; k < inputs; k++) panel[k * ASSIST_PANEL] = matrix[output * inputs + k];
  }
}

void assist_multiply(
    const float *x, size_t rows, const float *packed, const float *bias, size_t outputs, size_t inputs, float *y) {
  DISPATCH(multiply(x, rows, packed, bias, outputs, inputs, y));
}

void assist_gelu(float *values, size_t count) { DISPATCH(gelu(values, count)); }

void assist_attend(const float *triples, size_t rows, size_t heads, float *scratch, float *result) {
  DISPATCH(attend(triples, rows, heads, scratch, result));
}

int32_t assist_dot(const int8_t *a, const int8_t *b, size_t count) { DISPATCH(dot(a, b, count)); }

void assist_normalize(
    float *values, const float *added, size_t rows, size_t width, const float *scale, const float *shift) {
  for (size_t row = 0; row < rows; row++) {
    float *line = values + row * width;
    const float *other = added ? added + row * width : NULL;
    float sum = 0, squares = 0;
    for (size_t i = 0; i < width; i++) {
      if (other) line[i] += other[i];
      sum += line[i];
    }
    const float mean = sum / width;
    for (size_t i = 0; i < width; i++) squares += (line[i] - mean) * (line[i] - mean);
    const float factor = 1 / sqrtf(squares / width + 1e-12f);
    for (size_t i = 0; i < width; i++) line[i] = (line[i] - mean) * factor * scale[i] + shift[i];
  }
}
