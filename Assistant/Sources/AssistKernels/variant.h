// One variant of the kernels. kernels.c includes it once for each instruction set and defines NAME(x), TARGET, ROWS (the number
// of rows of a tile) and PANEL_PARTS (the number of parts of a panel), so that the sums of a tile fit into the registers.

typedef float NAME(panel) __attribute__((vector_size(ASSIST_PANEL / PANEL_PARTS * 4), aligned(4)));

#define WIDTH (ASSIST_PANEL / PANEL_PARTS)

// A tile of `count` rows, at most ROWS, by WIDTH outputs. `count` is a constant after inlining, so the sums stay in registers.
TARGET static inline __attribute__((always_inline)) void NAME(tile)(
    const float *x, size_t count, const float *panel, const float *bias, size_t outputs, size_t inputs, float *y) {
  NAME(panel) sums[ROWS];
  const NAME(panel) start = *(const NAME(panel) *)bias;
#pragma clang loop unroll(full)
  for (size_t row = 0; row < count; row++) sums[row] = start;
  for (size_t k = 0; k < inputs; k++) {
    const NAME(panel) weights = *(const NAME(panel) *)(panel + k * ASSIST_PANEL);
#pragma clang loop unroll(full)
    for (size_t row = 0; row < count; row++) sums[row] += weights * x[row * inputs + k];
  }
#pragma clang loop unroll(full)
  for (size_t row = 0; row < count; row++) *(NAME(panel) *)(y + row * outputs) = sums[row];
}

TARGET static void NAME(multiply)(
    const float *x, size_t rows, const float *packed, const float *bias, size_t outputs, size_t inputs, float *y) {
  for (size_t column = 0; column < outputs; column += WIDTH) {
    const float *panel = packed + column / ASSIST_PANEL * ASSIST_PANEL * inputs + column % ASSIST_PANEL;
    size_t row = 0;
    for (; row + ROWS <= rows; row += ROWS)
      NAME(tile)(x + row * inputs, ROWS, panel, bias + column, outputs, inputs, y + row * outputs + column);
    for (; row + 4 <= rows; row += 4)
      NAME(tile)(x + row * inputs, 4, panel, bias + column, outputs, inputs, y + row * outputs + column);
    for (; row < rows; row++)
      NAME(tile)(x + row * inputs, 1, panel, bias + column, outputs, inputs, y + row * outputs + column);
  }
}

// Returns e^x for x <= 0 as 2^n times a polynomial, with a relative error below 1e-6. There is no branch, so that the compiler
// can vectorize loops over it.
TARGET static inline __attribute__((always_inline)) float NAME(exponential)(float x) {
  const float scaled = (x < -87 ? -87 : x) * 1.44269504f;
  const int32_t whole = (int32_t)(scaled - 0.5f);
  const float rest = (scaled - (float)whole) * 0.69314718f;
  const float cubic = 0.16666667f + rest * (0.041666667f + rest * (0.0083333333f + rest * 0.0013888889f));
  const union { int32_t bits; float value; } power = { (whole + 127) << 23 };
  return (1 + rest * (1 + rest * (0.5f + rest * cubic))) * power.value;
}

// GELU with the error function by formula 7.1.26 of Abramowitz and Stegun (absolute error below 1.5e-7).
TARGET static void NAME(gelu)(float *values, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const float x = values[i], z = (x < 0 ? -x : x) * 0.70710678f;
    const float t = 1 / (1 + 0.3275911f * z);
    const float cubic = 1.421413741f + t * (-1.453152027f + t * 1.061405429f);
    const float tail = t * (0.254829592f + t * (-0.284496736f + t * cubic)) * NAME(exponential)(-z * z);
    values[i] = 0.5f * x * (x < 0 ? tail : 2 - tail);
  }
}

TARGET static void NAME(attend)(const float *triples, size_t rows, size_t heads, float *scores, float *result) {
  typedef float sixteen __attribute__((vector_size(64), aligned(4)));
  const size_t width = 32 * heads, stride = 3 * width;
  for (size_t head = 0; head < width; head += 32) {
    const float *keys = triples + width + head, *values = keys + width;
    for (size_t row = 0; row < rows; row++) {
      const sixteen *query = (const sixteen *)(triples + row * stride + head);
      float greatest = -INFINITY, sum = 0;
      for (size_t other = 0; other < rows; other++) {
        const sixteen *key = (const sixteen *)(keys + other * stride);
        sixteen product = query[0] * key[0] + query[1] * key[1];
        float score = 0;
        for (size_t i = 0; i < 16; i++) score += product[i];
        scores[other] = score * 0.17677670f;  // 1 / sqrt(32), for heads of 32 floats
        greatest = scores[other] > greatest ? scores[other] : greatest;
      }
      for (size_t other = 0; other < rows; other++) scores[other] = NAME(exponential)(scores[other] - greatest);
      sixteen first = {0}, second = {0};
      for (size_t other = 0; other < rows; other++) {
        const sixteen *value = (const sixteen *)(values + other * stride);
        sum += scores[other];
        first += value[0] * scores[other];
        second += value[1] * scores[other];
      }
      sixteen *output = (sixteen *)(result + row * width + head);
      output[0] = first / sum;
      output[1] = second / sum;
    }
  }
}

TARGET static int32_t NAME(dot)(const int8_t *a, const int8_t *b, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (int32_t)a[i] * (int32_t)b[i];
  return sum;
}

#undef WIDTH
