// The memory bandwidth of one thread as STREAM measures it, over arrays far larger than the
// caches: a sum, which reads one array, and the triad a = b + s·c, which reads two and writes
// one (24 bytes an entry, as STREAM counts, without what is read in order to be written).
// Prints GB for a second of CPU time, the median of the given number of passes.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 21 * 1000 * 1000 }; // 168 MB an array

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int less(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static void tell(const char *what, double *seconds, int passes, double bytes) {
    qsort(seconds, passes, sizeof *seconds, less);
    printf("%s %.3f GB/cpu-s\n", what, 1e-9 * bytes * N / seconds[passes / 2]);
}

__attribute__((noinline)) static double sum(const double *a) {
    double s = 0;
    for (int i = 0; i < N; i++)
        s += a[i];
    return s;
}

__attribute__((noinline)) static void triad(double *restrict a, const double *restrict b, const double *restrict c, double s) {
    for (int i = 0; i < N; i++)
        a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv) {
    int passes = argc > 1 ? atoi(argv[1]) : 21;
    double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), *c = malloc(N * sizeof *c), *seconds = malloc(passes * sizeof *seconds);
    if (passes < 1 || !a || !b || !c || !seconds)
        return 1;
    for (int i = 0; i < N; i++)
        a[i] = 0, b[i] = i % 1000, c[i] = 1;
    volatile double keep = 0;
    for (int k = 0; k < passes; k++) {
        double t = now();
        keep += sum(b);
        seconds[k] = now() - t;
    }
    tell("sum", seconds, passes, 8);
    for (int k = 0; k < passes; k++) {
        double t = now();
        triad(a, b, c, k);
        seconds[k] = now() - t;
    }
    keep += a[N / 2];
    tell("triad", seconds, passes, 24);
    return 0;
}
