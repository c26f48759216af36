/* A small importer of one FMU (2.0, co-simulation) for Linux and Windows, with two uses that go by the number of references:
   importer LIBRARY RESOURCES GUID FORCE X      for tools that watch memory: two instances, states kept and written down, what is refused
   importer LIBRARY RESOURCES GUID FORCE X V    sets a force, moves 400 steps of 0.05 s, and prints the bits of two outputs
   FORCE, X and V are references of variables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN(file) (void *)LoadLibraryA(file)
#define FIND(library, name) (void *)GetProcAddress((HMODULE)library, name)
#define CLOSE(library) FreeLibrary((HMODULE)library)
#else
#include <dlfcn.h>
#define OPEN(file) dlopen(file, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#define CLOSE(library) dlclose(library)
#endif

typedef struct { void *logger, *allocate, *release, *finished, *environment; } Callbacks;

#define FUNCTION(name, type, ...) static type (*name)(__VA_ARGS__)
#define LOAD(name) \
    *(void **)&name = FIND(library, "fmi2" #name); \
    if (!name) return 2

FUNCTION(Instantiate, void *, const char *, int, const char *, const char *, const Callbacks *, int, int);
FUNCTION(SetupExperiment, int, void *, int, double, double, int, double);
FUNCTION(EnterInitializationMode, int, void *);
FUNCTION(ExitInitializationMode, int, void *);
FUNCTION(DoStep, int, void *, double, double, int);
FUNCTION(SetReal, int, void *, const unsigned *, size_t, const double *);
FUNCTION(GetReal, int, void *, const unsigned *, size_t, double *);
FUNCTION(GetFMUstate, int, void *, void **);
FUNCTION(SetFMUstate, int, void *, void *);
FUNCTION(FreeFMUstate, int, void *, void **);
FUNCTION(SerializedFMUstateSize, int, void *, void *, size_t *);
FUNCTION(SerializeFMUstate, int, void *, void *, char *, size_t);
FUNCTION(DeSerializeFMUstate, int, void *, const char *, size_t, void **);
FUNCTION(Reset, int, void *);
FUNCTION(FreeInstance, void, void *);

static const Callbacks none = {0};

/* An instance that moves, or NULL. */
static void *begun(const char *name, char **words, double end) {
    void *c = Instantiate(name, 1, words[3], words[2], &none, 0, 0);
    if (!c) return NULL;
    return SetupExperiment(c, 0, 0, 0, 1, end) || EnterInitializationMode(c) || ExitInitializationMode(c) ? NULL : c;
}

/* Prints the bits of two outputs. */
static int moved(char **words) {
    unsigned force = (unsigned)atoi(words[4]);
    unsigned shown[2] = {(unsigned)atoi(words[5]), (unsigned)atoi(words[6])};
    void *c = begun("one", words, 2);
    if (!c) return 4;
    for (int k = 0; k < 400; k++) {
        double u = (k % 7) - 3.0, values[2];
        uint64_t bits[2];
        if (SetReal(c, &force, 1, &u) || DoStep(c, 0.05 * k, 0.05, 1) || GetReal(c, shown, 2, values)) return 5;
        memcpy(bits, values, sizeof bits);
        printf("%016" PRIx64 " %016" PRIx64 "\n", bits[0], bits[1]);
    }
    FreeInstance(c);
    return 0;
}

/* Two instances: one goes on from a state of the other that was written down. */
static int watched(char **words) {
    unsigned force = (unsigned)atoi(words[4]), x = (unsigned)atoi(words[5]);
    if (Instantiate("wrong", 1, "{another}", words[2], &none, 0, 0)) return 3;
    void *c[2] = {begun("one", words, 40), begun("two", words, 40)};
    if (!c[0] || !c[1]) return 4;
    void *kept = NULL, *read = NULL;
    double u, first, second;
    for (int k = 0; k < 60; k++) {
        u = 0.1 * (k % 7);
        if (SetReal(c[0], &force, 1, &u) || DoStep(c[0], 0.1 * k, 0.1, 1)) return 5;
        if (k == 29 && GetFMUstate(c[0], &kept)) return 6;
    }
    GetReal(c[0], &x, 1, &first);
    size_t size = 0;
    if (SerializedFMUstateSize(c[0], kept, &size)) return 7;
    char *bytes = malloc(size);
    if (SerializeFMUstate(c[0], kept, bytes, size) || DeSerializeFMUstate(c[1], bytes, size, &read)) return 8;
    if (SetFMUstate(c[1], read)) return 9;
    for (int k = 30; k < 60; k++) {
        u = 0.1 * (k % 7);
        if (SetReal(c[1], &force, 1, &u) || DoStep(c[1], 0.1 * k, 0.1, 1)) return 10;
    }
    GetReal(c[1], &x, 1, &second);
    if (first != second) return 11;
    u = NAN;
    void *wrong = NULL;
    if (SetReal(c[0], &force, 1, &u) != 3 || DoStep(c[0], 6.0, 0.0, 1) != 2) return 12;
    if (DeSerializeFMUstate(c[0], bytes, size - 3, &wrong) != 3) return 13;
    free(bytes);
    FreeFMUstate(c[0], &kept);
    FreeFMUstate(c[1], &read);
    Reset(c[0]);
    FreeInstance(c[0]);
    FreeInstance(c[1]);
    return 0;
}

int main(int count, char **words) {
    void *library = count == 6 || count == 7 ? OPEN(words[1]) : NULL;
    if (!library) return 1;
    LOAD(Instantiate);
    LOAD(SetupExperiment);
    LOAD(EnterInitializationMode);
    LOAD(ExitInitializationMode);
    LOAD(DoStep);
    LOAD(SetReal);
    LOAD(GetReal);
    LOAD(GetFMUstate);
    LOAD(SetFMUstate);
    LOAD(FreeFMUstate);
    LOAD(SerializedFMUstateSize);
    LOAD(SerializeFMUstate);
    LOAD(DeSerializeFMUstate);
    LOAD(Reset);
    LOAD(FreeInstance);
    int ended = count == 6 ? watched(words) : moved(words);
    CLOSE(library);
    return ended;
}
