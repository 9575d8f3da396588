/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "online.h"

#include "lib/base/mem.h"

bool online_options(struct call *call, struct online *online, const struct option_row *rows,
		    size_t nr_rows, int *ret_exit)
{
	const struct option_row token = {
		"token-file", 0,
		"FILE",       "an operator's token; else admin.token of --data",
		OPTION_TEXT,  &online->token_file
	};
	const struct option_row common[] = {
		{ "server", 0, "URL", "address of the daemon ($PATCHMETER_SERVER)", OPTION_TEXT,
		  &online->server },
		{ "data", 0, "DIR", "the daemon of this data folder, which holds its address",
		  OPTION_TEXT, &online->data },
		{ "color", 0, "WHEN", "auto, always or never (auto)", OPTION_TEXT, &online->color },
		{ "json", 0, NULL, "print the document as it came", OPTION_FLAG, &online->is_json },
	};
	size_t nr_common = countof(common) - (online->is_raw ? 2 : 0);
	size_t nr_all = nr_rows + nr_common + online->is_operator;
	scoped(free) struct option_row *all = mem_array(nr_all, sizeof(*all));
	struct err err = ERR_INIT;

	for (size_t i = 0; i < nr_all; i++) {
		all[i] = i < nr_rows               ? rows[i]
			 : i < nr_rows + nr_common ? common[i - nr_rows]
						   : token;
	}
	if (!call_options(call, all, nr_all, ret_exit)) {
		return false;
	}
	if (!screen_init(&online->screen, online->color, &err)) {
		*ret_exit = call_usage(call, "%s", err.message);
		return false;
	}
	return true;
}
