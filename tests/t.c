/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/t.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"

#define NR_FDS     1024
#define NR_FOLDERS 32

/* What the child with the case tells the parent: a page that both see, and that a crash spares. */
struct outcome {
	int nr_checks;
	int nr_failed;
	bool is_ended;
	bool is_skipped;
	char reason[256];
	int nr_folders;
	char folders[NR_FOLDERS][64];
};

static struct outcome *outcome;

/* Read by AddressSanitizer: what happens without memory is ours to test, not its to report. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* A failure is a TAP comment; so are its further lines. */
static bool fail(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);

static bool fail(const char *file, int line, const char *format, ...)
{
	scoped(free) char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		abort();
	}
	va_end(args);
	outcome->nr_checks++;
	outcome->nr_failed++;
	/* To stderr, as Perl's diag(): meson shows that of a failed test, and hides the TAP. */
	fprintf(stderr, "# %s:%d: ", file, line);
	for (const char *at = text; *at; at++) {
		fputs(*at == '\n' ? "\n#\t" : (char[]){ *at, '\0' }, stderr);
	}
	fputc('\n', stderr);
	return false;
}

static bool hold(void)
{
	outcome->nr_checks++;
	return true;
}

bool t_check(const char *file, int line, const char *text, bool holds)
{
	return holds ? hold() : fail(file, line, "does not hold: %s", text);
}

bool t_check_int(const char *file, int line, const char *text, int64_t actual, int64_t expected)
{
	return actual == expected ? hold()
				  : fail(file, line, "%s\nis %" PRId64 ", expected %" PRId64, text,
					 actual, expected);
}

bool t_check_text(const char *file, int line, const char *text, const char *actual,
		  const char *expected)
{
	if (actual && expected ? strcmp(actual, expected) == 0 : actual == expected) {
		return hold();
	}
	return fail(file, line, "%s\nis       %s%s%s\nexpected %s%s%s", text, actual ? "\"" : "",
		    actual ? actual : "NULL", actual ? "\"" : "", expected ? "\"" : "",
		    expected ? expected : "NULL", expected ? "\"" : "");
}

bool t_check_near(const char *file, int line, const char *text, double actual, double expected,
		  double tolerance)
{
	/* Written so that a NaN fails. */
	return fabs(actual - expected) <= tolerance
		       ? hold()
		       : fail(file, line, "%s\nis %.17g, expected %.17g within %g", text, actual,
			      expected, tolerance);
}

bool t_check_done(const char *file, int line, const char *text, bool is_done, const struct err *err)
{
	return is_done ? hold() : fail(file, line, "%s\nfailed: %s", text, err->message);
}

bool t_check_fails(const char *file, int line, const char *text, bool is_done,
		   const struct err *err, enum err_kind kind, const char *part)
{
	if (is_done) {
		return fail(file, line, "%s\nsucceeded, expected '%s'", text, part);
	}
	if (err->kind != kind || !strstr(err->message, part)) {
		return fail(file, line, "%s\nfailed with %s: %s\nexpected    %s: ...%s...", text,
			    err_face(err->kind)->name, err->message, err_face(kind)->name, part);
	}
	return hold();
}

void t_skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(outcome->reason, sizeof(outcome->reason), format, args);
	va_end(args);
	outcome->is_skipped = true;
}

char *t_source(const char *path)
{
	return mem_printf("%s/%s", T_SOURCE_ROOT, path);
}

char *t_shared(const char *path)
{
	const char *root = getenv("PATCHMETER_SHARED");
	scoped(free) char *found =
		mem_printf("%s/%s", root && *root ? root : T_SOURCE_ROOT "/../shared", path);

	return access(found, R_OK) == 0 ? move(&found) : NULL;
}

char *t_folder(void)
{
	char *folder;

	if (outcome->nr_folders == NR_FOLDERS) {
		bug("a case uses more than %d folders", NR_FOLDERS);
	}
	folder = outcome->folders[outcome->nr_folders];
	snprintf(folder, sizeof(outcome->folders[0]), "/tmp/patchmeter-test.XXXXXX");
	if (!mkdtemp(folder)) {
		bug("cannot make a folder '%s'", folder);
	}
	outcome->nr_folders++;
	return mem_strdup(folder);
}

static int remove_entry(const char *path, const struct stat *status UNUSED, int kind UNUSED,
			struct FTW *place UNUSED)
{
	return remove(path);
}

static void list_fds(bool is_open[NR_FDS])
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	memset(is_open, 0, NR_FDS * sizeof(*is_open));
	if (!folder) {
		bug("cannot list the open file descriptors");
	}
	while ((entry = readdir(folder))) {
		long fd = strtol(entry->d_name, NULL, 10);

		if (fd < NR_FDS && fd != dirfd(folder) && entry->d_name[0] != '.') {
			is_open[fd] = true;
		}
	}
	closedir(folder);
}

static void run_case(const struct t_case *row)
{
	bool before[NR_FDS];
	bool after[NR_FDS];

	list_fds(before);
	row->run();
	list_fds(after);
	for (int fd = 0; fd < NR_FDS; fd++) {
		if (after[fd] && !before[fd]) {
			char link[32];
			char target[128] = "";

			snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
			if (readlink(link, target, sizeof(target) - 1) < 0) {
				target[0] = '\0';
			}
			fail(row->promise, 0, "left file descriptor %d open: %s", fd, target);
		}
	}
}

/* Runs the case in a child.  The child leaves by exit(), so that LeakSanitizer has its say. */
static bool is_kept(const struct t_case *row)
{
	int status;
	pid_t child;

	*outcome = (struct outcome){ 0 };
	fflush(NULL);
	child = fork();
	if (child == 0) {
		run_case(row);
		outcome->is_ended = true;
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		bug("cannot run a child");
	}
	for (int i = 0; i < outcome->nr_folders; i++) {
		nftw(outcome->folders[i], remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	}
	if (WIFSIGNALED(status)) {
		return fail(row->promise, 0, "killed by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	}
	if (WEXITSTATUS(status) != 0) {
		return fail(row->promise, 0, "exited with %d", WEXITSTATUS(status));
	}
	if (!outcome->is_ended) {
		return fail(row->promise, 0, "exited before its end");
	}
	if (outcome->nr_checks == 0 && !outcome->is_skipped) {
		return fail(row->promise, 0, "checked nothing");
	}
	return outcome->nr_failed == 0;
}

static bool is_wanted(const char *promise, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strstr(promise, argv[i])) {
			return true;
		}
	}
	return argc <= 1;
}

int t_main(const struct t_case *cases, size_t nr_cases, int argc, char **argv)
{
	size_t nr_run = 0;
	int nr_failed = 0;

	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (outcome == MAP_FAILED) {
		bug("cannot map a page");
	}
	for (size_t i = 0; i < nr_cases; i++) {
		bool kept;

		if (!is_wanted(cases[i].promise, argc, argv)) {
			continue;
		}
		kept = is_kept(&cases[i]);
		nr_failed += !kept;
		printf("%sok %zu - %s%s%s\n", kept ? "" : "not ", ++nr_run, cases[i].promise,
		       kept && outcome->is_skipped ? " # SKIP " : "",
		       kept && outcome->is_skipped ? outcome->reason : "");
	}
	printf("1..%zu\n", nr_run);
	munmap(outcome, sizeof(*outcome));
	return nr_failed > 0;
}
