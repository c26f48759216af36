/* A host of one FMU (2.0, co-simulation) for Linux and Windows: it sets a force, moves 400 steps of 0.05 s, and prints the bits of two outputs.
   fmu_host LIBRARY RESOURCES GUID FORCE X V, the last three being references of variables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN(file) (void *)LoadLibraryA(file)
#define FIND(library, name) (void *)GetProcAddress((HMODULE)library, name)
#else
#include <dlfcn.h>
#define OPEN(file) dlopen(file, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

typedef struct { void *logger, *allocate, *release, *finished, *environment; } Callbacks;

#define LOAD(name, type, ...) \
    type (*name)(__VA_ARGS__) = (type (*)(__VA_ARGS__))FIND(library, "fmi2" #name); \
    if (!name) return 2

int main(int count, char **words) {
    void *library = count == 7 ? OPEN(words[1]) : NULL;
    if (!library) return 1;
    LOAD(Instantiate, void *, const char *, int, const char *, const char *, const Callbacks *, int, int);
    LOAD(SetupExperiment, int, void *, int, double, double, int, double);
    LOAD(EnterInitializationMode, int, void *);
    LOAD(ExitInitializationMode, int, void *);
    LOAD(DoStep, int, void *, double, double, int);
    LOAD(SetReal, int, void *, const unsigned *, size_t, const double *);
    LOAD(GetReal, int, void *, const unsigned *, size_t, double *);
    Callbacks none = {0};
    unsigned force = (unsigned)atoi(words[4]);
    unsigned shown[2] = {(unsigned)atoi(words[5]), (unsigned)atoi(words[6])};
    void *c = Instantiate("one", 1, words[3], words[2], &none, 0, 0);
    if (!c) return 3;
    if (SetupExperiment(c, 0, 0, 0, 1, 2) || EnterInitializationMode(c) || ExitInitializationMode(c)) return 4;
    for (int k = 0; k < 400; k++) {
        double u = (k % 7) - 3.0, values[2];
        uint64_t bits[2];
        if (SetReal(c, &force, 1, &u) || DoStep(c, 0.05 * k, 0.05, 1) || GetReal(c, shown, 2, values)) return 5;
        memcpy(bits, values, sizeof bits);
        printf("%016" PRIx64 " %016" PRIx64 "\n", bits[0], bits[1]);
    }
    return 0;
}
