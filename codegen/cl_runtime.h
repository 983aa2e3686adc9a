/* ---- OpenCL 1.2: what is used of it, so that no header of OpenCL is needed */

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;

extern int clGetPlatformIDs(uint, cl_platform_id *, uint *);
extern int clGetPlatformInfo(cl_platform_id, uint, size_t, void *, size_t *);
extern int clGetDeviceIDs(cl_platform_id, ulong, uint, cl_device_id *, uint *);
extern int clGetDeviceInfo(cl_device_id, uint, size_t, void *, size_t *);
extern cl_context clCreateContext(const intptr_t *, uint, const cl_device_id *,
                                  void (*)(const char *, const void *, size_t, void *), void *,
                                  int *);
extern int clReleaseContext(cl_context);
extern cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, ulong, int *);
extern int clReleaseCommandQueue(cl_command_queue);
extern cl_program clCreateProgramWithSource(cl_context, uint, const char **, const size_t *, int *);
extern int clBuildProgram(cl_program, uint, const cl_device_id *, const char *,
                          void (*)(cl_program, void *), void *);
extern int clGetProgramBuildInfo(cl_program, cl_device_id, uint, size_t, void *, size_t *);
extern int clReleaseProgram(cl_program);
extern cl_kernel clCreateKernel(cl_program, const char *, int *);
extern int clReleaseKernel(cl_kernel);
extern int clSetKernelArg(cl_kernel, uint, size_t, const void *);
extern int clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, uint, size_t, void *, size_t *);
extern cl_mem clCreateBuffer(cl_context, ulong, size_t, void *, int *);
extern int clReleaseMemObject(cl_mem);
extern int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, uint, const size_t *, const size_t *,
                                  const size_t *, uint, const cl_event *, cl_event *);
extern int clEnqueueReadBuffer(cl_command_queue, cl_mem, uint, size_t, size_t, void *, uint,
                               const cl_event *, cl_event *);
extern int clEnqueueWriteBuffer(cl_command_queue, cl_mem, uint, size_t, size_t, const void *, uint,
                                const cl_event *, cl_event *);
extern int clFinish(cl_command_queue);

enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_TYPE_CPU = 1 << 1,
    CL_TYPE_GPU = 1 << 2,
    CL_EXACT_DIVIDE = 1 << 7, /* CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT */
    CL_READ_WRITE = 1 << 0,
    CL_READ_ONLY = 1 << 2,
    CL_USE_HOST = 1 << 3,
    CL_COPY_HOST = 1 << 5,
    CL_WORK_GROUP_SIZE = 0x11B0,
    CL_BUILD_LOG = 0x1183,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_NO_MEMORY = -4, /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
    CL_BUFFER_SIZE = -61,
};

/* ---- a context: a device, and what is shared by the calls of one thread */

struct rt_context {
    int64_t live, peak; /* bytes held by blocks; the most there were since the last call began */
    int entry, check;   /* of the last trap: which entry point, and which of its checks, from 1 */
    int64_t words[FM_WORDS];
    char message[4096];
    cl_device_id device; /* NULL until the context is opened */
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[FM_KERNELS];
    cl_kernel kernel; /* the one whose arguments are being set */
    int wrong;        /* the first error while they were set */
    cl_mem status;
    long number;  /* of the last launch that can fail */
    bool dirty;   /* a kernel may have written to the status buffer since it was read */
    bool failed;  /* the status buffer must be cleared */
    bool gpu, cpu;
    uint units;
    long launched;
};

static int rt_error(struct rt_context *c, int error, const char *what)
{
    const bool memory = error == CL_NO_MEMORY || error == CL_OUT_OF_RESOURCES ||
                        error == CL_OUT_OF_HOST_MEMORY || error == CL_BUFFER_SIZE;
    snprintf(c->message, sizeof c->message, "%s failed: OpenCL's error %d", what, error);
    return memory ? FM_MEMORY : FM_DEVICE;
}

/* True if `part` occurs in a text, whatever the case of ASCII letters is. */
static bool rt_occurs(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t k = 0;
        while (part[k] && (text[k] | 32) == (part[k] | 32))
            k++;
        if (!part[k])
            return true;
    }
    return !*part;
}

/* Finds the device: by its number among all devices, or by a part of its own name or of its
   platform's name.  Without a name: a GPU, then PoCL, then another one, and never a simulator. */
static int rt_find(struct rt_context *c, const char *wanted)
{
    cl_platform_id platforms[16];
    uint count = 0, number = 0;
    int best = -1;
    char *end = NULL;
    const long index = wanted ? strtol(wanted, &end, 10) : 0;
    const bool numbered = wanted && *wanted && !*end;
    if (clGetPlatformIDs(16, platforms, &count) || count == 0) {
        snprintf(c->message, sizeof c->message, "no OpenCL platform was found");
        return FM_DEVICE;
    }
    for (uint p = 0; p < count && p < 16; p++) {
        cl_device_id devices[16];
        uint some = 0;
        if (clGetDeviceIDs(platforms[p], ~0u, 16, devices, &some))
            continue;
        for (uint d = 0; d < some && d < 16; d++, number++) {
            char name[1024] = "";
            ulong type = 0;
            clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, 500, name, NULL);
            const bool pocl = rt_occurs(name, "Portable Computing Language");
            const size_t at = strlen(name);
            name[at] = ' ';
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, 500, name + at + 1, NULL);
            clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
            const bool gpu = (type & CL_TYPE_GPU) && !(type & CL_TYPE_CPU);
            const int rank = rt_occurs(name, "oclgrind") ? -1 : gpu ? 2 : pocl;
            const bool this = numbered ? index == number : wanted && rt_occurs(name, wanted);
            if (wanted ? this && !c->device : rank > best) {
                best = rank;
                c->device = devices[d];
                c->gpu = gpu;
                c->cpu = !gpu && rank >= 0;
            }
        }
    }
    if (c->device)
        return FM_OK;
    snprintf(c->message, sizeof c->message, "no OpenCL device is called `%s`",
             wanted ? wanted : "");
    return FM_DEVICE;
}

/* Builds the kernels for the device. */
static int rt_build(struct rt_context *c)
{
    int error = 0;
    ulong config = 0;
    char extensions[8192] = "";
    clGetDeviceInfo(c->device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    if (FM_F64 && !rt_occurs(extensions, "cl_khr_fp64")) {
        snprintf(c->message, sizeof c->message, "the program uses f64, which the device has not");
        return FM_DEVICE;
    }
    clGetDeviceInfo(c->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    clGetDeviceInfo(c->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof c->units, &c->units, NULL);
    c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &error);
    if (error)
        return rt_error(c, error, "opening the device");
    c->queue = clCreateCommandQueue(c->context, c->device, 0, &error);
    if (error)
        return rt_error(c, error, "opening the device");
    const uint lines = sizeof rt_source / sizeof rt_source[0];
    c->program = clCreateProgramWithSource(c->context, lines, (const char **)rt_source, NULL, &error);
    if (error)
        return rt_error(c, error, "reading the kernels");
    error = clBuildProgram(c->program, 1, &c->device, rt_options[(config & CL_EXACT_DIVIDE) != 0],
                           NULL, NULL);
    if (error) {
        const int written = snprintf(c->message, sizeof c->message,
                                     "building the kernels failed: OpenCL's error %d\n", error);
        clGetProgramBuildInfo(c->program, c->device, CL_BUILD_LOG,
                              sizeof c->message - written - 1, c->message + written, NULL);
        return FM_DEVICE;
    }
    int64_t zeros[FM_STATUS] = {0};
    c->status = clCreateBuffer(c->context, CL_READ_WRITE | CL_COPY_HOST, sizeof zeros, zeros, &error);
    return error ? rt_error(c, error, "a buffer") : FM_OK;
}

static void rt_close(struct rt_context *c)
{
    if (c->queue)
        clFinish(c->queue);
    for (int k = 0; k < FM_KERNELS; k++)
        if (c->kernels[k])
            clReleaseKernel(c->kernels[k]);
    if (c->status)
        clReleaseMemObject(c->status);
    if (c->program)
        clReleaseProgram(c->program);
    if (c->queue)
        clReleaseCommandQueue(c->queue);
    if (c->context)
        clReleaseContext(c->context);
    memset(c->kernels, 0, sizeof c->kernels);
    c->device = NULL, c->status = NULL, c->program = NULL, c->queue = NULL, c->context = NULL;
    c->gpu = c->cpu = c->dirty = c->failed = false;
}

static int rt_open(struct rt_context *c, const char *wanted)
{
    rt_close(c);
    if (!wanted)
        wanted = getenv("FUNMEM_DEVICE");
    int code = rt_find(c, wanted && *wanted ? wanted : NULL);
    if (code == FM_OK)
        code = rt_build(c);
    if (code != FM_OK)
        rt_close(c);
    return code;
}

/* Begins a call. */
static int rt_start(struct rt_context *c)
{
    if (!c->device) {
        const int code = rt_open(c, NULL);
        if (code != FM_OK)
            return code;
    }
    if (c->failed || c->dirty) {
        const int64_t zeros[FM_STATUS] = {0};
        const int error =
            clEnqueueWriteBuffer(c->queue, c->status, 1, 0, sizeof zeros, zeros, 0, NULL, NULL);
        if (error)
            return rt_error(c, error, "clearing the status");
        c->failed = c->dirty = false;
    }
    return FM_OK;
}

/* Ends a call: kernels may use its arguments until they have run. */
static void rt_finish(struct rt_context *c)
{
    if (c->queue)
        clFinish(c->queue);
}

static __attribute__((cold, unused)) int rt_interrupted(struct rt_context *c)
{
    snprintf(c->message, sizeof c->message, "interrupted");
    return FM_INTERRUPTED;
}

/* Waits for the kernels that can fail, and copies the status. */
static __attribute__((unused)) int rt_sync(struct rt_context *c, long *status, size_t bytes)
{
    if (!c->dirty)
        return FM_OK;
    const int error = clEnqueueReadBuffer(c->queue, c->status, 1, 0, bytes, status, 0, NULL, NULL);
    if (error)
        return rt_error(c, error, "reading the status");
    c->dirty = false;
    c->failed = status[0] != 0;
    return FM_OK;
}

/* ---- blocks */

typedef struct {
    cl_mem data;
    int64_t size;
    int holders;
} rt_block;

static int rt_made(struct rt_context *c, rt_block **x, int64_t size, ulong flags, void *host)
{
    int error = 0;
    rt_block *b = calloc(1, sizeof *b);
    if (b)
        b->data = clCreateBuffer(c->context, flags, size > 0 ? size : 1, host, &error);
    if (!b || error) {
        free(b);
        if (size == INT64_MAX)
            snprintf(c->message, sizeof c->message, "a block's size does not fit 64 bits");
        else
            snprintf(c->message, sizeof c->message, "no memory for a block of %lld bytes",
                     (long long)size);
        return FM_MEMORY;
    }
    b->size = size;
    b->holders = 1;
    *x = b;
    c->live += size;
    if (c->live > c->peak)
        c->peak = c->live;
    return FM_OK;
}

/* A variable holds its block no longer. */
static void rt_drop(struct rt_context *c, rt_block **x)
{
    rt_block *b = *x;
    *x = NULL;
    if (!b || --b->holders > 0)
        return;
    c->live -= b->size;
    clReleaseMemObject(b->data);
    free(b);
}

static inline void rt_alias(struct rt_context *c, rt_block **x, rt_block *y)
{
    if (y)
        y->holders++;
    rt_drop(c, x);
    *x = y;
}

/* x holds a new block of `size` bytes; the greatest size stands for all that do not fit 64 bits. */
static inline int rt_alloc(struct rt_context *c, rt_block **x, int64_t size)
{
    rt_drop(c, x);
    return rt_made(c, x, size > 0 ? size : 0, CL_READ_WRITE, NULL);
}

/* x holds an argument of `size` bytes: its own memory if the device can use that and kernels only
   read it, or else a copy. */
static inline int rt_take(struct rt_context *c, rt_block **x, const void *data, int64_t size,
                          bool copy)
{
    if (size <= 0)
        return rt_alloc(c, x, 0);
    const ulong flags = c->cpu && !copy ? CL_READ_ONLY | CL_USE_HOST : CL_READ_WRITE | CL_COPY_HOST;
    return rt_made(c, x, size, flags, (void *)data);
}

static inline int rt_read(struct rt_context *c, const rt_block *b, int64_t at, int64_t size,
                          void *out)
{
    const int error = clEnqueueReadBuffer(c->queue, b->data, 1, at, size, out, 0, NULL, NULL);
    return error ? rt_error(c, error, "reading a block") : FM_OK;
}

/* The caller gets the first `size` bytes of a block, in memory of the host. */
static inline int rt_give(struct rt_context *c, rt_block **x, int64_t size, bool last, void **out)
{
    (void)last;
    if (size > 0 && (!*x || (*x)->size < size)) {
        snprintf(c->message, sizeof c->message, "a block is smaller than the array in it");
        return FM_BLOCK;
    }
    if (!(*out = malloc(size > 0 ? size : 1))) {
        snprintf(c->message, sizeof c->message, "no memory for a result of %lld bytes",
                 (long long)size);
        return FM_MEMORY;
    }
    return size > 0 ? rt_read(c, *x, 0, size, *out) : FM_OK;
}

/* ---- launches */

/* Begins the launch of a kernel over the product of `sizes`, which becomes `n`; 0 if there is
   nothing to run. */
static inline int rt_kernel(struct rt_context *c, int k, const long *sizes, int rank, long *n)
{
    *n = 1;
    for (int d = 0; d < rank; d++) {
        if (sizes[d] <= 0) {
            *n = 0;
            return FM_OK;
        }
        if (__builtin_mul_overflow(*n, sizes[d], n) || *n > INT64_MAX / 2) {
            snprintf(c->message, sizeof c->message, "a kernel has too many iterations");
            return FM_DEVICE;
        }
    }
    if (!c->kernels[k]) {
        int error = 0;
        c->kernels[k] = clCreateKernel(c->program, rt_kernels[k], &error);
        if (error)
            return rt_error(c, error, rt_kernels[k]);
    }
    c->kernel = c->kernels[k];
    c->wrong = 0;
    return FM_OK;
}

static inline void rt_argument(struct rt_context *c, int at, size_t size, const void *value)
{
    const int error = clSetKernelArg(c->kernel, at, size, value);
    if (error && !c->wrong)
        c->wrong = error;
}
#define FM_ARGUMENT(at, type, value)                           \
    do {                                                       \
        const type given = value;                              \
        rt_argument(context, at, sizeof given, &given);        \
    } while (0)
static inline void rt_memory_argument(struct rt_context *c, int at, const rt_block *b)
{
    const cl_mem data = b ? b->data : NULL;
    rt_argument(c, at, sizeof data, &data);
}
/* The number of the launch, and the status buffer. */
static inline void rt_status_arguments(struct rt_context *c, int at)
{
    const int64_t number = ++c->number;
    rt_argument(c, at, sizeof number, &number);
    rt_argument(c, at + 1, sizeof c->status, &c->status);
    c->dirty = true;
}

/* Runs the kernel.  grain: -1 for a task, which is one work-item; 0 if a work-item is one iteration;
   otherwise work-items share the iterations, each at least so many.  preferred: the program's choice
   of the work-items in a group, or 0. */
static inline int rt_launch(struct rt_context *c, long n, long grain, long preferred)
{
    size_t group = 1, items = 1, most = 0;
    if (c->wrong)
        return rt_error(c, c->wrong, "an argument of a kernel");
    if (grain > 0) {
        group = FM_GROUP > 0 ? FM_GROUP : 1;
        const size_t limit = FM_GROUPS > 0 ? FM_GROUPS * group : 16 * (size_t)c->units;
        items = (size_t)(n / grain) < limit ? (size_t)(n / grain) : limit;
    } else if (grain == 0) {
        items = n;
        if (preferred <= 0)
            preferred = c->gpu ? 256 : 64;
        if (FM_GROUP > 0)
            group = FM_GROUP;
        else if (c->gpu)
            group = n >= 1 << 16 || preferred < 64 ? preferred : 64;
        else
            group = n > 1024 ? preferred : 1;
    }
    clGetKernelWorkGroupInfo(c->kernel, c->device, CL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    group = most && group > most ? most : group;
    items = items < 1 ? group : (items + group - 1) / group * group;
    /* More groups than the limit run in several launches. */
    const size_t part = grain == 0 && FM_GROUPS > 0 ? FM_GROUPS * group : items;
    for (size_t at = 0; at < items; at += part) {
        const size_t some = items - at < part ? items - at : part;
        const int error =
            clEnqueueNDRangeKernel(c->queue, c->kernel, 1, &at, &some, &group, 0, NULL, NULL);
        if (error)
            return rt_error(c, error, "a launch");
    }
    if (++c->launched % 1024 == 0)
        clFinish(c->queue);
    return FM_OK;
}
