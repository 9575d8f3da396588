/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "assets.h"

#include "lib/base/mem.h"

bool assets_pages(struct template_set **ret_set, struct err *err)
{
	scoped(template_set_free) struct template_set *set = template_set_new();

	if (!template_set_add_files(set, web_templates, nr_web_templates, err) ||
	    !template_set_check(set, err)) {
		return false;
	}
	*ret_set = move(&set);
	return true;
}
