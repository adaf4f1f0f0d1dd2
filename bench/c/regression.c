/* The gradient of the Lorenz regression by BLAS: a baseline of `make bench`.
 * Rows of a minibatch Θ (4096 × 5), coefficients B (5 × 3), responses Y (4096 × 3):
 * R = ΘB − Y, then ΘᵀR and the sum of squares of R, for two rungs one after the
 * other. Once the rows lie ready (dgemm; three pairs of dgemv), once they are drawn
 * from 10001 and gathered first, once for both rungs, as a sampler must.
 *
 *   regression TIMES   prints nanoseconds and GFLOP/s of one rung's gradient,
 *                      counting the 4·4096·5·3 operations of the two products
 */
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 10001, BATCH = 4096, K = 5, C = 3, RUNGS = 2 };
static double theta[ROWS * K], y[ROWS * C];
static double t[BATCH * K], yt[BATCH * C], r[BATCH * C], b[RUNGS][K * C], g[RUNGS][K * C], energy[RUNGS];
static uint64_t state = 1;

static uint64_t bits(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void gather(void) {
    for (int i = 0; i < BATCH; i++) {
        uint64_t row = (uint64_t)((unsigned __int128)bits() * ROWS >> 64);
        memcpy(t + i * K, theta + row * K, K * sizeof *t);
        memcpy(yt + i * C, y + row * C, C * sizeof *yt);
    }
}

static void by_gemm(int rung) {
    memcpy(r, yt, sizeof r);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, BATCH, C, K, 1, t, K, b[rung], C, -1, r, C);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, K, C, BATCH, 1, t, K, r, C, 0, g[rung], C);
    energy[rung] = cblas_ddot(BATCH * C, r, 1, r, 1);
}

static void by_gemv(int rung) {
    memcpy(r, yt, sizeof r);
    for (int c = 0; c < C; c++) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, BATCH, K, 1, t, K, b[rung] + c, C, -1, r + c, C);
        cblas_dgemv(CblasRowMajor, CblasTrans, BATCH, K, 1, t, K, r + c, C, 0, g[rung] + c, C);
    }
    energy[rung] = cblas_ddot(BATCH * C, r, 1, r, 1);
}

static void measure(const char *name, void (*gradient)(int), void (*prepare)(void), long times) {
    struct timespec a, z;
    double sum = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (long n = 0; n < times; n++) {
        if (prepare) prepare();
        for (int k = 0; k < RUNGS; k++) {
            gradient(k);
            sum += energy[k] + g[k][0];
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &z);
    double ns = ((z.tv_sec - a.tv_sec) * 1e9 + (z.tv_nsec - a.tv_nsec)) / (double)(times * RUNGS);
    printf("bench/c/%s %.0f ns/gradient %.2f GFLOP/s (sum %g)\n", name, ns, 4.0 * BATCH * K * C / ns, sum);
}

int main(int argc, char **argv) {
    long times = argc > 1 ? strtol(argv[1], 0, 10) : 10000;
    for (int i = 0; i < ROWS * K; i++) theta[i] = (double)(bits() >> 11) * 0x1p-53 - 0.5;
    for (int i = 0; i < ROWS * C; i++) y[i] = (double)(bits() >> 11) * 0x1p-53 - 0.5;
    for (int k = 0; k < RUNGS; k++)
        for (int i = 0; i < K * C; i++) b[k][i] = (double)(bits() >> 11) * 0x1p-53 - 0.5;
    gather();
    measure("dgemm", by_gemm, 0, times);
    measure("dgemv", by_gemv, 0, times);
    measure("dgemm-gathered", by_gemm, gather, times);
    return 0;
}
