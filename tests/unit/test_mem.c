/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base/mem.h"

#include <stdalign.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/t.h"

static bool is_zeroed(const char *at, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (at[i] != 0) {
			return false;
		}
	}
	return true;
}

static void gives_zeroed_blocks(void)
{
	scoped(free) char *block = mem_alloc(100);
	scoped(free) char *array = mem_array(10, 10);
	scoped(free) char *nothing = mem_alloc(0);

	CHECK(is_zeroed(block, 100));
	CHECK(is_zeroed(array, 100));
	CHECK(nothing != NULL);
}

static void copies_texts(void)
{
	scoped(free) char *whole = mem_strdup("abc");
	scoped(free) char *part = mem_strndup("abc", 2);
	scoped(free) char *made = mem_printf("%d-%s", 7, "x");

	CHECK_TEXT(whole, "abc");
	CHECK_TEXT(part, "ab");
	CHECK_TEXT(made, "7-x");
}

/* The child's stderr would only repeat the expected message. */
static int signal_of_child(void (*run)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct rlimit no_core = { 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		close(STDERR_FILENO);
		run();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void grow_past_all_memory(void)
{
	free(mem_resize(NULL, SIZE_MAX / 2, 16));
}

static void fill_arena_past_all_memory(void)
{
	arena_array(arena_new(), SIZE_MAX / 2, 16);
}

static void aborts_where_the_size_overflows(void)
{
	CHECK_INT(signal_of_child(grow_past_all_memory), SIGABRT);
	CHECK_INT(signal_of_child(fill_arena_past_all_memory), SIGABRT);
}

static void gives_aligned_zeroed_pieces(void)
{
	scoped(arena_free) struct arena *arena = arena_new();

	for (size_t size = 0; size < 300; size++) {
		char *piece = arena_alloc(arena, size);

		if (!CHECK((uintptr_t)piece % alignof(max_align_t) == 0) ||
		    !CHECK(is_zeroed(piece, size))) {
			return;
		}
		memset(piece, 0xff, size);
	}
}

static void keeps_old_pieces(void)
{
	scoped(arena_free) struct arena *arena = arena_new();
	const char *first = arena_strdup(arena, "first");
	char *large = arena_alloc(arena, 1000000);

	memset(large, 'x', 1000000);
	CHECK_TEXT(arena_printf(arena, "%s %d", first, 2), "first 2");
	CHECK_TEXT(arena_strndup(arena, "second", 3), "sec");
	CHECK_TEXT(first, "first");
}

static void vector_keeps_its_elements(void)
{
	VEC(int) numbers = { 0 };

	for (int i = 0; i < 1000; i++) {
		*vec_push(&numbers) = i;
	}
	CHECK_INT((int64_t)numbers.nr, 1000);
	CHECK_INT(numbers.at[0], 0);
	CHECK_INT(numbers.at[999], 999);
	vec_release(&numbers);
	CHECK(numbers.at == NULL && numbers.nr == 0 && numbers.room == 0);
}

static void move_empties_its_source(void)
{
	char *from = mem_strdup("x");
	scoped(free) char *to = move(&from);

	CHECK(from == NULL);
	CHECK_TEXT(to, "x");
}

static const struct t_case cases[] = {
	{ "memory comes zeroed and never as NULL", gives_zeroed_blocks },
	{ "texts are copied whole, in part and by format", copies_texts },
	{ "a size that overflows aborts instead of giving too little",
	  aborts_where_the_size_overflows },
	{ "an arena gives zeroed pieces aligned for any type", gives_aligned_zeroed_pieces },
	{ "an arena keeps its old pieces while it grows", keeps_old_pieces },
	{ "a vector keeps its elements while it grows", vector_keeps_its_elements },
	{ "move takes the value and leaves NULL", move_empties_its_source },
};

T_MAIN(cases)
