/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number.h - how a number looks, the same in a mail, a page, a table and an answer.
 *
 * The rules are those of LKP's table, which its readers know, but rounded and never wrong:
 *
 *	0.0012   12.35   999.99   1000   99999999   1.926e+08
 *
 * A number that does not exist is NAN and looks like "n/a" or "-"; never like zero.
 */
#ifndef REPORT_NUMBER_H
#define REPORT_NUMBER_H

#include "lib/base/base.h"

#define NUMBER_BYTES 32

/* Two decimals below 1000, none up to 1e8, four digits above; two digits where two decimals would
 * show 0.00 for what is not zero. */
void number_value(double value, char text[NUMBER_BYTES]);

/* "+4.1%", "-0.0%", "+2.5e+05%". */
void number_percent(double percent, char text[NUMBER_BYTES]);

/* A difference in the metric's own unit: as number_value(), with its sign. */
void number_difference(double difference, char text[NUMBER_BYTES]);

/* The deviation as a share of the value: "2.3%"; "-" where it is unknown (one sample). */
void number_spread(double value, double stddev, char text[NUMBER_BYTES]);

/* A probability: "0.02", "3e-07". */
void number_probability(double probability, char text[NUMBER_BYTES]);

/* A time for people: "0.25 s", "42 s", "3 min 5 s", "2 h 10 min"; "n/a". */
void number_seconds(double seconds, char text[NUMBER_BYTES]);

/* A size: "812 B", "1.5 KiB", "64 MiB". */
void number_size(int64_t bytes, char text[NUMBER_BYTES]);

/* The deviation in percent of the value, NAN where it has no meaning. */
double number_relative(double value, double stddev);

#endif
