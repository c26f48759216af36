// Fails, or kills, at the n-th call of a kind: preloaded into the program by `faults.rs`.
//
// FAULT_CALL   open, read, write, rename, link, unlink; on files below the working directory. Or malloc, thread or mmap
// FAULT_AT     which call: 1 is the first one, 0 none, -N the first N
// FAULT_SIGNAL the signal that comes instead of an error; 0 for an error
// FAULT_COUNT  a file to which the number of calls is written at the end
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *call = "";
static long at = 0, number = 0, seen = 0;
static char folder[4096];

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_CALL");
    at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
    number = getenv("FAULT_SIGNAL") ? atol(getenv("FAULT_SIGNAL")) : 0;
    if (!getcwd(folder, sizeof folder)) folder[0] = 0;
    if (text) call = text;
}

__attribute__((destructor)) static void end(void) {
    const char *name = getenv("FAULT_COUNT");
    int file = name ? syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, 0600) : -1;
    char text[32];
    if (file >= 0) syscall(SYS_write, file, text, snprintf(text, sizeof text, "%ld", seen));
}

// Whether this call is the one.
static int strikes(const char *name) {
    if (strcmp(call, name) != 0) return 0;
    long now = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
    if (at > 0 ? now != at : now > -at || !at) return 0;
    if (number) { kill(getpid(), number); usleep(50000); return 0; }
    return 1;
}

static int below(const char *path) {
    return path[0] != '/' || (folder[0] && strncmp(path, folder, strlen(folder)) == 0);
}

static int is_below(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path[0] == '/' && below(path);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (below(path) && strikes("open")) { errno = EACCES; return -1; }
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int file, void *into, size_t length) {
    REAL(read);
    if (is_below(file) && strikes("read")) { errno = EIO; return -1; }
    return real(file, into, length);
}

ssize_t write(int file, const void *from, size_t length) {
    REAL(write);
    if (is_below(file) && strikes("write")) { errno = ENOSPC; return -1; }
    return real(file, from, length);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (below(to) && strikes("rename")) { errno = EIO; return -1; }
    return real(from, to);
}

int linkat(int from_folder, const char *from, int folder, const char *to, int flags) {
    if (below(to) && strikes("link")) { errno = EIO; return -1; }
    return syscall(SYS_linkat, from_folder, from, folder, to, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *with) {
    REAL(pthread_create);
    if (strikes("thread")) return EAGAIN;
    return real(thread, how, work, with);
}

int unlink(const char *path) {
    REAL(unlink);
    if (below(path) && strikes("unlink")) { errno = EIO; return -1; }
    return real(path);
}

// What Rust asks for where a thread begins: the stack for its handler of overflows. The C library's own calls do not come here.
void *mmap64(void *place, size_t size, int access, int how, int file, off64_t from) {
    REAL(mmap64);
    if (strikes("mmap")) { errno = ENOMEM; return MAP_FAILED; }
    return real(place, size, access, how, file, from);
}

extern void *__libc_malloc(size_t);

void *malloc(size_t size) {
    if (strikes("malloc")) { errno = ENOMEM; return NULL; }
    return __libc_malloc(size);
}
