#ifndef ASSIST_KERNELS_H
#define ASSIST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// The arithmetic of the sentence encoder. It is in C because Swift cannot compile one function for several instruction sets.
// Each function exists for the instruction set of the build and, on x86-64, for AVX2 and AVX-512. The first call detects the
// instruction sets of the processor (runtime dispatch).

/// The number of outputs in a panel of a packed matrix. A panel has the weights of its outputs for one input side by side.
#define ASSIST_PANEL 32

/// Packs a matrix of `outputs` rows of `inputs` floats for `assist_multiply`. `packed` has room for `outputs` * `inputs`
/// floats, and `outputs` is a multiple of ASSIST_PANEL.
void assist_pack(const float *matrix, size_t outputs, size_t inputs, float *packed);

/// Computes y = x * transposed matrix + bias. `x` has `rows` rows of `inputs` floats, and `y` has `rows` rows of `outputs` floats.
void assist_multiply(
    const float *x, size_t rows, const float *packed, const float *bias, size_t outputs, size_t inputs, float *y);

/// Applies GELU to each value, in the exact form with the error function (absolute error below 1e-6).
void assist_gelu(float *values, size_t count);

/// Applies layer normalization to `rows` rows of `width` floats: normalized(row + added) * scale + shift. `added` may be null.
void assist_normalize(
    float *values, const float *added, size_t rows, size_t width, const float *scale, const float *shift);

/// Computes the attention of one text with `heads` heads of 32 floats. Each of the `rows` rows of `triples` has the queries of
/// all heads, then their keys, then their values. `scratch` has room for `rows` floats, and `result` for `rows` rows of
/// heads * 32 floats.
void assist_attend(const float *triples, size_t rows, size_t heads, float *scratch, float *result);

/// Returns the dot product of two vectors of 8-bit integers.
int32_t assist_dot(const int8_t *a, const int8_t *b, size_t count);

#endif
