/* SPDX-License-Identifier: MIT */
/* Signals by name, as a person types them. */
#ifndef DBL_CLI_SIGNAL_NAME_H
#define DBL_CLI_SIGNAL_NAME_H

/* TERM, SIGTERM, term or 15; 0: there is no such signal. */
int dbl_signal_number(const char *text);

#endif
