/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As many connections as there are threads that want one; lent, never shared. */
#include <pthread.h>

#include "db.h"

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct db **idle;
	size_t nr_idle;
	size_t nr;
};

bool pool_open(const char *conninfo, size_t nr, struct pool **ret_pool, struct err *err)
{
	scoped(pool_close) struct pool *pool = mem_alloc(sizeof(*pool));

	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->returned, NULL);
	pool->idle = mem_array(nr, sizeof(struct db *));
	while (pool->nr < nr) {
		if (!db_open(conninfo, &pool->idle[pool->nr], err)) {
			return false;
		}
		pool->nr = ++pool->nr_idle;
	}
	*ret_pool = move(&pool);
	return true;
}

struct pool *pool_close(struct pool *pool)
{
	if (!pool) {
		return NULL;
	}
	assert(pool->nr_idle == pool->nr);
	for (size_t i = 0; i < pool->nr; i++) {
		db_close(pool->idle[i]);
	}
	free(pool->idle);
	pthread_cond_destroy(&pool->returned);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return NULL;
}

bool pool_borrow(struct pool *pool, struct db **ret_db, struct err *err)
{
	struct db *db;

	pthread_mutex_lock(&pool->lock);
	while (pool->nr_idle == 0) {
		pthread_cond_wait(&pool->returned, &pool->lock);
	}
	db = pool->idle[--pool->nr_idle];
	pthread_mutex_unlock(&pool->lock);
	if (!db_heal(db, err)) {
		pool_return(pool, db);
		return false;
	}
	*ret_db = db;
	return true;
}

void pool_return(struct pool *pool, struct db *db)
{
	db_rollback(db);
	pthread_mutex_lock(&pool->lock);
	pool->idle[pool->nr_idle++] = db;
	pthread_cond_signal(&pool->returned);
	pthread_mutex_unlock(&pool->lock);
}
