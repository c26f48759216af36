/* A small importer, for tools that watch memory: two instances, states kept and written down, what is refused.
   importer LIBRARY RESOURCES GUID FORCE X, the last two being references of variables. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

typedef struct { void *logger, *allocate, *release, *finished, *environment; } Callbacks;

#define LOAD(name, type, ...) type (*name)(__VA_ARGS__) = (type (*)(__VA_ARGS__))dlsym(library, "fmi2" #name)

int main(int count, char **words) {
    void *library = count == 6 ? dlopen(words[1], RTLD_NOW) : NULL;
    if (!library) return 1;
    LOAD(Instantiate, void *, const char *, int, const char *, const char *, const Callbacks *, int, int);
    LOAD(SetupExperiment, int, void *, int, double, double, int, double);
    LOAD(EnterInitializationMode, int, void *);
    LOAD(ExitInitializationMode, int, void *);
    LOAD(DoStep, int, void *, double, double, int);
    LOAD(SetReal, int, void *, const unsigned *, size_t, const double *);
    LOAD(GetReal, int, void *, const unsigned *, size_t, double *);
    LOAD(GetFMUstate, int, void *, void **);
    LOAD(SetFMUstate, int, void *, void *);
    LOAD(FreeFMUstate, int, void *, void **);
    LOAD(SerializedFMUstateSize, int, void *, void *, size_t *);
    LOAD(SerializeFMUstate, int, void *, void *, char *, size_t);
    LOAD(DeSerializeFMUstate, int, void *, const char *, size_t, void **);
    LOAD(Reset, int, void *);
    LOAD(FreeInstance, void, void *);
    Callbacks none = {0};
    unsigned force = (unsigned)atoi(words[4]), x = (unsigned)atoi(words[5]);
    void *c[2];
    if (Instantiate("wrong", 1, "{another}", words[2], &none, 0, 0)) return 2;
    for (int i = 0; i < 2; i++) {
        c[i] = Instantiate(i ? "two" : "one", 1, words[3], words[2], &none, 0, 0);
        if (!c[i]) return 3;
        if (SetupExperiment(c[i], 0, 0, 0, 1, 40) || EnterInitializationMode(c[i]) || ExitInitializationMode(c[i])) return 4;
    }
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
    dlclose(library);
    return 0;
}
